//! Tests of the arguments of `change_signature`, with parameters in the notation of Python: `name: type = default`.

use marquetry_sdk::{FailureKind, Result, Selection, fail, refactor::RefactorInput};

use super::{ARGUMENTS, Item, OldParameter, Plan, Request, Rules};

fn check_name(name: &str) -> Result<()> {
    if name.chars().all(char::is_alphanumeric) {
        return Ok(());
    }
    Err(fail(FailureKind::InvalidArgument, format!("`{name}` is not a name")))
}

fn is_word(code: &str) -> bool {
    code.chars().all(|c| c.is_alphanumeric() || c == '"')
}

const DEFAULTS: Rules = Rules {
    example_type: "int",
    type_separator: ':',
    variadic_sign: "*",
    needs_type: false,
    has_defaults: true,
    check_name,
    is_type: is_word,
    is_value: is_word,
};

const TYPES: Rules =
    Rules { type_separator: ' ', variadic_sign: "...", needs_type: true, has_defaults: false, ..DEFAULTS };

/// Parameters that are written as `name: type = default`. One with a `*` stays last.
fn old(parameters: &str) -> Vec<OldParameter> {
    let parameter = |text: &str| {
        let (start, default) = text.split_once(" = ").unwrap_or((text, ""));
        let (name, type_text) = start.split_once(": ").unwrap_or((start, ""));
        let [name, type_text, default] = [name.trim_start_matches('*'), type_text, default].map(str::to_owned);
        OldParameter { name, type_text, default, text: text.to_owned(), stays_last: text.starts_with('*') }
    };
    parameters.split(", ").filter(|text| !text.is_empty()).map(parameter).collect()
}

/// The new list as text: `a` for a kept parameter, `+b: type = default (value)` for a new one.
fn read(rules: &Rules, parameters: &str, (name, text): (&str, &str)) -> Result<String> {
    let old = old(parameters);
    let plan = Plan::read(Request::new(name, text).expect("a known argument"), &old, rules)?;
    assert_eq!(plan.old_count, old.len());
    let item = |item: &Item| match item {
        Item::Kept(index) => old[*index].name.clone(),
        Item::New(added) => {
            let start = |sign: &str, text: &str| if text.is_empty() { String::new() } else { format!("{sign}{text}") };
            let (type_text, default) = (start(": ", &added.type_text), start(" = ", &added.default));
            format!("+{}{type_text}{default} ({})", added.name, added.value)
        }
    };
    Ok(plan.items.iter().map(item).collect::<Vec<String>>().join(", "))
}

#[track_caller]
fn check(rules: &Rules, parameters: &str, argument: (&str, &str), expected: &str) {
    let found = read(rules, parameters, argument);
    assert_eq!(found.unwrap_or_else(|failure| failure.message), expected, "{argument:?} of `{parameters}`");
}

#[test]
fn parameters_are_kept_in_any_order() {
    let check = |list: &str, expected: &str| check(&DEFAULTS, "a: int, b: list, c = 1", ("parameters", list), expected);
    check("[]", "");
    check(r#"["b"]"#, "b");
    check(r#"["b", "a", "c"]"#, "b, a, c");
    check(r#"[" b ", {"name": "a"}]"#, "b, a");
    check(r#"["a", "a"]"#, "`a` is twice in the list");
    check(r#"["a", {"name": "a"}]"#, "`a` is twice in the list");
    check(r#"["c", "a"]"#, "`a` needs a default, because the one before it has one");
    check(r#"["A"]"#, "the function has no parameter `A`");
    check(r#"[""]"#, "the function has no parameter ``");
}

#[test]
fn kept_parameters_may_have_their_type_and_default() {
    for (item, expected) in [
        (r#""b: int""#, "b"),
        (r#""b:int=1""#, "b"),
        (r#""b = 1""#, "b"),
        (r#"{"name": "b", "type": "int", "default": "1"}"#, "b"),
        (r#""b: str""#, "the type of `b` is `int` and cannot be changed to `str`"),
        (r#""b = 2""#, "the default of `b` is `1` and cannot be changed to `2`"),
        (r#"{"name": "b", "type": "str"}"#, "the type of `b` is `int` and cannot be changed to `str`"),
        (r#"{"name": "b", "default": "2"}"#, "the default of `b` is `1` and cannot be changed to `2`"),
        (r#"{"name": "b", "value": "2"}"#, "the function already has a parameter `b`, so it has no `value`"),
        (r#""c: int""#, "`c` has no type, and cannot get `int`"),
        (r#""c = 1""#, "`c` has no default, and cannot get `1`"),
    ] {
        check(&DEFAULTS, "b: int = 1, c", ("parameters", &format!("[{item}]")), expected);
    }
    let pairs = |item: &str, expected: &str| {
        check(&TYPES, "a: map[string]int, *xs: ...int", ("parameters", &format!("[{item}]")), expected);
    };
    pairs(r#""a map[string] int""#, "a");
    pairs(r#""a  map[string]int", "xs ...int""#, "a, xs");
    pairs(r#""a int""#, "the type of `a` is `map[string]int` and cannot be changed to `int`");
}

#[test]
fn patterns_and_whole_declarations_are_known() {
    let pattern = OldParameter {
        name: "P { x: a::b(c) }".to_owned(),
        type_text: "m::P".to_owned(),
        text: "mut P { x: a::b(c) }: m::P".to_owned(),
        ..OldParameter::default()
    };
    for item in ["P { x: a::b(c) }", "P {x: a::b(c)}", "P { x: a::b(c) }: m::P", "mut P { x: a::b(c) }: m::P"] {
        let list = format!("[\"{item}\"]");
        let plan = Plan::read(Request::Parameters(&list), std::slice::from_ref(&pattern), &DEFAULTS).expect(item);
        assert_eq!(plan.items, [Item::Kept(0)], "{item}");
    }
}

#[test]
fn new_parameters_have_the_parts_that_the_language_needs() {
    let with = |rules: &Rules, item: &str, expected: &str| {
        check(rules, "a: int", ("parameters", &format!("[\"a\", {item}]")), expected);
        if item.starts_with('{') {
            check(rules, "a: int", ("add", &format!("[{item}]")), expected);
            check(rules, "a: int", ("add", item), expected);
        }
    };
    let defaults = |item: &str, expected: &str| with(&DEFAULTS, item, expected);
    defaults(r#"{"name": "b", "value": "0"}"#, "a, +b (0)");
    defaults(r#"{"name": " b ", "type": " int ", "value": " 0 "}"#, "a, +b: int (0)");
    defaults(r#"{"name": "b", "default": "1"}"#, "a, +b = 1 ()");
    defaults(r#"{"name": "b", "type": "int", "default": "1", "value": "0"}"#, "a, +b: int = 1 (0)");
    defaults(r#""b: int = 1""#, "a, +b: int = 1 ()");
    defaults(r#""b=1""#, "a, +b = 1 ()");
    defaults(r#""b: int""#, "a new parameter `b` needs `value` or `default`");
    defaults(r#"{"name": "b", "value": ""}"#, "a new parameter needs `value` or `default`");
    defaults(r#"{"value": "0"}"#, "a new parameter needs `name`");
    defaults(r#"{"name": "b", "value": "1, 2"}"#, "`value` of `b` is not one expression: `1, 2`");
    defaults(r#"{"name": "b", "default": "1, 2"}"#, "`default` of `b` is not one expression: `1, 2`");
    defaults(r#"{"name": "b", "type": "a b", "value": "0"}"#, "`type` of `b` is not one type: `a b`");
    defaults(r#"{"name": "b-c", "value": "0"}"#, "`b-c` is not a name");
    defaults(r#"{"name": "*b", "value": "0"}"#, "a new parameter cannot take any number of arguments");
    let types = |item: &str, expected: &str| with(&TYPES, item, expected);
    types(r#"{"name": "b", "type": "int", "value": "0"}"#, "a, +b: int (0)");
    types(r#"{"name": "b", "value": "0"}"#, "a new parameter needs `type`");
    types(r#"{"name": "b", "type": "int"}"#, "a new parameter needs `value`");
    types(r#"{"name": "b", "type": "int", "default": "0"}"#, "a new parameter needs `value`");
    types(r#"{"name": "b", "type": "...int", "value": "0"}"#, "a new parameter cannot take any number of arguments");
    types(
        r#"{"name": "b", "type": "int", "value": "0", "default": "0"}"#,
        "`b` cannot have a `default` in this language",
    );
    types(r#""b int""#, "a new parameter `b` needs `value`");
    check(&TYPES, "a: int", ("add", r#"["b"]"#), "a new parameter `b` needs `value`");
}

#[test]
fn added_parameters_get_their_position() {
    let add = |parameters: &str, list: &str, expected: &str| {
        let item = |item: &str| match item.split_once('@') {
            Some((name, position)) => format!(r#"{{"name": "{name}", "value": "0", "position": {position}}}"#),
            None => format!(r#"{{"name": "{item}", "value": "0"}}"#),
        };
        let list: Vec<String> = list.split(' ').map(item).collect();
        check(&DEFAULTS, parameters, ("add", &format!("[{}]", list.join(", "))), expected);
    };
    add("", "x", "+x (0)");
    add("a, b", "x", "a, b, +x (0)");
    add("a, b", "x@null", "a, b, +x (0)");
    add("a, b", "x@0", "+x (0), a, b");
    add("a, b", "x@1", "a, +x (0), b");
    add("a, b", "x@2", "a, b, +x (0)");
    // Each position is that in the new list, whatever the order of the new parameters.
    add("a, b", "x y", "a, b, +x (0), +y (0)");
    add("a, b", "x@2 y@0", "+y (0), a, +x (0), b");
    add("a, b", "x@3 y", "a, b, +y (0), +x (0)");
    add("a, b", "x@0 y@1", "+x (0), +y (0), a, b");
    // Parameters that stay last, and those with defaults.
    add("a, *b, *c", "x", "a, +x (0), b, c");
    add("*b", "x@0", "+x (0), b");
    add("a, b = 1", "x", "a, +x (0), b");
    add("a = 1, *b", "x y", "+x (0), +y (0), a, b");
    add("a, b = 1", "x@2", "`x` needs a default, because the one before it has one");
    for position in ["3", "-1", "1.5", "\"0\"", "[]", "18446744073709551616"] {
        add("a, b, *c", &format!("x@{position}"), "`position` of `x` is not a number from 0 to 2");
    }
    add("a, b", "x@1 y@1", "two new parameters have the position 1");
    add("a, b", "x x", "`x` is twice in the list");
    add("a, b", "a", "the function already has a parameter `a`");
    check(&DEFAULTS, "a: int", ("add", r#"["a: int"]"#), "the function already has a parameter `a`");
    check(&DEFAULTS, "a", ("add", r#"["a"]"#), "the function already has a parameter `a`");
    check(&DEFAULTS, "a, b = 1", ("add", r#"["c: int = 2"]"#), "a, b, +c: int = 2 ()");
    check(&DEFAULTS, "a", ("add", "[]"), "a");
}

#[test]
fn parameters_that_stay_last_are_not_moved() {
    let check = |list: &str, expected: &str| check(&TYPES, "a: int, *b: ...int", ("parameters", list), expected);
    check(r#"["a", "b"]"#, "a, b");
    check(r#"["b"]"#, "b");
    check(r#"["b", "a"]"#, "`b` must stay after the other parameters");
    check(r#"["b", {"name": "c", "type": "int", "value": "0"}]"#, "`b` must stay after the other parameters");
}

#[test]
fn other_json_is_refused() {
    for name in ["parameters", "add"] {
        for text in ["1", "\"a\"", "null", "true"] {
            check(&DEFAULTS, "a", (name, text), &format!("`{name}` is not a list"));
        }
        check(&DEFAULTS, "a", (name, "[1]"), "a parameter is a name or an object");
        let failure = read(&DEFAULTS, "a", (name, "[a]")).expect_err("refused");
        assert!(failure.message.starts_with("not JSON: "), "{failure:?}");
    }
    // A single object would remove all other parameters.
    check(&DEFAULTS, "a", ("parameters", r#"{"name": "b", "value": "0"}"#), "`parameters` is not a list");
}

#[test]
fn failures_have_an_example_and_candidates() {
    let failure = read(&DEFAULTS, "a, b", ("parameters", r#"["c"]"#)).expect_err("refused");
    assert_eq!(failure.kind, FailureKind::InvalidArgument);
    let list = r#"give a list such as `["b", "a", {"name": "c", "type": "int", "value": "0"}]`"#;
    assert_eq!((failure.hint.as_deref(), failure.candidates), (Some(list), vec!["a".to_owned(), "b".to_owned()]));
    let failure = read(&DEFAULTS, "a", ("add", "1")).expect_err("refused");
    let added = r#"give a list such as `[{"name": "c", "type": "int", "value": "0", "position": 0}]`"#;
    assert_eq!(failure.hint.as_deref(), Some(added));
    let failure = read(&DEFAULTS, "a", ("add", r#"{"name": "b"}"#)).expect_err("refused");
    let hint = format!("an object is a new parameter, whose `value` is the argument of existing calls; {added}");
    assert_eq!(failure.hint, Some(hint));
}

#[test]
fn exactly_one_argument_is_needed() {
    let input = |names: &[&str]| {
        let argument = |name: &&str| marquetry_sdk::Argument { name: (*name).to_owned(), value: "[]".to_owned() };
        RefactorInput::new(Selection::caret(0), names.iter().map(argument))
    };
    for name in ARGUMENTS.map(|argument| argument.name) {
        let input = input(&[name]);
        let request = Request::from_input(&input, &DEFAULTS).expect("accepted");
        assert_eq!((request.name(), request.text()), (name, "[]"));
        assert_eq!(Request::new(name, "[]"), Some(request));
    }
    for names in [&[][..], &["parameters", "add"]] {
        let input = input(names);
        let failure = Request::from_input(&input, &DEFAULTS).expect_err("refused");
        assert_eq!(failure.message, "`change_signature` needs either `parameters` or `add`");
        assert!(failure.hint.is_some());
    }
    assert_eq!(Request::new("remove", "[]"), None);
}

#[test]
fn plans_are_sent_without_names() {
    let list = r#"["b", {"name": "x", "type": "int", "value": "f(1)"}]"#;
    let rules = Rules { is_value: |_| true, ..TYPES };
    let plan = Plan::read(Request::Parameters(list), &old("a: int, b: int, c: int"), &rules).expect("accepted");
    assert_eq!([0, 1, 2].map(|index| plan.keeps(index)), [false, true, false]);
    assert_eq!(plan.added().map(|added| added.name.as_str()).collect::<Vec<_>>(), ["x"]);
    let json = plan.to_json();
    assert_eq!(json, serde_json::json!({"items": [1, "f(1)"], "count": 3}));
    let sent = Plan::from_json(&json).expect("a plan");
    assert_eq!((sent.to_json(), sent.old_count), (json, 3));
    for other in ["null", "{}", r#"{"items": [true], "count": 1}"#, r#"{"items": [], "count": -1}"#] {
        assert_eq!(Plan::from_json(&serde_json::from_str(other).expect("JSON")), None, "{other}");
    }
}
