//! Links: the imports and embedded files of a file, their positions, and the removal of links.

use marquetry_sdk::{
    Context, Destination, Linking, Request, SpecifierRequest, span::apply, testing, workspace::set_files,
};

use crate::Go;

const SHOP: &[(&str, &str)] = &[
    ("go.mod", "module example.com/shop\n"),
    ("main.go", "package main\n"),
    ("cart/cart.go", "package cart\n"),
    ("cart/data/a.txt", "a"),
    ("cart/data/b.txt", "b"),
];

fn files(all: &[(&str, &str)]) {
    set_files(all.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())));
}

#[track_caller]
fn check_links(text: &str, expected: &[&str]) {
    let text = format!("package a\n{text}");
    let links = Go::links(testing::open::<Go>("a.go", &text).document());
    let shown: Vec<String> = links
        .iter()
        .filter(|link| link.kind != "glob" || link.span.slice(&text).contains('*'))
        .map(|link| format!("{} {} in {}", link.kind, link.span.slice(&text), link.statement.slice(&text)))
        .collect();
    assert_eq!(shown, expected, "{text}");
}

#[test]
fn links_are_listed() {
    check_links("import \"fmt\"\n", &["import fmt in import \"fmt\""]);
    check_links("import (\n\tx \"a/b\"\n\t_ `c`\n)\n", &["import a/b in x \"a/b\"", "import c in _ `c`"]);
    check_links("//go:embed a.txt\nvar x string\n", &["embed a.txt in //go:embed a.txt"]);
    check_links(
        "//go:embed \"b.txt\" c/*.html all:d\nvar x embed.FS\n",
        &[
            "embed b.txt in //go:embed \"b.txt\" c/*.html all:d",
            "glob c/*.html in //go:embed \"b.txt\" c/*.html all:d",
            "embed all:d in //go:embed \"b.txt\" c/*.html all:d",
        ],
    );
    check_links("// go:embed a.txt\n//go:embedded a\nvar x = \"a/b\"\n", &[]);
}

#[test]
fn starts_of_links_differ() {
    let text = "package a\n\nimport (\n\t\"fmt\"\n\tx \"io\"\n)\n";
    let links = Go::links(testing::open::<Go>("a.go", text).document());
    let mut starts: Vec<u32> = links.iter().map(|link| link.span.start).collect();
    let count = starts.len();
    starts.dedup();
    assert_eq!(starts.len(), count, "{links:?}");
    assert_eq!(count, 5, "the package, and two links for each import");
}

#[track_caller]
fn check_resolved(from: &str, kind: &str, specifier: &str, expected: &str) {
    let request = Request { kind: kind.to_owned(), specifier: specifier.to_owned() };
    let found = match &Go::resolve(&Context::for_path(from), &[request])[0] {
        Destination::Inside(resolved) => resolved.path.clone(),
        Destination::Missing(path) => format!("missing {path}"),
        Destination::External => "external".to_owned(),
        Destination::Unknown(reason) => format!("unknown: {reason}"),
    };
    assert_eq!(found, expected, "{from} {kind} {specifier}");
}

#[test]
fn links_are_resolved() {
    files(SHOP);
    check_resolved("main.go", "import", "example.com/shop/cart", "cart");
    check_resolved("main.go", "import", "example.com/shop/none", "missing none");
    check_resolved("main.go", "import", "fmt", "external");
    check_resolved("cart/cart.go", "import", "example.com/shop", "external");
    check_resolved("main.go", "glob", "example.com/shop/cart", "cart");
    check_resolved("cart/cart.go", "glob", ".", "cart");
    check_resolved("main.go", "glob", ".", "external");
    check_resolved("cart/cart.go", "embed", "data/a.txt", "cart/data/a.txt");
    check_resolved("cart/cart.go", "embed", "all:data", "cart/data");
    check_resolved("cart/cart.go", "embed", "none.txt", "missing cart/none.txt");
    check_resolved("cart/cart.go", "glob", "data/*.txt", "cart/data");
    files(&[("main.go", "package main\n"), ("cart/cart.go", "package cart\n")]);
    check_resolved(
        "main.go",
        "import",
        "example.com/shop/cart",
        "unknown: it may be `cart`: no `go.mod` defines the path of the module",
    );
}

#[track_caller]
fn check_specifier(kind: &str, (from, to): (&str, &str), specifier: &str, expected: Result<&str, &str>) {
    let request = SpecifierRequest {
        from: from.to_owned(),
        to: to.to_owned(),
        was: String::new(),
        kind: kind.to_owned(),
        specifier: specifier.to_owned(),
    };
    let found = Go::format_specifiers(&Context::for_path(from), &[request]).remove(0);
    match expected {
        Ok(expected) => assert_eq!(found.as_deref(), Ok(expected)),
        Err(part) => {
            let failure = found.expect_err("refused");
            assert!(failure.message.contains(part) && failure.hint.is_some(), "{failure:?}");
        }
    }
}

#[test]
fn specifiers_are_formatted() {
    files(SHOP);
    check_specifier("import", ("main.go", "cart"), "x", Ok("example.com/shop/cart"));
    check_specifier("embed", ("cart/cart.go", "cart/data/c.txt"), "data/a.txt", Ok("data/c.txt"));
    check_specifier("embed", ("cart/cart.go", "cart/new"), "all:data", Ok("all:new"));
    check_specifier("embed", ("cart/cart.go", "main.txt"), "data/a.txt", Err("not below the folder"));
    files(&[("main.go", "package main\n")]);
    check_specifier("import", ("main.go", "cart"), "x", Err("not in a module"));
}

#[track_caller]
fn check_unlinked(text: &str, paths: &[&str], expected: &str) {
    let text = format!("package a\n\n{text}");
    let bench = testing::open::<Go>("a.go", &text);
    let links = Go::links(bench.document());
    let is_removed = |link: &marquetry_sdk::Link| paths.contains(&link.specifier.as_str());
    let chosen: Vec<u32> = (0..).zip(&links).filter(|(_, link)| is_removed(link)).map(|(index, _)| index).collect();
    let rewrite = Go::unlink(bench.document(), &chosen).expect("removed");
    assert_eq!(apply(&text, &rewrite.edits), format!("package a\n\n{expected}"), "{paths:?}");
}

#[test]
fn imports_are_removed() {
    let group = "import (\n\t\"a\"\n\t\"b\" // it\n\n\t\"c\"\n)\n\nvar x = 1\n";
    check_unlinked(group, &["b"], "import (\n\t\"a\"\n\n\t\"c\"\n)\n\nvar x = 1\n");
    check_unlinked(group, &["a", "c"], "import (\n\t\"b\" // it\n)\n\nvar x = 1\n");
    check_unlinked(group, &["a", "b", "c"], "var x = 1\n");
    check_unlinked("import \"a\"\nimport \"b\"\n\nvar x = 1\n", &["a"], "import \"b\"\n\nvar x = 1\n");
    check_unlinked("import \"a\"\n\nvar x = 1\n", &["a"], "var x = 1\n");
    check_unlinked("import \"a\"\n\nvar x = 1\n", &[], "import \"a\"\n\nvar x = 1\n");
    let bench = testing::open::<Go>("a.go", "package a\n\n//go:embed a.txt\nvar x string\n");
    for link in [1, 9] {
        let failure = Go::unlink(bench.document(), &[link]).expect_err("refused");
        assert!(failure.hint.is_some(), "{failure:?}");
    }
}
