//! Views: `full`, `signature`, `body`, `summary`.

use marquetry_sdk::{Form, TargetKind::Symbol, testing};

use crate::Go;

const TEXT: &str = "package a\n\n// Cart has items.\ntype Cart[T any] struct {\n\t// All.\n\titems []T `json:\"i\"`\n}\n\n// Total sums.\nfunc (c *Cart[T]) Total(\n\tscale int,\n) (sum int, err error) {\n\t// Sum.\n\treturn 1, nil // one\n}\n\nconst (\n\tA = iota\n\tB\n)\n\nvar table = []int{\n\t1, 2,\n}\n\ntype Shape interface {\n\tArea() float64\n\tfmt.Stringer\n}\n";

#[track_caller]
fn check(target: &str, form: Form, expected: &str) {
    let bench = testing::open::<Go>("a.go", TEXT);
    let nodes = bench.nodes(Symbol, target).expect("found");
    assert_eq!(bench.show(&nodes[0], form).expect("shown"), expected, "{target} {form:?}");
}

#[test]
fn signatures_are_one_line() {
    check("Cart", Form::Signature, "type Cart[T any] struct");
    check("Cart.Total", Form::Signature, "func (c *Cart[T]) Total(scale int) (sum int, err error)");
    check("A", Form::Signature, "A = iota");
    check("table", Form::Signature, "var table = …");
    check("Cart.items", Form::Signature, "items []T `json:\"i\"`");
    check("Shape.Area", Form::Signature, "Area() float64");
}

#[test]
fn bodies_have_their_comments() {
    check("Cart.Total", Form::Body, "// Sum.\n\treturn 1, nil // one");
    check("Cart", Form::Body, "// All.\n\titems []T `json:\"i\"`");
    check("table", Form::Body, "[]int{\n\t1, 2,\n}");
    check("B", Form::Full, "B");
}

#[test]
fn summaries_have_heads() {
    check("Cart", Form::Summary, "// Cart has items.\ntype Cart[T any] struct { … }\n\titems []T `json:\"i\"`");
    check("Shape", Form::Summary, "type Shape interface { … }\n\tArea() float64");
}
