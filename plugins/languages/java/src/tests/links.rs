//! Links: the types that a file imports and names, their files, and the removal of links.

use marquetry_sdk::{
    Context, Destination, Linking, Request, SpecifierRequest, span::apply, testing, workspace::set_files,
};

use crate::Java;

const SHOP: &[(&str, &str)] = &[
    ("app/src/main/java/shop/Main.java", "package shop;\n"),
    ("app/src/main/java/shop/cart/Cart.java", "package shop.cart;\n"),
    ("app/src/main/java/shop/cart/Item.java", "package shop.cart;\n"),
    ("app/src/test/java/shop/cart/CartTest.java", "package shop.cart;\nimport shop.*;\n"),
    ("lib/src/main/java/shop/base/Base.java", "package shop.base;\n"),
];

pub(super) fn files(all: &[(&str, &str)]) {
    set_files(all.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())));
}

#[track_caller]
fn check_links(text: &str, expected: &[&str]) {
    let links = Java::links(testing::open::<Java>("A.java", text).document());
    let shown: Vec<String> = links.iter().map(|link| format!("{} {}", link.kind, link.span.slice(text))).collect();
    assert_eq!(shown, expected, "{text}");
    let mut starts: Vec<u32> = links.iter().map(|link| link.span.start).collect();
    starts.dedup();
    assert_eq!(starts.len(), links.len(), "the host compares links by where they start");
}

#[test]
fn imports_are_links() {
    check_links(
        "package a;\nimport b.C;\nimport static d.E.f;\nimport static g.H.*;\nimport i.j.*;\nimport module k;\n",
        &["import b.C", "import d.E.f", "import g.H", "glob i.j"],
    );
}

#[test]
fn names_of_types_are_links_at_their_first_place() {
    check_links(
        "import b.C;\n@D @e.F(x = G.H) class A<T> extends B<C, T> implements I.J {\n    K k = new L();\n    K m(M m) { N.o(p); Q.R.s(); T t; A a; return t.u; }\n}\n",
        &[
            "import b.C",
            "name D",
            "name e.F",
            "name G",
            "name B",
            "name C",
            "name I",
            "name K",
            "name L",
            "name M",
            "name N",
            "name Q",
        ],
    );
    check_links(
        "class A { B b; void f() { B.c(); d.E.f(); d.e.F g; List<h.I> i = J::new; x.y.z(); } }\n",
        &["name B", "name d.E", "name d.e.F", "name List", "name h.I", "name J"],
    );
    check_links("class A { int Count; void f(X x) { Count.g(); x.B.c(); this.D.e(); } }\n", &["name X"]);
}

#[track_caller]
fn check_resolved(from: &str, kind: &str, specifier: &str, expected: &str) {
    let request = Request { kind: kind.to_owned(), specifier: specifier.to_owned() };
    let found = match &Java::resolve(&Context::for_path(from), &[request])[0] {
        Destination::Inside(resolved) => resolved.path.clone(),
        Destination::External => "external".to_owned(),
        other => format!("{other:?}"),
    };
    assert_eq!(found, expected, "{from} {kind} {specifier}");
}

#[test]
fn links_are_resolved() {
    files(SHOP);
    let (main, test) = ("app/src/main/java/shop/Main.java", "app/src/test/java/shop/cart/CartTest.java");
    let cart = "app/src/main/java/shop/cart/Cart.java";
    check_resolved(main, "import", "shop.cart.Cart", cart);
    check_resolved(main, "import", "shop.cart.Cart.Inner.LIMIT", cart);
    check_resolved(main, "import", "shop.base.Base", "lib/src/main/java/shop/base/Base.java");
    check_resolved(main, "import", "java.util.List", "external");
    check_resolved(main, "glob", "shop.cart", "app/src/main/java/shop/cart");
    check_resolved(main, "name", "Cart", "external");
    check_resolved(cart, "name", "Item", "app/src/main/java/shop/cart/Item.java");
    check_resolved(test, "name", "Cart", cart);
    check_resolved(test, "name", "Main", main);
    check_resolved(test, "name", "shop.base.Base", "lib/src/main/java/shop/base/Base.java");
    files(&[("src/a/B.java", "package a;\n"), ("test/a/BTest.java", "package a;\n"), ("C.java", "")]);
    check_resolved("test/a/BTest.java", "name", "B", "src/a/B.java");
    check_resolved("C.java", "name", "B", "external");
    files(&[("a/B.java", "package a;\n"), ("c/D.java", "package c;\nimport a.B;\n")]);
    check_resolved("c/D.java", "import", "a.B", "a/B.java");
}

#[test]
fn specifiers_are_formatted() {
    files(SHOP);
    let check = |kind: &str, to: &str, specifier: &str, expected: Option<&str>| {
        let request = SpecifierRequest {
            from: "app/src/main/java/shop/Main.java".to_owned(),
            to: to.to_owned(),
            was: "app/src/main/java/shop/cart/Cart.java".to_owned(),
            kind: kind.to_owned(),
            specifier: specifier.to_owned(),
        };
        let found = Java::format_specifiers(&Context::for_path(&request.from), &[request]).remove(0);
        assert_eq!(found.as_deref().ok(), expected, "{specifier} {to}");
    };
    check("import", "app/src/main/java/shop/x/Cart.java", "shop.cart.Cart", Some("shop.x.Cart"));
    check("import", "new/src/main/java/y/Cart.java", "shop.cart.Cart.Inner", Some("y.Cart.Inner"));
    check("import", "app/src/main/java/Cart.java", "shop.cart.Cart", None);
    check("name", "app/src/main/java/shop/x/Cart.java", "Cart", Some("Cart"));
    check("glob", "app/src/main/java/shop/x", "shop.cart", Some("shop.cart"));
}

#[test]
fn imports_are_removed() {
    let text = "package a;\n\nimport b.C;\nimport d.E;\n\nclass A { F f; }\n";
    let bench = testing::open::<Java>("A.java", text);
    let check = |links: &[u32], expected: &str| {
        let rewrite = Java::unlink(bench.document(), links).expect("removed");
        assert_eq!(apply(text, &rewrite.edits), expected);
    };
    check(&[0], "package a;\n\nimport d.E;\n\nclass A { F f; }\n");
    check(&[0, 1], "package a;\n\nclass A { F f; }\n");
    let failure = Java::unlink(bench.document(), &[2]).expect_err("a name in the code");
    assert_eq!(failure.message, "`F` is used here");
    assert!(Java::unlink(bench.document(), &[3]).is_err());
}
