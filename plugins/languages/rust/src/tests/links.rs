//! Links: the modules that a file declares and refers to, their files, and the changes after moves.

use marquetry_sdk::{
    Context, Destination, FileMoves, Linking, Relocation, Request, SpecifierRequest, refactor::Refactors, span::apply,
    testing, workspace::set_files,
};

use crate::{
    Rust,
    relink::{Move, Relinked, relink},
};

/// Sets the files of the workspace.
fn files(all: &[(&str, &str)]) {
    set_files(all.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())));
}

const SHOP: &[(&str, &str)] = &[
    ("Cargo.toml", "[package]\nname = \"shop\"\nedition = \"2024\"\n"),
    (
        "src/lib.rs",
        "mod cart;\npub mod money;\nmod util;\n#[path = \"odd.rs\"]\nmod even;\nmod inner {\n    pub mod deep;\n}\nfn help() {}\n",
    ),
    ("src/cart.rs", "use crate::money::Money;\n"),
    ("src/money.rs", "pub struct Money;\npub(super) fn x() {}\n"),
    ("src/util/mod.rs", "pub mod text;\n"),
    ("src/util/text.rs", ""),
    ("src/odd.rs", ""),
    ("src/inner/deep.rs", ""),
    ("tests/all.rs", "mod common;\nuse common::x;\n"),
    ("tests/common/mod.rs", ""),
];

#[track_caller]
fn check_links(text: &str, expected: &str) {
    let links = Rust::links(testing::open::<Rust>("src/a.rs", text).document());
    let line = |link: &marquetry_sdk::Link| {
        format!("{} {} {} {:?}", link.kind, link.span.slice(text), link.specifier, link.names.join(","))
    };
    let shown = links
        .iter()
        .filter(|link| !matches!(link.kind.as_str(), "module" | "glob"))
        .map(line)
        .collect::<Vec<_>>()
        .join("\n");
    assert_eq!(shown, expected.trim(), "{text}");
}

#[test]
fn links_are_listed() {
    check_links("mod a;\nmod b { mod c; }\n", "mod a a \"*\"\nmod c b::c \"*\"");
    check_links("#[path = \"x/y.rs\"]\nmod a;\n", "mod-path x/y.rs x/y.rs \"*\"");
    check_links(
        "use crate::{a::B, c::*};\n",
        "use B crate::a \"B\"\npath B crate::a::B \"\"\nuse c crate::c \"*\"\npath c crate::c \"\"",
    );
    check_links("use super::x as y;\n", "use super::x super \"x\"\npath super::x super::x \"\"");
    check_links(
        "mod t { use super::*; fn f() { super::g::h() } }\n",
        "use super self \"*\"\npath super self \"\"\nvalue super::g::h self::g::h \"\"",
    );
    check_links("use std::fmt;\nfn f() { Vec::<u8>::new(); fmt::x() }\n", "");
    check_links("const A: &str = include_str!(\"a.txt\");\n", "include a.txt a.txt \"\"");
    check_links("const A: &str = include_str!(concat!(\"a\", B));\n", "");
    check_links("mod a;\nfn f() { a::b() }\n", "mod a a \"*\"\nvalue a::b self::a::b \"\"");
    check_links(
        "use crate::a;\nfn f() { a::b() }\n",
        "use crate::a crate \"a\"\npath crate::a crate::a \"\"\nvalue a::b crate::a::b \"\"",
    );
    check_links(
        "fn f() { println!(\"{}\", crate::a::b()); other!(crate::a::b) }\n",
        "value crate::a::b crate::a::b \"\"\nmacro crate::a::b crate::a::b \"*\"",
    );
}

#[track_caller]
fn check_resolved(from: &str, kind: &str, specifier: &str, expected: &str) {
    let request = Request { kind: kind.to_owned(), specifier: specifier.to_owned() };
    let found = match &Rust::resolve(&Context::for_path(from), &[request])[0] {
        Destination::Inside(resolved) => resolved.path.clone(),
        Destination::External => "external".to_owned(),
        Destination::Missing(path) => format!("missing {path}"),
        Destination::Unknown(reason) => reason.clone(),
    };
    assert_eq!(found, expected, "{specifier} in {from}");
}

#[test]
fn modules_are_found() {
    files(SHOP);
    check_resolved("src/lib.rs", "mod", "cart", "src/cart.rs");
    check_resolved("src/lib.rs", "mod", "util", "src/util/mod.rs");
    check_resolved("src/lib.rs", "mod", "gone", "missing src/gone.rs");
    check_resolved("src/lib.rs", "mod", "inner::deep", "src/inner/deep.rs");
    check_resolved("src/lib.rs", "mod-path", "odd.rs", "src/odd.rs");
    check_resolved("src/util/mod.rs", "mod", "text", "src/util/text.rs");
    check_resolved("src/cart.rs", "mod", "sub", "missing src/cart/sub.rs");
    check_resolved("src/cart.rs", "use", "crate::money", "src/money.rs");
    check_resolved("src/cart.rs", "use", "crate", "src/lib.rs");
    check_resolved("src/cart.rs", "use", "super::util::text", "src/util/text.rs");
    check_resolved("src/cart.rs", "use", "crate::even", "src/odd.rs");
    check_resolved("src/cart.rs", "use", "crate::money::Money", "external");
    check_resolved("src/cart.rs", "path", "crate::money::Money::new", "src/money.rs");
    check_resolved("src/inner/deep.rs", "path", "super::super::money::Money", "src/money.rs");
    check_resolved("src/util/text.rs", "path", "super::super::cart::x", "src/cart.rs");
    check_resolved("src/util/text.rs", "include", "../money.rs", "src/money.rs");
    check_resolved("src/util/text.rs", "include", "gone.rs", "external");
    check_resolved("tests/all.rs", "mod", "common", "tests/common/mod.rs");
    check_resolved("tests/all.rs", "path", "self::common::x", "tests/common/mod.rs");
    check_resolved("tests/common/mod.rs", "use", "crate", "tests/all.rs");
}

#[track_caller]
fn relinked(path: &str, text: &str, moves: &[(&str, &str)]) -> (String, Relinked) {
    let moves: Vec<Move> =
        moves.iter().map(|(from, to)| Move { from: (*from).to_owned(), to: (*to).to_owned() }).collect();
    let bench = testing::open::<Rust>(path, text);
    let result = relink(bench.document(), &moves);
    let after = apply(text, &result.edits);
    assert_eq!(testing::open::<Rust>(path, &after).diagnostics(), Vec::<String>::new(), "{after}");
    (after, result)
}

#[track_caller]
fn check_relink(path: &str, text: &str, moves: &[(&str, &str)], expected: &str) -> Relinked {
    let (after, result) = relinked(path, text, moves);
    assert_eq!(after, expected, "{text} {:?}", result.unresolved);
    assert_eq!(result.unresolved, Vec::new(), "{text}");
    result
}

const CASH: &[(&str, &str)] = &[("src/money.rs", "src/util/cash.rs")];

#[test]
fn declarations_go_to_the_new_parent() {
    files(SHOP);
    let text = "mod cart;\n/// Money.\n#[cfg(a)]\npub mod money;\nmod util;\n";
    let result = check_relink("src/lib.rs", text, CASH, "mod cart;\nmod util;\n");
    assert_eq!(result.declare, [("src/util/mod.rs".to_owned(), "/// Money.\n#[cfg(a)]\npub mod cash;".to_owned())]);
    // The private module remains visible to its old parent.
    let result = check_relink("src/lib.rs", "mod money;\nmod util;\n", CASH, "mod util;\n");
    assert_eq!(result.declare[0].1, "pub(crate) mod cash;");
    let moves: &[(&str, &str)] = &[("src/util/text.rs", "src/text.rs")];
    let result =
        check_relink("src/util/mod.rs", "mod text;\nfn f() { text::x() }\n", moves, "fn f() { crate::text::x() }\n");
    assert_eq!(result.declare, [("src/lib.rs".to_owned(), "mod text;".to_owned())]);
    let moves: &[(&str, &str)] = &[("src/money.rs", "src/cash.rs")];
    check_relink(
        "src/lib.rs",
        "mod cart;\npub mod money;\nuse money::Money;\n",
        moves,
        "mod cart;\npub mod cash;\nuse cash::Money;\n",
    );
    // The file becomes the `mod.rs` of a folder with the module's name.
    let moves: &[(&str, &str)] = &[("src/money.rs", "src/money/mod.rs")];
    check_relink("src/lib.rs", "pub mod money;\n", moves, "pub mod money;\n");
    let moves: &[(&str, &str)] = &[("src/odd.rs", "src/util/odd.rs")];
    check_relink("src/lib.rs", "#[path = \"odd.rs\"]\nmod even;\n", moves, "#[path = \"util/odd.rs\"]\nmod even;\n");
}

#[track_caller]
fn check_declared(text: &str, item: &str, expected: &str) {
    let bench = testing::open::<Rust>("src/lib.rs", text);
    let rewrite = Rust::answer(bench.document(), "src/a.rs", item).expect("declared");
    assert_eq!(apply(text, &rewrite.edits), expected, "{text}");
}

#[test]
fn modules_are_declared_among_the_others() {
    check_declared("mod a;\nmod c;\n\nfn f() {}\n", "pub mod b;", "mod a;\npub mod b;\nmod c;\n\nfn f() {}\n");
    check_declared("mod c;\nmod a;\nuse x::y;\n", "mod b;", "mod c;\nmod a;\nmod b;\nuse x::y;\n");
    check_declared("use x::y;\n\nfn f() {}\n", "mod b;", "use x::y;\nmod b;\n\nfn f() {}\n");
    check_declared("#[macro_use]\nmod m;\nmod n;\n", "mod b;", "#[macro_use]\nmod m;\nmod b;\nmod n;\n");
    check_declared("//! Doc.\n", "mod b;", "//! Doc.\n\nmod b;\n");
    check_declared("", "#[a]\nmod b;", "#[a]\nmod b;\n");
    let bench = testing::open::<Rust>("src/lib.rs", "mod b { }\n");
    assert!(Rust::answer(bench.document(), "src/a.rs", "mod b;").is_err());
}

#[test]
fn paths_follow_moved_modules() {
    files(SHOP);
    check_relink(
        "src/cart.rs",
        "use crate::money::Money;\nuse super::money;\npub(in crate::money) fn f(a: crate::money::Money) { money::x(); println!(\"{}\", crate::money::Y) }\n",
        CASH,
        "use crate::util::cash::Money;\nuse super::util::cash as money;\npub(in crate::util::cash) fn f(a: crate::util::cash::Money) { money::x(); println!(\"{}\", crate::util::cash::Y) }\n",
    );
    check_relink(
        "src/cart.rs",
        "mod tests {\n    use super::super::money::{self, Money};\n    use crate::money::*;\n}\n",
        CASH,
        "mod tests {\n    use super::super::util::cash::{self as money, Money};\n    use crate::util::cash::*;\n}\n",
    );
    check_relink(
        "src/cart.rs",
        "use std::money::X;\nuse crate::util::text;\n",
        CASH,
        "use std::money::X;\nuse crate::util::text;\n",
    );
}

#[test]
fn trees_are_changed_in_place_or_split() {
    files(SHOP);
    check_relink("src/cart.rs", "use crate::{money::Money, util};\n", CASH, "use crate::{util::cash::Money, util};\n");
    check_relink(
        "src/cart.rs",
        "use crate::{\n    money::{Money, Y},\n    util,\n};\n",
        CASH,
        "use crate::{\n    util::cash::{Money, Y},\n    util,\n};\n",
    );
    let moves: &[(&str, &str)] = &[("src/util/text.rs", "src/text.rs")];
    check_relink(
        "src/cart.rs",
        "pub use crate::util::{Y, text::X};\n",
        moves,
        "pub use crate::util::{Y};\npub use crate::text::X;\n",
    );
    check_relink(
        "src/cart.rs",
        "use crate::util::{text, text::X};\n",
        moves,
        "use crate::text;\nuse crate::text::X;\n",
    );
}

#[test]
fn paths_of_moved_files_are_kept() {
    files(SHOP);
    let moves: &[(&str, &str)] = &[("src/cart.rs", "src/util/cart.rs")];
    check_relink(
        "src/cart.rs",
        "use super::money::Money;\nuse crate::util::text;\nfn f() { super::util::x(); self::g() }\nmod tests { use super::*; }\n",
        moves,
        "use crate::money::Money;\nuse crate::util::text;\nfn f() { crate::util::x(); self::g() }\nmod tests { use super::*; }\n",
    );
    let folder: &[(&str, &str)] = &[("src/util", "src/tools")];
    check_relink(
        "src/util/mod.rs",
        "pub mod text;\nuse self::text::X;\n",
        folder,
        "pub mod text;\nuse self::text::X;\n",
    );
    check_relink(
        "src/lib.rs",
        "mod util;\nfn f() { util::text::x() }\n",
        folder,
        "mod tools;\nfn f() { tools::text::x() }\n",
    );
    check_relink(
        "src/util/text.rs",
        "use super::A;\nuse crate::util::B;\n",
        folder,
        "use super::A;\nuse crate::tools::B;\n",
    );
}

#[track_caller]
fn check_listed(path: &str, text: &str, moves: &[(&str, &str)], reason: &str) {
    let (_, result) = relinked(path, text, moves);
    let reasons: Vec<&str> = result.unresolved.iter().map(|(_, reason)| reason.as_str()).collect();
    assert!(matches!(reasons[..], [only] if only.contains(reason)), "{reasons:?} in\n{text}");
}

#[test]
fn what_cannot_be_rewritten_is_listed() {
    files(SHOP);
    let hidden = &[
        ("src/util/mod.rs", "pub mod text;\nmod deep;\n"),
        ("src/util/deep/mod.rs", "pub mod x;\n"),
        ("src/util/deep/x.rs", ""),
    ];
    files(&[SHOP, hidden].concat());
    check_listed(
        "src/cart.rs",
        "use crate::money::Money;\n",
        &[("src/money.rs", "src/util/deep/money.rs")],
        "`deep` is private",
    );
    files(SHOP);
    check_listed("src/cart.rs", "fn f() { other!(crate::money::x) }\n", CASH, "arguments of the macro");
    check_listed("src/cart.rs", "/// See [`crate::money::Money`].\nfn f() {}\n", CASH, "comment");
    check_relink(
        "src/cart.rs",
        "/// See [`Price::money`].\nfn f() {}\n",
        CASH,
        "/// See [`Price::money`].\nfn f() {}\n",
    );
    let method = "/// `text.money::<u8>()`, `Vec::money::<u8>()`\nfn f() { call!(x.money::<u8>()) }\n";
    check_relink("src/cart.rs", method, CASH, method);
    check_listed("src/lib.rs", "#[macro_use]\nmod money;\n", CASH, "order of the modules");
    check_listed("src/money.rs", "pub(super) fn x() {}\n", CASH, "another parent");
    check_listed("src/lib.rs", "mod money;\n", &[("src/money.rs", "src/new/money.rs")], "no file can declare");
    check_listed("src/lib.rs", "mod money;\n", &[("src/money.rs", "src/my-cash.rs")], "no file can declare");
    let up: &[(&str, &str)] = &[("src/util/text.rs", "src/text.rs")];
    files(&[SHOP, &[("src/util/mod.rs", "pub mod text;\nfn secret() {}\npub fn open() {}\n")]].concat());
    check_listed("src/util/text.rs", "fn f() { super::secret() }\n", up, "private");
    files(
        &[SHOP, &[("src/util/mod.rs", "pub mod text;\nmod hidden;\n"), ("src/util/hidden.rs", "pub fn x() {}\n")]]
            .concat(),
    );
    check_listed("src/util/text.rs", "use crate::util::hidden::x;\n", up, "`hidden` is private");
    files(&[SHOP, &[("src/util/mod.rs", "pub mod text;\npub fn open() {}\n")]].concat());
    check_relink("src/util/text.rs", "fn f() { super::open() }\n", up, "fn f() { super::util::open() }\n");
}

#[test]
fn moves_of_one_document_ask_the_new_parent() {
    files(SHOP);
    let bench = testing::open::<Rust>("src/lib.rs", "pub mod money;\nmod util;\n");
    let relocations = vec![Relocation { from: "src/money.rs".to_owned(), to: "src/util/cash.rs".to_owned() }];
    let moves = FileMoves { path: "src/lib.rs".to_owned(), relocations, links: Vec::new() };
    let rewrite = Rust::relink(bench.document(), &moves).expect("a rewrite");
    assert_eq!((rewrite.edits.len(), rewrite.ask.len()), (1, 1));
}

#[test]
fn paths_of_included_files_are_relative() {
    files(SHOP);
    let request = |kind: &str, from: &str, specifier: &str| SpecifierRequest {
        from: from.to_owned(),
        to: "src/data.txt".to_owned(),
        was: "src/data.txt".to_owned(),
        kind: kind.to_owned(),
        specifier: specifier.to_owned(),
    };
    let new = |request| Rust::format_specifiers(&Context::for_path(""), &[request]).remove(0);
    assert_eq!(new(request("include", "src/util/a.rs", "data.txt")).as_deref(), Ok("../data.txt"));
    assert_eq!(new(request("mod-path", "src/util/mod.rs", "data.txt")).as_deref(), Ok("../data.txt"));
    assert_eq!(new(request("mod-path a", "src/util/b.rs", "data.txt")).as_deref(), Ok("../../../data.txt"));
    assert!(new(request("path", "src/a.rs", "crate::b")).is_err_and(|failure| failure.hint.is_some()));
}

#[test]
fn dependency_that_the_package_lacks_is_named() {
    let files = ["a/Cargo.toml", "a/src/lib.rs", "b/Cargo.toml", "b/src/lib.rs", "b/tests/t.rs"];
    set_files(files.map(|path| (path.to_owned(), String::new())));
    let request = SpecifierRequest {
        from: "b/tests/t.rs".to_owned(),
        to: "a/src/lib.rs".to_owned(),
        was: "a/src/lib.rs".to_owned(),
        kind: "path".to_owned(),
        specifier: "self::my_a::f".to_owned(),
    };
    let failure = Rust::format_specifiers(&Context::for_path(""), &[request]).remove(0).expect_err("a failure");
    assert_eq!(failure.message, "the package of the file has no dependency `my_a`, which is the package in `a`");
}

#[track_caller]
fn check_unlink(text: &str, index: u32, expected: &str) {
    let bench = testing::open::<Rust>("src/lib.rs", text);
    let edits = Rust::unlink(bench.document(), &[index]).expect("unlinked").edits;
    assert_eq!(apply(text, &edits), expected, "{text}");
}

#[test]
fn links_are_removed() {
    check_unlink("mod a;\n#[cfg(x)]\nmod b;\n", 1, "mod a;\n");
    check_unlink("use crate::a::{B, C};\nfn f() {}\n", 0, "use crate::a::{C};\nfn f() {}\n");
    check_unlink("use crate::a::B;\nfn f() {}\n", 0, "fn f() {}\n");
    check_unlink("use crate::{a::{B}, c::D};\n", 0, "use crate::{c::D};\n");
}
