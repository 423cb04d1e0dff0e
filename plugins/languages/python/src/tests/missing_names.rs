//! Diagnostics of imported names that a module does not have.

use marquetry_sdk::{Area, Hover, Severity, testing, workspace::set_files};

use crate::Python;

/// Checks the messages of the diagnostics of links in the first file.
#[track_caller]
fn check(files: &[(&str, &str)], expected: &[&str]) {
    set_files(files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())));
    let bench = testing::open::<Python>(files[0].0, files[0].1);
    let found = Python::check(bench.document()).diagnostics.into_iter().filter(|one| one.area == Area::Links);
    let message = |one: marquetry_sdk::SemanticDiagnostic| {
        assert_eq!(one.diagnostic.severity, Severity::Error);
        format!("{}: {}", one.diagnostic.span.slice(files[0].1), one.diagnostic.message)
    };
    assert_eq!(found.map(message).collect::<Vec<_>>(), expected, "{files:?}");
}

const A: (&str, &str) = ("a.py", "import os\ndef used(): return 1\nclass C:\n    inner = 1\n");

#[test]
fn missing_names_are_reported() {
    check(&[("b.py", "from a import used, missing, os\n"), A], &["missing: `a` has no name `missing`"]);
    check(&[("b.py", "def f():\n    from a import inner as x\n"), A], &["inner: `a` has no name `inner`"]);
    check(
        &[
            ("p/b.py", "from .a import used, x\nfrom p.a import y\nfrom . import a, z\n"),
            ("p/a.py", A.1),
            ("p/__init__.py", ""),
        ],
        &["x: `.a` has no name `x`", "y: `p.a` has no name `y`", "z: `.` has no name `z`"],
    );
    check(
        &[
            ("tests/b.py", "from p import x\n"),
            ("src/p/__init__.py", "from p.a import used\n"),
            ("src/p/a.py", A.1),
            ("pyproject.toml", "name = 'p'"),
        ],
        &["x: `p` has no name `x`"],
    );
    check(
        &[("b.py", "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from a import x\n"), A],
        &["x: `a` has no name `x`"],
    );
    check(
        &[("b.py", "from a import x\n"), ("a.py", "from c import *\n"), ("c.py", "from a import *\ny = 1\n")],
        &["x: `a` has no name `x`"],
    );
    check(&[("b.py", "from a import x\n"), ("a.pyi", "y: int\n")], &["x: `a` has no name `x`"]);
}

#[test]
fn names_that_a_module_may_have_are_not_reported() {
    for text in [
        "x = 1\n",
        "x: int\n",
        "def __getattr__(name): ...\n",
        "if a:\n    x = 1\n",
        "try:\n    from c import x\nexcept ImportError:\n    x = None\n",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from c import D as x\n",
        "def f():\n    global x\n    x = 1\n",
        "for x in []: ...\n",
        "with a as (b, x): ...\n",
        "[x := 1 for a in []]\n",
        "import x.y\n",
        "type x = int\n",
        "match a:\n    case {\"k\": x}: ...\n",
        "from c import *\n",
        "from unknown import *\n",
        "from os import *\n",
        "globals()[a] = 1\n",
        "exec(a)\n",
        "import sys\nsys.modules[__name__] = a\n",
        "import sys\nsys.meta_path.append(a)\n",
        "setattr(a, b, 1)\n",
        "x = (\n",
    ] {
        check(&[("b.py", "from a import x\n"), ("a.py", text), ("c.py", "x = 1\n")], &[]);
    }
}

#[test]
fn imports_that_may_find_another_module_are_not_reported() {
    let import = ("b.py", "from a import x\n");
    check(&[import, A, ("a.pyi", "x: int\n")], &[]);
    check(&[import, A, ("src/a.py", "x = 1\n")], &[]);
    check(&[import, ("a/c.py", "")], &[]);
    check(&[import, ("a/x.py", ""), ("a/__init__.py", "")], &[]);
    check(&[import, ("a/x.c", ""), ("a/__init__.py", "")], &[]);
    check(&[import, ("a/x/data.txt", ""), ("a/__init__.py", "")], &[]);
    check(&[import], &[]);
    check(&[("b.py", "from .a import x\n")], &[]);
    check(&[("b.py", "from queue import x\n"), ("queue.py", "")], &[]);
    check(&[("p/tasks.py", "from celery import x\n"), ("p/celery.py", ""), ("p/__init__.py", "")], &[]);
    check(&[("scripts/b.py", "from redis import x\n"), ("scripts/redis.py", ""), ("requirements.txt", "redis")], &[]);
    check(&[("p/__init__.py", "from . import x as x\nfrom a import *\nfrom a import __version__\n"), A], &[]);
    check(&[("b.py", "from a import x(\n"), A], &[]);
}

#[test]
fn imports_whose_failure_is_handled_are_not_reported() {
    for text in [
        "try:\n    from a import x\nexcept ImportError:\n    x = None\n",
        "try:\n    from c import y\nexcept ImportError:\n    from a import x as y\n",
        "with suppress(ImportError):\n    from a import x\n",
    ] {
        check(&[("b.py", text), A], &[]);
    }
}
