//! Tests of the positions, resolution and formatting of links.

use marquetry_sdk::span::apply;
use marquetry_sdk::{Context, Destination, Linking, Request, Resolved, SpecifierRequest, workspace};

use super::open;
use crate::Html;

fn specifiers(text: &str) -> Vec<(String, String)> {
    let bench = open(text);
    Html::links(bench.document()).into_iter().map(|link| (link.kind, link.specifier)).collect()
}

#[test]
fn links_in_attributes() {
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
    assert_eq!((link.span.slice(text), link.statement.slice(text)), ("b.js", "<script src=\" b.js \"></script>"));
}

#[test]
fn links_in_styles_and_scripts() {
    let text = r##"<style>@import "a.css"; b { c: url(d.png?x#y) } /* url(no.png) */</style>
<p style="background: url(e.png), url(&quot;f g.png&quot;)" title="url(no.png)"></p>
<script type="importmap">{ "imports": { "lib/": "./vendor/lib/", "vue": "./vendor/vue.js" } }</script>
<script type="module">import { h } from "./i.js"; import "lib/j.js"; import "vue"; import("k")</script>
<script>const l = import('./m.js'); new Worker("n.js")</script><script type="application/ld+json">{"a": "./no.js"}</script>
<svg><style>o { p: url(q.svg) }</style><rect fill="url(#r)" filter="url(s.svg#t)"/></svg><meta property="og:image" content="/u.png">"##;
    let expected = [
        ("css-import", "a.css"),
        ("url", "d.png"),
        ("url", "e.png"),
        ("url", "f g.png"),
        ("import-map", "./vendor/lib/"),
        ("import-map", "./vendor/vue.js"),
        ("import", "./i.js"),
        ("mapped-import", "lib/j.js"),
        ("dynamic-import", "./m.js"),
        ("worker", "n.js"),
        ("url", "q.svg"),
        ("url", "s.svg"),
        ("image", "/u.png"),
    ];
    assert_eq!(specifiers(text), expected.map(|(kind, specifier)| (kind.to_owned(), specifier.to_owned())));
}

#[test]
fn links_in_styles_and_scripts_are_resolved_and_updated() {
    files(&["site/a.js", "site/vendor/lib/b.js", "site/img/c.png"]);
    check_destination("site/index.html", "import", "./a.js", "site/a.js");
    check_destination(
        "site/index.html",
        "import",
        "./a",
        "unknown: there is no file `site/a`; a bundler may add an extension",
    );
    check_destination("site/index.html", "import-map", "./vendor/lib/", "site/vendor/lib");
    check_destination("site/index.html", "import-map", "lib", "external");
    let mapped = "unknown: the name is defined in the page's import map";
    check_destination("site/index.html", "mapped-import", "lib/b.js", mapped);
    check_destination("site/index.html", "url", "img/c.png", "site/img/c.png");
    check_specifier(("site/x/index.html", "import"), "site/a.js", "site/x/a.js", "../a.js", "./a.js");
    check_specifier(("site/index.html", "import-map"), "site/vendor/lib", "site/lib", "./vendor/lib/", "./lib/");
    check_specifier(
        ("site/index.html", "url"),
        "site/img/c.png",
        "site/c (1) & 'd'.png",
        "img/c.png",
        "c%20%281%29%20%26%20%27d%27.png",
    );
    check_specifier(("site/index.html", "worker"), "site/a.js", "site/w/a.js", "a.js", "w/a.js");
}

fn files(paths: &[&str]) {
    workspace::set_files(paths.iter().map(|path| ((*path).to_owned(), String::new())));
}

#[track_caller]
fn check_destination(from: &str, kind: &str, specifier: &str, expected: &str) {
    let request = Request { kind: kind.to_owned(), specifier: specifier.to_owned() };
    let shown = match Html::resolve(&Context::for_path(from), &[request]).remove(0) {
        Destination::Inside(Resolved { path, suffix }) => format!("{path} {suffix}").trim_end().to_owned(),
        Destination::External => "external".to_owned(),
        Destination::Missing(path) => format!("missing {path}"),
        Destination::Unknown(why) => format!("unknown: {why}"),
    };
    assert_eq!(shown, expected, "{specifier}");
}

#[test]
fn links_are_resolved() {
    files(&[
        "site/index.html",
        "site/about us.html",
        "site/img/a.png",
        "public/logo.svg",
        "site/docs/index.html",
        "app/src/main.ts",
    ]);
    check_destination("site/index.html", "image", "img/a.png?v=2#x", "site/img/a.png ?v=2#x");
    check_destination("site/docs/index.html", "href", "../about%20us.html#team", "site/about us.html #team");
    check_destination("site/index.html", "image", "/logo.svg", "public/logo.svg");
    check_destination("site/index.html", "href", "docs/", "site/docs/index.html");
    check_destination("site/index.html", "href", "docs", "site/docs/index.html");
    check_destination("site/index.html", "href", "about%20us", "site/about us.html");
    check_destination("app/index.html", "script", "/src/main.ts", "app/src/main.ts");
    check_destination("site/index.html", "href", "https://example.org/", "external");
    check_destination("site/index.html", "href", "mailto:a@b.c", "external");
    check_destination("site/index.html", "image", "img/b.png", "missing site/img/b.png");
    check_destination(
        "site/index.html",
        "href",
        "/login",
        "unknown: there is no file `login`; the server may handle this URL",
    );
    check_destination("site/index.html", "image", "../../x.png", "unknown: the link is outside the workspace");
    check_destination("site/index.html", "image", "{{ logo }}", "unknown: the link contains a template placeholder");
}

#[test]
fn base_element_changes_all_links() {
    files(&["docs/img/a.png"]);
    let links = specifiers("<base href='/docs/'><img src=img/a.png>");
    assert_eq!(links, [("image base=/docs/".to_owned(), "img/a.png".to_owned())]);
    check_destination("x/y.html", "image base=/docs/", "img/a.png", "docs/img/a.png");
    check_destination("x/y.html", "image base=../docs/", "img/a.png", "docs/img/a.png");
    check_destination("x/y.html", "image base=https://cdn.example/", "img/a.png", "external");
    check_specifier(("x/y.html", "image base=/docs/"), "docs/img/a.png", "docs/b.png", "img/a.png", "b.png");
}

#[track_caller]
fn check_specifier((from, kind): (&str, &str), was: &str, to: &str, specifier: &str, expected: &str) {
    let request = SpecifierRequest {
        from: from.to_owned(),
        to: to.to_owned(),
        was: was.to_owned(),
        kind: kind.to_owned(),
        specifier: specifier.to_owned(),
    };
    assert_eq!(
        Html::format_specifiers(&Context::for_path(""), &[request]).remove(0).expect("formatted"),
        expected,
        "{specifier}"
    );
}

#[test]
fn updated_links_keep_their_style() {
    let page = ("a/page.html", "href");
    check_specifier(page, "a/b.html", "c/b.html", "b.html#x", "../c/b.html#x");
    check_specifier(page, "a/b.html", "a/d/b.html", "./b.html", "./d/b.html");
    check_specifier(page, "a/b.html", "a/b c.html", "b.html?q=1&r=2", "b%20c.html?q=1&r=2");
    check_specifier(page, "a/b.html", "a/c.html", "b.html?q=1&copy", "c.html?q=1&amp;copy");
    check_specifier(page, "a/b.html", "a/ü.html", "b.html", "ü.html");
    check_specifier(page, "a/ä.html", "a/ü.html", "%C3%A4.html", "%C3%BC.html");
    check_specifier(page, "docs/index.html", "guide/index.html", "../docs/", "../guide/");
    check_specifier(page, "docs/index.html", "a/index.html", "../docs/", "./");
    check_specifier(page, "docs/index.html", "docs/start.html", "../docs/", "../docs/start.html");
    check_specifier(page, "about.html", "team/about.html", "../about", "../team/about");
    check_specifier(page, "img/a.png", "img/b.png", "/img/a.png", "/img/b.png");
    check_specifier(page, "public/img/a.png", "public/b.png", "/img/a.png", "/b.png");
    check_specifier(page, "a/b.html", "a/x:y.html", "b.html", "./x:y.html");
}

#[track_caller]
fn refuses((from, kind): (&str, &str), was: &str, to: &str, specifier: &str, expected: &str) {
    let [from, to, was, kind, specifier] = [from, to, was, kind, specifier].map(str::to_owned);
    let failure =
        Html::format_specifiers(&Context::for_path(""), &[SpecifierRequest { from, to, was, kind, specifier }])
            .remove(0)
            .expect_err("refused");
    assert_eq!(failure.message, expected);
}

#[test]
fn root_relative_links_keep_their_root() {
    let page = ("site/a/page.html", "script");
    check_specifier(page, "site/src/x.js", "site/lib/x.js", "/src/x.js", "/lib/x.js");
    check_specifier(page, "site/public/x.js", "site/public/a/x.js", "/x.js", "/a/x.js");
    let outside = "`other/x.js` is outside `site/`, the site root that `/src/x.js` is relative to";
    refuses(page, "site/src/x.js", "other/x.js", "/src/x.js", outside);
    // The page was moved out of its site, so the root of the site is unknown.
    let unknown = "cannot find the site root of `other/page.html` that `/src/x.js` is relative to";
    refuses(("other/page.html", "script"), "site/src/x.js", "site/src/x.js", "/src/x.js", unknown);
    check_specifier(("other/page.html", "script"), "src/x.js", "lib/x.js", "/src/x.js", "/lib/x.js");
}

#[test]
fn dot_refers_to_folder_of_page() {
    files(&["a/page.html", "a/b/other.html", "a/b.html"]);
    check_destination("a/page.html", "href", ".", "a");
    check_destination("a/page.html", "href", "./", "a");
    check_destination("a/b/other.html", "href", "..", "a");
    check_destination("a/page.html", "href", "b", "a/b.html");
    check_destination("a/page.html", "image", ".", "missing a");
    files(&["a/page.html", "a/b/other.html"]);
    check_destination("a/page.html", "href", "b/", "a/b");
    let page = ("c/page.html", "href");
    check_specifier(page, "a", "a", ".", "../a/");
    check_specifier(page, "a/b", "a/b", "b", "../a/b");
    check_specifier(page, "a/b", "a/b", "b/", "../a/b/");
    check_specifier(("a/b/c/page.html", "href"), "a", "a", "..", "../../");
    // A link without an extension to a page is not replaced by the folder of the same name.
    check_specifier(("a/b/page.html", "href"), "a/b.html", "a/b.html", "b", "../b");
}

#[test]
fn unlink_removes_script_and_link_elements() {
    let text = "<head>\n  <link rel=stylesheet href=a.css>\n  <script src=b.js></script>\n</head>\n<img src=c.png>";
    let bench = open(text);
    let edits = Html::unlink(bench.document(), &[0, 1]).expect("unlinked").edits;
    assert_eq!(apply(text, &edits), "<head>\n</head>\n<img src=c.png>");
    let failure = Html::unlink(bench.document(), &[2]).expect_err("an image is not removed");
    assert_eq!(failure.message, "`<img>` is content of the page, which is not removed automatically");
    assert!(Html::unlink(bench.document(), &[0, 2]).is_err(), "nothing is removed if one link cannot be removed");
    let bench = open("<script type=module>import './a.js';\nrun();</script>");
    let failure = Html::unlink(bench.document(), &[0]).expect_err("the script contains other code");
    assert_eq!(failure.message, "`<script>` is content of the page, which is not removed automatically");
}
