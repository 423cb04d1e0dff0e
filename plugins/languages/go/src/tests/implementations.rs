//! Implementations of interfaces, and the interfaces of types.

use marquetry_sdk::{Hover, RelatedSymbol, testing, workspace::set_files};

use crate::Go;

const MODULE: (&str, &str) = ("go.mod", "module x.org/m\n");

/// The names of related symbols with the files that declare them.
fn names(related: Vec<RelatedSymbol>) -> Vec<String> {
    let shown = |one: RelatedSymbol| match (one.declared, one.from) {
        (Some(place), _) => format!("{} {}", one.name, place.path),
        (None, Some(from)) => format!("{} from {from}", one.name),
        (None, None) => format!("maybe {}", one.name),
    };
    let mut names: Vec<String> = related.into_iter().map(shown).collect();
    names.sort();
    names
}

#[track_caller]
fn check(files: &[(&str, &str)], address: &str, expected: &[&str]) {
    let all = files.iter().chain([&MODULE]);
    set_files(all.map(|(path, text)| ((*path).to_owned(), (*text).to_owned())));
    let document = testing::open::<Go>(files[0].0, files[0].1);
    let found = Go::subtypes(document.document(), address).expect("a type");
    assert_eq!(names(found), expected);
}

#[track_caller]
fn check_above(files: &[(&str, &str)], address: &str, expected: &[&str]) {
    let all = files.iter().chain([&MODULE]);
    set_files(all.map(|(path, text)| ((*path).to_owned(), (*text).to_owned())));
    let document = testing::open::<Go>(files[0].0, files[0].1);
    assert_eq!(names(Go::supertypes(document.document(), address).expect("a type")), expected);
}

const STORE: &str = "package a\n\nimport \"io\"\n\ntype Store interface {\n\tGet(k string) string\n\tio.Closer\n}\n\n";

#[test]
fn method_sets_are_compared() {
    let types = "type Mem struct{}\n\nfunc (m *Mem) Get(k string) string { return k }\nfunc (m *Mem) Close() error { return nil }\n\ntype Half struct{}\n\nfunc (Half) Get(k string) string { return k }\n\ntype Wrap struct{ *Mem }\n\ntype Other struct{ Mem }\n\nfunc (Other) Get(k int) string { return \"\" }\n\ntype Func func()\n\nfunc (Func) Get(string) (s string) { return }\nfunc (Func) Close() (err error) { return }\n";
    let other = "package b\n\nimport \"x.org/m\"\n\ntype Deep struct {\n\tn int\n\t*a.Wrap\n}\n\ntype More interface {\n\ta.Store\n\tPut()\n}\n";
    check(
        &[("a.go", &format!("{STORE}{types}")), ("b/b.go", other)],
        "Store",
        &["Deep b/b.go", "Func a.go", "Mem a.go", "More b/b.go", "Wrap a.go"],
    );
    check(&[("a.go", &format!("{STORE}{types}"))], "Mem", &[]);
    check(&[("a.go", &format!("{STORE}{types}"))], "", &[]);
    let document = testing::open::<Go>("a.go", "package a\n\nfunc f() {}\n");
    assert_eq!(Go::subtypes(document.document(), "f").map(|found| found.len()), Some(0));
    assert!(Go::supertypes(document.document(), "f").is_none());
}

#[test]
fn types_of_signatures_are_resolved() {
    let home = "package a\n\nimport (\n\t\"context\"\n\tu \"net/url\"\n)\n\ntype ID = string\n\ntype Item struct{}\n\ntype I interface {\n\tDo(c context.Context, id ID, b []byte, f func(u.URL) (any, error), i *Item) (map[rune]chan<- int, error)\n}\n";
    let same = "package b\n\nimport (\n\t\"net/url\"\n\tctx \"context\"\n\tm \"x.org/m\"\n)\n\ntype T struct{}\n\nfunc (T) Do(c ctx.Context, id string, b []uint8, f func(url.URL) (interface{}, error), i *m.Item) (map[int32]chan<- int, error) {\n\treturn nil, nil\n}\n";
    check(&[("a.go", home), ("b/b.go", same)], "I", &["T b/b.go"]);
    for (from, to) in [
        ("i *m.Item", "i m.Item"),
        ("chan<- int", "chan int"),
        ("[]uint8", "[]int8"),
        ("id string", "id int"),
        ("url.URL", "url.Error"),
    ] {
        check(&[("a.go", home), ("b/b.go", &same.replace(from, to))], "I", &[]);
    }
    // Unexported methods are required from types of the package only.
    let home = "package a\n\ntype I interface{ do() }\n\ntype Own struct{}\n\nfunc (Own) do() {}\n";
    check(&[("a.go", home), ("b/b.go", "package b\n\ntype T struct{}\n\nfunc (T) do() {}\n")], "I", &["Own a.go"]);
}

#[test]
fn types_that_are_not_known_are_listed_as_possible() {
    let home = "package a\n\ntype I interface {\n\tGet() string\n\tPut(int)\n}\n";
    let partly = "package b\n\nimport \"other.org/x\"\n\ntype T struct{ x.Base }\n\nfunc (T) Get() string { return \"\" }\n\ntype U struct{ x.Base }\n\nfunc (U) Get() int { return 1 }\n\ntype V struct{ x.Base }\n";
    check(&[("a.go", home), ("b/b.go", partly)], "I", &["maybe T (b/b.go)"]);
    let both = format!("{partly}\nfunc (V) Get() string {{ return \"\" }}\nfunc (V) Put(int) {{}}\n");
    check(&[("a.go", home), ("b/b.go", &both)], "I", &["V b/b.go", "maybe T (b/b.go)"]);
    let generic = "package a\n\ntype I[T any] interface{ Get() T }\n\ntype A struct{}\n\nfunc (A) Get() int { return 1 }\n\ntype B[T any] struct{}\n\nfunc (b *B[E]) Get() E { panic(1) }\n\ntype C struct{}\n\nfunc (C) Get(int) int { return 1 }\n";
    check(&[("a.go", generic)], "I", &["maybe A (a.go)", "maybe B (a.go)"]);
    let foreign = "package a\n\nimport \"other.org/x\"\n\ntype I interface{ Do(x.A) }\n\ntype S struct{}\n\nfunc (S) Do(x.A) {}\n\ntype D struct{}\n\nfunc (D) Do(x.B) {}\n\ntype E struct{}\n\nfunc (E) Do(int, int) {}\n";
    check(&[("a.go", foreign)], "I", &["S a.go", "maybe D (a.go)"]);
    // Constraints and empty interfaces have no implementations.
    check(
        &[("a.go", "package a\n\ntype N interface{ ~int | ~string }\n\ntype A interface{}\n\ntype T int\n")],
        "N",
        &[],
    );
    check(&[("a.go", "package a\n\ntype A interface{}\n\ntype T int\n")], "A", &[]);
}

#[test]
fn embedded_types_of_the_standard_library_are_known() {
    let home = "package a\n\nimport \"sync\"\n\ntype Locker interface {\n\tLock()\n\tUnlock()\n}\n\ntype A struct{ sync.Mutex }\n\ntype B struct {\n\tsync.RWMutex\n}\n\nfunc (b *B) Lock() {}\n\ntype C struct{ mu sync.Mutex }\n\nfunc (C) Lock() {}\n";
    check(&[("a.go", home)], "Locker", &["A a.go", "B a.go"]);
}

#[test]
fn types_have_interfaces() {
    let home = "package a\n\nimport \"io\"\n\ntype T struct{}\n\nfunc (t *T) Get() string { return \"\" }\nfunc (t *T) Put(int) {}\n\ntype Both interface {\n\tGetter\n\tPut(int)\n\tio.Closer\n}\n";
    let other = "package b\n\ntype Getter interface{ Get() string }\n\ntype Alias = Getter\n\ntype Wrong interface{ Get() int }\n\ntype Again interface{ Getter }\n";
    let here = "package a\n\ntype Getter interface{ Get() string }\n";
    let files = [("a.go", home), ("b/b.go", other), ("c.go", here)];
    check_above(&files, "T", &["Again b/b.go", "Getter b/b.go", "Getter c.go"]);
    check_above(&files, "Both", &["Again b/b.go", "Getter b/b.go", "Getter c.go", "io.Closer from io"]);
}

#[test]
fn interfaces_of_methods_that_are_not_known_are_not_empty() {
    let home = "package a\n\nimport \"other.org/y\"\n\ntype I interface{ y.J }\n\ntype E interface{}\n\ntype T struct{}\n\nfunc (T) Get() {}\n\ntype S struct{ y.B }\n\ntype N struct{}\n";
    let files = [("a.go", home)];
    check(&files, "I", &["maybe types with the methods of an embedded interface that is not known"]);
    check(&files, "E", &[]);
    check_above(&files, "T", &["maybe I (a.go)"]);
    check_above(&files, "S", &["maybe interfaces with methods of types that are not known"]);
    check_above(&files, "N", &[]);
}

#[test]
fn answers_about_workspaces_with_too_many_files_are_partial() {
    let home = "package a\n\ntype I interface{ Get() }\n\ntype T struct{}\n\nfunc (T) Get() {}\n";
    let others: Vec<String> = (0..6000).map(|number| format!("b/{number}.go")).collect();
    let mut files = vec![("a.go", home)];
    files.extend(others.iter().map(|path| (path.as_str(), "package b\n")));
    let unread = "maybe types of files that were not read (more than 6000)";
    check(&files, "I", &["T a.go", unread]);
    check_above(&files, "T", &["I a.go", unread]);
}

#[test]
fn types_of_several_platforms_are_compared_each() {
    let home = "package a\n\ntype I interface{ Get() string }\n\ntype Both struct{}\n";
    let linux = "package a\n\ntype L struct{}\n\nfunc (L) Get() int { return 1 }\n\ntype M struct{}\n\nfunc (M) Get() string { return \"\" }\n\nfunc (Both) Get() int { return 1 }\n";
    let windows = "package a\n\ntype L struct{}\n\nfunc (L) Get() string { return \"\" }\n\ntype M = int\n\nfunc (Both) Get() string { return \"\" }\n";
    let files = [("a.go", home), ("l_linux.go", linux), ("l_windows.go", windows)];
    check(&files, "I", &["L l_windows.go", "M l_linux.go", "maybe Both (a.go)"]);
    let same = linux.replace("Get() int { return 1 }", "Get() string { return \"\" }");
    let files = [("a.go", home), ("l_linux.go", &same), ("l_windows.go", windows)];
    check(&files, "I", &["Both a.go", "L l_linux.go", "L l_windows.go", "M l_linux.go"]);
    // A declaration without the method does not have that of the other one.
    let without = windows.replace("func (L) Get() string { return \"\" }\n\n", "");
    let files = [("a.go", home), ("l_linux.go", &same), ("l_windows.go", &without)];
    check(&files, "I", &["Both a.go", "L l_linux.go", "M l_linux.go"]);
    let files = [("l_windows.go", windows), ("a.go", home), ("l_linux.go", linux)];
    check_above(&files, "L", &["I a.go"]);
    let files = [("l_linux.go", linux), ("a.go", home), ("l_windows.go", windows)];
    check_above(&files, "L", &[]);
}

#[test]
fn aliases_of_interfaces_are_followed() {
    let home = "package a\n\nimport (\n\t\"io\"\n\t\"other.org/y\"\n\t\"x.org/m/b\"\n)\n\ntype Sh interface {\n\tio.Closer\n\tArea() float64\n}\n\ntype Alias = Sh\n\ntype Again = Alias\n\ntype Literal = interface{ Area() float64 }\n\ntype Far = b.Hidden\n\ntype Std = io.Closer\n\ntype Out = y.J\n\ntype New y.J\n\ntype Sq struct{}\n\nfunc (Sq) Area() float64 { return 1 }\nfunc (*Sq) Close() error { return nil }\nfunc (Sq) do()           {}\n\ntype Other = Sq\n";
    let other = "package b\n\ntype Hidden interface{ do() }\n\ntype In struct{}\n\nfunc (In) do() {}\n";
    let files = [("a.go", home), ("b/b.go", other)];
    for address in ["Sh", "Alias", "Again"] {
        check(&files, address, &["Sq a.go"]);
        check_above(&files, address, &["Literal a.go", "io.Closer from io"]);
    }
    check(&files, "Literal", &["Sh a.go", "Sq a.go"]);
    check(&files, "Far", &["In b/b.go"]);
    check(&files, "Std", &["Sh a.go", "Sq a.go"]);
    check(&files, "Out", &["maybe types with the methods of an interface that is not known"]);
    check(&files, "New", &["maybe types with the methods of an interface that is not known"]);
    check(&files, "Other", &[]);
    check_above(&files, "Other", &["Literal a.go", "Sh a.go"]);
}

#[test]
fn constraints_with_methods_have_implementations() {
    let home = "package a\n\ntype C interface {\n\tcomparable\n\tArea() float64\n}\n\ntype U interface {\n\t~int | ~string\n\tArea() float64\n}\n\ntype E interface{ comparable }\n\ntype Sq struct{}\n\nfunc (Sq) Area() float64 { return 1 }\n\ntype No struct{}\n\nfunc (No) Area() int { return 1 }\n";
    let files = [("a.go", home)];
    check(&files, "C", &["Sq a.go", "U a.go"]);
    check(&files, "U", &["maybe C (a.go)", "maybe Sq (a.go)"]);
    check(&files, "E", &[]);
    check_above(&files, "Sq", &["C a.go", "maybe U (a.go)"]);
}
