//! Targets: what they find, what they are called, and what is said when they find nothing.

use marquetry_sdk::TargetKind::{Region, Selector};
use marquetry_sdk::{FailureKind, Form, TargetKind, testing};

use super::open;
use crate::Html;

const PAGE: &str = include_str!("page.html");

#[track_caller]
fn finds(text: &str, selector: &str, expected: &[&str]) {
    assert_eq!(open(text).read(Selector, selector).expect("found"), expected, "{selector}");
}

#[track_caller]
fn fails(text: &str, kind: TargetKind, target: &str, failure: FailureKind, message: &str, candidates: &[&str]) {
    let found = open(text).nodes(kind, target).expect_err("nothing is found");
    assert_eq!((found.kind, found.message.as_str()), (failure, message));
    assert_eq!(found.candidates, candidates);
    assert!(found.hint.is_some(), "a failure says what to do");
}

#[test]
fn finds_elements_by_selectors() {
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
fn finds_attributes() {
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
fn every_region_works() {
    testing::check_regions::<Html>("a.html", PAGE, "<i>x</i>");
}

#[test]
fn finds_regions() {
    let bench = open(PAGE);
    assert_eq!(bench.read(Region, "doctype").expect("found"), ["<!DOCTYPE html>"]);
    assert_eq!(bench.read(Region, "title").expect("found"), ["<title>Stones &amp; tiles</title>"]);
    assert_eq!(bench.read(Region, "scripts").expect("found").len(), 2);
    assert_eq!(bench.read(Region, "styles").expect("found").len(), 2);
    fails("<p>a", Region, "head", FailureKind::TargetNotFound, "nothing is written that is the region `head`", &[]);
    let regions = ["doctype", "head", "title", "styles", "scripts", "body"];
    fails("<p>a", Region, "imports", FailureKind::InvalidTarget, "no region `imports`", &regions);
}

#[test]
fn says_what_is_wrong_with_a_target() {
    let message = "`tbody` finds only a `<tbody>` that is not written: the parser makes it";
    fails("<table><tr><td>1</table>", Selector, "tbody", FailureKind::TargetNotFound, message, &["tr"]);
    fails(
        "<p class=card-title>",
        Selector,
        ".card-titel",
        FailureKind::TargetNotFound,
        "no element `.card-titel`",
        &[".card-title"],
    );
    let message = "no element that `a` finds has an attribute `hrf`";
    fails("<a href=x>", Selector, "a@hrf", FailureKind::TargetNotFound, message, &["a@href"]);
    let message = "not a selector: `p:frist-child`: there is no pseudo-class `:frist-child`";
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
        "HTML has no targets of the kind TargetKind::Heading",
        &[],
    );
}

#[test]
fn lists_what_is_there() {
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
fn misnested_elements_are_listed_where_they_are_written() {
    // The paragraph crosses the end of the `b`; the text in front of the table stands in it.
    assert_eq!(open("<b>1<p>2</b>3</p>").outline(), "element b @body > b\nelement p @p\n");
    assert_eq!(
        open("<table><i>x</i><tr><td>1</table>").outline(),
        "element table @table\n  element i @i\n  element tr @tr\n    element td @td\n"
    );
}

#[test]
fn addresses_are_the_shortest_that_are_clear() {
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
    assert_eq!(page.problems(), Vec::<String>::new());
}

#[test]
fn shows_parts() {
    let bench = open(PAGE);
    let show = |selector: &str, form: Form| {
        let nodes = bench.nodes(Selector, selector).expect("found");
        bench.show(&nodes[0], form).expect("shown")
    };
    assert_eq!(show("nav", Form::Signature), "<nav id=\"top\">");
    assert_eq!(show("style", Form::Body), "body { margin: 0 }");
    assert_eq!(show("pre", Form::Body), "\n  keep\n    this\n");
    let summary = "\
nav#top
  ul
    li
      a \"Home\"
    li.here
      a \"About\"";
    assert_eq!(show("nav", Form::Summary), summary);
    let list = open("<ul><li>1<li>2<li>3<li>4<li>5</ul>");
    let nodes = list.nodes(Selector, "ul").expect("found");
    let summary = "ul\n  li \"1\"\n  li \"2\"\n  li \"3\"\n  … 2 more li";
    assert_eq!(list.show(&nodes[0], Form::Summary).expect("shown"), summary);
    let br = open("<br>");
    let nodes = br.nodes(Selector, "br").expect("found");
    assert_eq!(br.show(&nodes[0], Form::Body).expect_err("no content").kind, FailureKind::Unsupported);
}

#[test]
fn scripts_and_styles_are_of_other_languages() {
    use marquetry_sdk::Document;
    let text = "<style>a{}</style><script>b()</script><script type=application/ld+json>{}</script><script type=text/x-tmpl><b></script><script src=x></script><script lang=ts type=module>c</script>";
    let bench = open(text);
    let parts: Vec<(String, &str)> =
        bench.document().embedded().iter().map(|part| (part.language.clone(), part.span.of(text))).collect();
    let expected = [("css", "a{}"), ("js", "b()"), ("json", "{}"), ("ts", "c")];
    assert_eq!(parts, expected.map(|(language, text)| (language.to_owned(), text)));
}
