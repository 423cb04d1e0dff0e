//! Every operation on typical targets, and refusals.

use marquetry_sdk::{
    Operation,
    TargetKind::{Region, Symbol},
    testing::{self, after, before, body, first, last, replace, sorted, wrap},
};

use super::check;
use crate::Go;

const CART: &str = "// Package cart has carts.\npackage cart\n\nimport \"fmt\"\n\n// Limit is a limit.\nconst Limit = 3\n\n// Cart has items.\ntype Cart struct {\n\t// Items are items.\n\tItems []int\n\tsize  int\n}\n\n// Add adds.\nfunc (c *Cart) Add(x int) int {\n\tc.Items = append(c.Items, x) // it\n\treturn x\n}\n\nfunc (c *Cart) Clear() {}\n\nconst (\n\tSmall = iota\n\tLarge\n)\n\ntype Shape interface{ Area() int }\n";

#[track_caller]
fn check_cart(target: &str, operation: Operation, from: &str, to: &str) {
    assert!(CART.contains(from), "{from}");
    check(CART, target, operation, &CART.replacen(from, to, 1));
}

#[track_caller]
fn refused(text: &str, target: &str, operation: Operation) {
    testing::check_refusal::<Go>(("a.go", text), (Symbol, target), operation);
}

#[test]
fn replaces() {
    check_cart("Limit", replace("const Limit = 4"), "const Limit = 3", "const Limit = 4");
    let add = "func (c *Cart) Add(x int) int {\n\tc.Items = append(c.Items, x) // it\n\treturn x\n}";
    check_cart("Cart.Add", replace("  func (c Cart) Add() {\n    a()\n  }"), add, "func (c Cart) Add() {\n\ta()\n}");
    let with_doc = format!("// Add adds.\n{add}");
    check_cart("Cart.Add", replace("// New.\nfunc (c Cart) Add() {}"), &with_doc, "// New.\nfunc (c Cart) Add() {}");
    check_cart("Cart.size", replace("size int64 `a`"), "size  int", "size int64 `a`");
    check_cart("Small", replace("Tiny = 1"), "Small = iota", "Tiny = 1");
    check_cart("import fmt", replace("import \"io\""), "import \"fmt\"", "import \"io\"");
}

#[test]
fn replaces_bodies() {
    let own = "c.Items = append(c.Items, x) // it\n\treturn x";
    check_cart("Cart.Add", body("return 0"), own, "return 0");
    check_cart("Cart.Add", body("if x {\n    y()\n}\nreturn 0"), own, "if x {\n\t\ty()\n\t}\n\treturn 0");
    check_cart("Cart.Clear", body("c.x()"), "Clear() {}", "Clear() {\n\tc.x()\n}");
    check_cart("Cart.Add", body(""), &format!("{{\n\t{own}\n}}"), "{}");
    check_cart("Limit", body("5"), "Limit = 3", "Limit = 5");
    check_cart("Small", body("1 + iota"), "Small = iota", "Small = 1 + iota");
    check_cart("Shape", body("Area() int\nName() string"), "{ Area() int }", "{\n\tArea() int\n\tName() string\n}");
    check_cart("Cart", body("a int"), "// Items are items.\n\tItems []int\n\tsize  int", "a int");
    check("package a\ntype T int\n", "T", body("string"), "package a\ntype T string\n");
    check("package a\nfunc f() { a() }\n", "f", body("b()\nc()"), "package a\nfunc f() {\n\tb()\n\tc()\n}\n");
    refused(CART, "import fmt", body("x"));
    refused("package a\nfunc f()\n", "f", body("x"));
}

#[test]
fn raw_strings_keep_their_lines() {
    let content = "func f() {\n    s := `a\n  b\n`\n    return\n}";
    check(
        "package a\n\ntype T struct {\n\ta int\n}\n\nfunc f() {}\n",
        "f",
        replace(content),
        "package a\n\ntype T struct {\n\ta int\n}\n\nfunc f() {\n\ts := `a\n  b\n`\n\treturn\n}\n",
    );
}

#[test]
fn inserts_beside() {
    check_cart(
        "Cart.Add",
        after("func (c *Cart) Len() int {\n\treturn 1\n}"),
        "\treturn x\n}\n",
        "\treturn x\n}\n\nfunc (c *Cart) Len() int {\n\treturn 1\n}\n",
    );
    check_cart("Cart.Add", before("func f() {}"), "// Add adds.\n", "func f() {}\n\n// Add adds.\n");
    check_cart("Cart.size", after("b int"), "\tsize  int\n", "\tsize  int\n\tb int\n");
    check_cart("Cart.Items", before("// New.\nb int"), "\t// Items are", "\t// New.\n\tb int\n\t// Items are");
    check_cart("Small", after("Medium"), "Small = iota\n", "Small = iota\n\tMedium\n");
    check_cart("Limit", after("const Max = 4"), "const Limit = 3\n", "const Limit = 3\nconst Max = 4\n");
    check_cart("Cart.Clear", before("// note"), "func (c *Cart) Clear", "// note\nfunc (c *Cart) Clear");
    check(
        "package a\ntype T struct { a int; b int }\n",
        "T.a",
        after("c int"),
        "package a\ntype T struct {\n\ta int;\n\tc int\n\tb int\n}\n",
    );
    check("package a\n", "package a", after("func f() {}"), "package a\n\nfunc f() {}\n");
}

#[test]
fn inserts_inside() {
    check_cart("Cart.Add", last("x++"), "\treturn x\n", "\treturn x\n\tx++\n");
    check_cart("Cart.Add", first("x++"), "\tc.Items = append", "\tx++\n\tc.Items = append");
    check_cart("Cart.Clear", last("c.x()"), "Clear() {}", "Clear() {\n\tc.x()\n}");
    check_cart("Cart", last("b int"), "\tsize  int\n", "\tsize  int\n\tb int\n");
    check_cart("Cart", sorted("J int"), "\tsize  int\n", "\tJ int\n\tsize  int\n");
    check_cart("Shape", last("Name() string"), "{ Area() int }", "{\n\tArea() int\n\tName() string\n}");
    refused(CART, "Limit", last("x"));
    refused(CART, "import fmt", last("x"));
}

#[test]
fn deletes() {
    check_cart("Limit", Operation::Delete, "// Limit is a limit.\nconst Limit = 3\n\n", "");
    check_cart("Cart.Items", Operation::Delete, "\t// Items are items.\n\tItems []int\n", "");
    check_cart("Large", Operation::Delete, "\tLarge\n", "");
    check_cart("Cart.Clear", Operation::Delete, "func (c *Cart) Clear() {}\n\n", "");
    check("package a\nvar a, b = 1, 2\nvar c = 3\n", "c", Operation::Delete, "package a\nvar a, b = 1, 2\n");
    check(
        "package a\ntype T struct { a int; b int }\n",
        "T.b",
        Operation::Delete,
        "package a\ntype T struct { a int }\n",
    );
    check(
        "package a\ntype T struct { a int; b int }\n",
        "T.a",
        Operation::Delete,
        "package a\ntype T struct { b int }\n",
    );
    refused("package a\nvar a, b = 1, 2\n", "a", Operation::Delete);
}

#[test]
fn wraps() {
    check_cart(
        "Cart.Clear",
        wrap("// start", "// end"),
        "func (c *Cart) Clear() {}",
        "// start\nfunc (c *Cart) Clear() {}\n// end",
    );
    check("package a\nvar a = 1\n", "a", wrap("var (", ")"), "package a\nvar (\n\tvar a = 1\n)\n");
    refused("package a\nvar a, b = 1, 2\n", "a", wrap("{", "}"));
}

#[track_caller]
fn check_imports(text: &str, operation: Operation, expected: &str) {
    testing::check_edit::<Go>(("a.go", text), (Region, "imports"), operation, expected);
}

#[test]
fn imports_are_a_region() {
    check_imports("package a\n\nfunc f() {}\n", last("import \"io\""), "package a\n\nimport \"io\"\n\nfunc f() {}\n");
    check_imports("package a\n", last("import \"io\""), "package a\n\nimport \"io\"\n");
    check_imports(
        "package a\n\nimport \"fmt\"\n\nvar x = 1\n",
        replace("import (\n\t\"io\"\n)"),
        "package a\n\nimport (\n\t\"io\"\n)\n\nvar x = 1\n",
    );
    check_imports("package a\n\nimport \"fmt\"\n\nvar x = 1\n", Operation::Delete, "package a\n\nvar x = 1\n");
}
