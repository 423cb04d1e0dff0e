//! Moves of files and folders: package clauses, imports, and names in other packages.

use marquetry_sdk::{FileMoves, Linking, Relocation, span::apply, testing};

use super::links::files;
use crate::Java;

/// Checks the texts of all files that change after moves, and the occurrences that are reported as unresolved.
#[track_caller]
fn check(all: &[(&str, &str)], moves: &[(&str, &str)], expected: &[(&str, &str)], listed: &[&str]) {
    files(all);
    let relocations: Vec<Relocation> =
        moves.iter().map(|(from, to)| Relocation { from: (*from).to_owned(), to: (*to).to_owned() }).collect();
    let after = |path: &str| {
        let moved = moves.iter().find_map(|(from, to)| Some(format!("{to}{}", path.strip_prefix(from)?)));
        moved.unwrap_or_else(|| path.to_owned())
    };
    let (mut changed, mut unresolved) = (Vec::new(), Vec::new());
    for (path, text) in all {
        let bench = testing::open::<Java>(path, text);
        let file_moves = FileMoves { path: after(path), relocations: relocations.clone(), links: Vec::new() };
        let rewrite = Java::relink(bench.document(), &file_moves).expect("relinked");
        let new = apply(text, &rewrite.edits);
        if new != *text {
            assert_eq!(testing::open::<Java>(path, &new).diagnostics(), [""; 0], "{new}");
            changed.push((*path, new));
        }
        unresolved.extend(rewrite.unresolved.iter().map(|span| format!("{path} {}: {}", span.start, span.slice(text))));
    }
    let changed: Vec<(&str, &str)> = changed.iter().map(|(path, text)| (*path, text.as_str())).collect();
    assert_eq!(changed, expected);
    assert_eq!(unresolved, listed);
}

const CART: &str = "package a;\n\npublic class Cart {\n    public Item first;\n}\n";
const ITEM: &str = "package a;\n\npublic class Item {}\n";

#[test]
fn classes_move_to_another_package() {
    check(
        &[
            ("src/a/Cart.java", CART),
            ("src/a/Item.java", ITEM),
            ("src/a/Shop.java", "package a;\n\npublic class Shop {\n    Cart cart;\n}\n"),
            ("src/b/Main.java", "package b;\n\nimport a.Cart;\nimport a.Item;\n\nclass Main { Cart c; a.Cart d; }\n"),
            ("test/a/CartTest.java", "package a;\n\nimport static a.Cart.of;\n\nclass CartTest { Cart c; }\n"),
        ],
        &[("src/a/Cart.java", "src/b/c/Cart.java")],
        &[
            ("src/a/Cart.java", "package b.c;\n\nimport a.Item;\n\npublic class Cart {\n    public Item first;\n}\n"),
            ("src/a/Shop.java", "package a;\n\nimport b.c.Cart;\n\npublic class Shop {\n    Cart cart;\n}\n"),
            (
                "src/b/Main.java",
                "package b;\n\nimport b.c.Cart;\nimport a.Item;\n\nclass Main { Cart c; b.c.Cart d; }\n",
            ),
            (
                "test/a/CartTest.java",
                "package a;\n\nimport static b.c.Cart.of;\nimport b.c.Cart;\n\nclass CartTest { Cart c; }\n",
            ),
        ],
        &[],
    );
}

#[test]
fn packages_move_as_a_whole() {
    let main = "package b;\n\nimport a.*;\nimport static a.Cart.*;\n\nclass Main { Cart c; Item i; }\n";
    check(
        &[
            ("src/main/java/a/Cart.java", CART),
            ("src/main/java/a/Item.java", ITEM),
            ("src/main/java/b/Main.java", main),
        ],
        &[("src/main/java/a", "src/main/java/x/y")],
        &[
            ("src/main/java/a/Cart.java", &CART.replace("package a", "package x.y")),
            ("src/main/java/a/Item.java", &ITEM.replace("package a", "package x.y")),
            (
                "src/main/java/b/Main.java",
                &main.replace("import a.*", "import x.y.*").replace("static a.", "static x.y."),
            ),
        ],
        &[],
    );
}

#[test]
fn modules_export_the_new_package() {
    let module = "module m {\n    exports a;\n    opens b to c;\n    provides x.Y with a.Cart;\n}\n";
    check(
        &[
            ("src/main/java/a/Cart.java", "package a;\n\npublic class Cart {}\n"),
            ("src/main/java/b/Main.java", "package b;\n\nclass Main {}\n"),
            ("src/main/java/module-info.java", module),
        ],
        &[("src/main/java/a", "src/main/java/d")],
        &[
            ("src/main/java/a/Cart.java", "package d;\n\npublic class Cart {}\n"),
            ("src/main/java/module-info.java", &module.replace("exports a;", "exports d;").replace("a.Cart", "d.Cart")),
        ],
        &[],
    );
}

#[test]
fn imports_of_a_whole_package_stay_if_one_file_moves() {
    let main = "package b;\n\nimport a.*;\n\nclass Main { Cart c; Item i; }\n";
    check(
        &[
            ("src/a/Cart.java", "package a;\n\npublic class Cart {}\n"),
            ("src/a/Item.java", ITEM),
            ("src/b/Main.java", main),
        ],
        &[("src/a/Cart.java", "src/c/Cart.java")],
        &[
            ("src/a/Cart.java", "package c;\n\npublic class Cart {}\n"),
            ("src/b/Main.java", &main.replace("import a.*;\n", "import a.*;\nimport c.Cart;\n")),
        ],
        &[],
    );
}

#[test]
fn moves_between_roots_keep_the_package() {
    check(
        &[("app/src/main/java/a/Cart.java", CART), ("app/src/main/java/a/Item.java", ITEM)],
        &[("app/src/main/java/a/Cart.java", "lib/src/main/java/a/Cart.java")],
        &[],
        &[],
    );
    check(&[("app/src/main/java/a/Cart.java", CART)], &[("app/src/main/java", "core/src/main/java")], &[], &[]);
    check(&[("src/a/Cart.java", CART)], &[("src", "source")], &[], &[]);
}

#[test]
fn files_without_a_package_get_a_clause() {
    check(
        &[("src/main/java/A.java", "/** Doc. */\nclass A {}\n"), ("src/main/java/B.java", "class B {}\n")],
        &[("src/main/java/A.java", "src/main/java/x/A.java")],
        &[("src/main/java/A.java", "package x;\n\n/** Doc. */\nclass A {}\n")],
        &[],
    );
}

#[test]
fn names_without_access_are_listed() {
    check(
        &[
            (
                "src/a/Cart.java",
                "package a;\n\npublic class Cart {\n    int size;\n    public int all() { return 1; }\n}\n",
            ),
            (
                "src/a/Shop.java",
                "package a;\n\npublic class Shop {\n    int f(Cart c) { return c.size + c.all(); }\n}\n",
            ),
        ],
        &[("src/a/Cart.java", "src/b/Cart.java")],
        &[
            (
                "src/a/Cart.java",
                "package b;\n\npublic class Cart {\n    int size;\n    public int all() { return 1; }\n}\n",
            ),
            (
                "src/a/Shop.java",
                "package a;\n\nimport b.Cart;\n\npublic class Shop {\n    int f(Cart c) { return c.size + c.all(); }\n}\n",
            ),
        ],
        &["src/a/Shop.java 61: size"],
    );
    check(
        &[
            (
                "src/a/A.java",
                "package a;\n\npublic class A {\n    A(int x) {}\n    static class N {}\n    int v, w;\n    enum E { ONE; E() {} }\n}\n",
            ),
            (
                "src/a/B.java",
                "package a;\n\nclass B {\n    Object f(A a, int v) { a.N n; return new A(v + a.w + A.E.ONE); }\n}\n",
            ),
            ("src/a/C.java", "package a;\n\nclass C extends A { int g() { return v; } }\n"),
        ],
        &[("src/a/A.java", "src/b/A.java")],
        &[
            (
                "src/a/A.java",
                "package b;\n\npublic class A {\n    A(int x) {}\n    static class N {}\n    int v, w;\n    enum E { ONE; E() {} }\n}\n",
            ),
            (
                "src/a/B.java",
                "package a;\n\nimport b.A;\n\nclass B {\n    Object f(A a, int v) { a.N n; return new A(v + a.w + A.E.ONE); }\n}\n",
            ),
            ("src/a/C.java", "package a;\n\nimport b.A;\n\nclass C extends A { int g() { return v; } }\n"),
        ],
        &[
            "src/a/B.java 51: N",
            "src/a/B.java 67: A",
            "src/a/B.java 75: w",
            "src/a/B.java 81: E",
            "src/a/C.java 28: A",
            "src/a/C.java 49: v",
        ],
    );
    check(
        &[("src/a/A.java", "package a;\n\nclass A {}\n"), ("src/a/B.java", "package a;\n\nclass B extends A {}\n")],
        &[("src/a/A.java", "src/b/A.java")],
        &[
            ("src/a/A.java", "package b;\n\nclass A {}\n"),
            ("src/a/B.java", "package a;\n\nimport b.A;\n\nclass B extends A {}\n"),
        ],
        &["src/a/B.java 28: A"],
    );
}

#[test]
fn other_types_of_a_file_are_listed() {
    check(
        &[
            ("src/a/A.java", "package a;\n\npublic class A {}\n\nclass Other {}\n"),
            ("src/a/B.java", "package a;\n\nclass B { Other o; }\n"),
        ],
        &[("src/a/A.java", "src/b/A.java")],
        &[("src/a/A.java", "package b;\n\npublic class A {}\n\nclass Other {}\n")],
        &["src/a/A.java 37: Other"],
    );
}

#[test]
fn renamed_files_list_the_type() {
    check(
        &[("src/a/A.java", "package a;\n\npublic class A {}\n"), ("src/a/B.java", "package a;\n\nclass B { A a; }\n")],
        &[("src/a/A.java", "src/a/C.java")],
        &[],
        &["src/a/A.java 25: A", "src/a/B.java 22: A"],
    );
}

#[test]
fn folders_that_are_not_packages_are_listed() {
    check(
        &[("src/main/java/a/A.java", "package a;\n\npublic class A {}\n")],
        &[("src/main/java/a/A.java", "src/main/java/1-x/A.java")],
        &[],
        &["src/main/java/a/A.java 8: a"],
    );
}
