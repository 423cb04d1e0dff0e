//! Variables that other code changes through their address or in a function literal.

use marquetry_sdk::testing;

use super::{HEAD, check, files, refused};
use crate::Go;

/// Declarations for the tests of variables that other code changes.
const COUNTER: &str = "type Counter struct {\n\tn    int\n\tnext *Counter\n}\n\nvar kept *Counter\n\nfunc (c *Counter) Add(n int) { c.n += n }\n\nfunc (c *Counter) Twice() {\n\tc.Add(1)\n\tfill(c)\n}\n\nfunc (c *Counter) Keep() { kept = c }\n\nfunc (c *Counter) Link() { c.next = c }\n\nfunc (c *Counter) Again() *Counter { return c }\n\nfunc (c *Counter) Field() *int { return &c.n }\n\nfunc (c *Counter) Go() {\n\tgo func() { c.n = 1 }()\n}\n\nfunc (c *Counter) Pass() { keep(c) }\n\nfunc fill(c *Counter) { *c = Counter{n: c.n} }\n\nfunc keep(c *Counter) { kept = c }\n\nfunc all(list ...*Counter) {}\n\nfunc work() {}\n\n";

#[track_caller]
fn stale(before: &str, message: &str) {
    let before = format!("{HEAD}{COUNTER}func f(n int, arr [3]int, c Counter) {{\n{before}\n}}\n");
    files(&before);
    testing::check_refused::<Go>(("a.go", &before), "extract_function", &[("extractedName", "part")], message);
}

/// Asserts that the selection is extracted.
#[track_caller]
fn taken(before: &str) {
    let before = format!("{HEAD}{COUNTER}func f(n int, arr [3]int, c Counter) {{\n{before}\n}}\n");
    files(&before);
    let (_, result) = testing::run_refactor::<Go>(("a.go", &before), "extract_function", &[("extractedName", "part")]);
    assert_eq!(result.expect("a change").incomplete, None, "{before}");
}

#[test]
fn variables_whose_address_is_known_elsewhere_are_refused() {
    let address = "changed through its address while";
    stale("\tp := &n\n\t«*p = 5\n\tprintln(n)»", address);
    stale("\tkeep(&c)\n\t«work()\n\tprintln(c.n)»", address);
    stale("\tp := &c.n\n\t«work()\n\tprintln(c.n)»\n\t*p = 1", address);
    stale("\ts := arr[:]\n\t«s[0] = 1\n\tprintln(arr[0])»", address);
    stale("\ts := arr[:]\n\t«copy(s, s[1:])\n\tprintln(arr[0])»", address);
    stale("\tp := &n\n\t«n = 2\n\tprintln(*p)»", address);
    stale("\tp := &n\n\t«n = 2\n\twork()»\n\tprintln(n, p)", address);
    stale("\tg := c.Add\n\t«g(5)\n\tprintln(c.n)»", address);
    for method in ["Keep", "Link", "Again", "Field", "Go", "Pass"] {
        stale(&format!("\tc.{method}()\n\t«work()\n\tprintln(c.n)»"), address);
    }
    for call in ["json.NewEncoder(&c)", "fmt.Errorf(\"%w\", &c)", "errors.Join(&c)"] {
        stale(&format!("\tv := {call}\n\t«work()\n\tprintln(c.n, v)»"), address);
    }
    stale("\tgo c.Add(1)\n\t«work()\n\tprintln(c.n)»", address);
    stale("\tall(&c)\n\t«work()\n\tprintln(c.n)»", address);
    stale("\tp := &n\n\tch := make(chan int)\n\tgo func() { *p = 1 }()\n\t«<-ch\n\tprintln(n)»", address);
    stale("\tp := &n\n\t«for range 2 {\n\t\tprintln(n)\n\t\twork()\n\t}»\n\t*p = 2", address);
    // Deferred calls see the value.
    stale("\tp := &n\n\tdefer func() { println(*p) }()\n\t«n = 2\n\treturn»", address);
    stale("\tp := &n\n\tdefer func() { println(*p) }()\n\t«n = 2\n\tpanic(1)»", address);
    stale(
        "\tp := &n\n\tdefer func() { println(*p) }()\n\t«n = 2\n\tif arr[0] > 1 {\n\t\treturn\n\t}»\n\tprintln()",
        address,
    );
    // A loop or a jump runs the code again after the address is taken.
    stale("\tfor {\n\t\t«work()\n\t\tprintln(n)»\n\t\tkept.n = *(&n)\n\t}", address);
    stale("again:\n\tprintln()\n\t«work()\n\tprintln(n)»\n\tp := &n\n\tprintln(p)\n\tgoto again", address);
}

#[test]
fn variables_that_function_literals_change_are_refused() {
    let shared = "shared with a function literal";
    stale("\tset := func() { c.n = 5 }\n\t«set()\n\tprintln(c.n)»", shared);
    stale("\tset := func() { arr[0]++ }\n\t«set()\n\tprintln(arr[0])»", shared);
    stale("\tset := func() { c.Add(1) }\n\t«set()\n\tprintln(c.n)»", shared);
    stale("\tset := func() { func() { c.n = 5 }() }\n\t«set()\n\tprintln(c.n)»", shared);
    // The literal would refer to the copy.
    stale("\t«get := func() int { return c.n }»\n\tc.n = 5\n\tprintln(get())", shared);
    stale("\t«get := func() int { return c.n }»\n\tc.Add(5)\n\tprintln(get())", shared);
    stale("\tp := &n\n\t«get := func() int { return n }»\n\t*p = 5\n\tprintln(get())", shared);
}

#[test]
fn results_that_are_returned_after_a_panic_are_refused() {
    refused(
        "func f() (n int) {\n\tdefer func() { recover() }()\n\t«n = 5\n\tpanic(\"a\")»\n}\n",
        "also returns after a panic",
    );
    refused(
        "func handle() { recover() }\n\nfunc f() (n int) {\n\tdefer handle()\n\t«n = 5\n\tfmt.Println()»\n\treturn\n}\n",
        "also returns after a panic",
    );
}

#[test]
fn variables_that_no_other_code_changes_are_extracted() {
    // The code runs nothing that could change the variable.
    taken("\tp := &n\n\t«m := n + 1\n\tprintln(m)»\n\t*p = m");
    taken("\tp := &n\n\t«n += len(arr)»\n\tprintln(p, n)");
    taken("\tp := &n\n\tprintln(p)\n\t«fmt.Println(\"n\", strings.Repeat(\"a\", n), n)»");
    taken("\tset := func() { c.n = 5 }\n\tset()\n\t«println(c.n)»");
    // The value is read before the call.
    taken("\tkeep(&c)\n\t«all(nil)»\n\tprintln(c.n)");
    taken(
        "\tp := &n\n\tprintln(p)\n\t«data, err := os.ReadFile(strings.Repeat(\"a\", n))\n\twork()»\n\tprintln(data, err)",
    );
    // The address is not kept, or is taken later.
    taken("\tc.Add(1)\n\tc.Twice()\n\tfill(&c)\n\t«work()\n\tprintln(c.n)»");
    taken("\tjson.Unmarshal(nil, &c)\n\t«work()\n\tprintln(c.n)»");
    taken("\t«work()\n\tprintln(c.n)»\n\tkeep(&c)");
    taken("\tc.n = 5\n\t«get := func() int { return c.n }»\n\tprintln(get())");
    taken("\tfor i := range arr {\n\t\tp := &i\n\t\tprintln(p)\n\t}\n\t«work()\n\tprintln(n)»");
}

#[test]
fn methods_that_are_not_known_make_the_answer_partial() {
    let before = "package a\n\nimport \"other.org/x\"\n\nfunc work() {}\n\nfunc f(id x.ID) {\n\tprintln(id.String())\n\t«work()\n\twork2(id)»\n}\n\nfunc work2(id x.ID) {}\n";
    files(before);
    let (_, result) = testing::run_refactor::<Go>(("a.go", before), "extract_function", &[]);
    let incomplete = result.expect("a change").incomplete;
    assert!(incomplete.as_deref().is_some_and(|why| why.contains("`id`")), "{incomplete:?}");
}

#[test]
fn values_that_other_code_reads_through_an_address_are_results() {
    check(
        "func f(n int) {\n\tp := &n\n\t«n = 2»\n\tprintln(*p)\n}\n",
        "func f(n int) {\n\tp := &n\n\tn = part()\n\tprintln(*p)\n}\n\nfunc part() int {\n\tvar n int\n\tn = 2\n\treturn n\n}\n",
    );
    check(
        "func f(arr [2]int) {\n\ts := arr[:]\n\t«arr[0] = 2»\n\tprintln(s[0])\n}\n",
        "func f(arr [2]int) {\n\ts := arr[:]\n\tarr = part(arr)\n\tprintln(s[0])\n}\n\nfunc part(arr [2]int) [2]int {\n\tarr[0] = 2\n\treturn arr\n}\n",
    );
}

#[test]
fn functions_of_the_standard_library_may_keep_addresses() {
    let before = "package a\n\nimport (\n\t\"flag\"\n\t\"fmt\"\n)\n\nfunc main() {\n\tvar name string\n\tflag.StringVar(&name, \"name\", \"\", \"the name\")\n\t«flag.Parse()\n\tfmt.Println(name)»\n}\n";
    files(before);
    testing::check_refused::<Go>(("a.go", before), "extract_function", &[], "`name` may be changed");
    // The flags are parsed before the selection.
    let before = before.replace("\t«flag.Parse()\n\t", "\tflag.Parse()\n\t«");
    files(&before);
    let after = "package a\n\nimport (\n\t\"flag\"\n\t\"fmt\"\n)\n\nfunc main() {\n\tvar name string\n\tflag.StringVar(&name, \"name\", \"\", \"the name\")\n\tflag.Parse()\n\textracted(name)\n}\n\nfunc extracted(name string) {\n\tfmt.Println(name)\n}\n";
    testing::check_refactor::<Go>(("a.go", &before), "extract_function", &[], after);
}
