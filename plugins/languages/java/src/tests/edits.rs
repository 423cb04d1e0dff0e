//! Every operation on typical targets, and refusals.

use marquetry_sdk::{
    Operation,
    TargetKind::{Region, Symbol},
    testing::{self, after, before, body, first, last, replace, sorted, wrap},
};

use super::check;
use crate::Java;

const CART: &str = "/* License */\npackage cart;\n\nimport java.util.List;\n\n/** Has items. */\npublic class Cart {\n    /** The limit. */\n    static final int LIMIT = 3;\n    private int a, b;\n\n    Cart() {\n        super();\n    }\n\n    /** Adds. */\n    @Override\n    public int add(int x) {\n        items.add(x); // it\n        return x;\n    }\n\n    void clear() {}\n\n    enum Color { RED, GREEN }\n\n    enum Kind {\n        SMALL,\n        LARGE;\n\n        int size;\n    }\n}\n";

#[track_caller]
fn check_cart(target: &str, operation: Operation, from: &str, to: &str) {
    assert!(CART.contains(from), "{from}");
    check(CART, target, operation, &CART.replacen(from, to, 1));
}

#[track_caller]
fn refused(text: &str, target: &str, operation: Operation) {
    testing::check_refusal::<Java>(("A.java", text), (Symbol, target), operation);
}

#[test]
fn replaces() {
    check_cart("Cart.LIMIT", replace("int LIMIT = 4;"), "static final int LIMIT = 3;", "int LIMIT = 4;");
    let add = "@Override\n    public int add(int x) {\n        items.add(x); // it\n        return x;\n    }";
    check_cart("Cart.add", replace("  int add() {\n    a();\n  }"), add, "int add() {\n        a();\n    }");
    let with_doc = format!("/** Adds. */\n    {add}");
    check_cart("Cart.add", replace("// New.\n@Old int add() {}"), &with_doc, "// New.\n    @Old int add() {}");
    check_cart("import java.util.List", replace("import a.B;"), "import java.util.List;", "import a.B;");
    check_cart("Cart.Color.RED", replace("BLUE"), "RED", "BLUE");
    check_cart("Cart.Kind.LARGE", replace("HUGE(1)"), "LARGE", "HUGE(1)");
    check_cart("package cart", replace("package shop;"), "package cart;", "package shop;");
}

#[test]
fn replaces_bodies() {
    let own = "items.add(x); // it\n        return x;";
    check_cart("Cart.add", body("return 0;"), own, "return 0;");
    check_cart("Cart.add", body("if (x) {\n  y();\n}"), own, "if (x) {\n            y();\n        }");
    check_cart("Cart.clear", body("c.x();"), "clear() {}", "clear() {\n        c.x();\n    }");
    check_cart("Cart.add", body(""), &format!("{{\n        {own}\n    }}"), "{}");
    check_cart("Cart.LIMIT", body("5"), "LIMIT = 3", "LIMIT = 5");
    check_cart("Cart.Color", body("BLUE"), "RED, GREEN", "BLUE");
    check(
        "class A { void f() { a(); } }\n",
        "A.f",
        body("b();\nc();"),
        "class A { void f() {\n    b();\n    c();\n} }\n",
    );
    refused(CART, "import java.util.List", body("x"));
    refused("interface A { void f(); }\n", "A.f", body("x();"));
}

#[test]
fn text_blocks_keep_their_lines() {
    let content = "void f() {\n  s = \"\"\"\n    a\n      b\"\"\";\n}";
    check(
        "class A {\n    void f() {}\n}\n",
        "A.f",
        replace(content),
        "class A {\n    void f() {\n        s = \"\"\"\n    a\n      b\"\"\";\n    }\n}\n",
    );
}

#[test]
fn inserts_beside() {
    check_cart(
        "Cart.add",
        after("int len() {\n  return 1;\n}"),
        "        return x;\n    }\n",
        "        return x;\n    }\n\n    int len() {\n        return 1;\n    }\n",
    );
    check_cart("Cart.add", before("void f() {}"), "    /** Adds. */\n", "    void f() {}\n\n    /** Adds. */\n");
    check_cart("Cart.LIMIT", after("int c;"), "LIMIT = 3;\n", "LIMIT = 3;\n    int c;\n");
    check_cart("Cart.clear", before("// note"), "    void clear", "    // note\n    void clear");
    check_cart("Cart.Color.RED", after("BLUE"), "RED, GREEN", "RED, BLUE, GREEN");
    check_cart("Cart.Kind.SMALL", after("MEDIUM"), "SMALL,\n", "SMALL,\n        MEDIUM,\n");
    check_cart("import java.util.List", after("import a.B;"), "List;\n", "List;\nimport a.B;\n");
    check("package a;\n", "package a", after("class A {}"), "package a;\n\nclass A {}\n");
}

#[test]
fn inserts_inside() {
    check_cart("Cart.add", last("x++;"), "        return x;\n", "        return x;\n        x++;\n");
    check_cart("Cart.add", first("x++;"), "        items.add", "        x++;\n        items.add");
    check_cart("Cart.clear", last("c.x();"), "clear() {}", "clear() {\n        c.x();\n    }");
    check_cart("Cart.Color", last("BLUE"), "RED, GREEN", "RED, GREEN, BLUE");
    check_cart("Cart.Kind", last("int weight;"), "int size;\n", "int size;\n        int weight;\n");
    check(
        "class A {\n    void a() {}\n\n    void c() {}\n}\n",
        "A",
        sorted("void b() {}"),
        "class A {\n    void a() {}\n\n    void b() {}\n\n    void c() {}\n}\n",
    );
    check("enum A {}\n", "A", last("B"), "enum A {\n    B,\n}\n");
    check("@interface A {}\n", "A", last("int v();"), "@interface A {\n    int v();\n}\n");
    refused(CART, "Cart.LIMIT", last("x"));
}

#[test]
fn deletes() {
    check_cart("Cart.LIMIT", Operation::Delete, "    /** The limit. */\n    static final int LIMIT = 3;\n", "");
    check_cart("Cart.clear", Operation::Delete, "    void clear() {}\n\n", "");
    check_cart("Cart.Color.RED", Operation::Delete, "RED, GREEN", "GREEN");
    check_cart("Cart.Kind.LARGE", Operation::Delete, "SMALL,\n        LARGE;", "SMALL;");
    check("class A { int a; int b; }\n", "A.b", Operation::Delete, "class A { int a; }\n");
    refused(CART, "Cart.a", Operation::Delete);
}

#[test]
fn wraps() {
    check_cart(
        "Cart.clear",
        wrap("// start", "// end"),
        "void clear() {}",
        "// start\n    void clear() {}\n    // end",
    );
    check(
        "class A {\n    void f() {}\n}\n",
        "A.f",
        wrap("class B {", "}"),
        "class A {\n    class B {\n        void f() {}\n    }\n}\n",
    );
    refused(CART, "Cart.a", wrap("{", "}"));
}

#[track_caller]
fn check_imports(text: &str, operation: Operation, expected: &str) {
    testing::check_edit::<Java>(("A.java", text), (Region, "imports"), operation, expected);
}

#[test]
fn imports_are_a_region() {
    check_imports("package a;\n\nclass A {}\n", last("import b.C;"), "package a;\n\nimport b.C;\n\nclass A {}\n");
    check_imports("package a;\n", last("import b.C;"), "package a;\n\nimport b.C;\n");
    check_imports("import b.C;\n\nclass A {}\n", last("import b.D;"), "import b.C;\nimport b.D;\n\nclass A {}\n");
    check_imports("package a;\n\nimport b.C;\n\nclass A {}\n", Operation::Delete, "package a;\n\nclass A {}\n");
}
