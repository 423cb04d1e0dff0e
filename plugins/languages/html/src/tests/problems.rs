//! Tests of parse errors.

use marquetry_sdk::{Document, Severity, testing};

use super::open;
use crate::Html;

#[track_caller]
fn errors(text: &str, expected: &[&str]) {
    let found = testing::open::<Html>("page.html", text);
    let errors: Vec<String> = found
        .document()
        .diagnostics()
        .into_iter()
        .filter(|problem| problem.severity == Severity::Error)
        .map(|problem| format!("{}: {}", problem.span.slice(text), problem.message))
        .collect();
    assert_eq!(errors, expected);
}

#[test]
fn unpaired_tags_are_errors() {
    errors("<ul><li>a<li>b</ul><p>c<table><tr><td>1</table>", &[]);
    errors("<div><span>a</div>", &["<span>: `<span>` is not closed"]);
    errors("<div>a</div></div>", &["</div>: the end tag `</div>` has no start tag"]);
    errors("<div><p>a</p>", &["<div>: `<div>` is not closed"]);
    errors("<a href=x href=y>a</a>", &["href: duplicate attribute `href`: this one is ignored"]);
    errors("<p>a</p><p b", &["<p: this tag is not closed"]);
    errors("<p>a<!-- b", &["<!--: this comment is not closed"]);
    errors("<script>a", &["<script>: `<script>` is not closed"]);
    errors("<svg><g></svg>", &["<g>: `<g>` is not closed"]);
}

#[test]
fn parse_errors_have_standard_codes() {
    let text = "<p/>a < b &amp; <br//><a b=c\"></a></ x><i a='b'c></i x>";
    let codes: Vec<String> =
        open(text).document().diagnostics().into_iter().filter_map(|problem| problem.code).collect();
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
    assert_eq!(open("<!DOCTYPE html>\n<p>a\n").diagnostics(), Vec::<String>::new());
}
