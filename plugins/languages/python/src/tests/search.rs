//! Structural search: patterns and their matches.

use marquetry_sdk::{Context, Search, testing};

use crate::Python;

#[track_caller]
fn check(pattern: &str, text: &str, expected: &[&str]) {
    let bench = testing::open::<Python>("a.py", text);
    let found =
        Python::matches(bench.document(), pattern, 100).unwrap_or_else(|failure| panic!("{pattern}: {failure:?}"));
    let texts: Vec<&str> = found.matches.iter().map(|found| found.span.slice(text)).collect();
    assert_eq!(texts, expected, "{pattern} in\n{text}");
    for found in &found.matches {
        for capture in &found.captures {
            assert!(found.span.contains(capture.span), "{pattern}: {capture:?}");
        }
    }
}

#[test]
fn expressions_are_found() {
    check("f($A)", "f(1)\nx = g(f(a.b))\nf(1, 2)\nf()\n", &["f(1)", "f(a.b)"]);
    check("f($A, $$$)", "f(1)\nf(1, 2)\nf(1, x=2)\n", &["f(1)", "f(1, 2)", "f(1, x=2)"]);
    check("$A == $A", "a == a\na == b\nf(x) == f( x )\n", &["a == a", "f(x) == f( x )"]);
    check("$X.get($K, None)", "d.get('a', None)\nd.get('a')\n", &["d.get('a', None)"]);
    check("'$S'", "x = \"abc\"\ny = 1\n", &["\"abc\""]);
    check("not $A in $B", "not x in y\nx not in y\n", &["not x in y"]);
}

#[test]
fn statements_are_found() {
    check("$A = $B", "x = 1\ny == 2\nz = f(1)\n", &["x = 1", "z = f(1)"]);
    check(
        "if $X is None:\n    return $Y",
        "def f(x):\n    if x is None:\n        return 1\n    if x is None: return 2\n    if y: return 3\n",
        &["if x is None:\n        return 1", "if x is None: return 2"],
    );
    check(
        "def $F($$$):\n    return $X",
        "def f(a, b=1):\n    return a\ndef g(): return 1\ndef h():\n    x\n    return x\n",
        &["def f(a, b=1):\n    return a", "def g(): return 1"],
    );
    check("import $M", "import os\nfrom a import b\n", &["import os"]);
    check("x = 1\ny = $A", "x = 1\ny = 2\nx = 1\nz = 2\n", &["x = 1\ny = 2"]);
}

#[test]
fn wrong_patterns_are_refused() {
    for pattern in ["", "f(", "$A", "def f(:"] {
        let failure = Python::read_pattern(&Context::for_path("a.py"), pattern).expect_err(pattern);
        assert!(failure.hint.is_some(), "{pattern}: {failure:?}");
    }
    assert_eq!(
        Python::read_pattern(&Context::for_path("a.py"), "total($A)").map(|info| info.words),
        Ok(vec!["total".to_owned()])
    );
}
