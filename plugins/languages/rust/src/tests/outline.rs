//! The outline: kinds, names and addresses of symbols.

use marquetry_sdk::{TargetKind::Symbol, testing};

use crate::Rust;

#[track_caller]
fn check(text: &str, expected: &str) {
    let outline = testing::open::<Rust>("a.rs", text).outline();
    assert_eq!(outline.trim_end(), expected.trim_matches('\n'), "{text}");
}

#[test]
fn items_are_listed() {
    check(
        "//! Doc.\nuse std::{\n    fmt,\n    io::Read,\n};\nextern crate alloc;\n#[derive(Debug)]\npub struct Point { pub x: i32, y: i32 }\nstruct Unit;\npub enum Shape {\n    Circle { radius: f64 },\n    Square(f64),\n    Empty = 3,\n}\nconst MAX: usize = 1;\nconst _: () = ();\nstatic NAME: &str = \"\";\ntype Pair = (i32, i32);\nmacro_rules! twice { () => {} }\nmod inner {\n    pub fn f() {\n        fn g() {}\n    }\n}\nmod other;\nunion U { a: u8 }\nextern \"C\" { fn c(); }\n",
        "
use use std::{fmt, io::Read} @use std::{fmt, io::Read}
use extern crate alloc @extern crate alloc
struct Point @Point
  field x @Point.x
  field y @Point.y
struct Unit @Unit
enum Shape @Shape
  variant Circle @Shape::Circle
    field radius @Shape::Circle.radius
  variant Square @Shape::Square
  variant Empty @Shape::Empty
constant MAX @MAX
constant _ @_
static NAME @NAME
type Pair @Pair
macro twice @twice
module inner @inner
  function f @inner::f
    function g @inner::f::g
module other @other
union U @U
  field a @U.a
block extern \"C\" @extern \"C\"
  function c @c",
    );
}

#[test]
fn members_of_a_type_have_its_name() {
    check(
        "impl Point {\n    const ZERO: u8 = 0;\n    fn x(&self) {}\n}\nimpl<T: A> Point<T>\nwhere\n    T: B,\n{\n    fn y() {}\n    fn x() {}\n}\nimpl fmt::Display for Point {\n    fn fmt(&self) {}\n}\nimpl<T> From<Vec<T>> for a::Point { type E = (); fn from() {} }\nunsafe impl !Send for Point {}\nimpl dyn A + B { fn z() {} }\ntrait Shape: Sized {\n    type Unit;\n    fn area(&self) -> f64;\n}\n",
        "
impl impl Point @impl Point
  constant ZERO @Point::ZERO
  method x @Point::x[1]
impl impl Point<T> @impl Point<T>
  method y @Point::y
  method x @Point::x[2]
impl impl fmt::Display for Point @impl fmt::Display for Point
  method fmt @impl fmt::Display for Point::fmt
impl impl From<Vec<T>> for a::Point @impl From<Vec<T>> for a::Point
  type E @impl From<Vec<T>> for a::Point::E
  method from @impl From<Vec<T>> for a::Point::from
impl impl !Send for Point @impl !Send for Point
impl impl dyn A + B @impl dyn A + B
  method z @dyn A + B::z
trait Shape @Shape
  type Unit @Shape::Unit
  method area @Shape::area",
    );
}

#[test]
fn repeated_names_are_numbered() {
    check(
        "#[cfg(a)]\nfn f() {}\n#[cfg(b)]\nfn f() {}\nimpl A for B {}\nimpl A for B { fn c() {} }\nstruct A { b: u8 }\nimpl A { fn b(&self) {} }\nmod A { fn b() {} }\n",
        "
function f @f[1]
function f @f[2]
impl impl A for B @impl A for B[1]
impl impl A for B @impl A for B[2]
  method c @impl A for B[2]::c
struct A @A[1]
  field b @A[1].b
impl impl A @impl A
  method b @A::b
module A @A[2]
  function b @A[2]::b",
    );
}

#[track_caller]
fn check_found(target: &str, expected: &[&str]) {
    let text = "struct A { b: u8 }\nimpl A { fn b(&self) {} fn c() {} }\nimpl Display for A { fn fmt() {} }\nimpl Debug for A { fn fmt() {} }\nmod m { impl A { fn d() {} } }\n";
    let nodes = testing::open::<Rust>("a.rs", text).nodes(Symbol, target).expect("found");
    let found: Vec<&str> = nodes.iter().map(|node| node.address.as_str()).collect();
    assert_eq!(found, expected, "{target}");
}

#[test]
fn targets_may_be_short_or_have_other_separators() {
    check_found("A.b", &["A.b"]);
    check_found("A::b", &["A::b"]);
    check_found("A/c", &["A::c"]);
    check_found("A.c", &["A::c"]);
    check_found("impl A/c", &["A::c"]);
    check_found("impl Display for A/fmt", &["impl Display for A::fmt"]);
    check_found("A::fmt", &["impl Display for A::fmt", "impl Debug for A::fmt"]);
    check_found("m::A::d", &["m::A::d"]);
}

#[test]
fn implementations_are_found_without_generic_arguments() {
    let text = "impl<T> W<T> { fn inner(&self) {} }\nimpl<T: Iterator> Iterator for W<T> { fn next() {} }\nimpl<'a> fmt::Display for a::V<'a, Vec<u8>> { fn fmt() {} }\nimpl From<u8> for W<u8> { fn from() {} }\nimpl From<u16> for W<u8> { fn from() {} }\nimpl<F: Fn()> Run<fn(u8) -> Vec<u8>> for X<F> { fn go() {} }\nimpl<T> !Send for W<T> {}\nimpl U {}\nimpl<T> U<T> {}\nmod m { impl<T> Drop for W<T> {} }\n";
    let bench = testing::open::<Rust>("a.rs", text);
    let check = |target: &str, expected: &str| {
        let nodes = bench.nodes(Symbol, target).unwrap_or_else(|failure| panic!("{target}: {failure:?}"));
        let found: Vec<&str> = nodes.iter().map(|node| node.address.as_str()).collect();
        assert_eq!(found, [expected], "{target}");
    };
    check("impl W", "impl W<T>");
    check("impl W::inner", "W::inner");
    check("impl Iterator for W", "impl Iterator for W<T>");
    check("impl Iterator for W.next", "impl Iterator for W<T>::next");
    check("impl Display for V", "impl fmt::Display for a::V<'a, Vec<u8>>");
    check("impl fmt::Display for a::V", "impl fmt::Display for a::V<'a, Vec<u8>>");
    check("impl Run for X", "impl Run<fn(u8) -> Vec<u8>> for X<F>");
    check("impl !Send for W", "impl !Send for W<T>");
    check("m::impl Drop for W", "m::impl Drop for W<T>");
    // A name takes precedence over an alias.
    check("impl U", "impl U");
    // Two implementations have the alias.
    let failure = bench.nodes(Symbol, "impl From for W").expect_err("ambiguous");
    assert!(failure.candidates.iter().any(|address| address == "impl From<u8> for W<u8>"), "{failure:?}");
    bench.nodes(Symbol, "impl Clone for W").expect_err("no such implementation");
}

#[test]
fn broken_file_keeps_the_rest() {
    check(
        "fn a() { 1 }\n\nfn b(x: { let y = (; }\n\nstruct C;\n\nimpl D { fn e() {} }\n",
        "
function a @a
function b @b
struct C @C
impl impl D @impl D
  method e @D::e",
    );
}
