//! Changes of parameters, in small workspaces.

use super::moves::run;

/// Asserts the changed files, in the notation of the case.
#[track_caller]
fn check(case: &str, parameters: &str, expected: &str) {
    let found = run(case, "change_signature", ("parameters", parameters));
    let found = found.unwrap_or_else(|failure| panic!("{failure:?} in\n{case}"));
    let texts: Vec<String> = found.files.iter().map(|(path, text)| format!("{path}:\n{text}")).collect();
    assert_eq!(texts.join("--\n"), expected, "{case}");
    assert_eq!((found.listed, found.incomplete), (Vec::new(), None), "{case}");
}

#[track_caller]
fn check_refused(case: &str, parameters: &str, message: &str) {
    match run(case, "change_signature", ("parameters", parameters)) {
        Ok(found) => panic!("not refused: {found:#?}"),
        Err(failure) => {
            assert!(failure.message.contains(message), "{failure:?} in\n{case}");
            assert!(failure.hint.is_some(), "{failure:?}");
        }
    }
}

/// Changes the parameters of `def f(a, b, c=1)`, and asserts the new parameters and arguments.
#[track_caller]
fn check_call(arguments: &str, parameters: &str, declared: &str, expected: &str) {
    check(
        &format!("a.py:\ndef ‸f(a, b, c=1): ...\nx = f({arguments})\n"),
        parameters,
        &format!("a.py:\ndef f({declared}): ...\nx = f({expected})\n"),
    );
}

#[test]
fn parameters_are_reordered() {
    let swap = |arguments: &str, expected: &str| check_call(arguments, r#"["b", "a", "c"]"#, "b, a, c=1", expected);
    swap("1, 2", "2, 1");
    swap("1, 2, 3", "2, 1, 3");
    swap("1, b=2", "b=2, a=1");
    swap("a=1, b=2", "b=2, a=1");
    swap("x, (y, z)", "(y, z), x");
    // The order in which the arguments are evaluated does not change.
    swap("g(), h()", "a=g(), b=h()");
    swap("g(), 1, h()", "a=g(), b=1, c=h()");
}

#[test]
fn parameters_are_added() {
    let add = |item: &str| format!(r#"["a", "b", {item}, "c"]"#);
    check_call("1, 2", &add(r#"{"name": "d", "value": "0"}"#), "a, b, d, c=1", "1, 2, 0");
    check_call("1, 2, 3", &add(r#"{"name": "d", "value": "0"}"#), "a, b, d, c=1", "1, 2, 0, 3");
    check_call("1, b=2", &add(r#"{"name": "d", "value": "0"}"#), "a, b, d, c=1", "1, b=2, d=0");
    check_call("1, 2, 3", &add(r#"{"name": "d", "default": "0"}"#), "a, b, d=0, c=1", "1, 2, c=3");
    check_call(
        "1, 2",
        &add(r#"{"name": "d", "type": "int", "default": "0", "value": "5"}"#),
        "a, b, d: int = 0, c=1",
        "1, 2, 5",
    );
    check(
        "a.py:\ndef ‸f(): ...\nf()\n",
        r#"[{"name": "d", "type": "int", "value": "0"}]"#,
        "a.py:\ndef f(d: int): ...\nf(0)\n",
    );
}

#[test]
fn parameters_are_removed() {
    check_call("1, 2", r#"["b"]"#, "b", "2");
    check_call("1, 2, c=3", r#"["a", "b"]"#, "a, b", "1, 2");
    check_call("1, 2", "[]", "", "");
    check_call("1, 2, 3", r#"["a", "c"]"#, "a, c=1", "1, 3");
    check(
        "a.py:\ndef ‸f(\n    a: int,\n    b: str = '',\n): ...\nf(\n    1,\n    b='x',\n)\n",
        r#"["b", {"name": "c", "default": "1"}]"#,
        "a.py:\ndef f(\n    b: str = '',\n    c=1,\n): ...\nf(\n    b='x',\n)\n",
    );
}

#[test]
fn calls_of_importers_change() {
    check(
        "a.py:\ndef ‸f(a, b): ...\n--\nm.py:\nfrom a import f as g\ng(1, 2)\n--\nn.py:\nimport a\na.f(1, b=2)\na.g(1)\n",
        r#"["b", "a"]"#,
        "a.py:\ndef f(b, a): ...\n--\nm.py:\nfrom a import f as g\ng(2, 1)\n--\nn.py:\nimport a\na.f(b=2, a=1)\na.g(1)\n",
    );
    // Importers through a package.
    check(
        "p/__init__.py:\nfrom .a import f\n--\np/a.py:\ndef ‸f(a, b): return f(1, 2)\n--\nn.py:\nfrom p import f\nf(1, 2)\n--\nm.py:\nimport p\np.f(1, 2)\n",
        r#"["b", "a"]"#,
        "m.py:\nimport p\np.f(2, 1)\n--\nn.py:\nfrom p import f\nf(2, 1)\n--\np/a.py:\ndef f(b, a): return f(2, 1)\n",
    );
    // Another function of the same name.
    check("a.py:\ndef ‸f(a): ...\n--\nn.py:\ndef f(a): ...\nf(1)\n", "[]", "a.py:\ndef f(): ...\n");
}

#[test]
fn uses_that_are_not_known_calls_are_refused() {
    let refused = |text: &str, message: &str| {
        check_refused(&format!("a.py:\ndef ‸f(a, b=1): ...\n{text}\n"), r#"["a"]"#, message);
    };
    refused("x = f", "without being called");
    refused("g(f)", "without being called");
    refused("@f\ndef g(): ...", "without being called");
    refused("f(*x)", "whose number is not known");
    refused("f(**x)", "has `**` arguments");
    refused("f(i for i in x)", "a generator without brackets");
    refused("f(1, 2, 3)", "has more arguments");
    refused("f()", "has fewer arguments");
    refused("f(1, d=2)", "without a parameter");
    refused("f(1, a=2)", "has more arguments");
    refused("f(1, g())", "may run other code");
    refused("f(f(1, 2), 3)", "an argument of another call");
    refused("f(1,  # one\n  2)", "has comments");
    let importer = |text: &str| format!("a.py:\ndef ‸f(a): ...\n--\nn.py:\n{text}\n");
    check_refused(&importer("from a import f\nx = f"), "[]", "without being called");
    check_refused(&importer("import a\nx = a.f"), "[]", "without being called");
    check_refused(&importer("from a import *\nf(1)"), "[]", "may come from `from a import *`");
    let found = run(&importer("import p\np.a.f(1)"), "change_signature", ("parameters", "[]")).expect("changed");
    assert_eq!(found.listed, ["f"]);
}

#[test]
fn declarations_that_cannot_change_are_refused() {
    let refused = |text: &str, message: &str| check_refused(&format!("a.py:\n{text}\n"), r#"["a"]"#, message);
    refused("class A:\n    def ‸f(self, a): ...", "is a method");
    refused("def ‸f(a): ...\ndef f(a, b): ...", "more than once");
    refused("@cache\ndef ‸f(a): ...", "a decorator may call");
    refused("def ‸f(a, *b): ...", "the parameters have `*`");
    refused("def ‸f(a, /): ...", "the parameters have `/`");
    refused("def ‸f(a, b): return b", "the function uses `b`");
    refused("def ‸f(a, # one\n  b): ...", "have comments");
    refused("from m import ‸f", "is not a function");
    refused("‸f = 1", "is not a function");
    let invalid = |parameters: &str, message: &str| {
        check_refused("a.py:\ndef ‸f(a, b=1):\n    x = a\n", parameters, message);
    };
    invalid("a", "not JSON");
    invalid("{}", "is not a list");
    invalid(r#"["c"]"#, "has no parameter `c`");
    invalid(r#"["a", "a"]"#, "is twice");
    invalid(r#"["b", "a"]"#, "needs a default");
    invalid(r#"["a", {"name": "c"}]"#, "needs `value` or `default`");
    invalid(r#"["a", {"name": "c-d", "value": "1"}]"#, "is not a valid name");
    invalid(r#"["a", {"name": "x", "value": "1"}]"#, "already uses the name `x`");
}
