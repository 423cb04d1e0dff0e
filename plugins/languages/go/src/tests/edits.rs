//! Every operation on typical targets, and refusals.

use marquetry_sdk::{
    Document, EditOptions, LanguagePack, Operation,
    TargetKind::{Region, Symbol},
    span::apply,
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
}

#[test]
fn deletes_names_of_a_list() {
    let delete = |own: &str, target: &str, expected: &str| {
        let text = |own: &str| format!("package a\n\n{own}\n");
        check(&text(own), target, Operation::Delete, &text(expected));
    };
    delete("var a, b = 1, 2", "a", "var b = 2");
    delete("var a, b = 1, 2", "b", "var a = 1");
    delete("var a, b, c int", "b", "var a, c int");
    delete("var (\n\ta, b = 1, 2 // it\n)", "b", "var (\n\ta = 1 // it\n)");
    delete(
        "const (\n\ta, b = iota, iota + 1\n\tc, d = 1, 2\n)",
        "d",
        "const (\n\ta, b = iota, iota + 1\n\tc    = 1\n)",
    );
    delete("type T struct{ a, b int }", "T.a", "type T struct{ b int }");
    delete("type T struct {\n\ta, b, c int `x`\n}", "T.c", "type T struct {\n\ta, b int `x`\n}");
}

#[test]
fn deletes_several_names_of_a_list_at_once() {
    let text = "package a\n\nvar a, b, c, d = 1, 2, 3, 4\n";
    let document = Go::open("a.go", text.to_owned(), "{}");
    let id = |address: &str| document.find_symbols(address).expect(address)[0] as u32;
    let delete = |addresses: &[&str]| {
        let nodes: Vec<u32> = addresses.iter().map(|address| id(address)).collect();
        let edits =
            document.edit(&nodes, &Operation::Delete, EditOptions { force: false, include_doc: false }).expect("edits");
        apply(text, &edits)
    };
    assert_eq!(delete(&["a", "c"]), "package a\n\nvar b, d = 2, 4\n");
    assert_eq!(delete(&["d", "c"]), "package a\n\nvar a, b = 1, 2\n");
    assert_eq!(delete(&["a", "b", "c", "d"]), "package a\n");
}

#[test]
fn deleted_names_keep_the_columns_aligned() {
    let delete = |fields: &str, target: &str, expected: &str| {
        let text = |fields: &str| format!("package a\n\ntype T struct {{\n{fields}}}\n");
        check(&text(fields), target, Operation::Delete, &text(expected));
    };
    delete("\tx, y, z int\n\tlengthy string\n", "T.y", "\tx, z    int\n\tlengthy string\n");
    delete("\tx, y, z int\n\tlengthy string\n", "T.z", "\tx, y    int\n\tlengthy string\n");
    delete("\tlengthy string\n\tx, y, z int\n", "T.x", "\tlengthy string\n\ty, z    int\n");
    delete("\tä, y, z int\n\t// c\n\tlengthy string\n", "T.ä", "\ty, z    int\n\t// c\n\tlengthy string\n");
    // Blank lines and other columns separate alignments.
    delete("\tx, y, z int\n\n\tlengthy string\n", "T.y", "\tx, z int\n\n\tlengthy string\n");
    delete("\tx, y int\n\tlengthy string\n", "T.y", "\tx int\n\tlengthy string\n");
    let both = "package a\n\nvar (\n\ta, b = 1, 2 // x\n\tcd   = 34   // y\n)\n";
    let expected = "package a\n\nvar (\n\ta    = 1    // x\n\tcd   = 34   // y\n)\n";
    check(both, "b", Operation::Delete, expected);
}

#[test]
fn names_whose_values_do_not_correspond_stay() {
    refused("package a\nvar a, b = f()\n", "a", Operation::Delete);
    refused("package a\nconst (\n\ta, b = 1, 2\n\tc, d\n)\n", "a", Operation::Delete);
    refused("package a\nconst (\n\ta, b = 1, 2\n\tc, d\n)\n", "d", Operation::Delete);
    refused("package a\nvar a, /* it */ b = 1, 2\n", "a", Operation::Delete);
    refused("package a\nvar a, b = 1, /* it */ 2\n", "a", Operation::Delete);
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

#[test]
fn values_on_other_lines_belong_to_the_deletion_of_a_name() {
    let text = "package a\nvar a, b, c = 1, f(2,\n\t3), 4 // it\n";
    let document = Go::open("a.go", text.to_owned(), "{}");
    let nodes = [document.find_symbols("b").expect("b")[0] as u32];
    let ranges = document.edit_ranges(&nodes, &Operation::Delete);
    let edits = document.edit(&nodes, &Operation::Delete, EditOptions { force: false, include_doc: false });
    for edit in edits.as_ref().expect("edits") {
        assert!(ranges.iter().any(|range| range.contains(edit.span)), "{edit:?} {ranges:?}");
    }
    assert_eq!(apply(text, &edits.expect("edits")), "package a\nvar a, c = 1, 4 // it\n");
}

#[test]
fn constants_on_whose_place_others_depend_stay() {
    let text = |group: &str| format!("package a\n\nconst (\n\t{}\n)\n", group.replace("; ", "\n\t"));
    let stays = |group: &str, name: &str| refused(&text(group), name, Operation::Delete);
    stays("A = iota; B; C", "A");
    stays("A = iota; B; C", "B");
    stays("A = 1; B; C = 2", "A");
    stays("A = 1; B = 1 << iota", "A");
    stays("A; B = 2; C = iota", "B");
    stays("A, B = iota, iota + 1; C, D; E, F", "A");
    let goes = |group: &str, name: &str, rest: &str| check(&text(group), name, Operation::Delete, &text(rest));
    goes("A = iota; B; C", "C", "A = iota; B");
    goes("A = 1; B = 2; C = 3", "A", "B = 2; C = 3");
    goes("A = 1; B; C", "B", "A = 1; C");
    goes("A = iota; B; C = 3", "B", "A = iota; C = 3");
    check("package a\n\nconst A = iota\n\nconst B = iota\n", "A", Operation::Delete, "package a\n\nconst B = iota\n");
    let all = text("A = iota; B; C");
    let document = Go::open("a.go", all.clone(), "{}");
    let id = |address: &str| document.find_symbols(address).expect(address)[0] as u32;
    let delete = |addresses: &[&str], force: bool| {
        let nodes: Vec<u32> = addresses.iter().map(|address| id(address)).collect();
        let edits = document.edit(&nodes, &Operation::Delete, EditOptions { force, include_doc: false });
        edits.map(|edits| apply(&all, &edits))
    };
    assert_eq!(delete(&["B", "C"], false), Ok(text("A = iota")));
    assert_eq!(delete(&["A", "B", "C"], false), Ok("package a\n\nconst ()\n".to_owned()));
    assert!(delete(&["A", "C"], false).is_err());
    assert_eq!(delete(&["B"], true), Ok(text("A = iota; C")));
}
