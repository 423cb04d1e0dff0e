//! Tests of the outline: elements, their spans, and embedded languages.

use marquetry_sdk::TargetKind::Selector;
use marquetry_sdk::testing;

use super::open;
use crate::Html;

#[track_caller]
fn spans(text: &str, expected: &[&str]) {
    assert_eq!(open(text).read(Selector, "*").expect("found"), expected);
}

#[test]
fn element_span_ends_at_end_tag_or_content() {
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
fn raw_text_contains_no_elements() {
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
fn deep_nesting_is_supported() {
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

#[test]
fn outline_lists_elements() {
    let text = "<!DOCTYPE html>\n<main id=m>\n<p>a<p class='x y'>b <i>c</i>\n<h2>d</h2>\n</main><p>e\n";
    let outline = "\
element main#m @#m
  element p @#m > p:nth-of-type(1)
  element p.x.y @#m > p:nth-of-type(2)
    element i @i
  element h2 @h2
element p @body > p
";
    assert_eq!(open(text).outline(), outline);
    let bench = open(text);
    let levels: Vec<_> = bench.nodes(Selector, "h2, i").expect("found").iter().map(|node| node.level).collect();
    assert_eq!(levels, [None, Some(2)]);
}

#[test]
fn outline_lists_misnested_elements_in_source_order() {
    // The paragraph starts in the `b` and ends after it. In the second case, the parser moves the `i` before the table,
    // but the outline shows it inside the table, as in the text.
    assert_eq!(open("<b>1<p>2</b>3</p>").outline(), "element b @body > b\nelement p @p\n");
    assert_eq!(
        open("<table><i>x</i><tr><td>1</table>").outline(),
        "element table @table\n  element i @i\n  element tr @tr\n    element td @td\n"
    );
}

#[test]
fn embedded_lists_scripts_and_styles() {
    use marquetry_sdk::Document;
    let text = "<style>a{}</style><script>b()</script><script type=application/ld+json>{}</script><script type=text/x-tmpl><b></script><script src=x></script><script lang=ts type=module>c</script>";
    let bench = open(text);
    let parts: Vec<(String, &str)> =
        bench.document().embedded().iter().map(|part| (part.language.clone(), part.span.slice(text))).collect();
    let expected = [("css", "a{}"), ("js", "b()"), ("json", "{}"), ("ts", "c")];
    assert_eq!(parts, expected.map(|(language, text)| (language.to_owned(), text)));
}
