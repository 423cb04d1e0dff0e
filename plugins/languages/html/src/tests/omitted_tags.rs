//! Tests of edits beside elements whose end tags are omitted.

use marquetry_sdk::{
    Document, EditOptions, FailureKind, Operation, Severity,
    TargetKind::Selector,
    span::apply,
    testing::{after, before, check_edit, check_refusal, first, last, random_lines, replace, wrap},
};

use super::open;
use crate::Html;

#[track_caller]
fn check(text: &str, target: &str, operation: Operation, expected: &str) {
    check_edit::<Html>(("a.html", text), (Selector, target), operation, expected);
}

#[test]
fn omitted_end_tags_are_added_before_content() {
    let list = "<ul><li>a<li>b</ul>";
    check(list, "li:first-child", after("<script></script>"), "<ul><li>a</li><script></script><li>b</ul>");
    check(list, "li:last-child", before("<script></script>"), "<ul><li>a</li><script></script><li>b</ul>");
    check(list, "li:last-child", after("<script></script>"), "<ul><li>a<li>b</li><script></script></ul>");
    check(list, "li:first-child", after("<li>x"), "<ul><li>a<li>x<li>b</ul>");
    check(list, "ul", last("<template></template>"), "<ul><li>a<li>b</li><template></template></ul>");
    check("<div><p>a<p>b</div>", "p:first-child", after("<em>x</em>"), "<div><p>a</p><em>x</em><p>b</div>");
    check("<div><p>a<p>b</div>", "p:last-child", before("text"), "<div><p>a</p>text<p>b</div>");
    check("<div><p>a<p>b</div>", "p:last-child", replace("<b>x</b>"), "<div><p>a</p><b>x</b></div>");
    check("<div><p>a<hr>tail</div>", "hr", Operation::Delete, "<div><p>a</p>tail</div>");
    check("<div><p>a<div>b</div><i>c</i></div>", "div div", Operation::Delete, "<div><p>a</p><i>c</i></div>");
    check("<dl><dt>a<dd>b</dl>", "dd", after("<script></script>"), "<dl><dt>a<dd>b</dd><script></script></dl>");
    check(
        "<table><tr><td>a<td>b</table>",
        "td:first-child",
        after("<template></template>"),
        "<table><tr><td>a</td><template></template><td>b</table>",
    );
    check(
        "<ul>\n  <li>a\n  <li>b\n</ul>",
        "li:first-child",
        after("<template></template>"),
        "<ul>\n  <li>a</li>\n  <template></template>\n  <li>b\n</ul>",
    );
    check("<div><option>a<p>b", "option", after("<i>c</i>"), "<div><option>a<p>b</p></option><i>c</i>");
    check("<ul><li>a<li>b</ul>", "li:last-child", wrap("<div>", "</div>"), "<ul><li>a</li><div><li>b</li></div></ul>");
}

#[test]
fn content_that_moves_other_elements_is_refused() {
    for (text, target, operation) in [
        ("<div><b>a</b> <i>c</i></div>", "b", after("<em>x")),
        ("<div><b>a</b> tail</div>", "b", after("<em>x")),
        ("<table><tr><td>a</table>", "table", last("<div>x</div>")),
        ("<p>a <b>x</b> c</p>", "b", replace("<div>y</div>")),
        ("<p>a <b>x</b> c</p>", "b", after("<p>y</p>")),
        ("<ul><li>a</li></ul>", "li", after("</ul><b>")),
    ] {
        let failure = check_refusal::<Html>(("a.html", text), (Selector, target), operation);
        assert_eq!(failure.kind, FailureKind::InvalidArgument);
        assert!(failure.hint.is_some_and(|hint| hint.contains("force")));
    }
}

/// Parts of documents whose end tags are often omitted.
const PIECES: &[&str] = &[
    "<p id=§>a",
    "<p id=§>a</p>",
    "<div id=§>",
    "</div>",
    "<ul id=§>",
    "</ul>",
    "<li id=§>b",
    "<li id=§>b</li>",
    "<dl id=§><dt id=§>c<dd id=§>d",
    "</dl>",
    "<table id=§><tr id=§><td id=§>e",
    "<td id=§>f",
    "<tr id=§>",
    "</table>",
    "<select id=§><option id=§>g",
    "<option id=§>h",
    "</select>",
    "<b id=§>i</b>",
    "<hr id=§>",
    "<!-- note -->",
    "text",
    "\n",
    "\n  ",
];

/// Returns the id of each element with that of its parent.
fn parents(text: &str) -> Vec<(String, Option<String>)> {
    let page = open(text);
    let tree = &page.document().tree;
    let id = |element: u32| tree.attribute_value(element, "id").map(std::borrow::Cow::into_owned);
    let all = (0..tree.element_count()).filter_map(|element| {
        let parent = tree.self_and_ancestors(element).skip(1).find_map(id);
        Some((id(element)?, parent))
    });
    all.collect()
}

fn operations() -> Vec<Operation> {
    let contents = ["<b id=new>x</b>", "<p id=new>x", "<li id=new>x</li>", "<template id=new></template>"];
    let beside = contents.iter().flat_map(|content| [before(content), after(content)]);
    let inside = contents.iter().flat_map(|content| [first(content), last(content), replace(content)]);
    let wrappers = [wrap("<div id=new>", "</div>"), wrap("<section id=new>\n", "\n</section>")];
    beside.chain(inside).chain(wrappers).chain([Operation::Delete]).collect()
}

#[test]
fn elements_keep_their_parents() {
    let (mut edits, mut siblings, mut refused) = (0, 0, 0);
    for (number, draft) in random_lines(PIECES, 9, 1500).enumerate() {
        let mut ids = 0;
        let mut text = String::new();
        for part in draft.split_inclusive('§') {
            text.push_str(part.trim_end_matches('§'));
            if part.ends_with('§') {
                ids += 1;
                text += &format!("k{ids}");
            }
        }
        let page = open(&text);
        let old = parents(&text);
        let targets = page.document().outline();
        let Some(node) = targets.get(number % targets.len().max(1)).filter(|node| node.kind == "element") else {
            continue;
        };
        let Some(target) = old.iter().find(|(id, _)| text[node.span.range()].starts_with(&tag_start(&text, id))) else {
            continue;
        };
        let options = EditOptions { include_doc: false, force: false };
        let name = page.document().tree.name(node.id);
        let diagnostics = page.document().diagnostics();
        if name != "hr" && diagnostics.iter().all(|problem| problem.severity != Severity::Error) {
            // An element with its end tag is always allowed beside one with the same name.
            for operation in
                [before(&format!("<{name} id=new>x</{name}>")), after(&format!("<{name} id=new>x</{name}>"))]
            {
                let done = page.document().edit(&[node.id], &operation, options);
                assert!(done.is_ok(), "{operation:?} of `{}` in\n{text}\n{done:?}", node.address);
                siblings += 1;
            }
        }
        for operation in operations() {
            let Ok(done) = page.document().edit(&[node.id], &operation, options) else {
                refused += 1;
                continue;
            };
            let result = apply(&text, &done);
            let what = format!("{operation:?} of `{}` in\n{text}\ngives\n{result}", node.address);
            let (mut expected, mut new) = (old.clone(), parents(&result));
            let inserted = new.iter().position(|(id, _)| id == "new").map(|at| new.remove(at));
            let mut parent = target.1.clone();
            match operation {
                Operation::Delete | Operation::Replace(_) => {
                    expected.retain(|(id, _)| new.iter().any(|new| new.0 == *id))
                }
                Operation::InsertInto(_) => parent = Some(target.0.clone()),
                Operation::Wrap(_) => {
                    let own = expected.iter_mut().find(|(id, _)| *id == target.0).expect("the target");
                    own.1 = Some("new".to_owned());
                }
                _ => {}
            }
            assert_eq!(new, expected, "{what}");
            if let Some((_, found)) = inserted {
                assert_eq!(found, parent, "{what}");
            }
            edits += 1;
        }
    }
    println!("{edits} edits, {siblings} of siblings, {refused} refused");
    assert!(siblings > 200, "only {siblings} elements of the same name were inserted");
    assert!(edits > 20_000 && refused * 2 < edits, "{edits} edits, {refused} refused");
}

/// Returns the text of a start tag up to its id.
fn tag_start(text: &str, id: &str) -> String {
    let at = text.find(&format!("id={id}>")).expect("an id");
    let from = text[..at].rfind('<').expect("a tag");
    text[from..at + 3 + id.len() + 1].to_owned()
}

#[test]
fn several_targets_are_closed_each() {
    let list = "<ul><LI>a<LI>b<LI>c</ul>";
    check(list, "li", after("<script></script>"), {
        "<ul><LI>a</LI><script></script><LI>b</LI><script></script><LI>c</LI><script></script></ul>"
    });
    check(list, "li + li", before("<script></script>"), {
        "<ul><LI>a</LI><script></script><LI>b</LI><script></script><LI>c</ul>"
    });
    check(list, "li + li", Operation::Delete, "<ul><LI>a</ul>");
}

#[test]
fn force_skips_check() {
    let text = "<div><p>a<p>b</div>";
    let page = open(text);
    let node = page.nodes(Selector, "p:first-child").expect("found").remove(0);
    let options = EditOptions { include_doc: false, force: true };
    let edits = page.document().edit(&[node.id], &after("<em>x"), options).expect("edits");
    assert_eq!(apply(text, &edits), "<div><p>a<em>x<p>b</div>");
}
