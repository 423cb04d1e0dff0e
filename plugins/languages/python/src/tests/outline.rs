//! The outline: kinds, names and addresses of symbols.

use marquetry_sdk::{Operation, TargetKind, testing};

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
  property x @A.x.getter
  property x @A.x.setter
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

#[test]
fn attributes_of_self_have_addresses() {
    let text = "class Conn:\n    port = 1\n\n    def __init__(me, host):\n        me.host: str = host  # it\n        me.port = 2\n        me.pool = {\"size\": 1}\n        if host:\n            me.late = 1\n        me.a, me.b = 1, 2\n        host.other = 1\n        def inner(me): me.x = 1\n\n    def open(self):\n        self.host = None\n        self.sock = connect()\n\n    @staticmethod\n    def make(self):\n        self.static = 1\n\n\ndef f(self):\n    self.y = 1\n";
    check(
        text,
        "
class Conn @Conn
  attribute port @Conn.port
  method __init__ @Conn.__init__
    function inner @Conn.__init__.inner
  method open @Conn.open
  method make @Conn.make
function f @f",
    );
    let code = |address: &str| {
        let bench = testing::open::<Python>("a.py", text);
        let nodes = bench.nodes(TargetKind::Symbol, address).ok()?;
        Some(nodes.iter().map(|node| node.span.slice(text).to_owned()).collect::<Vec<_>>().join(", "))
    };
    let cases = [
        ("Conn.host", Some("me.host: str = host")),
        ("Conn.port", Some("port = 1")),
        ("Conn.pool", Some("me.pool = {\"size\": 1}")),
        ("Conn.pool.size", Some("\"size\": 1")),
        ("Conn.late", Some("me.late = 1")),
        ("Conn.sock", Some("self.sock = connect()")),
        ("Conn.a", None),
        ("Conn.other", None),
        ("Conn.static", None),
        ("Conn.x", None),
        ("f.y", None),
    ];
    for (address, expected) in cases {
        assert_eq!(code(address).as_deref(), expected, "{address}");
    }
    super::check(text, "Conn.sock", testing::body("None"), &text.replacen("connect()", "None", 1));
    super::check(text, "Conn.pool", testing::last("\"max\": 2"), &text.replacen("1}", "1, \"max\": 2}", 1));
    super::check(text, "Conn.late", Operation::Delete, &text.replacen("me.late = 1", "pass", 1));
}

#[test]
fn accessors_are_found_by_their_kinds_and_numbers() {
    let text = "class A:\n    @property\n    def x(self): return 1\n    @x.setter\n    def x(self, v): ...\n    @x.deleter\n    def x(self): ...\n    @property\n    def y(self): return 2\n    if B:\n        @property\n        def z(self): return 1\n    else:\n        @property\n        def z(self): return 2\n";
    let lines = |address: &str| {
        let bench = testing::open::<Python>("a.py", text);
        let nodes = bench.nodes(TargetKind::Symbol, address).unwrap_or_default();
        nodes.iter().map(|node| text[..node.selection.range().start].matches('\n').count()).collect::<Vec<usize>>()
    };
    let cases: [(&str, &[usize]); 10] = [
        ("A.x", &[2, 4, 6]),
        ("A.x.getter", &[2]),
        ("A.x.setter", &[4]),
        ("A.x.deleter", &[6]),
        ("A.x[2]", &[4]),
        ("A.x[4]", &[]),
        ("A.y", &[8]),
        ("A.y.getter", &[]),
        ("A.z[2]", &[14]),
        ("A.z.getter", &[]),
    ];
    for (address, expected) in cases {
        assert_eq!(lines(address), expected, "{address}");
    }
    super::check(text, "A.x.setter", testing::body("self._x = v"), &text.replacen("v): ...", "v): self._x = v", 1));
}
