//! Renames of members that would change the meaning of the class.

use super::members::{check, check_refused};

#[track_caller]
fn refused(text: &str, address: &str, new: &str, message: &str) {
    check_refused(&[("a.py", text)], address, new, message);
}

const HIDDEN: &str = "has another meaning in the statements of `C`";

#[test]
fn names_that_the_statements_of_a_class_use_are_refused() {
    let class = |rest: &str| format!("class C:\n    def all_items(self): ...\n{rest}");
    for rest in [
        "    def f(self) -> list[int]: ...\n",
        "    def f(self, x: list): ...\n",
        "    def f(self, x: \"list[int]\"): ...\n",
        "    def f(self, *, x=list): ...\n",
        "    @list\n    def f(self): ...\n",
        "    x: list = []\n",
        "    x = list()\n",
        "    x = [i for i in list(y)]\n",
        "    class D(list): ...\n",
        "    class D[T](list[T]): ...\n",
        "    def f[T](self, x: T) -> list[T]: ...\n",
        "    def f[T: list](self, x: T): ...\n",
    ] {
        refused(&class(rest), "C.all_items", "list", HIDDEN);
    }
    refused("class C:\n    x: list[int]\n    def all_items(self): ...\n", "C.all_items", "list", HIDDEN);
    refused("class C:\n    def f(self, x: list): ...\n    all_items = 1\n", "C.all_items", "list", HIDDEN);
    check_refused(
        &[
            ("base.py", "class B:\n    def m(self): ...\n"),
            (
                "c.py",
                "from base import B\nfrom deco import n\n\nclass C(B):\n    def m(self): ...\n    @n\n    def f(self): ...\n",
            ),
        ],
        "B.m",
        "n",
        HIDDEN,
    );
}

#[test]
fn names_that_only_functions_and_earlier_statements_use_are_accepted() {
    check(
        &[(
            "c.py",
            "class C:\n    x = list()\n    @list\n    def ‹all_items›(self): return list(self.x)\n\n    def f(self):\n        y: list = list()\n        return [list(i) for i in self.x]\n\n    z = [list(i) for i in x]\n\n    def g[list](self, x: list): return list()\n\n    def h(self):\n        def inner[T](x: T) -> list[T]: ...\n\nclass D(C):\n    def g(self) -> list: ...\n",
        )],
        "C.all_items",
        "list",
    );
}

#[test]
fn values_that_are_made_from_names_are_refused() {
    let made = "the value of `RED` is made from its name";
    let color = |base: &str, body: &str| format!("import enum\nfrom enum import auto\n\nclass Color({base}):\n{body}");
    refused(&color("enum.StrEnum", "    RED = auto()\n"), "Color.RED", "ROSE", made);
    refused(&color("enum.StrEnum", "    RED = enum.auto(), 1\n"), "Color.RED", "ROSE", made);
    let own = "    def _generate_next_value_(name, *rest): return name\n    RED = auto()\n";
    refused(&color("enum.Enum", own), "Color.RED", "ROSE", made);
    check(&[("a.py", &color("enum.Enum", "    ‹RED› = auto()\n"))], "Color.RED", "ROSE");
    check(&[("a.py", &color("enum.StrEnum", "    ‹RED› = \"red\"\n    BLUE = auto()\n"))], "Color.RED", "ROSE");
}

#[test]
fn fields_of_attrs_with_an_underscore_are_refused() {
    let class = |field: &str| format!("import attr\n\n@attr.s\nclass P:\n    {field} = attr.ib()\n\nP(x=1)\n");
    refused(&class("_x"), "P._x", "_y", "attrs names the argument for `_x` without");
    refused(&class("x"), "P.x", "_x", "attrs names the argument for `x` without");
    check(
        &[("p.py", "from attrs import define, field\n\n@define\nclass P:\n    ‹_x› = field(init=False)\n")],
        "P._x",
        "_y",
    );
}
