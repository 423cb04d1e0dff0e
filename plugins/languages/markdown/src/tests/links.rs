//! Tests of links: positions, resolution and removal.

use marquetry_sdk::{Context, Destination, Linking, Request, Resolved, span::apply, testing::open, workspace};

use crate::Markdown;

#[track_caller]
fn links(path: &str, text: &str, expected: &[(&str, &str, &str)]) {
    let doc = open::<Markdown>(path, text);
    let found = Markdown::links(doc.document());
    let found: Vec<_> =
        found.iter().map(|link| (link.kind.as_str(), link.span.slice(text), link.specifier.as_str())).collect();
    assert_eq!(found, expected);
}

#[test]
fn finds_links() {
    links(
        "a.md",
        "[a](b.md) ![c *d*](<e f.png> \"t\") [g]( h.md 'i' )",
        &[("link", "b.md", "b.md"), ("image", "e f.png", "e f.png"), ("link", "h.md", "h.md")],
    );
    links(
        "a.md",
        "[![a](b.png)](c.md) [\\]`]`](d\\(.md&amp;)",
        &[("image", "b.png", "b.png"), ("link", "c.md", "c.md"), ("link", "d\\(.md&amp;", "d(.md&")],
    );
    links(
        "a.md",
        "[a]: b.md\n[a]: c.md 'x'\n\n> [d]:\n> e.md\n",
        &[("definition", "b.md", "b.md"), ("definition", "c.md", "c.md"), ("definition", "e.md", "e.md")],
    );
    links(
        "a.md",
        "<img src=\"a.png\">\n\nx <a href='b.md'>c</a>\n",
        &[("src", "a.png", "a.png"), ("href", "b.md", "b.md")],
    );
    links("a.md", "[a](https://b) <https://c> [d](#e) [f]() `[g](h)` [i]\n\n```\n[j](k)\n```\n", &[]);
}

#[test]
fn finds_links_of_mdx() {
    let text = "import A, {b as c} from './a.js'\nexport * from \"./d\"\n\n<A href=\"e.md\" src={f}>[g](h.md)</A>\n";
    links(
        "a.mdx",
        text,
        &[
            ("import", "./a.js", "./a.js"),
            ("export-from", "./d", "./d"),
            ("href", "e.md", "e.md"),
            ("link", "h.md", "h.md"),
        ],
    );
    let names = &Markdown::links(open::<Markdown>("a.mdx", text).document())[0].names;
    assert_eq!(names, &["default", "b"]);
}

#[test]
fn resolves_links() {
    let files =
        ["docs/a.md", "docs/b c.md", "docs/guide/index.md", "docs/g.mdx", "static/logo.png", "src/x.jsx", "README.md"];
    workspace::set_files(files.map(|path| (path.to_owned(), String::new())));
    let lead = |kind: &str, specifier: &str| {
        let request = Request { kind: kind.to_owned(), specifier: specifier.to_owned() };
        match Markdown::resolve(&Context::for_path("docs/a.md"), &[request]).remove(0) {
            Destination::Inside(Resolved { path, suffix }) => format!("{path}{suffix}"),
            Destination::Missing(path) => format!("missing {path}"),
            Destination::External => "external".to_owned(),
            Destination::Unknown(_) => "unknown".to_owned(),
        }
    };
    for (kind, specifier, expected) in [
        ("link", "b%20c.md#x", "docs/b c.md#x"),
        ("link", "./g", "docs/g.mdx"),
        ("link", "guide/", "docs/guide"),
        ("link", "../README.md", "README.md"),
        ("link", "/docs/a.md", "docs/a.md"),
        ("image", "/logo.png", "static/logo.png"),
        ("link", "no.md", "missing docs/no.md"),
        ("link", "../../issues", "external"),
        ("link", "https://x.y", "external"),
        ("import", "../src/x", "src/x.jsx"),
        ("import", "@site/src/x", "src/x.jsx"),
        ("import", "@/x", "src/x.jsx"),
        ("import", "react", "external"),
        ("import", "@/nothing", "unknown"),
    ] {
        assert_eq!(lead(kind, specifier), expected, "{specifier}");
    }
}

#[track_caller]
fn unlinks(path: &str, text: &str, links: &[u32], expected: &str) {
    let doc = open::<Markdown>(path, text);
    let edits = Markdown::unlink(doc.document(), links).expect("removed").edits;
    assert_eq!(apply(text, &edits), expected);
}

#[test]
fn unlink_keeps_text() {
    unlinks("a.md", "x [a *b*](c.md) y\n", &[0], "x a *b* y\n");
    unlinks("a.md", "[![a](b.png)](c.md)\n", &[0, 1], "a\n");
    unlinks("a.md", "[![a](b.png)](c.md)\n", &[1], "![a](b.png)\n");
    unlinks("a.md", "[a][r] [r] [x][]\n\n[r]: b.md\n[x]: c.md\n", &[0], "a r [x][]\n\n[x]: c.md\n");
    unlinks("a.md", "[r]\n\n[r]: b.md\n[R]: c.md\n", &[0], "[r]\n\n[R]: c.md\n");
    unlinks("a.md", "a <img src=\"b.png\"> <a href=\"c.md\">d</a>\n", &[0, 1], "a  <a>d</a>\n");
    unlinks("a.mdx", "import a from './a'\nimport b from './b'\n\nc\n", &[0], "import b from './b'\n\nc\n");
}

#[test]
fn finds_paths_in_front_matter() {
    links(
        "docs/a.md",
        "---\ntitle: and/or\ncover: ./a.png\ntags: [x]\nimages:\n  - '../b c.png'\n  - \"../b.png\"\nlogo: img/logo.svg\n---\n\ntext\n",
        &[
            ("front-matter", "./a.png", "./a.png"),
            ("front-matter", "../b.png", "../b.png"),
            ("possible", "img/logo.svg", "img/logo.svg"),
        ],
    );
    workspace::set_files(["docs/a.png", "img/logo.svg"].map(|path| (path.to_owned(), String::new())));
    let ask = |kind: &str, specifier: &str| {
        let request = Request { kind: kind.to_owned(), specifier: specifier.to_owned() };
        Markdown::resolve(&Context::for_path("docs/a.md"), &[request]).remove(0)
    };
    let there = Resolved { path: "docs/a.png".to_owned(), suffix: String::new() };
    assert_eq!(ask("front-matter", "./a.png"), Destination::Inside(there));
    assert_eq!(ask("front-matter", "./b.png"), Destination::Missing("docs/b.png".to_owned()));
    assert!(matches!(ask("possible", "img/logo.svg"), Destination::Unknown(_)));
    assert_eq!(ask("possible", "img/gone.svg"), Destination::External);
}

#[test]
fn texts_of_links_that_are_the_path_of_the_target_are_links() {
    links(
        "docs/a.md",
        "[`src/b.ts`](../src/b.ts#L3) [../src/b.ts](../src/b.ts) [b.ts](../src/b.ts) [src/c.ts](../src/b.ts) [the src/b.ts](../src/b.ts)\n",
        &[
            ("label", "src/b.ts", "src/b.ts"),
            ("link", "../src/b.ts#L3", "../src/b.ts#L3"),
            ("label", "../src/b.ts", "../src/b.ts"),
            ("link", "../src/b.ts", "../src/b.ts"),
            ("link", "../src/b.ts", "../src/b.ts"),
            ("link", "../src/b.ts", "../src/b.ts"),
            ("link", "../src/b.ts", "../src/b.ts"),
        ],
    );
    unlinks("docs/a.md", "x [`src/b.ts`](../src/b.ts) y\n", &[0, 1], "x `src/b.ts` y\n");
    workspace::set_files(["src/b.ts"].map(|path| (path.to_owned(), String::new())));
    let ask = |specifier: &str| {
        let request = Request { kind: "label".to_owned(), specifier: specifier.to_owned() };
        Markdown::resolve(&Context::for_path("docs/a.md"), &[request]).remove(0)
    };
    let there = || Destination::Inside(Resolved { path: "src/b.ts".to_owned(), suffix: String::new() });
    assert_eq!((ask("src/b.ts"), ask("../src/b.ts")), (there(), there()));
    assert_eq!(ask("src/gone.ts"), Destination::External);
}
