//! Import paths of packages in texts of any format.

use marquetry_sdk::{Mentions, SearchedText, Span, workspace::set_files};

use crate::Go;

/// Sets a workspace with the module `example.com/shop`, which has a program, and the module `tools`, whose path has no
/// host name.
fn set_shop() {
    let files = [
        ("go.mod", "module example.com/shop\n"),
        ("shop.go", "package shop\n\nvar Root = 1\n"),
        ("cmd/api/main.go", "package main\n\nvar version string\n\nfunc main() {}\n"),
        ("cmd/api/main_test.go", "package main\n"),
        ("cart/cart.go", "package cart\n\nvar Limit = 1\n"),
        ("cart/more.go", "package cart\n\nfunc More() {}\n"),
        ("cart/sub/sub.go", "package sub\n"),
        ("tools/go.mod", "module tools\n"),
        ("tools/gen/gen.go", "package main\n"),
    ];
    set_files(files.map(|(path, text)| (path.to_owned(), text.to_owned())));
}

fn owned(paths: &[&str]) -> Vec<String> {
    paths.iter().map(|path| (*path).to_owned()).collect()
}

#[track_caller]
fn check_names(paths: &[&str], expected: &[(&str, &str)]) {
    set_shop();
    let names = Go::text_names(&owned(paths), "{}");
    let names: Vec<(&str, &str)> = names.iter().map(|it| (it.name.as_str(), it.path.as_str())).collect();
    assert_eq!(names, expected, "{paths:?}");
}

#[test]
fn packages_are_named_by_import_path() {
    check_names(&["cart"], &[("example.com/shop/cart", "cart")]);
    check_names(&["cart/sub", "cart/sub/sub.go"], &[("example.com/shop/cart/sub", "cart/sub")]);
    check_names(&["tools/gen"], &[("tools/gen", "tools/gen")]);
    check_names(&["tools"], &[]);
}

#[test]
fn files_stand_for_their_package_only_together() {
    check_names(&["cart/cart.go"], &[("example.com/shop/cart", "cart/cart.go")]);
    check_names(&["cart/cart.go", "cart/more.go"], &[("example.com/shop/cart", "cart")]);
    check_names(&["cmd/api/main.go"], &[("example.com/shop/cmd/api", "cmd/api"), ("main", "cmd/api/main.go")]);
    check_names(&["cmd/api/main_test.go"], &[]);
    check_names(&["new/a.go"], &[("example.com/shop/new", "new"), ("main", "new/a.go")]);
}

/// The mentions of paths in a text, each with the member that it names.
fn mentions_in<'t>(file: (&str, bool), text: &'t str, paths: &[&str]) -> Vec<(&'t str, &'t str)> {
    set_shop();
    let source = SearchedText { path: file.0.to_owned(), text: text.to_owned(), is_code: file.1 };
    let found = Go::find_mentions(&Go::text_names(&owned(paths), "{}"), &source);
    let part = |span: Span| span.slice(text);
    found.into_iter().map(|found| (part(found.span), found.member.map_or("", part))).collect()
}

#[track_caller]
fn check(text: &str, path: &str, expected: &[(&str, &str)]) {
    assert_eq!(mentions_in(("Makefile", false), text, &[path]), expected, "{text}");
}

#[test]
fn packages_are_found_in_commands_and_settings() {
    let cart = "example.com/shop/cart";
    for text in [
        "go run example.com/shop/cart",
        "go install example.com/shop/cart@v1.2.3",
        "RUN [\"go\", \"run\", \"example.com/shop/cart\"]",
        "packages: example.com/shop/cart, fmt",
        "-coverpkg=example.com/shop/cart,example.com/other",
        "See example.com/shop/cart.",
        "(example.com/shop/cart)",
        "example.com/shop/cart/",
        "FAIL example.com/shop/cart: no Go files",
    ] {
        check(text, "cart", &[(cart, "")]);
    }
    check("go test example.com/shop/cart/...", "cart", &[("example.com/shop/cart/...", "")]);
    check("go vet example.com/shop/cart/sub", "cart", &[("example.com/shop/cart/sub", "")]);
    check("-X example.com/shop/cart.Limit=1", "cart", &[("example.com/shop/cart.Limit", "Limit")]);
    check("-run=example.com/shop/cart.Cart.Add", "cart", &[("example.com/shop/cart.Cart", "Cart")]);
}

#[test]
fn parts_of_other_paths_and_addresses_do_not_count() {
    for text in [
        "https://pkg.go.dev/example.com/shop/cart",
        "my.example.com/shop/cart",
        "example.com/shop/cart-v2",
        "example.com/shop/carts",
        "example.com/shop/cart/gone",
        "example.com/shop/cart/cart.go",
        "example.com/shop/cart.git",
        "git@example.com/shop/cart",
        "-example.com/shop/cart",
        "example.com/shop/cart$X",
    ] {
        check(text, "cart", &[]);
    }
}

#[test]
fn paths_without_host_count_in_commands_only() {
    check("go run tools/gen", "tools/gen", &[("tools/gen", "")]);
    check("[\"go\", \"run\", \"tools/gen\"]", "tools/gen", &[("tools/gen", "")]);
    check("-X tools/gen.V=1", "tools/gen", &[("tools/gen.V", "V")]);
    for text in ["tools/gen", "cargo run tools/gen", "go tools/gen", "cp -r tools/gen x"] {
        check(text, "tools/gen", &[]);
    }
    // The path of a whole module is also the address of its repository.
    check("module example.com/shop", "shop.go", &[]);
    check("go install example.com/shop@latest", "shop.go", &[("example.com/shop", "")]);
    check("-X example.com/shop.Root=2", "shop.go", &[("example.com/shop.Root", "Root")]);
}

#[test]
fn file_of_a_package_is_found_by_what_it_declares() {
    let text = "go vet example.com/shop/cart; -X example.com/shop/cart.Limit=1 -X example.com/shop/cart.other=1";
    check(text, "cart/cart.go", &[("example.com/shop/cart.Limit", "Limit")]);
    check(text, "cart/more.go", &[]);
}

#[test]
fn variables_of_programs_are_found_in_linker_flags() {
    for text in ["-ldflags \"-X main.version=1\"", "-X=main.version=1", "- -X 'main.version=1'"] {
        check(text, "cmd/api/main.go", &[("main.version", "version")]);
    }
    for text in ["main.version", "-X main.other=1", "-X domain.version=1", "branches: [main]"] {
        check(text, "cmd/api/main.go", &[]);
    }
}

#[test]
fn imports_and_plain_comments_of_go_files_are_left_to_links() {
    let text = "package a\n\nimport (\n\t\"example.com/shop/cart\"\n)\n\n// see example.com/shop/cart\n\
                //go:generate go run example.com/shop/cart/sub\nvar x = \"example.com/shop/cart.Limit\"\n";
    let expected = [("example.com/shop/cart/sub", ""), ("example.com/shop/cart.Limit", "Limit")];
    assert_eq!(mentions_in(("a.go", true), text, &["cart"]), expected);
    let script = "run(\"example.com/shop/cart\"); x = example.com/shop/cart";
    assert_eq!(mentions_in(("a.ts", true), script, &["cart"]), [("example.com/shop/cart", "")]);
}
