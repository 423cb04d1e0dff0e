//! Renames of members of objects that attributes and variables hold, which other statements may set.

use super::members::check;

const AB: &str = "class A:\n    def ‹m›(self): ...\n\nclass A2(A): ...\n\nclass B:\n    def m(self): ...\n";

/// Checks a rename of `A.m`. The first file declares the class.
#[track_caller]
fn check_a(files: &[(&str, &str)]) {
    let all: Vec<(&str, &str)> = std::iter::once(("ab.py", AB)).chain(files.iter().copied()).collect();
    check(&all, "A.m", "n");
}

#[test]
fn attributes_that_subclasses_set_otherwise_are_unresolved() {
    check_a(&[(
        "h.py",
        "from ab import A, A2, B\n\nclass H:\n    handler = A()\n    kept = A()\n    def run(self): return self.handler.m()  # ?\n    def keep(self): return self.kept.‹m›()\n\nclass H2(H):\n    handler = B()\n    kept = A2()\n",
    )]);
    check_a(&[
        (
            "h.py",
            "from ab import A\n\nclass H:\n    def __init__(self): self.handler = A()\n    def run(self): return self.handler.m()  # ?\n",
        ),
        ("b.py", "import ab\nimport h\nclass H2(h.H):\n    def __init__(self):\n        self.handler = ab.B()\n"),
    ]);
    // The class of `handler` in `H2` comes from another base class.
    check_a(&[(
        "h.py",
        "from ab import A, B\n\nclass H:\n    handler = A()\n    def run(self): return self.handler.m()  # ?\n\nclass Mixin:\n    handler = B()\n\nclass H2(Mixin, H): ...\n",
    )]);
    check_a(&[(
        "h.py",
        "from ab import A\n\nclass H:\n    handler = A()\n    def run(self): return self.handler.m()  # ?\n\nclass H2(H):\n    @property\n    def handler(self): ...\n",
    )]);
}

#[test]
fn attributes_that_functions_in_methods_set_are_unresolved() {
    check_a(&[(
        "h.py",
        "from ab import A, B\n\nclass H:\n    def __init__(self):\n        self.x = A()\n        self.y = A()\n\n    def run(self):\n        def switch(): self.x = B()\n        def other(self): self.y = B()  # shadows\n        switch()\n        return self.x.m()  # ?\n\nclass Own:\n    def __init__(self):\n        def set(): self.x = A()\n        set()\n    def run(self): return (lambda: self.x.‹m›())()\n",
    )]);
}

#[test]
fn attributes_that_other_code_sets_are_unresolved() {
    let class = "from ab import A\n\nclass H:\n    def __init__(self):\n        self.x = A()\n        self.y = A()\n        self.z = A()\n        self.w: A = make()\n        self.s = \"\"\n        self.kind = A\n        self.text = A()\n\n    def run(self):\n        self.x.m()  # ?\n        self.y.m()  # ?\n        self.z.‹m›()\n        self.z.‹m›(1)\n        self.w.‹m›()\n        self.s.m()\n        self.kind.‹m›\n        self.text.m()  # ?\n";
    check_a(&[
        ("h.py", class),
        (
            "use.py",
            "import ab\nfrom ab import A, A2, B\nfrom h import H\n\nab.z = B()\nprint.z = B()\n\ndef f(h: H, q):\n    h.s = \"s\"\n    h.kind = A2\n    h.text = \"s\"\n    h.x = B()\n    setattr(h, \"y\", q)\n    h.z = A()\n    h.z = None\n    h.w = q\n\nclass Other:\n    def __init__(self): self.z = B()\n",
        ),
    ]);
    check_a(&[(
        "h.py",
        "from ab import A\n\nclass H:\n    x = A()\n    def run(self): self.x.m()  # ?\n\ndef f(h):\n    for h.x in g(): ...\n",
    )]);
    check_a(&[
        ("h.py", "from ab import A\n\nclass H:\n    x = A()\n    def run(self): self.x.m()  # ?\n"),
        ("far.py", "from ab import B as C\n\ndef f(h):\n    h.x = C()\n"),
    ]);
    // The object has the type of a base class, or a base class that is not known.
    check_a(&[(
        "h.py",
        "from ab import A, B\n\nclass Low: ...\n\nclass Dynamic(make()): ...\n\nclass H(Low):\n    x = A()\n    y = A()\n    def run(self):\n        self.x.m()  # ?\n        self.y.m()  # ?\n\ndef f(low: Low, dynamic: Dynamic):\n    low.x = B()\n    dynamic.y = B()\n",
    )]);
    check_a(&[
        ("h.py", "from ab import A\n\nclass H:\n    x = A()\n    def run(self): self.x.m()  # ?\n"),
        ("far.py", "from h import H\n\nclass H2(H):\n    @property\n    def x(self): ...\n"),
    ]);
}

#[test]
fn files_that_set_attributes_are_searched_in_the_project() {
    let class = "from ab import A\n\nv = A()\n\nclass H:\n    x = A()\n    y: A = A()\n    def run(self):\n        self.x.‹m›()\n        self.y.‹m›()\n        v.‹m›()\n";
    let far = "from ab import B as C\n\ndef f(h):\n    h.x = C()\n";
    check_a(&[("h.py", class), (".tox/far.py", far), ("lib/site-packages/far.py", far)]);
    // The workspace has too many files for a search.
    let unknown = class.replace("x.‹m›()", "x.m()  # ?").replace("v.‹m›()", "v.m()  # ?");
    let paths: Vec<String> = (0..6001).map(|index| format!("many/f{index}.py")).collect();
    let many = paths.iter().map(|path| (path.as_str(), ""));
    check_a(&std::iter::once(("h.py", unknown.as_str())).chain(many).collect::<Vec<_>>());
}

#[test]
fn first_parameters_are_not_always_the_object() {
    check_a(&[(
        "c.py",
        "from ab import A\n\nclass C(A):\n    def f(self):\n        self = make()\n        self.m()  # ?\n    @staticmethod\n    def g(self): self.m()  # ?\n    def h(self): self.‹m›()\n    def __new__(cls): return cls.‹m›\n",
    )]);
}

#[test]
fn imported_and_annotated_names_are_followed() {
    check_a(&[
        ("star.py", "from ab import *\n\nA().‹m›()\nB().m()\n"),
        ("free.py", "from gone import *\n\nclass C(Thing):\n    def m(self): ...  # ?\n"),
        ("two.py", "try:\n    from ab import A\nexcept ImportError:\n    from ab import B as A\n\nA().m()  # ?\n"),
        ("pkg/__init__.py", ""),
        ("pkg/tools.py", "def m(): ...\n"),
        ("module.py", "import pkg\n\npkg.tools.m()\n"),
        (
            "types.py",
            "from typing import Any, Generic, Type\nfrom ab import A\n\nclass G(A, Generic[T]): ...\n\ntype Alias = A\n\ndef f(a: Any, g: G[int], k: Type[A], n: type[Any], t: Alias):\n    a.m()  # ?\n    g.‹m›()\n    k.‹m›\n    n.m()  # ?\n    t.m()  # ?\n\nnothing = None\nnothing.m()  # ?\none = two\ntwo = one\none.m()  # ?\n",
        ),
        (
            "bases.py",
            "from ab import A, B\n\nclass L(A): ...\nclass R(A): ...\nclass D(L, R): ...\nD().‹m›()\n\nclass X(Y):\n    def m(self): return self.m()\nclass Y(X): ...\n\nclass Sub(B):\n    def f(self): return super().m()\n",
        ),
    ]);
    check(
        &[("a.py", "class A:\n    class In:\n        def f(self): self.x = 1\n    def f(self): self.‹x› = 2\n")],
        "A.x",
        "y",
    );
    check(
        &[
            ("a.py", "class Thread:\n    def ‹run›(self): ...\n"),
            ("use.py", "from threading import Thread\n\nclass T(Thread):\n    def run(self): ...\n\nThread.run\n"),
        ],
        "Thread.run",
        "go",
    );
}

#[test]
fn variables_that_other_modules_set_are_unresolved() {
    check_a(&[
        ("v.py", "from ab import A\n\nv = A()\nw = A()\n\ndef f():\n    v.m()  # ?\n    w.‹m›()\n"),
        ("use.py", "import v\nimport v as own\nfrom ab import B\n\nown.v = B()\nv.w = None\nv.v.m()  # ?\n"),
    ]);
}

#[test]
fn annotated_attributes_that_a_subclass_contradicts_are_unresolved() {
    check_a(&[(
        "h.py",
        "from ab import A, B\n\nclass H:\n    x: A = make()\n    y: A\n    def run(self):\n        self.x.m()  # ?\n        self.y.‹m›()\n\nclass H2(H):\n    x = B()\n    y = make()\n",
    )]);
}

#[test]
fn attributes_that_calls_and_operators_change_are_unresolved() {
    check_a(&[(
        "h.py",
        "from ab import A, B\n\nclass H:\n    x = A()\n    y = A()\n    z = A()\n    def run(self):\n        self.x.m()  # ?\n        self.y.m()  # ?\n        self.z.m()  # ?\n    def set(self):\n        object.__setattr__(self, \"x\", B())\n        self.__setattr__(\"y\", B())\n        self.z += B()\n",
    )]);
    check_a(&[(
        "h.py",
        "from ab import A, B\n\nclass H:\n    x = A()\n    y = A()\n    def run(self): self.x.m()  # ?\n    def keep(self): self.y.‹m›()\n    @classmethod\n    def set(cls):\n        cls.x, other = B(), 1\n        [1 for i in x if cls.y == i]\n\nprint(x=B(), y=B())\n",
    )]);
}

#[test]
fn attributes_that_dictionaries_set_are_unresolved() {
    let check_class = |rest: &str, code: &str| {
        let text = format!(
            "from ab import A, B\n\nclass H:\n    def __init__(self):\n        self.x = A()\n        {rest}\n    def run(self): self.x.m()  # ?\n\n{code}\n"
        );
        check_a(&[("h.py", &text)]);
    };
    check_class("self.__dict__[\"x\"] = B()", "");
    check_class("vars(self)[\"x\"] = B()", "");
    check_class("self.__dict__.update(x=B())", "");
    check_class("", "H2 = type(\"H2\", (H,), {\"x\": B()})");
    check_class("", "H2 = type(\"H2\", (H, Other), {\"x\": B()})");
    check_class("", "H2 = type(\"H2\", bases(), {\"x\": B()})");
    check_class(
        "",
        "class H2(H):\n    def __getattribute__(self, name): ...\n    def own(self): self.x.m()  # ?\n    x = B()",
    );
    check_a(&[(
        "h.py",
        "from ab import A\n\nclass H:\n    x = A()\n    def __getattribute__(self, name): ...\n    def run(self): self.x.m()  # ?\n",
    )]);
    check_a(&[(
        "h.py",
        "from ab import A, B\n\nclass H:\n    def __init__(self):\n        self.x = A()\n        self.map[\"x\"] = B()\n        f({\"x\": B()}, x=B())\n        type(\"O\", (Other,), {\"x\": B()})\n        self.map.update(x=B())\n    def run(self): self.x.‹m›()\n\nclass Other: ...\n",
    )]);
    check_a(&[
        ("v.py", "from ab import A\n\nv = A()\nw = A()\n\ndef f():\n    v.m()  # ?\n    w.‹m›()\n"),
        (
            "test.py",
            "import v\nfrom ab import B\n\ndef test(monkeypatch):\n    monkeypatch.setattr(v, \"v\", B())\n    monkeypatch.setattr(o, \"w\", B())\n",
        ),
    ]);
}

#[test]
fn attributes_with_descriptors_are_unresolved() {
    check_a(&[(
        "h.py",
        "from ab import A, B\nimport ext\n\nclass Got(A):\n    def __get__(self, one, owner): return B()\n\nclass Low(Got): ...\n\nclass Far(A, ext.Base): ...  # ?\n\nclass H:\n    a = A()\n    got = Got()\n    low = Low()\n    typed: Got = Got()\n    kept: A = A()\n    far = Far()\n    out = ext.thing\n    def __init__(self): self.own = Got()\n    def run(self):\n        self.a.‹m›()\n        self.got.m()  # ?\n        self.low.m()  # ?\n        self.typed.m()  # ?\n        self.kept.‹m›()\n        self.own.‹m›()\n        self.far.m()  # ?\n        self.out.m()  # ?\n",
    )]);
}
