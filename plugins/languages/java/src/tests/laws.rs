//! Checks the laws of `marquetry_sdk::testing`: the properties that every pack must have.

use marquetry_code::testing::check_document_laws;
use marquetry_sdk::testing;

use crate::Java;

const PIECES: &[&str] = &[
    "package a;\n",
    "import a.b.C;\n",
    "import static a.*;\n",
    "class A {",
    "interface B {",
    "enum C {",
    "record D(int x) {",
    "@interface E {",
    "}",
    "{",
    "(",
    ")",
    "[",
    "]",
    ";",
    ",",
    ":",
    "\n",
    "\r\n",
    "\t",
    "    ",
    " ",
    "int f;\n",
    "int a, b = 1;\n",
    "void m() {",
    "int n(int c, T... d) throws E {",
    "A() {",
    "RED, GREEN",
    "RED(1) {",
    "@A\n",
    "@A(b = 1) ",
    "public ",
    "static ",
    "static {",
    "// c\n",
    "/* c */",
    "/** d\n * e\n */\n",
    "/*",
    "*/",
    "\"",
    "\"a\"",
    "\"\"\"\n a\n\"\"\"",
    "'a'",
    "'",
    "\\",
    "x",
    "1",
    "1.5e3",
    "if (x) {",
    "} else {",
    "else",
    "for (;;) {",
    "for (A a : b) {",
    "switch (x) {",
    "case 1:\n",
    "case A a -> ",
    "default:\n",
    "return 1;\n",
    "a.b(c);\n",
    "x -> ",
    "() -> {",
    "new A() {",
    "A::b",
    "<",
    ">",
    "List<T>",
    "é",
    "_",
    "...",
    "a:\n",
    "break a;\n",
    "!",
    "*",
    "&",
    "int x = 1",
    "try (a) {",
    "catch (E e) {",
    "module a {",
    "throw e;\n",
];

const DOCUMENTS: &[&str] = &[
    "/* License */\npackage cart;\n\nimport java.util.List;\nimport static a.B.*;\n\n/** Has items. */\n@Entity\npublic class Cart<T> extends Base {\n    /** The limit. */\n    static final int LIMIT = 3; // it\n    private int size, max;\n\n    Cart() {\n        super();\n    }\n\n    // Adds.\n    @Override\n    public void add(T item) {\n        String s = \"\"\"\n          a\n            b\"\"\";\n        if (size > 1) {\n            return; // it\n        }\n        items.add(item);\n    }\n\n    int len() { return size; }\n\n    enum Kind {\n        A, // a\n        B;\n\n        int n;\n    }\n\n    enum Color { RED, GREEN }\n\n    interface Shape {\n        double area();\n    }\n\n    record Point(int x, int y) {}\n}\n",
    "class A { int a; int b = 1, c; void f() { x(); } A() { } class B { } }\n@interface C { int v() default 1; }\nenum D { ; void f() {} }\nenum E { }\n",
    "package a;\r\n\r\nimport a.B;\r\n\r\nclass A {\r\n    void f() {\r\n        x();\r\n    }\r\n\r\n    void g() {\r\n    }\r\n}\r\n",
];

#[test]
fn laws_hold_for_random_texts() {
    testing::check_laws_on_random::<Java>("A.java", PIECES, DOCUMENTS);
}

#[test]
fn laws_hold_for_documents() {
    check_document_laws::<Java>(&["A.java"], DOCUMENTS, "import java.util.Map;");
}
