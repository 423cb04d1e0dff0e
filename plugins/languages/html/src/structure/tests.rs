//! Tests of structural search.

use marquetry_sdk::{Context, LanguagePack, Search};

use crate::Html;

/// Checks the texts that a pattern finds in a file, each with the values of its metavariables.
#[track_caller]
fn check_in(path: &str, pattern: &str, text: &str, expected: &[&str]) {
    if let Err(failure) = Html::read_pattern(&Context::for_path(path), pattern) {
        panic!("`{pattern}`: {failure:?}");
    }
    let document = Html::open(path, text.to_owned(), "");
    let found = Html::matches(&document, pattern, 100).expect("within the step limit");
    let of = |span: marquetry_sdk::Span| span.slice(text).split_whitespace().collect::<Vec<_>>().join(" ");
    let shown = found.matches.iter().map(|found| {
        let captures = found.captures.iter().map(|capture| format!(" {}={}", capture.name, of(capture.span)));
        let unsaid = found.unmatched.iter().map(|part| format!(" -{}", of(*part)));
        format!("{}{}{}", of(found.span), captures.collect::<String>(), unsaid.collect::<String>())
    });
    assert_eq!(shown.collect::<Vec<_>>(), expected, "`{pattern}` in `{text}`");
}

#[track_caller]
fn check(pattern: &str, text: &str, expected: &[&str]) {
    check_in("a.html", pattern, text, expected);
}

#[track_caller]
fn wrong(pattern: &str, expected: &str) {
    let failure = Html::read_pattern(&Context::for_path("a.html"), pattern).expect_err("invalid pattern");
    assert!(failure.message.contains(expected), "{}", failure.message);
}

#[test]
fn attributes_match_in_any_order() {
    let text = "<a href='/x' class=big>X</a><a class=\"big\" href=\"/y\" id=y>Y</a><a>Z</a>";
    check("<a href=\"$URL\" class=\"big\">$T</a>", text, &["<a href='/x' class=big>X</a> URL=/x T=X"]);
    check(
        "<a class='$C' $$$ href=$URL>$$$T</a>",
        text,
        &[
            "<a href='/x' class=big>X</a> C=big URL='/x' T=X",
            "<a class=\"big\" href=\"/y\" id=y>Y</a> C=big URL=\"/y\" T=Y",
        ],
    );
    check("<a $$$ID>Z</a>", text, &["<a>Z</a> ID="]);
    check(
        "<a $$$BEFORE id=y>Y</a>",
        text,
        &["<a class=\"big\" href=\"/y\" id=y>Y</a> BEFORE=class=\"big\" href=\"/y\""],
    );
    check("<a>$T</a>", text, &["<a>Z</a> T=Z"]);
    check("<a $N=\"/x\" $$$>$$$</a>", text, &["<a href='/x' class=big>X</a> N=href"]);
}

#[test]
fn patterns_match_elements_and_content() {
    let text = "<ul>\n  <li><b>One</b> two</li>\n  <li>Three\n</ul><p>Hello\n  World</p>";
    check("<li>$T</li>", text, &["<li>Three T=Three"]);
    check("<li>$$$T</li>", text, &["<li><b>One</b> two</li> T=<b>One</b> two", "<li>Three T=Three"]);
    check("<li>$A $B</li>", text, &["<li><b>One</b> two</li> A=<b>One</b> B=two"]);
    check("<ul>$$$<li>$T</li></ul>", text, &["<ul> <li><b>One</b> two</li> <li>Three </ul> T=Three"]);
    check("<p>Hello World</p>", text, &["<p>Hello World</p>"]);
    check("<p>Hello $NAME</p>", text, &["<p>Hello World</p> NAME=World"]);
    check("<$TAG>Hello World</$TAG>", text, &["<p>Hello World</p> TAG=p"]);
    check("<P>$$$</P>", text, &["<p>Hello World</p>"]);
}

#[test]
fn patterns_match_void_and_empty_elements() {
    let text = "<img src=a.png alt=\"\"><img src=\"b.png\" /><br><div></div><div> </div><input disabled>";
    check("<img src=\"$S\">", text, &["<img src=\"b.png\" /> S=b.png"]);
    check("<img src=\"$S.png\" $$$ />", text, &["<img src=a.png alt=\"\"> S=a", "<img src=\"b.png\" /> S=b"]);
    check("<div></div>", text, &["<div></div>", "<div> </div>"]);
    check("<div />", text, &["<div></div>", "<div> </div>"]);
    check("<input disabled>", text, &["<input disabled>"]);
    check("<input disabled=\"$V\">", text, &["<input disabled> V="]);
}

#[test]
fn metavariables_match_parts_of_names_and_values() {
    let text = "<button class=\"btn btn-big\" data-id=1></button><x-icon name=home></x-icon>";
    check(
        "<button class=\"btn btn-$KIND\" $$$>$$$</button>",
        text,
        &["<button class=\"btn btn-big\" data-id=1></button> KIND=big"],
    );
    check(
        "<button data-$NAME=$V $$$></button>",
        text,
        &["<button class=\"btn btn-big\" data-id=1></button> NAME=id V=1"],
    );
    check("<x-$NAME $$$>$$$</x-$NAME>", text, &["<x-icon name=home></x-icon> NAME=icon"]);
}

#[test]
fn patterns_match_single_attribute() {
    check(
        "onclick=$CODE",
        "<a onclick=\"f()\"></a><b onclick=g()></b>",
        &["onclick=\"f()\" CODE=\"f()\"", "onclick=g() CODE=g()"],
    );
    check("class=\"$C\"", "<a class='x y'>class=\"z\"</a>", &["class='x y' C=x y"]);
    check(
        "aria-$N=\"true\"",
        "<a aria-hidden=true aria-label=true></a>",
        &["aria-hidden=true N=hidden", "aria-label=true N=label"],
    );
}

#[test]
fn patterns_match_consecutive_elements() {
    let text = "<dl><dt>a</dt><!-- why --><dd>1</dd><dt>b</dt><dt>c</dt><dd>2</dd></dl>";
    check(
        "<dt>$K</dt><dd>$V</dd>",
        text,
        &["<dt>a</dt><!-- why --><dd>1</dd> K=a V=1 -<!-- why -->", "<dt>c</dt><dd>2</dd> K=c V=2"],
    );
    check("<i>$A</i> $_ <i>$A</i>", "<p><i>x</i>, <i>x</i> <i>y</i></p>", &["<i>x</i>, <i>x</i> A=x"]);
}

#[test]
fn repeated_metavariable_must_match_same_text() {
    check("<a href=\"#$ID\">$_</a>", "<a href=\"#x\">X</a>", &["<a href=\"#x\">X</a> ID=x"]);
    check(
        "<label for=\"$I\">$_</label><input id=$I>",
        "<label for=\"a\">A</label><input id=a><label for=b>B</label><input id=c>",
        &["<label for=\"a\">A</label><input id=a> I=a"],
    );
    check("<b>$A</b><b>$A</b>", "<b>x  y</b><b>x y</b>", &["<b>x y</b><b>x y</b> A=x y"]);
}

#[test]
fn matching_ignores_comments() {
    check("<p>$T</p>", "<p><!-- c -->x</p><!-- <p>y</p> -->", &["<p><!-- c -->x</p> T=x -<!-- c -->"]);
    check("<p>$$$T</p>", "<p><!-- c -->x</p>", &["<p><!-- c -->x</p> T=<!-- c -->x"]);
}

#[test]
fn patterns_match_scripts_tables_and_whole_pages() {
    let text = "<!DOCTYPE html><html><head><title>A B</title></head><body><table><tr><td>1</table>\
                <script src=a.js></script><script>if (a < b) c()</script></body></html>";
    check("<title>$T</title>", text, &["<title>A B</title> T=A B"]);
    check("<script src=\"$S\"></script>", text, &["<script src=a.js></script> S=a.js"]);
    check("<script>$CODE</script>", text, &["<script>if (a < b) c()</script> CODE=if (a < b) c()"]);
    check("<tr><td>$N</td></tr>", text, &["<tr><td>1 N=1"]);
    check(
        "<html><head>$$$H</head><body>$$$B</body></html>",
        text,
        &[&format!(
            "{} H=<title>A B</title> B={}",
            &text[15..],
            &text[text.find("<table>").expect("there")..text.find("</body>").expect("there")]
        )],
    );
}

#[test]
fn matching_is_case_sensitive_in_xhtml() {
    let text = "<html xmlns=\"http://www.w3.org/1999/xhtml\"><body><p Class=\"x\"/><P class=\"x\"/></body></html>";
    check_in("a.xhtml", "<p $$$ />", text, &["<p Class=\"x\"/>"]);
    check_in("a.html", "<p $$$ />", "<p Class=x></p><P class=x></P>", &["<p Class=x></p>", "<P class=x></P>"]);
}

#[test]
fn invalid_patterns_are_refused() {
    wrong("", "empty");
    wrong("$A", "only metavariables");
    wrong("$A = $B", "only metavariables");
    wrong("<div>", "`<div>` is not closed");
    wrong("<div></p>", "expected `</div>`");
    wrong("</div>", "has no start tag");
    wrong("some text", "neither an element nor one attribute");
    wrong("foo($A)", "neither an element nor one attribute");
    wrong("const $A = $B", "neither an element nor one attribute");
    wrong("<!-- x -->", "comment");
    wrong("<a href=\"", "cannot be read");
    wrong("<b>x</b> text", "cannot be matched");
}

#[test]
fn pattern_words_occur_in_every_match() {
    let words = |pattern: &str| Html::read_pattern(&Context::for_path("a.html"), pattern).expect("a pattern").words;
    assert_eq!(words("<a class=\"btn btn-$K\" href=\"/docs/$X\">Hello there$Y</a>"), ["Hello", "docs", "btn"]);
    assert!(words("<IMG src=$X>").is_empty(), "names are case-insensitive");
}

/// Uses the text of each element as a pattern, which must find the element.
#[test]
fn element_is_found_by_its_own_text() {
    let text = include_str!("../../../../../examples/shop/page.html");
    let document = Html::open("a.html", text.to_owned(), "");
    let mut looked = 0;
    for id in 0..document.tree.element_count() {
        let span = document.tree.element(id).span();
        let own = span.slice(text);
        if document.tree.element(id).implied
            || own.contains("<!--")
            || Html::read_pattern(&Context::for_path("a.html"), own).is_err()
        {
            continue;
        }
        looked += 1;
        let found = Html::matches(&document, own, 1000).expect("within the step limit").matches;
        assert!(found.iter().any(|found| found.span == span), "`{own}` is not found: {found:?}");
    }
    assert!(looked > 8, "{looked} patterns");
}
