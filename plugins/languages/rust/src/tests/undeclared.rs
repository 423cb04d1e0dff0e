//! Diagnostics of names that a module does not have.

use marquetry_sdk::{Area, Hover, testing, workspace::set_files};

use crate::Rust;

/// The messages about a file; `None` if its names were not checked.
fn undeclared(files: &[(&str, &str)], path: &str) -> Option<Vec<String>> {
    set_files(files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())));
    let text = files.iter().find(|(known, _)| *known == path).map_or("", |(_, text)| text);
    let bench = testing::open::<Rust>(path, text);
    let found = Rust::check(bench.document());
    let messages = found.diagnostics.into_iter().map(|problem| problem.diagnostic.message).collect();
    (found.checked == [Area::Names]).then_some(messages)
}

const LIB: &str = "pub mod cart;\nmod page;\nmod open;\nmacro_rules! m { () => {} }\npub fn run() {}\npub mod prelude {\n    pub use crate::cart::*;\n}\n";
const CART: &str = "pub struct Cart;\nimpl Cart {\n    pub fn new() -> Cart { Cart }\n}\npub enum Kind { A }\npub fn total() {}\nuse std::fmt;\n";

#[track_caller]
fn check(text: &str, expected: &[&str]) {
    let files = [
        ("Cargo.toml", "[package]\nname = \"shop\"\n"),
        ("src/lib.rs", LIB),
        ("src/cart.rs", CART),
        ("src/open.rs", "include!(\"generated.rs\");\npub mod far {\n    pub use other::*;\n}\n"),
        ("src/page.rs", text),
    ];
    assert_eq!(undeclared(&files, "src/page.rs").unwrap_or_else(|| panic!("not checked: {text}")), expected, "{text}");
}

#[test]
fn names_that_a_module_lacks_are_reported() {
    check("use crate::cart::Basket;\n", &["the module `crate::cart` has no `Basket`"]);
    check("use crate::cart::{Cart, sum as s, total};\n", &["the module `crate::cart` has no `sum`"]);
    check("fn f() { crate::cart::sum(); super::cart::Kind::A; }\n", &["the module `crate::cart` has no `sum`"]);
    check(
        "use crate::cart;\nfn f() -> cart::Basket { cart::total() }\n",
        &["the module `crate::cart` has no `Basket`"],
    );
    check("use crate::prelude::Basket;\n", &["the module `crate::prelude` has no `Basket`"]);
    check("fn f() { crate::go(); crate::run(); }\n", &["the module `crate` has no `go`"]);
    check("use crate::none::X;\n", &["the module `crate` has no `none`"]);
    check("fn f() { println!(\"{}\", crate::cart::sum()); }\n", &["the module `crate::cart` has no `sum`"]);
    check("mod a { pub fn f() {} }\nuse self::a::{f, g};\n", &["the module `crate::page::a` has no `g`"]);
}

#[test]
fn names_that_a_module_may_have_are_not_reported() {
    check("use crate::cart::{self, Cart, Kind::*, total};\nfn f() { Cart::new(); Cart::old(); Kind::B; }\n", &[]);
    check("use crate::{prelude::*, m};\nfn f() { crate::m!(); total(); missing(); }\n", &[]);
    check("use crate::open::Generated;\nuse crate::open::far::Thing;\n", &[]);
    check("use std::fmt::Nothing;\nuse other::thing::X;\nfn f() { serde::x(); }\n", &[]);
    check("use shop::cart;\nfn f() { let cart = 1; cart }\n", &[]);
    check("fn f() { other!(crate::cart::missing()); }\n", &[]);
}

#[test]
fn macros_of_the_standard_library_declare_known_names() {
    let check = |cart: &str, expected: &[&str]| {
        let files = [
            ("Cargo.toml", "[package]\nname = \"shop\"\n"),
            ("src/lib.rs", "mod cart;\nmod page;\n"),
            ("src/cart.rs", cart),
            ("src/page.rs", "use crate::cart::COUNT;\n"),
        ];
        assert_eq!(undeclared(&files, "src/page.rs").expect("checked"), expected, "{cart}");
    };
    let missing: &[&str] = &["the module `crate::cart` has no `COUNT`"];
    check("thread_local! {\n    /// It.\n    pub static COUNT: Cell<u8> = Cell::new(1);\n}\n", &[]);
    check("std::thread_local!(static A: u8 = 1; pub(crate) static COUNT: u8 = 2);\n", &[]);
    check("thread_local! { static A: &'static str = COUNT; }\n", missing);
    check("thread_local! { static A: u8 = { static COUNT: u8 = 1; COUNT }; }\n", missing);
    check("compile_error!(\"COUNT\");\n", missing);
    check("::core::compile_error!(\"no\");\n", missing);
    check("other! { static COUNT: u8 = 1; }\n", &[]);
    check("crate::thread_local! {}\n", &[]);
}

#[test]
fn crates_of_the_language_hide_modules_of_their_name() {
    let lib = "extern crate alloc as std_alloc;\nmod alloc;\nuse std_alloc::alloc::Layout;\nuse crate::alloc::none;\n";
    let files =
        [("Cargo.toml", "[package]\nname = \"shop\"\n"), ("src/lib.rs", lib), ("src/alloc.rs", "pub fn f() {}\n")];
    let found = undeclared(&files, "src/lib.rs").expect("checked");
    assert_eq!(found, ["the module `crate::alloc` has no `none`"]);
}

#[test]
fn files_outside_of_a_crate_are_not_checked() {
    assert_eq!(undeclared(&[("a.rs", "use crate::x::Y;\n")], "a.rs"), None);
    let shop = ("Cargo.toml", "[package]\nname = \"shop\"\n");
    let test = ("src/tests/a.rs", "use crate::x::Y;\n");
    assert_eq!(undeclared(&[shop, ("src/lib.rs", "tests!();\n"), test], "src/tests/a.rs"), None);
    let test = ("tests/a.rs", "mod b { }\nuse crate::b::Y;\n");
    let found = undeclared(&[shop, test], "tests/a.rs").expect("checked");
    assert_eq!(found, ["the module `crate::b` has no `Y`"]);
    assert_eq!(undeclared(&[("Cargo.toml", "[package]\n"), ("src/lib.rs", "fn f( {\n")], "src/lib.rs"), None);
}

/// Paths in valid code have no undeclared names. The environment variable `MARQ_RUST_CRATES` names a folder with
/// packages.
#[test]
fn names_of_real_crates_are_declared() {
    let Some(root) = std::env::var_os("MARQ_RUST_CRATES") else { return };
    let (mut checked, mut found) = (0, Vec::new());
    for package in std::fs::read_dir(root).into_iter().flatten().flatten() {
        let (mut open, mut files) = (vec![package.path()], Vec::new());
        while let Some(folder) = open.pop() {
            for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
                let path = entry.path();
                if path.is_dir() {
                    open.push(path);
                } else if path.extension().is_some_and(|own| own == "rs" || own == "toml") {
                    let own = path.strip_prefix(package.path()).expect("a path below").to_string_lossy().into_owned();
                    files.extend(std::fs::read_to_string(&path).ok().map(|text| (own, text)));
                }
            }
        }
        set_files(files.clone());
        for (path, text) in files.iter().filter(|(path, _)| path.ends_with(".rs") && path.starts_with("src/")) {
            let bench = testing::open::<Rust>(path, text);
            let own = Rust::check(bench.document());
            checked += usize::from(!own.checked.is_empty());
            let package = package.file_name().to_string_lossy().into_owned();
            found
                .extend(own.diagnostics.into_iter().map(|one| format!("{package}/{path}: {}", one.diagnostic.message)));
        }
    }
    println!("{checked} files checked");
    assert!(found.is_empty(), "{} of {checked}: {:#?}", found.len(), &found[..found.len().min(60)]);
}
