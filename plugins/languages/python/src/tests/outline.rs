//! The outline: kinds, names and addresses of symbols.

use marquetry_sdk::testing;

use crate::Python;

#[track_caller]
fn check(text: &str, expected: &str) {
    let outline = testing::open::<Python>("a.py", text).outline();
    assert_eq!(outline.trim_end(), expected.trim_matches('\n'), "{text}");
}

#[test]
fn declarations_are_listed() {
    check(
        "import os\nLIMIT = 3\nname: str = 'x'\ntype Pair = tuple[int, int]\n\n@cached\nasync def load(a, b=1): return a\n\nclass Cart(Base):\n    size = 0\n    def add(self, x):\n        y = 1\n        def inner(): pass\n",
        "
constant LIMIT @LIMIT
variable name @name
type Pair @Pair
function load @load
class Cart @Cart
  attribute size @Cart.size
  method add @Cart.add
    function inner @Cart.add.inner",
    );
}

#[test]
fn overloads_and_accessors_are_numbered() {
    check(
        "@overload\ndef f(a: int): ...\n@overload\ndef f(a: str): ...\ndef f(a): ...\nclass A:\n    @property\n    def x(self): ...\n    @x.setter\n    def x(self, v): ...\n    def y(self): ...\n",
        "
function f @f[1]
function f @f[2]
function f @f[3]
class A @A
  property x @A.x[1]
  property x @A.x[2]
  method y @A.y",
    );
}

#[test]
fn conditional_blocks_are_transparent() {
    check(
        "if TYPE_CHECKING:\n    from a import B\n    X = 1\ntry:\n    import fast\nexcept ImportError:\n    fast = None\n    def slow(): pass\nif sys.platform == 'x':\n    Y = 1\nelse:\n    Y = 2\nif __name__ == '__main__':\n    code = 1\n",
        "
block if TYPE_CHECKING @if TYPE_CHECKING
  constant X @X
variable fast @fast
function slow @slow
constant Y @Y[1]
constant Y @Y[2]
block if __name__ == '__main__' @if __name__ == '__main__'
  variable code @code",
    );
}

#[test]
fn names_of_one_statement_are_listed() {
    check(
        "a = b = 1\n(c, [d, *e]) = f.x, g[0] = 1\n",
        "
variable a @a
variable b @b
variable c @c
variable d @d
variable e @e",
    );
}

#[test]
fn broken_file_keeps_the_rest() {
    check(
        "def a():\n    return 1\n\ndef b(:\n    x = (\n\ndef c():\n    return 2\n\nclass D:\n    def e(self): pass\n",
        "
function a @a
function b @b
function c @c
class D @D
  method e @D.e",
    );
}
