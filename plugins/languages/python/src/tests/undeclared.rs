//! Diagnostics of undeclared names.

use marquetry_sdk::{Area, Hover, testing};

use crate::Python;

/// The undeclared names of a text; `None` if they were not checked.
fn undeclared(text: &str) -> Option<Vec<String>> {
    let bench = testing::open::<Python>("a.py", text);
    let found = Python::check(bench.document());
    let name = |span: marquetry_sdk::Span| span.slice(text).to_owned();
    let names = found.diagnostics.iter().map(|problem| name(problem.diagnostic.span)).collect();
    (found.checked == [Area::Names]).then_some(names)
}

#[track_caller]
fn check(text: &str, expected: &[&str]) {
    assert_eq!(undeclared(text), Some(expected.iter().map(|name| (*name).to_owned()).collect()), "{text}");
}

#[test]
fn undeclared_names_are_reported() {
    check("missing()\n", &["missing"]);
    check("import os\nos.path\nsys.exit(1)\n", &["sys"]);
    check("def f(a: Missing) -> Other: return a + b\n", &["Missing", "Other", "b"]);
    check("class A(Base):\n    x = [y for z in range(3)]\n", &["Base", "y"]);
    check("@decorator\ndef f(): return f'{value}'\n", &["decorator", "value"]);
    check("from m import f\ng(f)\n", &["g"]);
    check("x = lambda a: a + b\ndel x\n", &["b"]);
    check("def f(a: 'Missing') -> other: ...\n", &["other"]);
}

#[test]
fn declared_and_builtin_names_are_not_reported() {
    check("print(len([]), __name__, __file__, ValueError, True, None)\n", &[]);
    check("def f(x, *a, y=1, **k): return x, a, y, k\nf(z=1)\n", &[]);
    check("for i in []: pass\nwith open(i) as h: h\ntry: pass\nexcept OSError as e: e\n", &[]);
    check("match []:\n    case [a, *b] if (n := a): print(a, b, n)\n    case {'k': v, **r}: print(v, r)\n", &[]);
    check(
        "class A[T]:\n    def m(self, x: T) -> T: return x\ntype L[U] = list[U]\ndef f[V](v: V) -> V: return v\n",
        &[],
    );
    check("def f():\n    global g\n    g = 1\nprint(g)\n", &[]);
    check("import a.b as c, d.e\nc, d.e\n_('text')\n", &[]);
    check("text = unicode if PY2 else str\n", &["PY2"]);
    check("x.attribute = 1\nx = 2\nx.other.more(keyword=1)\n", &[]);
}

#[test]
fn files_that_get_names_in_other_ways_are_not_checked() {
    for text in [
        "from m import *\nmissing()\n",
        "exec('missing = 1')\nmissing\n",
        "globals()['missing'] = 1\nmissing\n",
        "try: unicode\nexcept NameError: unicode = str\n",
        "E._convert_('E', __name__, f)\nmissing\n",
        "import builtins\nbuiltins.missing = 1\nmissing\n",
        "missing(\n",
    ] {
        assert_eq!(undeclared(text), None, "{text}");
    }
}
