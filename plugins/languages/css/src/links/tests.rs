//! Tests that links are found, resolved, formatted and removed.

use marquetry_sdk::{
    Context, Destination, FileMoves, Linking, MovedLink, Request, SpecifierRequest, span, testing, workspace,
};

use crate::Css;

fn found(path: &str, text: &str) -> Vec<String> {
    let bench = testing::open::<Css>(path, text);
    Css::links(bench.document())
        .iter()
        .map(|link| {
            let written = link.span.slice(text);
            assert!(link.statement.contains(link.span), "{link:?}");
            format!("{} {written} {}", link.kind, link.names.join(" ")).trim_end().to_owned()
        })
        .collect()
}

#[test]
fn links_in_css() {
    let text = "@import 'a.css' print;\n@import url( b.css );\n.a { background: url(\"c.png\"), image-set('d.png' 1x, url(e.png) 2x) ; mask: url(#f); \
        composes: x y from './g.css'; --h: url(h.png) }\n@font-face { src: url(i.woff2) format('woff2'), local(x) }\n\
        @value j, k as l from \"./m.css\";\n@namespace url(http://x);\n/* url(n.png) */";
    assert_eq!(
        found("a.css", text),
        [
            "import a.css *",
            "import b.css *",
            "url c.png",
            "url d.png",
            "url e.png",
            "composes ./g.css x y",
            "url h.png",
            "url i.woff2",
            "value ./m.css j k",
        ]
    );
}

#[test]
fn links_in_scss() {
    let text = "@use 'a' as b;\n@forward \"c\" show d;\n@import 'e', 'f.css', url(g.css);\n@import 'h' screen;\n\
        @include meta.load-css('i');\n$m: (a: url(j.png));\n.a { b: url($k); c: url('l' + $m); d: url('n.png'); @include f(url(o.png)) }";
    assert_eq!(
        found("a.scss", text),
        [
            "use a *",
            "forward c *",
            "import e **",
            "import-css f.css *",
            "import-css g.css *",
            "import-css h *",
            "use i *",
            "url j.png",
            "url n.png",
            "url o.png",
        ]
    );
}

#[test]
fn links_in_less() {
    let text = "@import (reference) 'a';\n@import url('b.less');\n@plugin \"c\";\n.a { b: url(@d); e: url(@{f}/g.png); h: data-uri('image/png', 'i.png') }";
    assert_eq!(found("a.less", text), ["import a **", "import b.less **", "plugin c *", "url @{f}/g.png", "url i.png"]);
}

fn with_files(paths: &[&str]) {
    workspace::set_files(paths.iter().map(|path| ((*path).to_owned(), String::new())));
}

#[track_caller]
fn check_destination(from: &str, kind: &str, specifier: &str, expected: &str) {
    let request = Request { kind: kind.to_owned(), specifier: specifier.to_owned() };
    let shown = match Css::resolve(&Context::for_path(from), &[request]).remove(0) {
        Destination::Inside(inside) => format!("{}{}", inside.path, inside.suffix),
        Destination::External => "external".to_owned(),
        Destination::Missing(path) => format!("missing {path}"),
        Destination::Unknown(_) => "unknown".to_owned(),
    };
    assert_eq!(shown, expected, "{kind} {specifier} from {from}");
}

#[test]
fn links_are_resolved() {
    with_files(&[
        "s/a.scss",
        "s/_b.scss",
        "s/c/_index.scss",
        "s/d.css",
        "s/e.less",
        "s/f g.png",
        "public/h.svg",
        "s/i.import.scss",
        "s/i.scss",
        "s/_j.scss",
        "s/j.scss",
        "src/k/_l.scss",
        "node_modules/pkg/x.css",
        "s/m.js",
    ]);
    check_destination("s/a.scss", "use", "b", "s/_b.scss");
    check_destination("s/a.scss", "use", "./b.scss", "s/_b.scss");
    check_destination("s/a.scss", "use", "c", "s/c/_index.scss");
    check_destination("s/a.scss", "use", "d", "s/d.css");
    check_destination("s/a.scss", "use", "sass:math", "external");
    check_destination("s/a.scss", "use", "i", "s/i.scss");
    check_destination("s/a.scss", "import", "i", "s/i.import.scss");
    check_destination("s/a.scss", "use", "j", "unknown");
    check_destination("s/a.scss", "use", "k/l", "src/k/_l.scss");
    check_destination("s/a.scss", "use", "../s/none", "missing s/none.scss");
    check_destination("s/a.scss", "use", "~pkg/x", "external");
    check_destination("s/e.less", "import", "e", "s/e.less");
    check_destination("s/e.less", "plugin", "./m", "s/m.js");
    check_destination("s/d.css", "import", "pkg/x.css", "external");
    check_destination("s/d.css", "import", "tailwindcss", "external");
    check_destination("s/d.css", "import", "e.css", "missing s/e.css");
    check_destination("s/d.css", "url", "f%20g.png?v=1#x", "s/f g.png?v=1#x");
    check_destination("s/d.css", "url", "f g.png", "s/f g.png");
    check_destination("s/d.css", "url", "/h.svg", "public/h.svg");
    check_destination("s/d.css", "url", "data:image/png;base64,x", "external");
    check_destination("s/d.css", "url", "none.png", "missing s/none.png");
    check_destination("s/a.scss", "url", "none.png", "unknown");
    check_destination("s/e.less", "url", "@{x}/y.png", "unknown");
    check_destination("d.css", "url", "../x.png", "unknown");
}

#[track_caller]
fn check_specifier(from: &str, kind: &str, specifier: &str, was: &str, to: &str, expected: &str) {
    let request = SpecifierRequest {
        from: from.to_owned(),
        to: to.to_owned(),
        was: was.to_owned(),
        kind: kind.to_owned(),
        specifier: specifier.to_owned(),
    };
    let formatted = Css::format_specifiers(&Context::for_path(""), &[request]).remove(0).expect("formatted");
    assert_eq!(formatted, expected, "{specifier} from {from}");
}

#[test]
fn updated_links_keep_their_style() {
    with_files(&[
        "s/a.scss",
        "s/_b.scss",
        "s/c/_index.scss",
        "s/d.css",
        "s/x.png",
        "public/h.svg",
        "src/k/_l.scss",
        "s/e.less",
    ]);
    check_specifier("s/a.scss", "use", "b", "s/_b.scss", "s/t/_n.scss", "t/n");
    check_specifier("s/a.scss", "use", "./b", "s/_b.scss", "s/t/_n.scss", "./t/n");
    check_specifier("s/a.scss", "use", "_b.scss", "s/_b.scss", "t/_n.scss", "../t/_n.scss");
    check_specifier("s/a.scss", "use", "b.scss", "s/_b.scss", "t/_n.scss", "../t/n.scss");
    check_specifier("s/a.scss", "use", "c", "s/c/_index.scss", "s/o/_index.scss", "o");
    check_specifier("s/a.scss", "use", "c", "s/c/_index.scss", "s/o/_p.scss", "o/p");
    check_specifier("s/a.scss", "use", "k/l", "src/k/_l.scss", "src/q/_r.scss", "q/r");
    check_specifier("t/a.scss", "use", "b", "s/_b.scss", "s/_b.scss", "../s/b");
    check_specifier("s/e.less", "import", "e", "s/e.less", "t/f.less", "../t/f");
    check_specifier("s/e.less", "import", "e", "s/e.less", "t/f.css", "../t/f.css");
    check_specifier("s/d.css", "url", "./x.png?v#y", "s/x.png", "s/i/x z.png", "./i/x%20z.png?v#y");
    check_specifier("s/d.css", "url", "x y.png", "s/x y.png", "s/x z.png", "x z.png");
    check_specifier("s/d.css", "url", "/h.svg", "public/h.svg", "public/i/h.svg", "/i/h.svg");
    check_specifier("s/t/d.css", "composes", "./x.css", "s/x.css", "s/t/x.css", "./x.css");
    check_specifier("s/d.css", "import", "../x.css", "x.css", "s/x.css", "./x.css");
}

#[track_caller]
fn unlinked(path: &str, text: &str, links: &[u32], expected: &str) {
    let bench = testing::open::<Css>(path, text);
    let edits = Css::unlink(bench.document(), links).expect("unlinked").edits;
    assert_eq!(span::apply(text, &edits), expected);
}

#[test]
fn unlink_removes_links() {
    unlinked("a.css", "@import 'a.css';\n@import 'b.css';\n\n.c {}\n", &[0], "@import 'b.css';\n\n.c {}\n");
    unlinked("a.scss", "@import 'a', 'b', 'c';\n", &[1], "@import 'a', 'c';\n");
    unlinked("a.scss", "@import 'a', 'b';\n", &[0], "@import 'b';\n");
    unlinked("a.scss", "@import 'a', 'b', 'c', 'd';\n", &[0, 1, 3], "@import 'c';\n");
    unlinked("a.scss", "@import 'a', 'b';\n.c {}\n", &[0, 1], ".c {}\n");
    unlinked("a.css", ".a {\n  composes: b from './c.css';\n  d: e;\n}\n", &[0], ".a {\n  d: e;\n}\n");
    let bench = testing::open::<Css>("a.css", ".a { b: url(c.png) }");
    let failure = Css::unlink(bench.document(), &[0]).expect_err("a link in a value cannot be removed");
    assert_eq!(failure.candidates, [".a@b"]);
}

/// Truncates each document at each position, and inserts text there.
#[test]
fn links_are_found_in_invalid_text() {
    let documents = [
        (
            "a.css",
            "@import 'a' b; @value c from 'd'; .e { composes: f from 'g'; h: url(i) url('j'), image-set('k' 1x) }",
        ),
        ("a.scss", "@use 'a' as b; @import 'c', url(d) e, 'f'; @include m.load-css('g'); .h { i: url('j' + $k) }"),
        ("a.less", "@import (x) 'a'; @plugin 'b'; .c { d: url(@{e}/f) data-uri('g', 'h') }"),
    ];
    for (path, text) in documents {
        for (at, _) in text.char_indices() {
            for piece in ["", "é", "'", "(", ")", "}", ";", "\n", "@", "#{"] {
                for rest in ["", &text[at..]] {
                    let broken = format!("{}{piece}{rest}", &text[..at]);
                    let bench = testing::open::<Css>(path, &broken);
                    let links = Css::links(bench.document());
                    assert!(
                        links
                            .iter()
                            .all(|link| link.statement.contains(link.span) && !link.span.slice(&broken).is_empty())
                    );
                    let all: Vec<u32> = (0..links.len() as u32).collect();
                    if let Ok(rewrite) = Css::unlink(bench.document(), &all) {
                        span::apply(&broken, &rewrite.edits);
                    }
                }
            }
        }
    }
}

#[track_caller]
fn used(path: &str, text: &str, message: &str) {
    let bench = testing::open::<Css>(path, text);
    let failure = Css::unlink(bench.document(), &[0]).expect_err("members of the module are used");
    assert_eq!(failure.message, format!("names from `theme` are still used: {message}"));
    assert!(failure.hint.is_some() && !failure.candidates.is_empty());
}

#[test]
fn unlink_refuses_module_still_in_use() {
    workspace::set_files(
        [
            (
                "_theme.scss",
                "@forward 'more';\n$brand: red;\n@mixin card($a) {}\n@function half($n) { @return $n }\n%box {}\n",
            ),
            ("_more.scss", "$gap_s: 1px;\n"),
            ("theme.less", "@brand: red;\n.card(@a) {}\n.box { top: 0 }\n"),
        ]
        .map(|(path, text)| (path.to_owned(), text.to_owned())),
    );
    let all =
        "`$brand` (line 2), `$gap-s` (line 2), `@include card` (line 3), `half()` (line 3), `@extend %box` (line 4)";
    let body =
        ".a { color: $brand; margin: calc(1px + #{$gap-s});\n  @include card(half(2));\n  @extend %box; x: $own }\n";
    used("a.scss", &format!("@use 'theme' as *;\n{body}"), all);
    used("a.scss", &format!("@import 'theme';\n{body}"), all);
    used(
        "a.scss",
        "@use 'theme';\n.a { b: theme.$brand; @include theme.card(1) }",
        "`theme.$brand` (line 2), `theme.card` (line 2)",
    );
    used("a.scss", "@use 'theme' as t;\n.a { b: t.half(2); c: theme.$brand }", "`t.half` (line 2)");
    used(
        "a.less",
        "@import 'theme';\n.a { b: @brand; .card(1); .box; w: ~'@{brand}' }",
        "`@brand` (line 2), `.card` (line 2), `.box` (line 2)",
    );
    for (path, text) in [
        ("a.scss", "@use 'theme' as *;\n$brand: blue;\n.a { b: $brand; c: t.$gap-s }"),
        ("a.scss", "@use 'theme';\n.a { b: $brand }"),
        ("a.less", "@import 'theme';\n@brand: blue;\n.a { b: @brand; .other(); }"),
    ] {
        let bench = testing::open::<Css>(path, text);
        let edits = Css::unlink(bench.document(), &[0]).expect("the module is not used").edits;
        assert!(!marquetry_sdk::span::apply(text, &edits).contains("theme'"), "{text}");
    }
}

/// Checks the time for unclosed nested brackets, each of which must be read only once.
#[test]
fn unclosed_nested_brackets_take_linear_time() {
    for (opening, kept) in [("(", 0), ("[", 0), ("f(", 0), ("url(", 0), ("image-set(", 0), ("image-set('a.png' ", 1)] {
        let text = format!("a {{ b: {}", opening.repeat(200_000));
        assert_eq!(found("a.css", &text).len(), kept, "{opening}");
    }
    assert_eq!(found("a.css", "a { b: f((image-set('a.png' 1x)), [url(b.png)]) image-set('c.png') }").len(), 3);
}

/// Moves a stylesheet and checks its links afterwards. Each link is `specifier > file before > file after`.
#[track_caller]
fn check_relinked(files: &[&str], from: &str, to: &str, statement: &str, link: &str, expected: &str) {
    with_files(files);
    let parts: Vec<&str> = link.split(" > ").collect();
    let text = format!("{statement} \"{}\";\n", parts[0]);
    let bench = testing::open::<Css>(from, &text);
    let moved = MovedLink { link: 0, from: parts[1].to_owned(), to: parts[2].to_owned() };
    let moves = FileMoves { path: to.to_owned(), relocations: Vec::new(), links: vec![moved] };
    let rewrite = Css::relink(bench.document(), &moves).expect("a rewrite");
    let mut after = text.clone();
    for edit in rewrite.edits.iter().rev() {
        after.replace_range(edit.span.range(), &edit.text);
    }
    assert_eq!(after, format!("{statement} \"{expected}\";\n"), "{from} to {to}");
}

#[test]
fn links_beside_a_moved_file_do_not_come_to_depend_on_load_paths() {
    let files = ["s/theme.scss", "s/m.scss", "s/_part.scss", "s/i/_index.scss", "s/theme.less", "lib/base.scss"];
    for (to, link, expected) in [
        ("s/o/m.scss", "theme > s/theme.scss > s/theme.scss", "../theme"),
        ("s/theme/m.scss", "theme > s/theme.scss > s/theme.scss", "../theme"),
        ("s/o/m.scss", "part > s/_part.scss > s/_part.scss", "../part"),
        ("s/o/m.scss", "i > s/i/_index.scss > s/i/_index.scss", "../i"),
        ("s/o/m.scss", "theme.scss > s/theme.scss > s/theme.scss", "../theme.scss"),
        ("m.scss", "theme > s/theme.scss > s/theme.scss", "s/theme"),
        ("s/n.scss", "theme > s/theme.scss > s/theme.scss", "theme"),
        // Both files move together.
        ("o/m.scss", "theme > s/theme.scss > o/theme.scss", "theme"),
        // Only the target moves, to a folder that is often a load path.
        ("s/m.scss", "theme > s/theme.scss > theme.scss", "../theme"),
        // It needs a load path before the move, too.
        ("s/o/m.scss", "lib/base > lib/base.scss > lib/base.scss", "lib/base"),
        ("s/o/m.scss", "./theme > s/theme.scss > s/theme.scss", "./theme"),
    ] {
        check_relinked(&files, "s/m.scss", to, "@use", link, expected);
    }
    check_relinked(&files, "s/m.less", "s/o/m.less", "@import", "theme > s/theme.less > s/theme.less", "../theme");
    check_relinked(&files, "s/m.css", "s/o/m.css", "@import", "theme.css > s/theme.css > s/theme.css", "theme.css");
}
