//! `extract_function`: the function and its call.

mod sharing;

use marquetry_sdk::{
    testing::{self, check_refactor},
    workspace::set_files,
};

use crate::Go;

const HEAD: &str = "package a\n\nimport (\n\t\"encoding/json\"\n\t\"errors\"\n\t\"fmt\"\n\t\"os\"\n\t\"strings\"\n\t\"sync\"\n)\n\ntype Item struct {\n\tPrice float64\n\tTags  []string\n}\n\ntype Shop struct {\n\titems map[string]*Item\n\tn     int\n\tmu    sync.Mutex\n}\n\nfunc (s *Shop) find(name string) (*Item, error) { return s.items[name], nil }\n\nfunc first[T any](list []T) T { return list[0] }\n\n";

fn text(code: &str) -> String {
    format!("{HEAD}{code}")
}

fn files(text: &str) {
    let text = text.replace(['«', '»'], "");
    set_files([("go.mod".to_owned(), "module x.org/m\n".to_owned()), ("a.go".to_owned(), text)]);
}

#[track_caller]
fn check(before: &str, after: &str) {
    let (before, after) = (text(before), text(after));
    files(&before);
    check_refactor::<Go>(("a.go", &before), "extract_function", &[("extractedName", "part")], &after);
}

#[track_caller]
fn refused(before: &str, message: &str) {
    let before = text(before);
    files(&before);
    testing::check_refused::<Go>(("a.go", &before), "extract_function", &[("extractedName", "part")], message);
}

#[test]
fn variables_become_parameters_and_results() {
    check(
        "func load(path string) (int, error) {\n\tdata, err := os.ReadFile(path)\n\tif err != nil {\n\t\treturn 0, err\n\t}\n\t«n := 0\n\tfor _, b := range data {\n\t\tn += int(b)\n\t}»\n\treturn n, nil\n}\n",
        "func load(path string) (int, error) {\n\tdata, err := os.ReadFile(path)\n\tif err != nil {\n\t\treturn 0, err\n\t}\n\tn := part(data)\n\treturn n, nil\n}\n\nfunc part(data []byte) int {\n\tn := 0\n\tfor _, b := range data {\n\t\tn += int(b)\n\t}\n\treturn n\n}\n",
    );
    // An existing variable is assigned, and passed only if its value is used.
    check(
        "func f(a, b int) int {\n\tx, y := a, b\n\t«x = a\n\ty += b»\n\treturn x + y\n}\n",
        "func f(a, b int) int {\n\tx, y := a, b\n\tx, y = part(a, y, b)\n\treturn x + y\n}\n\nfunc part(a, y, b int) (int, int) {\n\tvar x int\n\tx = a\n\ty += b\n\treturn x, y\n}\n",
    );
    check(
        "func f(a int) {\n\t«fmt.Println(a)»\n}\n",
        "func f(a int) {\n\tpart(a)\n}\n\nfunc part(a int) {\n\tfmt.Println(a)\n}\n",
    );
    // A later `:=` declares the variable again.
    check(
        "func f() error {\n\t«a, err := os.Getwd()\n\tfmt.Println(a, err)»\n\tb, err := os.Getwd()\n\tfmt.Println(b)\n\treturn err\n}\n",
        "func f() error {\n\tpart()\n\tb, err := os.Getwd()\n\tfmt.Println(b)\n\treturn err\n}\n\nfunc part() {\n\ta, err := os.Getwd()\n\tfmt.Println(a, err)\n}\n",
    );
}

#[test]
fn variables_that_the_function_does_not_read_are_results() {
    check(
        "func f() (string, error) {\n\t«a, err := os.Getwd()»\n\tc, err := os.Getwd()\n\treturn a + c, err\n}\n",
        "func f() (string, error) {\n\ta, err := part()\n\tc, err := os.Getwd()\n\treturn a + c, err\n}\n\nfunc part() (string, error) {\n\ta, err := os.Getwd()\n\treturn a, err\n}\n",
    );
    check(
        "func f() (string, error) {\n\t«a, err := os.Getwd()\n\tb, err := os.Getwd()»\n\tc, err := os.Getwd()\n\treturn a + b + c, err\n}\n",
        "func f() (string, error) {\n\ta, err, b := part()\n\tc, err := os.Getwd()\n\treturn a + b + c, err\n}\n\nfunc part() (string, error, string) {\n\ta, err := os.Getwd()\n\tb, err := os.Getwd()\n\treturn a, err, b\n}\n",
    );
    check(
        "func f() error {\n\t«var err error\n\t_, err = os.Getwd()»\n\tc, err := os.Getwd()\n\tfmt.Println(c)\n\treturn err\n}\n",
        "func f() error {\n\terr := part()\n\tc, err := os.Getwd()\n\tfmt.Println(c)\n\treturn err\n}\n\nfunc part() error {\n\tvar err error\n\t_, err = os.Getwd()\n\treturn err\n}\n",
    );
}

#[test]
fn new_and_old_results_are_assigned_together() {
    // `:=` assigns variables of the same block, but declares others again.
    check(
        "func f(a int) int {\n\t«b := a\n\ta = 2»\n\treturn a + b\n}\n",
        "func f(a int) int {\n\tb, a := part(a)\n\treturn a + b\n}\n\nfunc part(a int) (int, int) {\n\tb := a\n\ta = 2\n\treturn b, a\n}\n",
    );
    check(
        "func f(a int) int {\n\tif a > 1 {\n\t\t«b := a\n\t\ta = 2»\n\t\tfmt.Println(b)\n\t}\n\treturn a\n}\n",
        "func f(a int) int {\n\tif a > 1 {\n\t\tvar b int\n\t\tb, a = part(a)\n\t\tfmt.Println(b)\n\t}\n\treturn a\n}\n\nfunc part(a int) (int, int) {\n\tb := a\n\ta = 2\n\treturn b, a\n}\n",
    );
    // A loop uses the value again.
    check(
        "func f(list []int) int {\n\tsum := 0\n\tfor _, x := range list {\n\t\t«sum += x»\n\t}\n\treturn sum\n}\n",
        "func f(list []int) int {\n\tsum := 0\n\tfor _, x := range list {\n\t\tsum = part(sum, x)\n\t}\n\treturn sum\n}\n\nfunc part(sum, x int) int {\n\tsum += x\n\treturn sum\n}\n",
    );
}

#[test]
fn code_with_the_receiver_becomes_a_method() {
    check(
        "func (s *Shop) Total(names ...string) (sum float64) {\n\tfor _, name := range names {\n\t\t«item, err := s.find(name)\n\t\tfmt.Println(err)»\n\t\tsum += item.Price\n\t}\n\treturn sum\n}\n",
        "func (s *Shop) Total(names ...string) (sum float64) {\n\tfor _, name := range names {\n\t\titem := s.part(name)\n\t\tsum += item.Price\n\t}\n\treturn sum\n}\n\nfunc (s *Shop) part(name string) *Item {\n\titem, err := s.find(name)\n\tfmt.Println(err)\n\treturn item\n}\n",
    );
    check(
        "func (s *Shop) Count(list []string) {\n\t«for _, x := range list {\n\t\tfmt.Println(x)\n\t}»\n}\n",
        "func (s *Shop) Count(list []string) {\n\tpart(list)\n}\n\nfunc part(list []string) {\n\tfor _, x := range list {\n\t\tfmt.Println(x)\n\t}\n}\n",
    );
    refused("func (s *Shop) Count() {\n\t«s = nil»\n\tfmt.Println(s)\n}\n", "`s` is changed");
}

#[test]
fn a_selection_that_returns_is_returned() {
    check(
        "func f(a int) (int, error) {\n\tfmt.Println(a)\n\t«if a > 1 {\n\t\treturn 0, errors.New(\"x\")\n\t}\n\treturn a, nil»\n}\n",
        "func f(a int) (int, error) {\n\tfmt.Println(a)\n\treturn part(a)\n}\n\nfunc part(a int) (int, error) {\n\tif a > 1 {\n\t\treturn 0, errors.New(\"x\")\n\t}\n\treturn a, nil\n}\n",
    );
    check(
        "func f(a int) {\n\tif a > 1 {\n\t\t«fmt.Println(a)\n\t\treturn»\n\t}\n\tfmt.Println()\n}\n",
        "func f(a int) {\n\tif a > 1 {\n\t\tpart(a)\n\t\treturn\n\t}\n\tfmt.Println()\n}\n\nfunc part(a int) {\n\tfmt.Println(a)\n\treturn\n}\n",
    );
}

#[test]
fn a_selection_that_may_return_also_returns_a_flag() {
    check(
        "func load(path string) (*Item, error) {\n\t«data, err := os.ReadFile(path)\n\tif err != nil {\n\t\treturn nil, err\n\t}»\n\tfmt.Println(data)\n\treturn &Item{}, nil\n}\n",
        "func load(path string) (*Item, error) {\n\tdata, result, result1, shouldReturn := part(path)\n\tif shouldReturn {\n\t\treturn result, result1\n\t}\n\tfmt.Println(data)\n\treturn &Item{}, nil\n}\n\nfunc part(path string) ([]byte, *Item, error, bool) {\n\tdata, err := os.ReadFile(path)\n\tif err != nil {\n\t\treturn nil, nil, err, true\n\t}\n\treturn data, nil, nil, false\n}\n",
    );
    check(
        "func f(list []Item) {\n\tfor _, item := range list {\n\t\t«if item.Price == 0 {\n\t\t\treturn\n\t\t}\n\t\tfmt.Println(item)»\n\t}\n}\n",
        "func f(list []Item) {\n\tfor _, item := range list {\n\t\tshouldReturn := part(item)\n\t\tif shouldReturn {\n\t\t\treturn\n\t\t}\n\t}\n}\n\nfunc part(item Item) bool {\n\tif item.Price == 0 {\n\t\treturn true\n\t}\n\tfmt.Println(item)\n\treturn false\n}\n",
    );
    refused(
        "func f(a int) (n int, err error) {\n\t«if a > 1 {\n\t\treturn\n\t}»\n\treturn a, nil\n}\n",
        "named results",
    );
    refused(
        "func f(a int) (int, error) {\n\t«if a > 1 {\n\t\treturn f(1)\n\t}»\n\treturn a, nil\n}\n",
        "several results",
    );
}

#[test]
fn types_are_inferred() {
    let typed = |declaration: &str, expected: &str| {
        check(
            &format!(
                "func f(s *Shop, list []Item, v any, ch <-chan Item) {{\n\t{declaration}\n\t«fmt.Println(x)»\n}}\n"
            ),
            &format!(
                "func f(s *Shop, list []Item, v any, ch <-chan Item) {{\n\t{declaration}\n\tpart(x)\n}}\n\nfunc part(x {expected}) {{\n\tfmt.Println(x)\n}}\n"
            ),
        );
    };
    typed("x := 1", "int");
    typed("x := 'a'", "rune");
    typed("x := 1.5 + 2", "float64");
    typed("x := \"a\" == \"b\"", "bool");
    typed("x := &list[0]", "*Item");
    typed("x := list[1:]", "[]Item");
    typed("x := list[0].Tags", "[]string");
    typed("x := s.items", "map[string]*Item");
    typed("x, ok := s.items[\"a\"]\n\tfmt.Println(ok)", "*Item");
    typed("_, x := s.items[\"a\"]", "bool");
    typed("x := <-ch", "Item");
    typed("x := v.(fmt.Stringer)", "fmt.Stringer");
    typed("x := len(list)", "int");
    typed("x := append(list, Item{})", "[]Item");
    typed("x := make(map[int][]byte)", "map[int][]byte");
    typed("x := [...]int{1, 2}", "[2]int");
    typed("x := func(a int, b ...string) error { return nil }", "func(int, ...string) error");
    typed("x := func(a ...[]string) {}", "func(...[]string)");
    typed("x := first(list)", "Item");
    typed("x := first[string](nil)", "string");
    typed("x := strings.Split(\"a\", \"b\")", "[]string");
    typed("x := errors.New(\"a\").Error()", "string");
    typed("x := s.find", "func(string) (*Item, error)");
    typed("x := []byte(\"a\")", "[]byte");
    typed("x := struct{}{}", "struct{}");
    typed("x := new(Item).Price * 2", "float64");
    typed("x := os.Args[0][0]", "byte");
    typed("x := max(1, 2.5)", "float64");
    typed("var x, y = 1, \"a\"\n\tfmt.Println(y)", "int");
    typed("x := json.NewDecoder(nil)", "*json.Decoder");
}

#[test]
fn variables_of_loops_and_switches_have_types() {
    check(
        "func f(v any) {\n\tswitch x := v.(type) {\n\tcase string:\n\t\t«fmt.Println(x)»\n\tcase int, bool:\n\t\tfmt.Println(x)\n\t}\n}\n",
        "func f(v any) {\n\tswitch x := v.(type) {\n\tcase string:\n\t\tpart(x)\n\tcase int, bool:\n\t\tfmt.Println(x)\n\t}\n}\n\nfunc part(x string) {\n\tfmt.Println(x)\n}\n",
    );
    check(
        "func f(m map[string][]int) {\n\tfor k, list := range m {\n\t\tfor i := range 10 {\n\t\t\t«fmt.Println(k, list, i)»\n\t\t}\n\t}\n}\n",
        "func f(m map[string][]int) {\n\tfor k, list := range m {\n\t\tfor i := range 10 {\n\t\t\tpart(k, list, i)\n\t\t}\n\t}\n}\n\nfunc part(k string, list []int, i int) {\n\tfmt.Println(k, list, i)\n}\n",
    );
    check(
        "func f(s string) {\n\tfor i, c := range s {\n\t\t«fmt.Println(i, c)»\n\t}\n}\n",
        "func f(s string) {\n\tfor i, c := range s {\n\t\tpart(i, c)\n\t}\n}\n\nfunc part(i int, c rune) {\n\tfmt.Println(i, c)\n}\n",
    );
}

#[test]
fn type_parameters_are_declared_again() {
    check(
        "func f[T any, U comparable](list []T, u U) {\n\t«for _, x := range list {\n\t\tfmt.Println(x)\n\t}»\n}\n",
        "func f[T any, U comparable](list []T, u U) {\n\tpart[T, U](list)\n}\n\nfunc part[T any, U comparable](list []T) {\n\tfor _, x := range list {\n\t\tfmt.Println(x)\n\t}\n}\n",
    );
}

#[test]
fn code_that_cannot_run_elsewhere_is_refused() {
    refused("func f() {\n\t«defer fmt.Println()»\n}\n", "`defer`");
    refused("func f() {\n\t«recover()»\n}\n", "`recover`");
    refused("func f() {\n\tfor {\n\t\t«break»\n\t}\n}\n", "`break` leaves");
    refused("func f() {\n\tfor {\n\t\t«if true {\n\t\t\tcontinue\n\t\t}»\n\t}\n}\n", "`continue` leaves");
    refused("func f() {\na:\n\tfor {\n\t\t«for {\n\t\t\tbreak a\n\t\t}»\n\t}\n}\n", "`break` leaves");
    refused("func f() {\n\t«goto a\na:\n\tfmt.Println()»\n}\n", "`goto` leaves");
    refused(
        "func f(x int) {\n\tswitch x {\n\tcase 1:\n\t\t«fmt.Println()\n\t\tfallthrough»\n\tdefault:\n\t}\n}\n",
        "`fallthrough` leaves",
    );
    refused("func f(a int) int {\n\treturn «a + 1»\n}\n", "not whole statements");
    refused("func f(a int) {\n\tif a > 1 {\n\t\t«fmt.Println()\n\t}\n\tfmt.Println()»\n}\n", "not whole statements");
    refused("var x = «1»\n", "not whole statements");
    refused("func f(a int) { «fmt.Println(a)» }\n", "not whole statements");
}

#[test]
fn statements_of_own_loops_are_extracted() {
    check(
        "func f(list []int) {\n\t«for _, x := range list {\n\t\tif x == 1 {\n\t\t\tcontinue\n\t\t}\n\t\tfunc() { defer fmt.Println(x) }()\n\t}»\n}\n",
        "func f(list []int) {\n\tpart(list)\n}\n\nfunc part(list []int) {\n\tfor _, x := range list {\n\t\tif x == 1 {\n\t\t\tcontinue\n\t\t}\n\t\tfunc() { defer fmt.Println(x) }()\n\t}\n}\n",
    );
}

#[test]
fn shared_variables_are_refused() {
    refused(
        "func f() {\n\tvar b strings.Builder\n\t«b.WriteString(\"a\")»\n\tfmt.Println(b.String())\n}\n",
        "`b` is changed through",
    );
    refused("func f() {\n\tx := 1\n\t«p := &x\n\t*p = 2»\n\tfmt.Println(x)\n}\n", "`x` is changed through");
    refused("func f() {\n\tx := 1\n\tg := func() { fmt.Println(x) }\n\t«x = 2»\n\tg()\n}\n", "`x` is shared");
    refused("func f() {\n\tx := 1\n\tfunc() {\n\t\t«x = 2»\n\t}()\n\tfmt.Println(x)\n}\n", "`x` is shared");
    refused("func f() {\n\tvar list [3]int\n\t«fmt.Println(list[:])»\n}\n", "`list` is changed through");
    refused("func f() {\n\tconst n = 1\n\t«fmt.Println(n)»\n}\n", "constant or type");
    refused("func f() {\n\ttype t struct{ a int }\n\tx := t{}\n\t«fmt.Println(x)»\n}\n", "declared in the function");
    refused("func f() {\n\tx := struct{ a int }{}\n\t«fmt.Println(x)»\n}\n", "has no name");
    refused("func f() {\n\tx := unknown.F()\n\t«fmt.Println(x)»\n}\n", "the type of `x` is not known");
    // A field of a value is part of the variable; one that a pointer refers to is not.
    check(
        "func f(item Item, p *Item) {\n\t«item.Price = 1\n\tp.Price = 2»\n\tfmt.Println(item, p)\n}\n",
        "func f(item Item, p *Item) {\n\titem = part(item, p)\n\tfmt.Println(item, p)\n}\n\nfunc part(item Item, p *Item) Item {\n\titem.Price = 1\n\tp.Price = 2\n\treturn item\n}\n",
    );
    // A decoder does not keep the address.
    check(
        "func f(data []byte) {\n\t«var item Item\n\terr := json.Unmarshal(data, &item)»\n\tfmt.Println(item, err)\n}\n",
        "func f(data []byte) {\n\titem, err := part(data)\n\tfmt.Println(item, err)\n}\n\nfunc part(data []byte) (Item, error) {\n\tvar item Item\n\terr := json.Unmarshal(data, &item)\n\treturn item, err\n}\n",
    );
}

#[test]
fn names_and_comments() {
    check(
        "func f(a int) {\n\t«// Shows a.\n\tfmt.Println(a) // it»\n\tfmt.Println()\n}\n",
        "func f(a int) {\n\tpart(a)\n\tfmt.Println()\n}\n\nfunc part(a int) {\n\t// Shows a.\n\tfmt.Println(a) // it\n}\n",
    );
    refused("func part() {}\n\nfunc f() {\n\t«fmt.Println()»\n}\n", "already has the name");
    refused("func f(part int) {\n\t«fmt.Println()»\n}\n", "already has the name");
    refused("func (s *Shop) part() {}\n\nfunc (s *Shop) f() {\n\t«fmt.Println(s)»\n}\n", "already has the name");
}

#[test]
fn packages_of_types_are_imported() {
    let before = "package a\n\nfunc f(r *Reader) {\n\tu := r.url\n\t«println(u)»\n}\n";
    let other = "package a\n\nimport \"net/url\"\n\ntype Reader struct{ url *url.URL }\n";
    let file = |path: &str, text: &str| (path.to_owned(), text.to_owned());
    set_files([file("go.mod", "module x.org/m\n"), file("a.go", &before.replace(['«', '»'], "")), file("b.go", other)]);
    check_refactor::<Go>(
        ("a.go", before),
        "extract_function",
        &[("extractedName", "part")],
        "package a\n\nimport \"net/url\"\n\nfunc f(r *Reader) {\n\tu := r.url\n\tpart(u)\n}\n\nfunc part(u *url.URL) {\n\tprintln(u)\n}\n",
    );
}

#[test]
fn results_with_names_are_returned_by_a_bare_return() {
    check(
        "func f() (n int, err error) {\n\t«n = len(os.Args)\n\tn += 2»\n\treturn\n}\n",
        "func f() (n int, err error) {\n\tn = part()\n\treturn\n}\n\nfunc part() int {\n\tvar n int\n\tn = len(os.Args)\n\tn += 2\n\treturn n\n}\n",
    );
    // A function literal has its own results, and a `return` with values does not read them.
    check(
        "func f() (n int) {\n\tg := func() (m int) { return }\n\t«n = 1\n\tfmt.Println(n)»\n\treturn g()\n}\n",
        "func f() (n int) {\n\tg := func() (m int) { return }\n\tpart(n)\n\treturn g()\n}\n\nfunc part(n int) {\n\tn = 1\n\tfmt.Println(n)\n}\n",
    );
    check(
        "func f() {\n\tg := func() (m int) {\n\t\t«m = 1\n\t\tm++»\n\t\treturn\n\t}\n\tg()\n}\n",
        "func f() {\n\tg := func() (m int) {\n\t\tm = part()\n\t\treturn\n\t}\n\tg()\n}\n\nfunc part() int {\n\tvar m int\n\tm = 1\n\tm++\n\treturn m\n}\n",
    );
    // The `:=` before the bare `return` does not always run.
    check(
        "func f(a int) (err error) {\n\t«err = errors.New(\"a\")»\n\tif a > 1 {\n\t\treturn\n\t}\n\tb, err := os.Getwd()\n\tfmt.Println(b)\n\treturn err\n}\n",
        "func f(a int) (err error) {\n\terr = part()\n\tif a > 1 {\n\t\treturn\n\t}\n\tb, err := os.Getwd()\n\tfmt.Println(b)\n\treturn err\n}\n\nfunc part() error {\n\tvar err error\n\terr = errors.New(\"a\")\n\treturn err\n}\n",
    );
}

#[test]
fn variables_of_loop_headers_keep_their_value() {
    check(
        "func f(a []string) {\n\tfor i := 0; i < len(a); i++ {\n\t\t«if a[i] == \"-\" {\n\t\t\ti++\n\t\t}»\n\t\tfmt.Println(a)\n\t}\n}\n",
        "func f(a []string) {\n\tfor i := 0; i < len(a); i++ {\n\t\ti = part(a, i)\n\t\tfmt.Println(a)\n\t}\n}\n\nfunc part(a []string, i int) int {\n\tif a[i] == \"-\" {\n\t\ti++\n\t}\n\treturn i\n}\n",
    );
    check(
        "func f() {\n\tfor n := 9; n > 0; {\n\t\t«println(n)\n\t\tn--»\n\t}\n}\n",
        "func f() {\n\tfor n := 9; n > 0; {\n\t\tn = part(n)\n\t}\n}\n\nfunc part(n int) int {\n\tprintln(n)\n\tn--\n\treturn n\n}\n",
    );
    // Also without a condition, and in a loop inside of the loop.
    check(
        "func f() {\n\tfor n := 9; ; {\n\t\tfor {\n\t\t\t«println(n)\n\t\t\tn--»\n\t\t}\n\t}\n}\n",
        "func f() {\n\tfor n := 9; ; {\n\t\tfor {\n\t\t\tn = part(n)\n\t\t}\n\t}\n}\n\nfunc part(n int) int {\n\tprintln(n)\n\tn--\n\treturn n\n}\n",
    );
    // Each round of a `range` loop has a new value.
    check(
        "func f(a []int) {\n\tfor i := range a {\n\t\t«i++\n\t\tprintln(i)»\n\t}\n}\n",
        "func f(a []int) {\n\tfor i := range a {\n\t\tpart(i)\n\t}\n}\n\nfunc part(i int) {\n\ti++\n\tprintln(i)\n}\n",
    );
}

#[test]
fn code_that_a_goto_repeats_keeps_its_variables() {
    check(
        "func f(n int) {\nagain:\n\tif n > 5 {\n\t\treturn\n\t}\n\t«n++\n\tprintln(\"x\")»\n\tgoto again\n}\n",
        "func f(n int) {\nagain:\n\tif n > 5 {\n\t\treturn\n\t}\n\tn = part(n)\n\tgoto again\n}\n\nfunc part(n int) int {\n\tn++\n\tprintln(\"x\")\n\treturn n\n}\n",
    );
    check(
        "func f(n int) {\nagain:\n\tfor {\n\t\t«println(n)\n\t\tn++»\n\t\tgoto again\n\t}\n}\n",
        "func f(n int) {\nagain:\n\tfor {\n\t\tn = part(n)\n\t\tgoto again\n\t}\n}\n\nfunc part(n int) int {\n\tprintln(n)\n\tn++\n\treturn n\n}\n",
    );
    // A jump forward does not repeat the code.
    check(
        "func f(n int) {\n\t«println(n)\n\tn++»\n\tgoto end\nend:\n\tprintln()\n}\n",
        "func f(n int) {\n\tpart(n)\n\tgoto end\nend:\n\tprintln()\n}\n\nfunc part(n int) {\n\tprintln(n)\n\tn++\n}\n",
    );
}

#[test]
fn a_selection_that_never_ends_is_returned_if_there_are_results() {
    let ends = |code: &str| {
        check(
            &format!("func f(a int) int {{\n\tfmt.Println(a)\n\t«{code}»\n}}\n"),
            &format!(
                "func f(a int) int {{\n\tfmt.Println(a)\n\treturn part(a)\n}}\n\nfunc part(a int) int {{\n\t{code}\n}}\n"
            ),
        );
    };
    ends("b := a\n\tpanic(b)");
    ends("if a > 1 {\n\t\treturn 1\n\t}\n\tpanic(\"x\")");
    ends("for {\n\t\tif a > 1 {\n\t\t\treturn 1\n\t\t}\n\t}");
    ends("for i := a; ; i++ {\n\t\tswitch {\n\t\tcase i > 1:\n\t\t\tbreak\n\t\t}\n\t}");
    ends("switch a {\n\tcase 1:\n\t\treturn 1\n\tcase 2:\n\t\tfallthrough\n\tdefault:\n\t\tpanic(\"x\")\n\t}");
    ends("switch {\n\tcase a > 1:\n\t\tfor {\n\t\t\tbreak\n\t\t}\n\t\treturn 1\n\tdefault:\n\t\treturn 2\n\t}");
    ends("println(a)\n\tselect {}");
    ends("select {\n\tcase <-make(chan int):\n\t\treturn a\n\tdefault:\n\t\tpanic(1)\n\t}");
    ends("{\n\t\tprintln(a)\n\t\tpanic(a)\n\t}");
    ends("if a > 1 {\n\t\tpanic(1)\n\t} else if a > 2 {\n\t\tpanic(2)\n\t} else {\n\t\treturn 3\n\t}");
}

#[test]
fn a_selection_that_never_ends_is_called_if_there_are_no_results() {
    check(
        "func f(a int) {\n\tif a > 1 {\n\t\t«b := a\n\t\tpanic(b)»\n\t}\n\tfmt.Println(a)\n}\n",
        "func f(a int) {\n\tif a > 1 {\n\t\tpart(a)\n\t}\n\tfmt.Println(a)\n}\n\nfunc part(a int) {\n\tb := a\n\tpanic(b)\n}\n",
    );
    check(
        "func f(a int) {\n\t«for {\n\t\tif a > 1 {\n\t\t\treturn\n\t\t}\n\t}»\n}\n",
        "func f(a int) {\n\tpart(a)\n}\n\nfunc part(a int) {\n\tfor {\n\t\tif a > 1 {\n\t\t\treturn\n\t\t}\n\t}\n}\n",
    );
    refused("func f(a int) {\n\t«b := a\n\tpanic(b)»\n\tfmt.Println(b)\n}\n", "code that never runs");
}

#[test]
fn statements_after_which_code_runs_do_not_end_the_function() {
    let continues = |code: &str| {
        check(
            &format!("func f(a int) int {{\n\t«{code}»\n\treturn 2\n}}\n"),
            &format!("func f(a int) int {{\n\tpart(a)\n\treturn 2\n}}\n\nfunc part(a int) {{\n\t{code}\n}}\n"),
        );
    };
    continues("for {\n\t\tif a > 1 {\n\t\t\tbreak\n\t\t}\n\t}");
    continues("for {\n\t\tselect {\n\t\tcase <-make(chan int):\n\t\t\tprintln(a)\n\t\t}\n\t\tbreak\n\t}");
    continues("for a > 1 {\n\t}");
    continues("for range a {\n\t}");
    continues("switch a {\n\tcase 1:\n\t\tpanic(1)\n\t}");
    continues("switch a {\n\tcase 1:\n\t\tbreak\n\tdefault:\n\t\tpanic(1)\n\t}");
    continues("panic := func(int) {}\n\tpanic(a)");
    continues("if a > 1 {\n\t\tpanic(1)\n\t}");
}

#[test]
fn the_declaration_of_a_variable_belongs_to_its_first_use() {
    // The `err` of the `if` is another variable.
    check(
        "func x() error { return nil }\n\nfunc f() error {\n\tvar err error\n\t«if err := x(); err != nil {\n\t\tprintln(err)\n\t}\n\terr = x()»\n\treturn err\n}\n",
        "func x() error { return nil }\n\nfunc f() error {\n\tvar err error\n\terr = part()\n\treturn err\n}\n\nfunc part() error {\n\tvar err error\n\tif err := x(); err != nil {\n\t\tprintln(err)\n\t}\n\terr = x()\n\treturn err\n}\n",
    );
}

#[test]
fn names_that_a_variable_hides_are_refused() {
    refused(
        "func f(a int) (Item, error) {\n\t«Item := a\n\tif a > Item {\n\t\treturn f(2)\n\t}»\n\tprintln(Item)\n\treturn f(1)\n}\n",
        "several results",
    );
    refused(
        "func g() Item { return Item{} }\n\nfunc f(a int) Item {\n\t«Item := a\n\tif a > Item {\n\t\treturn g()\n\t}»\n\treturn g()\n}\n",
        "`Item` is the name of a variable",
    );
    refused(
        "func g() Item { return Item{} }\n\nfunc f(Item int) (r struct{}) {\n\tx := g()\n\t«x = g()\n\tprintln(Item)»\n\tprintln(x.Price)\n\treturn\n}\n",
        "`Item` is the name of a variable",
    );
    refused(
        "func f(a int) *Item {\n\t«nil := a\n\tif a > nil {\n\t\treturn &Item{}\n\t}»\n\treturn &Item{}\n}\n",
        "`nil` is the name of a variable",
    );
    refused(
        "func g() Item { return Item{} }\n\nfunc f(a int) int {\n\tb := 1\n\tItem := 2\n\tif a > Item {\n\t\t«b = 2\n\t\tx := g()»\n\t\tprintln(x.Price)\n\t}\n\treturn b\n}\n",
        "`Item` is the name of a variable",
    );
    // A variable in an inner block hides nothing.
    check(
        "func g() Item { return Item{} }\n\nfunc f(a int) Item {\n\t«for Item := range a {\n\t\tprintln(Item)\n\t}\n\tif a > 1 {\n\t\treturn g()\n\t}»\n\treturn g()\n}\n",
        "func g() Item { return Item{} }\n\nfunc f(a int) Item {\n\tresult, shouldReturn := part(a)\n\tif shouldReturn {\n\t\treturn result\n\t}\n\treturn g()\n}\n\nfunc part(a int) (Item, bool) {\n\tfor Item := range a {\n\t\tprintln(Item)\n\t}\n\tif a > 1 {\n\t\treturn g(), true\n\t}\n\treturn Item{}, false\n}\n",
    );
}

#[test]
fn variables_that_are_only_assigned_later_are_refused() {
    refused("func f() {\n\t«x := 1\n\tprintln(x)»\n\tx = 2\n}\n", "only assigned");
    check(
        "func f() {\n\t«x := 1\n\tprintln(x)»\n\tx++\n}\n",
        "func f() {\n\tx := part()\n\tx++\n}\n\nfunc part() int {\n\tx := 1\n\tprintln(x)\n\treturn x\n}\n",
    );
}

#[test]
fn functions_of_packages_that_are_not_known_are_no_types() {
    let text = |use_of: &str| {
        format!("package a\n\nimport \"other.org/x\"\n\nfunc f(p x.T) {{\n\tv := {use_of}\n\t«println(v)»\n}}\n")
    };
    for call in ["x.New()", "x.New[int](1)", "x.New(1).A"] {
        let before = text(call);
        files(&before);
        testing::check_refused::<Go>(("a.go", &before), "extract_function", &[], "the type of `v` is not known");
    }
    for value in ["p", "[]x.T{}", "x.T{}"] {
        let before = text(value);
        files(&before);
        let (_, result) = testing::run_refactor::<Go>(("a.go", &before), "extract_function", &[]);
        result.expect(value);
    }
}
