//! Links: where they are, where they lead, how they are spelled.

use marquetry_sdk::span::apply;
use marquetry_sdk::{Destination, Linking, Request, Resolved, Respelling, workspace};

use super::open;
use crate::Html;

fn specifiers(text: &str) -> Vec<(String, String)> {
    let bench = open(text);
    Html::links(bench.document()).into_iter().map(|link| (link.kind, link.specifier)).collect()
}

#[test]
fn finds_every_place_that_names_a_file() {
    let text = r##"<head><link rel=stylesheet href="a.css"><link rel="icon" href=i.png><script src=" b.js "></script>
<meta http-equiv=refresh content="3; url=c.html"></head><a href="d.html?x=1&amp;y#z">d</a><a href="#top">top</a><a href="?page=2">2</a><a name=n>n</a>
<img src=e.png srcset="f.png 1x, g.png 2x"><video poster=h.jpg src=j.mp4></video><object data=k.pdf></object>
<form action=/send><button formaction=l></button></form><iframe src=m.html></iframe><svg><use href="n.svg#i"/><image xlink:href=o.png /></svg>"##;
    let expected = [
        ("stylesheet", "a.css"),
        ("link", "i.png"),
        ("script", "b.js"),
        ("refresh", "c.html"),
        ("href", "d.html"),
        ("image", "e.png"),
        ("image", "f.png"),
        ("image", "g.png"),
        ("image", "h.jpg"),
        ("media", "j.mp4"),
        ("media", "k.pdf"),
        ("form", "/send"),
        ("form", "l"),
        ("frame", "m.html"),
        ("image", "n.svg"),
        ("image", "o.png"),
    ];
    assert_eq!(specifiers(text), expected.map(|(kind, specifier)| (kind.to_owned(), specifier.to_owned())));
    let bench = open(text);
    let link = &Html::links(bench.document())[2];
    assert_eq!((link.span.of(text), link.statement.of(text)), ("b.js", "<script src=\" b.js \"></script>"));
}

fn files(paths: &[&str]) {
    workspace::set_files(paths.iter().map(|path| ((*path).to_owned(), String::new())));
}

#[track_caller]
fn leads(from: &str, kind: &str, specifier: &str, expected: &str) {
    let request = Request { kind: kind.to_owned(), specifier: specifier.to_owned() };
    let shown = match Html::resolve(from, &[request]).remove(0) {
        Destination::Inside(Resolved { path, suffix }) => format!("{path} {suffix}").trim_end().to_owned(),
        Destination::External => "external".to_owned(),
        Destination::Missing(path) => format!("missing {path}"),
        Destination::Unknown(why) => format!("unknown: {why}"),
    };
    assert_eq!(shown, expected, "{specifier}");
}

#[test]
fn follows_links() {
    files(&[
        "site/index.html",
        "site/about us.html",
        "site/img/a.png",
        "public/logo.svg",
        "site/docs/index.html",
        "app/src/main.ts",
    ]);
    leads("site/index.html", "image", "img/a.png?v=2#x", "site/img/a.png ?v=2#x");
    leads("site/docs/index.html", "href", "../about%20us.html#team", "site/about us.html #team");
    leads("site/index.html", "image", "/logo.svg", "public/logo.svg");
    leads("site/index.html", "href", "docs/", "site/docs/index.html");
    leads("site/index.html", "href", "docs", "site/docs/index.html");
    leads("site/index.html", "href", "about%20us", "site/about us.html");
    leads("app/index.html", "script", "/src/main.ts", "app/src/main.ts");
    leads("site/index.html", "href", "https://example.org/", "external");
    leads("site/index.html", "href", "mailto:a@b.c", "external");
    leads("site/index.html", "image", "img/b.png", "missing site/img/b.png");
    leads("site/index.html", "href", "/login", "unknown: there is no file `login`; a server may answer this address");
    leads("site/index.html", "image", "../../x.png", "unknown: the link leads out of the workspace");
    leads("site/index.html", "image", "{{ logo }}", "unknown: a template fills this link in");
}

#[test]
fn a_base_moves_all_links() {
    files(&["docs/img/a.png"]);
    let links = specifiers("<base href='/docs/'><img src=img/a.png>");
    assert_eq!(links, [("image base=/docs/".to_owned(), "img/a.png".to_owned())]);
    leads("x/y.html", "image base=/docs/", "img/a.png", "docs/img/a.png");
    leads("x/y.html", "image base=../docs/", "img/a.png", "docs/img/a.png");
    leads("x/y.html", "image base=https://cdn.example/", "img/a.png", "external");
    spells(("x/y.html", "image base=/docs/"), "docs/img/a.png", "docs/b.png", "img/a.png", "b.png");
}

#[track_caller]
fn spells((from, kind): (&str, &str), was: &str, to: &str, specifier: &str, expected: &str) {
    let request = Respelling {
        from: from.to_owned(),
        to: to.to_owned(),
        was: was.to_owned(),
        kind: kind.to_owned(),
        specifier: specifier.to_owned(),
    };
    assert_eq!(Html::spell(&[request]).remove(0).expect("spelled"), expected, "{specifier}");
}

#[test]
fn spells_links_as_they_were() {
    let page = ("a/page.html", "href");
    spells(page, "a/b.html", "c/b.html", "b.html#x", "../c/b.html#x");
    spells(page, "a/b.html", "a/d/b.html", "./b.html", "./d/b.html");
    spells(page, "a/b.html", "a/b c.html", "b.html?q=1&r=2", "b%20c.html?q=1&r=2");
    spells(page, "a/b.html", "a/c.html", "b.html?q=1&copy", "c.html?q=1&amp;copy");
    spells(page, "a/b.html", "a/ü.html", "b.html", "ü.html");
    spells(page, "a/ä.html", "a/ü.html", "%C3%A4.html", "%C3%BC.html");
    spells(page, "docs/index.html", "guide/index.html", "../docs/", "../guide/");
    spells(page, "docs/index.html", "a/index.html", "../docs/", "./");
    spells(page, "docs/index.html", "docs/start.html", "../docs/", "../docs/start.html");
    spells(page, "about.html", "team/about.html", "../about", "../team/about");
    spells(page, "img/a.png", "img/b.png", "/img/a.png", "/img/b.png");
    spells(page, "public/img/a.png", "public/b.png", "/img/a.png", "/b.png");
    spells(page, "a/b.html", "a/x:y.html", "b.html", "./x:y.html");
}

#[test]
fn links_that_are_nothing_else_go() {
    let text = "<head>\n  <link rel=stylesheet href=a.css>\n  <script src=b.js></script>\n</head>\n<img src=c.png>";
    let bench = open(text);
    let edits = Html::unlink(bench.document(), &[0, 1]).expect("unlinked");
    assert_eq!(apply(text, &edits), "<head>\n</head>\n<img src=c.png>");
    let failure = Html::unlink(bench.document(), &[2]).expect_err("left");
    assert_eq!(failure.message, "a `<img>` is content of the page: it is not removed with its file");
}
