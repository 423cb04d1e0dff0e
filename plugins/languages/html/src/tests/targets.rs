//! Tests of targets: what they match, the addresses of elements, and the errors for targets that match nothing.

use marquetry_sdk::TargetKind::{Region, Selector};
use marquetry_sdk::{FailureKind, Form, TargetKind, testing};

use super::{PAGE, open};
use crate::Html;

#[track_caller]
fn finds(text: &str, selector: &str, expected: &[&str]) {
    assert_eq!(open(text).read(Selector, selector).expect("found"), expected, "{selector}");
}

#[track_caller]
fn fails(text: &str, kind: TargetKind, target: &str, failure: FailureKind, message: &str, candidates: &[&str]) {
    let found = open(text).nodes(kind, target).expect_err("not found");
    assert_eq!((found.kind, found.message.as_str()), (failure, message));
    assert_eq!(found.candidates, candidates);
    assert!(found.hint.is_some(), "the error has a hint");
}

#[test]
fn selectors_find_elements() {
    finds(PAGE, "nav .here a", &["<a href=\"about.html\" title='About \"us\"'>About</a>"]);
    finds(PAGE, "tbody td + td", &["<td>2</td>"]);
    finds(PAGE, "LI:NOT(.here) > a", &["<a href=\"/\">Home</a>"]);
    finds(PAGE, "p:has(> i) b, :contains(\"Tiles\"):not(:has(*))", &["<h1>Tiles</h1>", "<b>bold</b>"]);
    finds(PAGE, "option:checked", &["<option selected>b"]);
    finds(PAGE, ":disabled, input:required", &["<input name=\"name\" required>", "<button disabled>Send</button>"]);
    finds(PAGE, "svg :nth-child(odd of :not(use))", &["<circle r=\"1\"/>"]);
    finds("<p class=A>x</p>", ".a", &["<p class=A>x</p>"]);
    finds("<!DOCTYPE html><i class=A>x</i><i class=a>y</i>", ".a", &["<i class=a>y</i>"]);
    finds("<template><td>1</td></template>", "template > td", &["<td>1</td>"]);
    finds("<body><noscript><p>x</p></noscript>", "noscript p", &["<p>x</p>"]);
}

#[test]
fn targets_find_attributes() {
    finds(PAGE, "nav a@href", &["href=\"/\"", "href=\"about.html\""]);
    finds(PAGE, "button@disabled", &["disabled"]);
    finds("<p @click=go() :b='@' data-x=1>", "p@@click", &["@click=go()"]);
    finds("<p @click=go() b='@' data-x=1>", "[b=\"@\"]@data-x", &["data-x=1"]);
    finds("<a b = \"c\">", "@b", &["b = \"c\""]);
    let bench = open(PAGE);
    let node = &bench.nodes(Selector, ".here a@title").expect("found")[0];
    assert_eq!((node.kind.as_str(), node.name.as_str()), ("attribute", "title"));
    assert_eq!(node.address, "ul > li:nth-of-type(2) > a@title");
    assert_eq!(bench.show(node, Form::Body).expect("shown"), "About \"us\"");
    assert_eq!(bench.read(Selector, &node.address).expect("found").len(), 1);
}

#[test]
fn all_regions_support_edits() {
    testing::check_regions::<Html>("a.html", PAGE, "<i>x</i>");
}

#[test]
fn targets_find_regions() {
    let bench = open(PAGE);
    assert_eq!(bench.read(Region, "doctype").expect("found"), ["<!DOCTYPE html>"]);
    assert_eq!(bench.read(Region, "title").expect("found"), ["<title>Stones &amp; tiles</title>"]);
    assert_eq!(bench.read(Region, "scripts").expect("found").len(), 2);
    assert_eq!(bench.read(Region, "styles").expect("found").len(), 2);
    fails("<p>a", Region, "head", FailureKind::TargetNotFound, "the page has no region `head`", &[]);
    let regions = ["doctype", "head", "title", "styles", "scripts", "body"];
    fails("<p>a", Region, "imports", FailureKind::InvalidTarget, "no region `imports`", &regions);
}

#[test]
fn invalid_targets_are_explained() {
    let message = "`tbody` matches only an implied `<tbody>`, which has no tags in the file";
    fails("<table><tr><td>1</table>", Selector, "tbody", FailureKind::TargetNotFound, message, &["tr"]);
    fails(
        "<p class=card-title>",
        Selector,
        ".card-titel",
        FailureKind::TargetNotFound,
        "no element `.card-titel`",
        &[".card-title"],
    );
    let message = "no element that matches `a` has an attribute `hrf`";
    fails("<a href=x>", Selector, "a@hrf", FailureKind::TargetNotFound, message, &["a@href"]);
    let message = "not a selector: `p:frist-child`: unknown pseudo-class `:frist-child`";
    let failure = open("<p>").nodes(Selector, "p:frist-child").expect_err("invalid");
    assert_eq!((failure.kind, failure.message.as_str()), (FailureKind::InvalidTarget, message));
    assert_eq!(failure.candidates.first().map(String::as_str), Some("first-child"));
    for wrong in
        ["", "p >", "> p", "p,,b", "a[b=1]", ":not()", ":has(:has(a))", "p::befor", "x|y", "//p", ":nth-child(2n+-1)"]
    {
        let failure = open("<p>").nodes(Selector, wrong).expect_err("invalid");
        assert_eq!(failure.kind, FailureKind::InvalidTarget, "{wrong}: {failure:?}");
    }
    fails(
        "<p>",
        TargetKind::Heading,
        "A",
        FailureKind::Unsupported,
        "HTML files have no targets of the kind `heading`",
        &[],
    );
}

#[test]
fn addresses_are_shortest_unique_selectors() {
    let addresses = |text: &str| -> Vec<String> {
        open(text).nodes(Selector, "body *").expect("found").into_iter().map(|node| node.address).collect()
    };
    assert_eq!(
        addresses("<p id=a><p id=b><p id=b><p id='1 2'>"),
        ["#a", "body > p:nth-of-type(2)", "body > p:nth-of-type(3)", "#\\31 \\ 2"]
    );
    assert_eq!(addresses("<x:y><x:y>"), ["body > x\\:y", "body > x\\:y > x\\:y"]);
    assert_eq!(
        addresses("<svg><a></a><A></A></svg><a></a>"),
        ["svg", "svg > a:nth-of-type(1)", "svg > a:nth-of-type(2)", "body > a"]
    );
}

#[test]
fn xhtml_is_read_as_xml() {
    let page = testing::open::<Html>("page.xhtml", include_str!("page.xhtml"));
    assert_eq!(page.read(Selector, "P").expect("found"), ["<P/>"]);
    assert_eq!(page.read(Selector, "f|label").expect("found"), ["<f:label>A</f:label>"]);
    assert_eq!(page.read(Selector, "script + *").unwrap_or_default(), Vec::<String>::new());
    assert_eq!(page.read(Selector, ":lang(de) br").expect("found"), ["<br/>"]);
    assert_eq!(page.read(Selector, "p:contains('<b>')").expect("found").len(), 1);
    assert_eq!(page.diagnostics(), Vec::<String>::new());
}
