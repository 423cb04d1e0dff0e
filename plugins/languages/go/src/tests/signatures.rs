//! `change_signature` in one file: what the argument accepts, names in values, and imports.

use marquetry_sdk::{
    testing::{self, check_refactor},
    workspace::set_files,
};

use crate::Go;

const LOAD: &str = "package a\n\nimport \"context\"\n\nfunc ‸Load(key string) error { return nil }\n\nfunc all(ctx context.Context) error {\n\treturn Load(\"a\")\n}\n";

fn files(text: &str) {
    let text = text.replace('‸', "");
    set_files([("go.mod".to_owned(), "module x.org/m\n".to_owned()), ("a.go".to_owned(), text)]);
}

#[track_caller]
fn check(argument: (&str, &str), before: &str, after: &str) {
    files(before);
    check_refactor::<Go>(("a.go", before), "change_signature", &[argument], after);
}

#[track_caller]
fn refused(argument: (&str, &str), before: &str, message: &str) {
    files(before);
    testing::check_refused::<Go>(("a.go", before), "change_signature", &[argument], message);
}

#[test]
fn parameters_are_added_at_their_position() {
    let after = LOAD
        .replace('‸', "")
        .replace("Load(key string)", "Load(ctx context.Context, key string)")
        .replace("Load(\"a\")", "Load(ctx, \"a\")");
    let ctx = "{\"name\": \"ctx\", \"type\": \"context.Context\", \"value\": \"ctx\"";
    check(("add", &format!("[{ctx}, \"position\": 0}}]")), LOAD, &after);
    check(("parameters", &format!("[{ctx}}}, \"key\"]")), LOAD, &after);
    check(("parameters", &format!("[{ctx}}}, {{\"name\": \"key\", \"type\": \"string\"}}]")), LOAD, &after);
    check(("parameters", &format!("[{ctx}}}, \"key  string\"]")), LOAD, &after);
    let last = after.replace("ctx context.Context, key string", "key string, ctx context.Context");
    check(("add", &format!("{ctx}}}")), LOAD, &last.replace("Load(ctx, \"a\")", "Load(\"a\", ctx)"));
    // A variadic parameter stays the last one.
    check(
        ("add", "[{\"name\": \"n\", \"type\": \"int\", \"value\": \"1\"}]"),
        "package a\n\nfunc ‸f(xs ...int) {}\n\nfunc g() { f(2) }\n",
        "package a\n\nfunc f(n int, xs ...int) {}\n\nfunc g() { f(1, 2) }\n",
    );
}

#[test]
fn several_parameters_are_added() {
    let before = "package a\n\nfunc ‸f(a, b int, xs ...int) {}\n\nfunc g() { f(1, 2, 3, 4) }\n";
    let add = |list: &str, declared: &str, call: &str| {
        let after = format!("package a\n\nfunc f({declared}) {{}}\n\nfunc g() {{ f({call}) }}\n");
        check(("add", list), before, &after);
    };
    let n = "\"name\": \"n\", \"type\": \"int\", \"value\": \"0\"";
    let s = "\"name\": \"s\", \"type\": \"string\", \"value\": \"\\\"\\\"\"";
    add(&format!("[{{{n}, \"position\": 1}}]"), "a int, n int, b int, xs ...int", "1, 0, 2, 3, 4");
    add(&format!("[{{{n}}}, {{{s}}}]"), "a, b int, n int, s string, xs ...int", "1, 2, 0, \"\", 3, 4");
    add(
        &format!("[{{{n}, \"position\": 3}}, {{{s}, \"position\": 0}}]"),
        "s string, a, b int, n int, xs ...int",
        "\"\", 1, 2, 0, 3, 4",
    );
    refused(("add", &format!("[{{{n}, \"position\": 3}}]")), before, "a number from 0 to 2");
    refused(("add", &format!("[{{{n}}}, {{{n}}}]")), before, "`n` is twice");
    let twice = format!("[{{{n}, \"position\": 0}}, {{{s}, \"position\": 0}}]");
    refused(("add", &twice), before, "two new parameters have the position 0");
    let moved = "[\"a\", \"xs ...int\", \"b\"]";
    refused(("parameters", moved), before, "`xs` must stay after the other parameters");
}

#[test]
fn arguments_that_are_not_clear_are_refused() {
    let add = |text: &str, message: &str| refused(("add", text), LOAD, message);
    add("[{\"name\": \"key\", \"type\": \"int\", \"value\": \"1\"}]", "already has a parameter `key`");
    add("[{\"name\": \"n\", \"type\": \"int\", \"value\": \"1\", \"position\": 2}]", "a number from 0 to 1");
    add("[{\"name\": \"n\", \"type\": \"int\"}]", "needs `value`");
    add("[{\"name\": \"n\", \"type\": \"int\", \"value\": \"1\", \"default\": \"1\"}]", "cannot have a `default`");
    add("[\"n int\"]", "needs `value`");
    add("[{\"name\": \"func\", \"type\": \"int\", \"value\": \"1\"}]", "is not a valid name");
    add("\"n int\"", "not a list");
    let parameters = |text: &str, message: &str| refused(("parameters", text), LOAD, message);
    parameters("[{\"name\": \"key\", \"type\": \"int\"}]", "cannot be changed to `int`");
    parameters("[{\"name\": \"key\", \"type\": \"string\", \"value\": \"1\"}]", "already has a parameter `key`");
    parameters("[\"key\", \"n int\"]", "needs `value`");
    parameters("[\"key int\"]", "cannot be changed to `int`");
}

#[test]
fn names_in_values_must_be_declared_at_the_calls() {
    let ctx = ("add", "[{\"name\": \"ctx\", \"type\": \"int\", \"value\": \"ctx\"}]");
    let f = |rest: &str| format!("package a\n\nfunc ‸f() {{}}\n\n{rest}\n");
    refused(ctx, &f("func g() { f() }"), "`ctx`, which is not declared here");
    refused(ctx, &f("func g() {\n\tf()\n\tctx := 1\n\t_ = ctx\n}"), "not declared here");
    let outer = f("func g(ctx int) {\n\tfunc() { f() }()\n}");
    check(ctx, &outer, &outer.replace("‸f()", "f(ctx int)").replace("{ f() }", "{ f(ctx) }"));
    let package = f("var ctx = 1\n\nfunc g() { f() }");
    check(ctx, &package, &package.replace("‸f()", "f(ctx int)").replace("{ f() }", "{ f(ctx) }"));
}

#[test]
fn packages_of_types_and_values_are_imported() {
    let before = "package a\n\nfunc ‸f() {}\n\nfunc g() { f() }\n";
    let add = |type_text: &str, value: &str| {
        format!("[{{\"name\": \"p\", \"type\": \"{type_text}\", \"value\": \"{value}\"}}]")
    };
    check(
        ("add", &add("*http.Request", "nil")),
        before,
        "package a\n\nimport \"net/http\"\n\nfunc f(p *http.Request) {}\n\nfunc g() { f(nil) }\n",
    );
    check(
        ("add", &add("map[string]time.Duration", "nil")),
        &before.replace("package a\n", "package a\n\nimport \"os\"\n"),
        "package a\n\nimport \"os\"\nimport \"time\"\n\nfunc f(p map[string]time.Duration) {}\n\nfunc g() { f(nil) }\n",
    );
    check(
        ("add", &add("context.Context", "context.TODO()")),
        before,
        "package a\n\nimport \"context\"\n\nfunc f(p context.Context) {}\n\nfunc g() { f(context.TODO()) }\n",
    );
    refused(("add", &add("rand.Source", "nil")), before, "does not import `rand`");
    refused(("add", &add("foo.Bar", "nil")), before, "does not import `foo`");
    let shadowed = before.replace("{ f() }", "{\n\tvar context int\n\t_ = context\n\tf()\n}");
    refused(("add", &add("int", "context.TODO()")), &shadowed, "another meaning");
}

#[test]
fn calls_with_the_results_of_another_call_are_refused() {
    let add = ("add", "[{\"name\": \"n\", \"type\": \"int\", \"value\": \"0\", \"position\": 0}]");
    let text = |call: &str| {
        format!(
            "package a\n\nimport \"other.org/x\"\n\nfunc ‸f(xs ...int) {{}}\n\nfunc g() (int, int) {{ return 1, 2 }}\n\nfunc h() int {{ return 1 }}\n\nvar _ = x.A\n\nfunc k() {{\n\t{call}\n}}\n"
        )
    };
    let several = "the results of one call are the arguments";
    refused(add, &text("f(g())"), several);
    refused(add, &text("f(x.G())"), several);
    for (from, to) in [("f(h())", "f(0, h())"), ("f(g()...)", "f(0, g()...)"), ("f(int(x.A))", "f(0, int(x.A))")] {
        check(add, &text(from), &text(to).replace("‸f(xs", "f(n int, xs"));
    }
    check(add, &text("f(1, len(\"a\"))"), &text("f(0, 1, len(\"a\"))").replace("‸f(xs", "f(n int, xs"));
}

#[test]
fn values_and_types_are_one_expression_and_one_type() {
    let before = "package a\n\nfunc ‸f() {}\n\nfunc g() { f() }\n";
    let add = |type_text: &str, value: &str| {
        serde_json::json!([{"name": "p", "type": type_text, "value": value}]).to_string()
    };
    for value in
        ["0, 1", "0) + (1", "x...", "0 // it", "0\nvar x = 1", "var x", "0; f()", "[]int", "x = 1", "/* a */ 0"]
    {
        refused(("add", &add("int", value)), before, "is not one expression");
    }
    for type_text in ["int, c string", "int = 3", "int\nvar x int", "int) (c int", "3", "int // it", "...int", "*"] {
        let message = if type_text == "...int" { "any number of arguments" } else { "is not one type" };
        refused(("add", &add(type_text, "0")), before, message);
    }
    for (type_text, value) in [
        ("func(int, ...string) (bool, error)", "nil"),
        ("[]struct{ a, b int }", "[]struct{ a, b int }{{1, 2}}"),
        ("chan<- int", "nil"),
        ("func() int", "func() int {\n\treturn 1\n}"),
        ("(int)", "(0)"),
        ("*int", "new(int)"),
        ("string", "\"a, b\""),
    ] {
        let after = format!("package a\n\nfunc f(p {type_text}) {{}}\n\nfunc g() {{ f({value}) }}\n");
        check(("add", &add(type_text, value)), before, &after);
    }
}

#[test]
fn names_that_only_removed_arguments_use() {
    let none = ("parameters", "[]");
    let call = |before: &str| format!("package a\n\nfunc ‸f(n int) {{}}\n\nfunc g() {{\n{before}\n}}\n");
    refused(none, &call("\tx := 1\n\tf(x)"), "uses `x`");
    refused(none, &call("\tvar x = 1\n\tx = 2\n\tf(x + 1)"), "uses `x`");
    refused(none, &call("\tfor i := range 3 {\n\t\tf(i)\n\t}"), "uses `i`");
    refused(none, &call("\tx := 1\n\tf(x)\n\tf(x)"), "uses `x`");
    let stays = |before: &str, after: &str| check(none, &call(before), &call(after).replace("‸f(n int)", "f()"));
    stays("\tx := 1\n\tf(x)\n\tprintln(x)", "\tx := 1\n\tf()\n\tprintln(x)");
    stays("\tfunc(x int) {\n\t\tf(x)\n\t}(1)", "\tfunc(x int) {\n\t\tf()\n\t}(1)");
    stays("\tconst x = 1\n\tf(x)", "\tconst x = 1\n\tf()");
    // A new value may use the variable.
    let text = call("\tx := 1\n\tf(x)");
    check(
        ("parameters", "[{\"name\": \"m\", \"type\": \"int\", \"value\": \"x\"}]"),
        &text,
        &text.replace("‸f(n int)", "f(m int)"),
    );
}

#[test]
fn imports_that_only_removed_parameters_use_are_removed() {
    let before = "package a\n\nimport (\n\t\"fmt\"\n\tt \"time\"\n)\n\nfunc ‸f(d t.Duration, n int) { fmt.Println(n) }\n\nfunc g() { f(t.Second, 1) }\n";
    let after = "package a\n\nimport (\n\t\"fmt\"\n)\n\nfunc f(n int) { fmt.Println(n) }\n\nfunc g() { f(1) }\n";
    check(("parameters", "[\"n\"]"), before, after);
    let used = before.replace("Println(n)", "Println(n, t.Second)");
    let kept = used.replace("‸f(d t.Duration, n int)", "f(n int)").replace("f(t.Second, 1)", "f(1)");
    check(("parameters", "[\"n\"]"), &used, &kept);
    let replaced = "[{\"name\": \"e\", \"type\": \"t.Duration\", \"value\": \"0\"}, \"n\"]";
    let other = before.replace("‸f(d t", "f(e t").replace("f(t.Second, 1)", "f(0, 1)");
    check(("parameters", replaced), before, &other);
    let other = "[{\"name\": \"e\", \"type\": \"*os.File\", \"value\": \"nil\"}, \"n\"]";
    refused(("parameters", other), before, "needs another import");
}
