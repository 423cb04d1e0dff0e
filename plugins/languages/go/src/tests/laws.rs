//! Checks the laws of `marquetry_sdk::testing`: the properties that every pack must have.

use marquetry_code::testing::check_document_laws;
use marquetry_sdk::testing;

use crate::Go;

const PIECES: &[&str] = &[
    "package a\n",
    "func f() {",
    "x := T{a: ",
    "\"k\": {1, 2},\n",
    "var y = &T{\n",
    "}",
    "{",
    "(",
    ")",
    "[",
    "]",
    ";",
    ",",
    ":",
    ":=",
    "\n",
    "\r\n",
    "\t",
    "    ",
    " ",
    "type A struct {",
    "type B interface {",
    "C int\n",
    "D, E int `x`\n",
    "*F\n",
    "g.H\n",
    "func (a *A) m() {",
    "func (a A[T]) n(b, c int) (d error) {",
    "import \"fmt\"\n",
    "import (\n",
    "\"io\"\n",
    "x \"y/z\"\n",
    "const X = 1\n",
    "const (\n",
    "Y\n",
    "var v, w = 1, 2\n",
    "var (\n",
    "type (\n",
    "type T[P any] = []P\n",
    "// c\n",
    "/* c */",
    "/* d\n */",
    "/*",
    "*/",
    "\"",
    "`",
    "`a\n b`",
    "'a'",
    "'",
    "\\",
    "x",
    "1",
    "1.5e3",
    "if x {",
    "} else {",
    "else",
    "for i := 0; i < 3; i++ {",
    "for range x {",
    "switch x := y.(type) {",
    "case int:\n",
    "default:\n",
    "select {",
    "return 1\n",
    "go f()\n",
    "a.b(c...)\n",
    "x := T{a: 1}\n",
    "map[K]V{",
    "chan<- ",
    "<-",
    "func() {",
    "é",
    "_",
    "...",
    "goto L\n",
    "L:\n",
    "~int | B",
    "!",
    "*",
    "&",
];

const DOCUMENTS: &[&str] = &[
    "// Package cart has carts.\npackage cart\n\nimport (\n\t\"fmt\"\n\n\tx \"io\"\n)\n\n// Limit is a limit.\nconst Limit = 3 // it\n\n// Cart is a cart.\ntype Cart struct {\n\t// Items are its items.\n\tItems []int // all\n\tsize, max int\n\n\t*Base\n}\n\nconst (\n\tA = iota\n\t// B is next.\n\tB\n)\n\n// Add adds.\nfunc (c *Cart) Add(x int) (n int, err error) {\n\ts := `a\n  b`\n\tif x > 1 {\n\t\treturn len(s), nil // it\n\t}\n\tc.Items = append(c.Items, x)\n\treturn\n}\n\nfunc (c Cart) Len() int { return len(c.Items) }\n\ntype Shape interface {\n\tArea() float64\n\tfmt.Stringer\n}\n\nfunc init() {}\nfunc init() {}\n",
    "package a\ntype (\n\tT struct { a int; b struct { c int } }\n\tU = T\n)\nvar (\n)\nvar a, b = f(), func() { g() }\nfunc f() { var x int; type y struct { z int } }\nfunc h() (\n\tint,\n)\n",
    "package a\r\n\r\nimport \"fmt\"\r\n\r\nfunc (a A) f() {\r\n\tfmt.Println()\r\n}\r\n\r\nfunc g() {\r\n}\r\n",
];

#[test]
fn laws_hold_for_random_texts() {
    testing::check_laws_on_random::<Go>("a.go", PIECES, DOCUMENTS);
}

#[test]
fn laws_hold_for_documents() {
    check_document_laws::<Go>(&["a.go"], DOCUMENTS, "import \"os\"");
}
