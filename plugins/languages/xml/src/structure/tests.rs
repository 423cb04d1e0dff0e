//! Tests of structural search.

use marquetry_sdk::{Context, LanguagePack, Search};

use crate::Xml;

/// Checks the texts that a pattern matches in a file, each with the values of the metavariables.
#[track_caller]
fn check(pattern: &str, text: &str, expected: &[&str]) {
    if let Err(failure) = Xml::read_pattern(&Context::for_path("a.xml"), pattern) {
        panic!("`{pattern}`: {failure:?}");
    }
    let document = Xml::open("a.xml", text.to_owned(), "");
    let found = Xml::matches(&document, pattern, 100).expect("few steps");
    let of = |span: marquetry_sdk::Span| span.slice(text).split_whitespace().collect::<Vec<_>>().join(" ");
    let shown = found.matches.iter().map(|found| {
        let captures = found.captures.iter().map(|capture| format!(" {}={}", capture.name, of(capture.span)));
        let unsaid = found.unmatched.iter().map(|part| format!(" -{}", of(*part)));
        format!("{}{}{}", of(found.span), captures.collect::<String>(), unsaid.collect::<String>())
    });
    assert_eq!(shown.collect::<Vec<_>>(), expected, "`{pattern}` in `{text}`");
}

#[track_caller]
fn wrong(pattern: &str, expected: &str) {
    let failure = Xml::read_pattern(&Context::for_path("a.xml"), pattern).expect_err("no pattern");
    assert!(failure.message.contains(expected), "{}", failure.message);
    assert!(!failure.candidates.is_empty() || expected == "only metavariables", "the failure lists no examples");
}

#[test]
fn pattern_attributes_match_in_any_order() {
    let text = "<p><r Include=\"A\" Version='1'/><r Version=\"2\" Include=\"B\" x=\"\"/><r/></p>";
    check("<r Include=\"$N\" Version=\"$V\" />", text, &["<r Include=\"A\" Version='1'/> N=A V=1"]);
    check(
        "<r Version=$V $$$ />",
        text,
        &["<r Include=\"A\" Version='1'/> V='1'", "<r Version=\"2\" Include=\"B\" x=\"\"/> V=\"2\""],
    );
    check("<r />", text, &["<r/>"]);
    check("<$T $N=\"B\" $$$/>", text, &["<r Version=\"2\" Include=\"B\" x=\"\"/> T=r N=Include"]);
    check(
        "<r $$$ALL />",
        text,
        &[
            "<r Include=\"A\" Version='1'/> ALL=Include=\"A\" Version='1'",
            "<r Version=\"2\" Include=\"B\" x=\"\"/> ALL=Version=\"2\" Include=\"B\" x=\"\"",
            "<r/> ALL=",
        ],
    );
}

#[test]
fn patterns_match_elements_and_content() {
    let text = "<deps>\n  <dep><group>a</group><name>x</name><!-- c --></dep>\n  <dep><name>y</name></dep>\n</deps>";
    check(
        "<dep>$$$ <name>$N</name> $$$</dep>",
        text,
        &["<dep><group>a</group><name>x</name><!-- c --></dep> N=x", "<dep><name>y</name></dep> N=y"],
    );
    check("<dep><name>$N</name></dep>", text, &["<dep><name>y</name></dep> N=y"]);
    check("<group>$G</group><name>$N</name>", text, &["<group>a</group><name>x</name> G=a N=x"]);
    check("<$T>y</$T>", text, &["<name>y</name> T=name"]);
    check(
        "<deps>$$$ALL</deps>",
        text,
        &["<deps> <dep><group>a</group><name>x</name><!-- c --></dep> <dep><name>y</name></dep> </deps> \
         ALL=<dep><group>a</group><name>x</name><!-- c --></dep> <dep><name>y</name></dep>"],
    );
    check("<a>the $X end</a>", "<a>the  very\nend</a><a>the end</a>", &["<a>the very end</a> X=very"]);
    check("<a>$X</a>", "<a><![CDATA[<b>]]></a>", &["<a><![CDATA[<b>]]></a> X=<![CDATA[<b>]]>"]);
}

#[test]
fn pattern_needs_no_namespace_declarations() {
    let text = "<s:a xmlns:s=\"urn:x\" s:k=\"1\"><s:b/></s:a>";
    check("<s:b />", text, &["<s:b/>"]);
    check("<s:a s:k=\"$K\">$$$B</s:a>", text, &[&format!("{text} K=1 B=<s:b/> -xmlns:s=\"urn:x\"")]);
    check("s:k=$V", text, &["s:k=\"1\" V=\"1\""]);
}

#[test]
fn comments_are_ignored_in_matching_and_kept() {
    check("<a><b/></a>", "<a><!-- why --><b/></a>", &["<a><!-- why --><b/></a> -<!-- why -->"]);
    check("<a>$$$B</a>", "<a><!-- why --><b/></a>", &["<a><!-- why --><b/></a> B=<!-- why --><b/>"]);
}

#[test]
fn invalid_pattern_error_has_examples() {
    wrong("", "empty");
    wrong("$A", "only metavariables");
    wrong("$A = $B", "only metavariables");
    wrong("<a>", "cannot be read");
    wrong("some text", "neither an element nor one attribute");
    wrong("foo($A)", "neither an element nor one attribute");
    wrong("const $A = $B", "neither an element nor one attribute");
    wrong("<b/> text", "text between elements");
}

#[test]
fn search_stops_at_maximum_depth() {
    let text = format!("{}<b/>{}", "<a>".repeat(2000), "</a>".repeat(2000));
    let document = Xml::open("a.xml", text, "");
    let found = Xml::matches(&document, "<a>$X</a>", 10).expect("few steps");
    assert!(found.total > 100, "{}", found.total);
}

/// The source of an element, used as a pattern, finds the element.
#[test]
fn element_source_matches_as_pattern() {
    let text = include_str!("../../../../../examples/shop/shop.csproj");
    let document = Xml::open("a.csproj", text.to_owned(), "");
    let mut looked = 0;
    for id in 1..document.tree.len() {
        let span = document.tree.span(id);
        if document.tree.kind(id) != crate::tree::Kind::Element {
            continue;
        }
        looked += 1;
        let found = Xml::matches(&document, span.slice(text), 1000).expect("few steps").matches;
        assert!(found.iter().any(|found| found.span == span), "`{}` is not found: {found:?}", span.slice(text));
    }
    assert!(looked > 3, "{looked} patterns");
}
