//! The outline: kinds, names and addresses of symbols.

use marquetry_sdk::{TargetKind::Symbol, testing};

use crate::Java;

#[track_caller]
fn check(text: &str, expected: &str) {
    let outline = testing::open::<Java>("A.java", text).outline();
    assert_eq!(outline.trim_end(), expected.trim_matches('\n'), "{text}");
}

#[track_caller]
fn check_found(text: &str, target: &str, expected: &[&str]) {
    let found = testing::open::<Java>("A.java", text).nodes(Symbol, target).unwrap_or_default();
    let found: Vec<String> = found.into_iter().map(|node| node.address).collect();
    assert_eq!(found, expected, "{target}");
}

#[test]
fn declarations_are_listed() {
    check(
        "package a.b;\n\nimport java.util.List;\nimport static a.C . * ;\n\nclass Cart {\n    int a = 1, b;\n    Cart() {}\n    void add() { class Local { int z; } }\n    enum Color { RED, GREEN { void f() {} } }\n    enum Kind { A, B; int n; Kind() {} }\n    record P(int x) { P {} static int y; }\n}\n\ninterface Shape { int E = 2; double area(); }\n\n@interface Ann { int value() default 1; }\n",
        "
package package a.b @package a.b
import import java.util.List @import java.util.List
import import static a.C.* @import static a.C.*
class Cart @Cart
  field a @Cart.a
  field b @Cart.b
  constructor Cart @Cart.Cart
  method add @Cart.add
    class Local @Cart.add.Local
      field z @Cart.add.Local.z
  enum Color @Cart.Color
    constant RED @Cart.Color.RED
    constant GREEN @Cart.Color.GREEN
      method f @Cart.Color.GREEN.f
  enum Kind @Cart.Kind
    constant A @Cart.Kind.A
    constant B @Cart.Kind.B
    field n @Cart.Kind.n
    constructor Kind @Cart.Kind.Kind
  record P @Cart.P
    constructor P @Cart.P.P
    field y @Cart.P.y
interface Shape @Shape
  field E @Shape.E
  method area @Shape.area
annotation Ann @Ann
  method value @Ann.value",
    );
    check("@A open module a.b {\n    requires java.sql;\n}\n", "module a.b @a.b");
    check("void main() {}\nint x = 1;\n", "method main @main");
}

#[test]
fn overloads_are_numbered() {
    let text = "class A {\n    void f() {}\n    int f;\n    void f(int x) {}\n    A() {}\n    A(int x) {}\n}\n";
    check(
        text,
        "
class A @A
  method f @A.f[1]
  field f @A.f[2]
  method f @A.f[3]
  constructor A @A.A[1]
  constructor A @A.A[2]",
    );
    check_found(text, "A.f", &["A.f[1]", "A.f[2]", "A.f[3]"]);
    check_found(text, "A.f[3]", &["A.f[3]"]);
}

#[test]
fn targets_may_have_other_forms() {
    let text = "class Cart {\n    class Item { void add() {} }\n}\n";
    for target in ["Cart.Item.add", "Cart#Item#add", "Cart::Item::add", "Cart/Item/add"] {
        check_found(text, target, &["Cart.Item.add"]);
    }
    check_found(text, "Item.add", &[]);
}

#[test]
fn broken_files_keep_everything_else() {
    check(
        "class A {\n    void a() {}\n    void b( {}\n    int c;\n}\nclass D {}\n",
        "
class A @A
  method a @A.a
  method b @A.b
  field c @A.c
class D @D",
    );
    check(
        "class A {\n    void a() { f(; }\n    void b() {}\n}\n",
        "
class A @A
  method a @A.a
  method b @A.b",
    );
}
