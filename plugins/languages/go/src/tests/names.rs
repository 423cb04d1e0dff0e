//! The binding that each use of a name refers to.

use marquetry_code::CodeDocument;

use crate::{names::Names, table::GO};

/// Checks that the uses of `x`, in order, refer to the declarations of `x` with these numbers. 0 means that the file
/// does not declare the name.
#[track_caller]
fn check(text: &str, expected: &[usize]) {
    let document = CodeDocument::open(&GO, "a.go", format!("package a\n{text}\n"));
    let arena = document.arena();
    assert_eq!(arena.errors, [], "{text}");
    let names = Names::new(arena);
    let own: Vec<usize> = (0..names.bindings.len()).filter(|index| names.bindings[*index].name == "x").collect();
    let is_use = |usage| usage != marquetry_sdk::Usage::Declaration;
    let places = names.places.iter().filter(|place| arena.slice(place.node) == "x" && is_use(place.usage));
    let number = |binding: Option<usize>| {
        binding.and_then(|binding| own.iter().position(|index| *index == binding)).map_or(0, |position| position + 1)
    };
    let found: Vec<usize> = places.map(|place| number(place.binding)).collect();
    assert_eq!(found, expected, "{text}");
}

#[test]
fn names_of_the_package_are_visible_before_their_declaration() {
    check("func f() { x() }\nfunc x() {}", &[1]);
    check("var y = x\nvar x = 1", &[1]);
    check("func f() { x() }", &[0]);
    check("import x \"fmt\"\nvar y = x.Z", &[1]);
}

#[test]
fn local_names_are_visible_after_their_declaration() {
    check("func f() { x(); x := x + 1; x++ }", &[0, 0, 1]);
    check("func f() { var x = x; _ = x }", &[0, 1]);
    check("func f() { const x = 1; _ = x }", &[1]);
    check("func f() { type x struct{ next *x }; var y x }", &[1, 1]);
    check("var x int\nfunc f() { x = 1; x := 2; _ = x }", &[1, 2]);
}

#[test]
fn blocks_hide_names_of_outer_blocks() {
    check("func f() { x := 1; { x := 2; _ = x }; _ = x }", &[2, 1]);
    check("func f() { x := 1; if x := g(); x > 1 { _ = x } else { _ = x }; _ = x }", &[2, 2, 2, 1]);
    check("func f() { for x := 0; x < 3; x++ { x := x; _ = x } }", &[1, 1, 1, 2]);
    check("func f() { for _, x := range x { _ = x } }", &[0, 1]);
    check("func f() { switch x := x.(type) { case x: _ = x }; _ = x }", &[0, 1, 1, 0]);
    check("func f() { switch { case true: x := 1; _ = x; default: _ = x } }", &[1, 0]);
    check("func f() { select { case x := <-x: _ = x; default: _ = x } }", &[0, 1, 0]);
    check("func f() { func(x int) { _ = x }(x) }", &[1, 0]);
}

#[test]
fn redeclared_variables_are_the_same() {
    check("func f() { x, y := 1, 2; x, z := 3, 4; _ = x }", &[1, 1]);
    check("func f(x error) { y, x := g(); _ = x }", &[1, 1]);
    check("func f() (x error) { y, x := g(); { z, x := g() }; return x }", &[1, 1]);
}

#[test]
fn parameters_belong_to_their_function() {
    check("func f(x int) int { return x }\nvar y = x", &[1, 0]);
    check("func (x *T) f() { x.g() }", &[1]);
    check("func f[x any](y x) x { var z x; return z }", &[1, 1, 1]);
    check("type T[x any] struct{ y x }\nvar z x", &[1, 0]);
    check("func (t *T[x]) f(y x) {}", &[1]);
    check("func f(y func(x int)) { x() }", &[0]);
}

#[test]
fn labels_are_apart_from_variables() {
    check("func f() { x := 1\nx: for { break x }; _ = x }", &[2, 1]);
}

#[track_caller]
fn check_conflict(text: &str, new_name: &str, is_refused: bool) {
    let document = CodeDocument::open(&GO, "a.go", format!("package a\n{text}\n"));
    let names = Names::new(document.arena());
    let binding = names.bindings.iter().position(|binding| binding.name == "x").expect("declared");
    assert_eq!(names.conflict(document.arena(), binding, new_name).is_some(), is_refused, "{text} {new_name}");
}

#[test]
fn new_names_that_change_a_meaning_conflict() {
    check_conflict("func f() { x := 1; y := 2; _, _ = x, y }", "y", true);
    check_conflict("func f() { x := 1; { y := 2; _, _ = x, y } }", "y", true);
    check_conflict("func f() { x := 1; { y := 2; _ = y }; _ = x }", "y", false);
    check_conflict("func f() { x := 1; _ = x; _ = len(\"\") }", "len", true);
    check_conflict("func f() { x := 1; _ = x }\nvar y = len(\"\")", "len", false);
    check_conflict("var y = 1\nfunc f() { x := 1; _, _ = x, y }", "y", true);
    check_conflict("var y = 1\nfunc f() { x := 1; _ = x }", "y", false);
    check_conflict("func f(y int) { { x := 1; _ = x } }", "y", false);
    check_conflict("func f(x int) { y := 1; _ = y }", "y", true);
    check_conflict("func f() { x := 1; _ = T{y: x} }", "y", false);
}
