//! Diagnostics of undeclared names.

use marquetry_sdk::{Area, Hover, testing, workspace::set_files};

use crate::Go;

/// The messages about a file of a workspace; `None` if its names were not checked.
fn undeclared(files: &[(&str, &str)], path: &str) -> Option<Vec<String>> {
    set_files(files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())));
    let text = files.iter().find(|(known, _)| *known == path).map_or("", |(_, text)| text);
    let bench = testing::open::<Go>(path, text);
    let found = Go::check(bench.document());
    let messages = found.diagnostics.into_iter().map(|problem| problem.diagnostic.message).collect();
    (found.checked == [Area::Names]).then_some(messages)
}

/// Checks a file `shop/a.go` together with another file of its package, and packages that it can import.
#[track_caller]
fn check(text: &str, expected: &[&str]) {
    let text = format!("package shop\n\n{text}");
    let files = [
        ("go.mod", "module x.org/m\n"),
        ("shop/a.go", &*text),
        ("shop/b.go", "package shop\n\ntype Cart struct{ Items int }\n\nvar limit = 1\n"),
        ("shop/b_test.go", "package shop\n\nvar tested = 1\n"),
        ("money/money.go", "package money\n\ntype Sum int\n\nvar rate = 1\n"),
    ];
    assert_eq!(undeclared(&files, "shop/a.go").unwrap_or_else(|| panic!("not checked: {text}")), expected, "{text}");
}

#[test]
fn undeclared_names_are_reported() {
    check("var x = missing", &["`missing` is not declared"]);
    check("func f(a Missing) Other { return a }", &["`Missing` is not declared", "`Other` is not declared"]);
    check("func f() { fmt.Println(limit) }", &["`fmt` is not declared"]);
    check("func f() { x := 1; { y := x; _ = y }; _ = y }", &["`y` is not declared"]);
    check("import \"x.org/m/money\"\nvar x money.Cash", &["the package `money` does not declare `Cash`"]);
    check("import m \"x.org/m/money\"\nvar x = m.rate", &["`rate` is not exported by the package `money`"]);
    check("import . \"x.org/m/money\"\nvar x Sum = other", &["`other` is not declared"]);
    check("func f[T any](t T) { var u U; _ = u }", &["`U` is not declared"]);
    check("var x = map[string]int{key: 1}", &["`key` is not declared"]);
}

#[test]
fn declared_names_are_not_reported() {
    check("var x = len(\"a\") + limit + tested\nvar c = Cart{Items: 1}\nvar n any = nil", &[]);
    check("import \"x.org/m/money\"\nfunc f(money money.Sum) { _ = money.other }", &[]);
    check("func f() {\nouter:\n\tfor i := range 3 {\n\t\tcontinue outer\n\t\t_ = i\n\t}\n\tgoto outer\n}", &[]);
    check("type T[K comparable, V any] struct{ m map[K]V }\nfunc (t T[A, B]) f(a A) B { return t.m[a] }", &[]);
    check("func f(x any) { switch y := x.(type) {\n\tcase int:\n\t\t_ = y\n\t} }", &[]);
    check("const (\n\ta = iota\n\tb\n)\nvar _, c = a, b", &[]);
    check("var x = []struct{ name string }{{name: \"a\"}}", &[]);
    check("import \"C\"\nvar x C.int", &[]);
    check("import \"math/rand/v2\"\nvar x = rand.Int()", &[]);
    // The package of `example.com/lib` may be named `yaml`.
    check("import \"example.com/lib\"\nvar x = yaml.Marshal", &[]);
    check("import \"x.org/m/none\"\nvar x = none.X", &[]);
}

#[test]
fn files_that_may_get_names_in_other_ways_are_not_checked() {
    for text in ["package a\n\nimport . \"fmt\"\n\nvar x = missing\n", "package a\n\nvar x = missing(\n"] {
        assert_eq!(undeclared(&[("a.go", text)], "a.go"), None, "{text}");
    }
}

/// Valid code has no undeclared names. The environment variable `MARQ_GO` names the folder of a module.
#[test]
fn names_of_real_files_are_declared() {
    let Some(root) = std::env::var_os("MARQ_GO") else { return };
    let mut open = vec![std::path::PathBuf::from(&root)];
    let mut files = Vec::new();
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let (path, name) = (entry.path(), entry.file_name().to_string_lossy().into_owned());
            if path.is_dir() && name != "testdata" && !name.starts_with(['_', '.']) {
                open.push(path);
            } else if (name.ends_with(".go") && !name.starts_with('_')) || name == "go.mod" {
                let own = path.strip_prefix(&root).expect("below the folder").to_string_lossy().into_owned();
                files.extend(std::fs::read_to_string(&path).ok().map(|text| (own, text)));
            }
        }
    }
    set_files(files.clone());
    let (mut checked, mut found) = (0, Vec::new());
    for (path, text) in files.iter().filter(|(path, text)| path.ends_with(".go") && !text.contains("//go:build ignore"))
    {
        let bench = testing::open::<Go>(path, text);
        let own = Go::check(bench.document());
        checked += usize::from(!own.checked.is_empty());
        found.extend(own.diagnostics.into_iter().map(|one| format!("{path}: {}", one.diagnostic.message)));
    }
    println!("{checked} files checked");
    assert!(found.is_empty(), "{} of {checked}: {:#?}", found.len(), &found[..found.len().min(40)]);
}
