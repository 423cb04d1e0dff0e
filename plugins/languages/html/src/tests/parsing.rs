//! Where elements are, and what is wrong with the markup.

use marquetry_sdk::TargetKind::Selector;
use marquetry_sdk::{Document, Severity, testing};

use super::open;
use crate::Html;

#[track_caller]
fn spans(text: &str, expected: &[&str]) {
    assert_eq!(open(text).read(Selector, "*").expect("found"), expected);
}

#[test]
fn an_element_ends_with_its_end_tag_or_its_content() {
    spans("<ul>\n  <li>a\n  <li>b\n</ul>\n", &["<ul>\n  <li>a\n  <li>b\n</ul>", "<li>a", "<li>b"]);
    spans("<p>a <b>x\n<p>b", &["<p>a <b>x", "<b>x", "<p>b"]);
    spans("<body>\n<p>a</p >\n</body>\n\n", &["<body>\n<p>a</p >\n</body>", "<p>a</p >"]);
    spans("<html><body><div>a</body></html>", &["<html><body><div>a</body></html>", "<body><div>a</body>", "<div>a"]);
    spans("<b>1<p>2</b>3</p>", &["<b>1<p>2</b>", "<p>2</b>3</p>"]);
    spans("<h1>a</h2><br/><p>", &["<h1>a</h2>", "<br/>", "<p>"]);
    spans(
        "<table><td>1<table></table></table>",
        &["<table><td>1<table></table></table>", "<td>1<table></table>", "<table></table>"],
    );
    spans(
        "<svg><g><path/></g></svg><select><option>a</select>",
        &["<svg><g><path/></g></svg>", "<g><path/></g>", "<path/>", "<select><option>a</select>", "<option>a"],
    );
}

#[test]
fn raw_text_holds_no_elements() {
    spans(
        "<script>'<b>'<!--<script></script>--></script><i>",
        &["<script>'<b>'<!--<script></script>--></script>", "<i>"],
    );
    spans("<title><b></title><textarea></p></textarea>", &["<title><b></title>", "<textarea></p></textarea>"]);
    spans("<style></styles></STYLE><i>", &["<style></styles></STYLE>", "<i>"]);
    spans(
        "<!--><i>--><!--a--!><b><![CDATA[<u>]]><?x <u>?>",
        &["<i>--><!--a--!><b><![CDATA[<u>]]><?x <u>?>", "<b><![CDATA[<u>]]><?x <u>?>"],
    );
}

#[test]
fn deep_nesting_is_no_trouble() {
    let deep = format!("{}x{}<p>y</p>", "<div>".repeat(3000), "</div>".repeat(3000));
    let bench = open(&deep);
    assert_eq!(bench.read(Selector, "p").expect("found"), ["<p>y</p>"]);
    assert_eq!(bench.nodes(Selector, "div").expect("found").len(), 3000);
    assert_eq!(bench.nodes(Selector, "body > p").expect("found").len(), 1);
    let whole = &bench.read(Selector, "body > div").expect("found")[0];
    assert_eq!(whole.len(), deep.len() - "<p>y</p>".len());
    let xml = testing::open::<Html>("a.xhtml", &format!("{}x{}", "<d>".repeat(3000), "</d>".repeat(3000)));
    assert_eq!(xml.nodes(Selector, "d").expect("found").len(), 3000);
}

#[track_caller]
fn errors(text: &str, expected: &[&str]) {
    let found = testing::open::<Html>("page.html", text);
    let errors: Vec<String> = found
        .document()
        .problems()
        .into_iter()
        .filter(|problem| problem.severity == Severity::Error)
        .map(|problem| format!("{}: {}", problem.span.of(text), problem.message))
        .collect();
    assert_eq!(errors, expected);
}

#[test]
fn tags_that_do_not_pair_are_errors() {
    errors("<ul><li>a<li>b</ul><p>c<table><tr><td>1</table>", &[]);
    errors("<div><span>a</div>", &["<span>: `<span>` is not closed"]);
    errors("<div>a</div></div>", &["</div>: the end tag `</div>` closes nothing"]);
    errors("<div><p>a</p>", &["<div>: `<div>` is not closed"]);
    errors("<a href=x href=y>a</a>", &["href: the attribute `href` is given twice: this one is ignored"]);
    errors("<p>a</p><p b", &["<p: this tag is not closed"]);
    errors("<p>a<!-- b", &["<!--: this comment is not closed"]);
    errors("<script>a", &["<script>: `<script>` is not closed"]);
    errors("<svg><g></svg>", &["<g>: `<g>` is not closed"]);
}

#[test]
fn other_faults_are_told_by_the_names_of_the_standard() {
    let text = "<p/>a < b &amp; <br//><a b=c\"></a></ x><i a='b'c></i x>";
    let codes: Vec<String> = open(text).document().problems().into_iter().filter_map(|problem| problem.code).collect();
    let expected = [
        "missing-doctype",
        "non-void-html-element-start-tag-with-trailing-solidus",
        "invalid-first-character-of-tag-name",
        "unexpected-solidus-in-tag",
        "unexpected-character-in-unquoted-attribute-value",
        "invalid-first-character-of-tag-name",
        "missing-whitespace-between-attributes",
        "end-tag-with-attributes",
    ];
    assert_eq!(codes, expected);
    assert_eq!(open("<!DOCTYPE html>\n<p>a\n").problems(), Vec::<String>::new());
}
