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
    for again in ["for f in [abs]:\n    f(1)", "try:\n    from fast import f\nexcept ImportError:\n    pass", "f = f"] {
        check_refused(&importer(&format!("from a import f\n{again}")), "[]", "`f` is bound several times in");
    }
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

/// Adds parameters to a function with this list, and asserts the new parameters and arguments.
#[track_caller]
fn check_added((declared, arguments): (&str, &str), add: &str, (new, expected): (&str, &str)) {
    let case = format!("a.py:\ndef ‸f({declared}): ...\nx = f({arguments})\n");
    let found = run(&case, "change_signature", ("add", add)).unwrap_or_else(|failure| panic!("{failure:?} in\n{case}"));
    assert_eq!(found.files["a.py"], format!("def f({new}): ...\nx = f({expected})\n"), "{case}");
}

#[track_caller]
fn check_not_added(case: &str, add: &str, message: &str) {
    match run(case, "change_signature", ("add", add)) {
        Ok(found) => panic!("not refused: {found:#?}"),
        Err(failure) => assert!(failure.message.contains(message) && failure.hint.is_some(), "{failure:?} in\n{case}"),
    }
}

#[test]
fn parameters_are_added_at_their_position() {
    let value = r#"{"name": "n", "type": "int", "value": "0"}"#;
    let default = r#"[{"name": "n", "default": "0"}]"#;
    let at = |position: u8| format!(r#"[{{"name": "n", "value": "0", "position": {position}}}]"#);
    check_added(("a, b", "1, 2"), &at(0), ("n, a, b", "0, 1, 2"));
    check_added(("a, b", "1, b=2"), &at(1), ("a, n, b", "1, 0, b=2"));
    check_added(("a, b", "a=1, b=2"), &at(1), ("a, n, b", "a=1, n=0, b=2"));
    check_added(("a, b", "1, 2"), value, ("a, b, n: int", "1, 2, 0"));
    check_added(("", ""), value, ("n: int", "0"));
    check_added(("a", "1"), r#"["n: int = 2"]"#, ("a, n: int = 2", "1"));
    // One without a default is before those with a default.
    check_added(("a, b=2*3", "1"), value, ("a, n: int, b=2*3", "1, 0"));
    check_added(("a, b=2*3", "1, 2"), value, ("a, n: int, b=2*3", "1, 0, 2"));
    check_added(("a, b=1", "1, 2"), default, ("a, b=1, n=0", "1, 2"));
    let both = r#"[{"name": "n", "default": "0", "value": "5"}, {"name": "m", "value": "6", "position": 0}]"#;
    check_added(("a, b=1", "1"), both, ("m, a, b=1, n=0", "6, 1, n=5"));
    let importer =
        run("a.py:\ndef ‸f(a, *b): ...\n--\nn.py:\nfrom a import f\nf(1, 2)\n", "change_signature", ("add", &at(0)));
    assert_eq!(importer.expect("changed").files["n.py"], "from a import f\nf(0, 1, 2)\n");
}

#[test]
fn parameters_are_added_before_those_that_stay_last() {
    let value = r#"[{"name": "n", "value": "0"}]"#;
    let default = r#"[{"name": "n", "default": "0"}]"#;
    check_added(("a, *args", "1, 2, 3"), value, ("a, n, *args", "1, 0, 2, 3"));
    check_added(("*args: int", ""), value, ("n, *args: int", "0"));
    check_added(("a, *args, k, **kw", "1, 2, k=3, z=4"), value, ("a, n, *args, k, **kw", "1, 0, 2, k=3, z=4"));
    check_added(("a, *, k=1", "1, k=g()"), value, ("a, n, *, k=1", "1, 0, k=g()"));
    check_added(("*, k", "k=1"), value, ("n, *, k", "0, k=1"));
    check_added(("a, **kw", "1, y=2, x=3"), value, ("a, n, **kw", "1, 0, y=2, x=3"));
    check_added(("a, **kw", "x=2, a=1"), value, ("a, n, **kw", "a=1, n=0, x=2"));
    check_added(("a, **kw", "x=g(), a=h()"), value, ("a, n, **kw", "x=g(), a=h(), n=0"));
    check_added(("a, b=1, **kw", "1, x=2"), default, ("a, b=1, n=0, **kw", "1, x=2"));
    check_added(
        ("\n    a,\n    *,\n    k: int = 1,\n    **kw,\n", "1"),
        value,
        ("\n    a,\n    n,\n    *,\n    k: int = 1,\n    **kw,\n", "1, 0"),
    );
    let call = |declared: &str, arguments: &str| format!("a.py:\ndef ‸f({declared}): ...\nf({arguments})\n");
    check_not_added(&call("a, *args", "1, 2"), default, "has more arguments after the new parameter");
    check_not_added(&call("a, **kw", "1, n=2"), value, "the name of a new parameter");
    check_not_added(&call("a, *args", "1, args=2"), value, "without a parameter");
    check_not_added(&call("a, *, k", "1, 2, k=3"), value, "has more arguments");
    check_not_added(&call("a, *, k", "1"), value, "has fewer arguments");
    check_not_added(&call("a, *args", "1, *x"), value, "whose number is not known");
    check_not_added(&call("a, /, b", "1, 2"), value, "the parameters have `/`");
}

#[test]
fn parameters_that_cannot_be_added_are_refused() {
    let refused = |add: &str, message: &str| check_not_added("a.py:\ndef ‸f(a, b=1, *args): ...\n", add, message);
    let at = |name: &str, rest: &str| format!(r#"{{"name": "{name}", "value": "0"{rest}}}"#);
    refused(&at("n", r#", "position": 3"#), "`position` of `n` is not a number from 0 to 2");
    refused(&at("n", r#", "position": 2"#), "`n` needs a default");
    refused(&format!("[{}, {}]", at("n", ""), at("n", "")), "`n` is twice");
    let position = r#", "position": 0"#;
    refused(&format!("[{}, {}]", at("n", position), at("m", position)), "two new parameters have the position 0");
    refused(&at("a", ""), "already has a parameter `a`");
    refused(&at("*more", ""), "any number of arguments");
    refused(&at("class", ""), "is not a valid name");
    refused(r#"[{"name": "n"}]"#, "needs `value` or `default`");
    refused(r#"["n"]"#, "needs `value` or `default`");
    refused("1", "`add` is not a list");
    // The receiver of a method is not known at its calls.
    check_not_added("a.py:\nclass A:\n    def ‸f(self, a): ...\n", &at("n", position), "is a method");
}

#[test]
fn kept_parameters_may_have_their_type_and_default() {
    let case = "a.py:\ndef ‸f(a: list[int], b: dict[str, int] = {'a': 1}, c=(1)): ...\nf(1, 2)\n";
    let keep = |list: &str, declared: &str, call: &str| {
        check(case, list, &format!("a.py:\ndef f({declared}): ...\nf({call})\n"));
    };
    keep(r#"["a: list[int]", "c=(1)"]"#, "a: list[int], c=(1)", "1");
    keep(r#"["a:list[ int ]", "b: dict[str,int]"]"#, "a: list[int], b: dict[str, int] = {'a': 1}", "1, 2");
    keep(
        r#"[{"name": "a", "type": "list[int]"}, "b: dict[str, int] = {'a': 1}"]"#,
        "a: list[int], b: dict[str, int] = {'a': 1}",
        "1, 2",
    );
    keep(r#"[{"name": "a"}, {"name": "c", "default": "(1)"}, "d: int = 2"]"#, "a: list[int], c=(1), d: int = 2", "1");
    let refused = |list: &str, message: &str| check_refused(case, list, message);
    refused(r#"["a: set[int]"]"#, "the type of `a` is `list[int]` and cannot be changed to `set[int]`");
    refused(r#"["a", "c=2"]"#, "the default of `c` is `(1)` and cannot be changed to `2`");
    refused(r#"["a", "c: int"]"#, "`c` has no type");
    refused(r#"["a = 1"]"#, "`a` has no default");
    refused(r#"[{"name": "a", "value": "1"}]"#, "already has a parameter `a`, so it has no `value`");
    refused(r#"["a", "d: int"]"#, "needs `value` or `default`");
}

#[test]
fn types_defaults_and_values_are_one_expression() {
    let add = |field: &str, code: &str| {
        let mut item = serde_json::json!({"name": "n", "value": "0"});
        item[field] = code.into();
        item.to_string()
    };
    for code in ["1, 2", "1,", "1) + (2", "*a", "**a", "x for x in y", "y := 1", "x=1", "1  # one", "return 1", "1\n2"]
    {
        for (field, message) in [("value", "`value` of"), ("default", "`default` of"), ("type", "`type` of")] {
            let is_variadic = field == "type" && code.starts_with('*');
            let message = if is_variadic { "any number of arguments" } else { message };
            check_not_added("a.py:\ndef ‸f(): ...\nf()\n", &add(field, code), message);
        }
    }
    for code in ["(1)", "(1, 2)", "[\n    1,\n]", "lambda x: x", "'a, b'", "a if b else c", "{**a}", "f(*x)", "a[1:2]"]
    {
        check_added(("", ""), &add("value", code), ("n", code));
        check_added(("", ""), &add("default", code), (&format!("n={code}"), "0"));
    }
    check_added(("", ""), &add("type", "list['A'] | None"), ("n: list['A'] | None", "0"));
}
