//! Entries of composite literals.

use marquetry_sdk::{
    LanguagePack, Operation, Subject, Symbols,
    TargetKind::Symbol,
    testing::{self, after, before, body, first, last, replace, sorted},
};

use super::check;
use crate::Go;

const SETTINGS: &str = "package a\n\nvar handlers = map[string]http.Handler{\n\t\"home\": home, // main\n\t// The cart.\n\t\"/cart\": &Cart{Size: 1, Limits: []int{1, 2}},\n\thttp.Root:   nil,\n}\n\nvar codes = map[int]string{1: \"a\", -2: \"b\", 'x': \"c\", One + 1: \"d\"}\n\nfunc run() {\n\tcfg := Config{Addr: \":80\"}\n\tvar tests = []struct{ name string }{\n\t\t{name: \"a\"},\n\t}\n\tplain := Point{1, 2}\n\tx := 1\n\tif x > 0 {\n\t\tinner := T{A: 1}\n\t}\n\tf(T{B: 2})\n}\n";

#[test]
fn entries_have_addresses() {
    let outline = testing::open::<Go>("a.go", SETTINGS).outline();
    let expected = "
package package a @package a
variable handlers @handlers
  entry home @handlers.home
  entry \"/cart\" @handlers.\"/cart\"
    entry Size @handlers.\"/cart\".Size
    entry Limits @handlers.\"/cart\".Limits
  entry http.Root @handlers.http.Root
variable codes @codes
  entry 1 @codes.1
  entry -2 @codes.-2
  entry 'x' @codes.'x'
function run @run
  variable cfg @run.cfg
    entry Addr @run.cfg.Addr
  variable tests @run.tests
  variable inner @run.inner
    entry A @run.inner.A";
    assert_eq!(outline.trim_end(), expected.trim_matches('\n'));
}

#[track_caller]
fn check_settings(target: &str, operation: Operation, from: &str, to: &str) {
    assert!(SETTINGS.contains(from), "{from}");
    check(SETTINGS, target, operation, &SETTINGS.replacen(from, to, 1));
}

#[test]
fn entries_are_replaced() {
    check_settings("handlers.home", replace("\"home\": index,"), "\"home\": home", "\"home\": index");
    check_settings("handlers.home", body("index"), "\"home\": home", "\"home\": index");
    check_settings("handlers.\"/cart\".Size", body("2"), "Size: 1", "Size: 2");
    check_settings("handlers./cart", body("nil"), "&Cart{Size: 1, Limits: []int{1, 2}}", "nil");
    check_settings("handlers.http.Root", replace("http.Any: nil"), "http.Root:   nil", "http.Any: nil");
    check_settings("codes.1", body("\"x\""), "1: \"a\"", "1: \"x\"");
    check_settings("run.cfg.Addr", body("\":90\""), "\":80\"", "\":90\"");
    check_settings(
        "handlers./cart",
        replace("// New.\n\"/cart\": &Cart{\n  Size: 2,\n},"),
        "// The cart.\n\t\"/cart\": &Cart{Size: 1, Limits: []int{1, 2}}",
        "// New.\n\t\"/cart\": &Cart{\n\t\tSize: 2,\n\t}",
    );
    check_settings("handlers", body("nil"), &SETTINGS[26..SETTINGS.find("\n\nvar codes").unwrap()], "nil");
}

#[test]
fn entries_are_deleted_with_their_comments() {
    check_settings("handlers.home", Operation::Delete, "\t\"home\": home, // main\n", "");
    check_settings(
        "handlers./cart",
        Operation::Delete,
        "\t// The cart.\n\t\"/cart\": &Cart{Size: 1, Limits: []int{1, 2}},\n",
        "",
    );
    check_settings("handlers./cart.Size", Operation::Delete, "Size: 1, ", "");
    check_settings("handlers./cart.Limits", Operation::Delete, ", Limits: []int{1, 2}", "");
    check_settings("run.cfg.Addr", Operation::Delete, "Config{Addr: \":80\"}", "Config{}");
    check_settings(
        "run.tests",
        Operation::Delete,
        "\tvar tests = []struct{ name string }{\n\t\t{name: \"a\"},\n\t}\n",
        "",
    );
}

#[test]
fn entries_are_inserted() {
    check_settings("handlers", first("\"a\": b"), "\t\"home\"", "\t\"a\":    b,\n\t\"home\"");
    check_settings("handlers", last("\"a\": b,"), "nil,\n}", "nil,\n\t\"a\":         b,\n}");
    check_settings("handlers.home", before("\"a\": b"), "\t\"home\"", "\t\"a\":    b,\n\t\"home\"");
    check_settings(
        "handlers.http.Root",
        after("\"a\": func() {\n    b()\n}"),
        "nil,\n}",
        "nil,\n\t\"a\": func() {\n\t\tb()\n\t},\n}",
    );
    check_settings("handlers./cart", first("A: 1"), "{Size: 1", "{A: 1, Size: 1");
    check_settings("handlers./cart.Limits", last("3"), "[]int{1, 2}", "[]int{1, 2, 3}");
    check_settings("run.tests", last("{name: \"b\"}"), "\"a\"},\n", "\"a\"},\n\t\t{name: \"b\"},\n");
    check_settings(
        "run.tests",
        last("{\n\tname: \"b\",\n}"),
        "\"a\"},\n",
        "\"a\"},\n\t\t{\n\t\t\tname: \"b\",\n\t\t},\n",
    );
    check_settings("run.cfg", last("Name: x"), "\":80\"}", "\":80\", Name: x}");
}

#[test]
fn entries_keep_the_form_of_the_literal() {
    let cases = [
        ("map[string]int{}", last("\"a\": 1"), "map[string]int{\"a\": 1}"),
        ("map[string]int{\n}", last("\"a\": 1"), "map[string]int{\n\t\"a\": 1,\n}"),
        ("[]int{\n\t// none\n}", last("1"), "[]int{\n\t// none\n\t1,\n}"),
        ("[]string{\"a\", \"c\"}", sorted("\"b\""), "[]string{\"a\", \"b\", \"c\"}"),
        ("[]int{1,\n\t2}", last("3"), "[]int{1,\n\t2, 3}"),
        ("T{\n\ta: 1,\n\tc: 3,\n}", sorted("b: 2"), "T{\n\ta: 1,\n\tb: 2,\n\tc: 3,\n}"),
        ("&T{\n\tab: 1, // x\n\t// y\n}", last("c: 2"), "&T{\n\tab: 1, // x\n\tc:  2,\n\t// y\n}"),
        ("[...]func(){\n\tfunc() {},\n}", first("nil"), "[...]func(){\n\tnil,\n\tfunc() {},\n}"),
        // The lines around a longer key, a value with several lines and a new group do not change.
        ("T{\n\ta: 1,\n}", last("long: 2"), "T{\n\ta: 1,\n\tlong: 2,\n}"),
        ("T{\n\tlong: f(\n\t\t1),\n}", last("a: 2"), "T{\n\tlong: f(\n\t\t1),\n\ta: 2,\n}"),
    ];
    for (value, operation, expected) in cases {
        let text = |value: &str| format!("package p\n\nvar x = {value}\n");
        check(&text(value), "x", operation, &text(expected));
    }
}

#[test]
fn wrong_entries_are_refused() {
    let refused = |value: &str, target: &str, operation: Operation| {
        let text = format!("package p\n\nvar x = {value}\n");
        testing::check_refusal::<Go>(("a.go", &text), (Symbol, target), operation);
    };
    refused("T{a: 1}", "x", last("b = 1"));
    refused("T{a: 1}", "x", last(""));
    refused("T{a: 1}", "x", last("b: 2}; var y = T{"));
    refused("f(T{a: 1})", "x", last("b: 2"));
    refused("-T{a: 1}.x", "x", last("b: 2"));
    refused("T{a: 1}", "x.b", Operation::Delete);
}

#[test]
fn entries_are_not_renamed_by_their_address() {
    let document = Go::open("a.go", "package a\n\nvar x = T{a: 1}\n".to_owned(), "{}");
    let failure = Go::rename(&document, Subject::Address("x.a".to_owned()), "b").expect_err("an entry");
    assert!(failure.message.contains("entry of a literal"), "{failure:?}");
}
