//! Views: `full`, `signature`, `body`, `summary`.

use marquetry_sdk::{Form, TargetKind::Symbol, testing};

use crate::Python;

const TEXT: &str = "# Items.\n@final\nclass Cart(\n    Base,  # base\n    metaclass=M,\n):\n    \"\"\"A cart.\n\n    More.\n    \"\"\"\n\n    size: int = 0\n\n    @property\n    def total(self) -> int:\n        # Sum.\n        return 1  # one\n\n    def add(self, x): self.x = x\n\nTABLE = {\n    1: 2,\n}\n";

#[track_caller]
fn check(target: &str, form: Form, expected: &str) {
    let bench = testing::open::<Python>("a.py", TEXT);
    let nodes = bench.nodes(Symbol, target).expect("found");
    assert_eq!(bench.show(&nodes[0], form).expect("shown"), expected, "{target} {form:?}");
}

#[test]
fn signatures_are_one_line() {
    check("Cart", Form::Signature, "class Cart(Base, metaclass=M)");
    check("Cart.total", Form::Signature, "def total(self) -> int");
    check("Cart.add", Form::Signature, "def add(self, x)");
    check("Cart.size", Form::Signature, "size: int = 0");
    check("TABLE", Form::Signature, "TABLE = …");
}

#[test]
fn bodies_have_their_comments() {
    check("Cart.total", Form::Body, "# Sum.\n        return 1  # one");
    check("Cart.total", Form::Full, "@property\n    def total(self) -> int:\n        # Sum.\n        return 1  # one");
    check("Cart.add", Form::Body, "self.x = x");
    check("Cart.size", Form::Body, "0");
}

#[test]
fn summaries_have_heads_and_documentation() {
    check(
        "Cart",
        Form::Summary,
        "# Items.\n@final\nclass Cart(Base, metaclass=M): …\n    \"\"\"A cart.\n\n    More.\n    \"\"\"\n    size: int = 0\n    @property\n    def total(self) -> int: …\n    def add(self, x): …",
    );
    check("Cart.add", Form::Summary, "def add(self, x): …");
}
