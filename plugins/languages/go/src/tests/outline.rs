//! The outline: kinds, names and addresses of symbols.

use marquetry_sdk::{TargetKind::Symbol, testing};

use crate::Go;

#[track_caller]
fn check(text: &str, expected: &str) {
    let outline = testing::open::<Go>("a.go", text).outline();
    assert_eq!(outline.trim_end(), expected.trim_matches('\n'), "{text}");
}

#[track_caller]
fn check_found(text: &str, target: &str, expected: &[&str]) {
    let found = testing::open::<Go>("a.go", text).nodes(Symbol, target).unwrap_or_default();
    let found: Vec<String> = found.into_iter().map(|node| node.address).collect();
    assert_eq!(found, expected, "{target}");
}

#[test]
fn declarations_are_listed() {
    check(
        "package a\n\nimport \"fmt\"\nimport (\n\tstr \"strings\"\n\t\"net/http\"\n)\n\nconst A = 1\nconst (\n\tB = iota\n\tC, D int = 1, 2\n)\nvar x, y int\nvar (\n\tz = 1\n)\ntype Celsius float64\ntype (\n\tPoint struct {\n\t\tX, Y int\n\t\t*Base\n\t\tfmt.Stringer\n\t\tin struct{ z int }\n\t}\n\tShape interface {\n\t\tArea() float64\n\t\tfmt.Stringer\n\t}\n)\ntype List[T any] []T\nfunc main() {\n\tvar local int\n\ttype inner struct{ a int }\n}\n",
        "
package package a @package a
import import fmt @import fmt
import import strings @import strings
import import net/http @import net/http
constant A @A
constant B @B
constant C @C
constant D @D
variable x @x
variable y @y
variable z @z
type Celsius @Celsius
struct Point @Point
  field X @Point.X
  field Y @Point.Y
  field Base @Point.Base
  field Stringer @Point.Stringer
  field in @Point.in
    field z @Point.in.z
interface Shape @Shape
  method Area @Shape.Area
type List @List
function main @main",
    );
}

#[test]
fn methods_have_the_name_of_their_type() {
    check(
        "package a\nfunc (c Cart) Add() {}\nfunc (c *Cart) Add2() {}\nfunc (*List[T]) Len() int { return 0 }\nfunc (List[_]) Cap() {}\nfunc (x *(Odd)) Get() {}\nfunc () None() {}\ntype Cart struct{ add int }\n",
        "
package package a @package a
method Add @Cart.Add
method Add2 @Cart.Add2
method Len @List.Len
method Cap @List.Cap
method Get @Odd.Get
method None @None
struct Cart @Cart
  field add @Cart.add",
    );
}

#[test]
fn repeated_names_are_numbered() {
    check(
        "package a\nfunc init() {}\nfunc init() {}\nvar _ = 1\nvar _ = 2\nfunc (A) f() {}\nfunc (B) f() {}\nfunc (A) f() {}\ntype A struct{ f int }\n",
        "
package package a @package a
function init @init[1]
function init @init[2]
variable _ @_[1]
variable _ @_[2]
method f @A.f[1]
method f @B.f
method f @A.f[2]
struct A @A
  field f @A.f",
    );
}

#[test]
fn targets_may_have_other_forms() {
    let text = "package a\ntype Cart struct{ n int }\nfunc (c *Cart) Add() {}\nfunc Add() {}\n";
    for target in ["Cart.Add", "Cart::Add", "Cart/Add", "(*Cart).Add", "(*Cart) Add", "*Cart.Add", "(Cart).Add"] {
        check_found(text, target, &["Cart.Add"]);
    }
    check_found(text, "Add", &["Add"]);
    check_found(text, "Cart.n", &["Cart.n"]);
    check_found(text, "Other.Add", &[]);
    check_found("package a\nfunc (A) f() {}\nfunc (A) f() {}\n", "A.f", &["A.f[1]", "A.f[2]"]);
}
