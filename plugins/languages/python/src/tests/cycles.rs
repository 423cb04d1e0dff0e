//! Values, names and classes whose definitions lead back to themselves.

use super::members::check;

const A: &str = "class A:\n    def ‹m›(self): ...\n";

/// Checks a rename of `A.m`. The first file declares the class.
#[track_caller]
fn check_a(files: &[(&str, &str)]) {
    let all: Vec<(&str, &str)> = std::iter::once(("a.py", A)).chain(files.iter().copied()).collect();
    check(&all, "A.m", "n");
}

#[test]
fn imports_in_a_circle_are_unresolved() {
    check_a(&[("p/__init__.py", "from . import x as x\n"), ("use.py", "import p\np.x.m()  # ?\np.x().m()  # ?\n")]);
    check_a(&[
        ("p/__init__.py", "from . import json as json\nfrom a import A as A\n"),
        ("p/json.py", "def loads(): ...\n"),
        (
            "use.py",
            "import p\n\ndef f(rv):\n    x = p.json.loads(rv.data)\n    rv = p.json.loads()\n    rv.m()  # ?\n    p.A().‹m›()\n",
        ),
    ]);
    check_a(&[
        ("b.py", "from c import y as x\n"),
        ("c.py", "from d import z as y\n"),
        ("d.py", "from b import x as z\n"),
        (
            "use.py",
            "from b import x\nfrom c import y as other\nx.m()  # ?\nother().m()  # ?\nclass B(x): ...\nB().m()  # ?\n",
        ),
    ]);
    check_a(&[
        ("b.py", "from c import *\n"),
        ("c.py", "from b import *\n"),
        ("use.py", "from b import *\nfrom c import x\nx.m()  # ?\ny.m()  # ?\n"),
    ]);
    check_a(&[("b.py", "from b import x\nx.m()  # ?\n"), ("c.py", "import c as c\nc.c.c.m()  # ?\n")]);
}

#[test]
fn variables_in_a_circle_are_unresolved() {
    check_a(&[(
        "use.py",
        "from a import A\n\nclass H:\n    x: H = None\n    y = A()\n\ndef f(a, b):\n    a = b.x\n    b = a.y\n    a.m()  # ?\n    b.m()  # ?\n\ndef g():\n    a = A()\n    a = a\n    a.m()  # ?\n    b = A()\n    b = (b := b)\n    b.m()  # ?\n",
    )]);
    check_a(&[(
        "use.py",
        "from a import A\n\ndef f():\n    while x := y:\n        y = x\n        x.m()  # ?\n    for i in i: i.m()  # ?\n    with j as j: j.m()  # ?\n    with k() as k, A() as l: k.m()  # ?\n    (e := e).m()  # ?\n    return [c.m() for c in c], [d for d in (d := d)]  # ?\n",
    )]);
    check_a(&[
        ("b.py", "import c\nx = c.y\nx.m()  # ?\n"),
        ("c.py", "import b\ny = b.x\ny.m()  # ?\n"),
        ("use.py", "import b, c\nb.x = c.y\nc.y = b.x\nb.x.m()  # ?\n"),
    ]);
}

#[test]
fn attributes_in_a_circle_are_unresolved() {
    check_a(&[(
        "use.py",
        "from a import A\n\nclass H:\n    def __init__(self, other: \"H\"):\n        self.x = other.y\n        self.y = other.x\n        self.z = A()\n        self.w = A()\n        self.next = H(self)\n\n    def run(self, other: \"H\"):\n        self.x.m()  # ?\n        self.y.m()  # ?\n        self.z = self.z\n        self.z.m()  # ?\n        self.next.w.m()  # ?\n        self.next.next = self.next\n        self.next.next.x = self.next.y\n\n    @property\n    def p(self): return self.q\n\n    @property\n    def q(self): return self.p\n\n    def pq(self):\n        self.p.m()  # ?\n        self.q.m()  # ?\n",
    )]);
}

#[test]
fn functions_and_classes_in_a_circle_are_unresolved() {
    check_a(&[(
        "use.py",
        "from a import A\n\ndef f(): return g()\ndef g(): return f()\ndef h() -> \"h\": return h()\nf().m()  # ?\ng().m()  # ?\nh().m()  # ?\n",
    )]);
    check_a(&[
        ("b.py", "from c import C\nclass B(C): ...\nB().m()  # ?\n"),
        ("c.py", "from b import B\nclass C(B): ...\nclass D(D): ...\nC().m()  # ?\nD().m()  # ?\n"),
    ]);
    check_a(&[
        ("b.py", "import a\nimport c\nclass B(a.A, c.C): ...\nB().‹m›()\n"),
        ("c.py", "import b\nclass C(b.B):\n    def run(self): self.‹m›()\n"),
    ]);
}
