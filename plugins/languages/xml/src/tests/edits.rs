//! Tests of all operations in typical positions.

use marquetry_sdk::{
    FailureKind, Operation, TargetKind,
    TargetKind::Xpath,
    testing::{
        after, before, body, check_edit, check_insert_missing, check_missing_refusal, check_refusal, check_regions,
        first, last, open, replace, sorted, wrap,
    },
};

use crate::Xml;

#[track_caller]
fn check(text: &str, xpath: &str, operation: Operation, expected: &str) {
    check_edit::<Xml>(("a.xml", text), (Xpath, xpath), operation, expected);
}

#[track_caller]
fn refused(text: &str, xpath: &str, operation: Operation, kind: FailureKind) {
    let failure = check_refusal::<Xml>(("a.xml", text), (Xpath, xpath), operation);
    assert_eq!(failure.kind, kind, "{failure:?}");
}

const LIST: &str = "<list>\n  <item id=\"a\"/>\n  <item id=\"c\"/>\n</list>\n";

#[test]
fn replaces_elements() {
    check(LIST, "//item[1]", replace("<item id=\"z\"/>"), "<list>\n  <item id=\"z\"/>\n  <item id=\"c\"/>\n</list>\n");
    check(
        LIST,
        "//item[2]",
        replace("<b>\n  <c/>\n</b>"),
        "<list>\n  <item id=\"a\"/>\n  <b>\n    <c/>\n  </b>\n</list>\n",
    );
    check("<p>a <b>x</b> c</p>", "//b", replace("<i>\ny</i>"), "<p>a <i>\ny</i> c</p>");
    check(LIST, "//item", replace("<x/>"), "<list>\n  <x/>\n  <x/>\n</list>\n");
    check("<a/>", "/a", replace("<b/>\n"), "<b/>");
}

#[test]
fn replaces_bodies() {
    check("<a>old</a>", "/a", body("new"), "<a>new</a>");
    check("<a/>", "/a", body("new"), "<a>new</a>");
    check("<a b=\"c\" />", "/a", body("<d/>"), "<a b=\"c\">\n  <d/>\n</a>");
    check("<a>old</a>", "/a", body(""), "<a></a>");
    check(LIST, "/list", body("<x/>\n<y/>"), "<list>\n  <x/>\n  <y/>\n</list>\n");
    check("<a>\n    text\n</a>", "/a", body("other"), "<a>\n    other\n</a>");
    check("<a xml:space=\"preserve\">\n text\n</a>", "/a", body("x\n"), "<a xml:space=\"preserve\">x\n</a>");
    check("<r>\n\t<a></a>\n</r>", "//a", body("<b/>"), "<r>\n\t<a>\n\t\t<b/>\n\t</a>\n</r>");
    check("<r>\n  <v>x</v>\n</r>", "//v", body("line\nline"), "<r>\n  <v>line\nline</v>\n</r>");
}

#[test]
fn replaces_text_comments_and_instructions() {
    check("<a>one</a>", "/a/text()", replace("two"), "<a>two</a>");
    check("<a>\n  one\n</a>", "/a/text()", body("two"), "<a>\n  two\n</a>");
    check("<a><![CDATA[<x>]]></a>", "/a/text()", body("<y>"), "<a><![CDATA[<y>]]></a>");
    check("<a><!-- x --></a>", "//comment()", replace("<!-- y -->"), "<a><!-- y --></a>");
    check("<a><!-- x --></a>", "//comment()", body(" z "), "<a><!-- z --></a>");
    check("<?p a?><a/>", "/processing-instruction()", body("b"), "<?p b?><a/>");
}

#[test]
fn replaces_attributes() {
    let text = "<a b='1' c=\"2\"/>";
    check(text, "/a/@b", replace("b='3'"), "<a b='3' c=\"2\"/>");
    check(text, "/a/@b", replace("d=\"4\" e=\"5\""), "<a d=\"4\" e=\"5\" c=\"2\"/>");
    check(text, "/a/@b", replace("it's"), "<a b='it&apos;s' c=\"2\"/>");
    check(text, "/a/@c", replace("\"x\""), "<a b='1' c=\"x\"/>");
    check(text, "/a/@c", body("a \"b\""), "<a b='1' c=\"a &quot;b&quot;\"/>");
    check(text, "//@*", replace("0"), "<a b='0' c=\"0\"/>");
}

#[test]
fn inserts_beside_elements() {
    check(LIST, "//item[1]", before("<new/>"), "<list>\n  <new/>\n  <item id=\"a\"/>\n  <item id=\"c\"/>\n</list>\n");
    check(LIST, "//item[1]", after("<new/>"), "<list>\n  <item id=\"a\"/>\n  <new/>\n  <item id=\"c\"/>\n</list>\n");
    check(
        LIST,
        "//item[2]",
        after("<n>\n  <m/>\n</n>\n"),
        "<list>\n  <item id=\"a\"/>\n  <item id=\"c\"/>\n  <n>\n    <m/>\n  </n>\n</list>\n",
    );
    check("<a><b/><c/></a>", "//b", after("<n/>"), "<a><b/><n/><c/></a>");
    check("<a><b/> <c/></a>", "//c", after("<n/>"), "<a><b/> <c/> <n/></a>");
    check("<p>x <b/> y</p>", "//b", before("<n/>"), "<p>x <n/><b/> y</p>");
    check("<a>\n  <b/>\n\n  <c/>\n</a>", "//b", after("<n/>"), "<a>\n  <b/>\n\n  <n/>\n\n  <c/>\n</a>");
    check("<a>\r\n  <b/>\r\n</a>\r\n", "//b", after("<n/>"), "<a>\r\n  <b/>\n  <n/>\r\n</a>\r\n");
    check("<a>\n  <b/> <!-- why -->\n</a>", "//b", after("<n/>"), "<a>\n  <b/> <!-- why -->\n  <n/>\n</a>");
    check("<p>\n  text\n  <b/>\n</p>", "//b", before("<n/>"), "<p>\n  text\n  <n/>\n  <b/>\n</p>");
}

#[test]
fn inserts_above_the_comment_of_an_element() {
    let text = "<a>\n  <!-- about b -->\n  <b/>\n\n  <c/>\n</a>";
    check(text, "//b", before("<n/>"), "<a>\n  <n/>\n\n  <!-- about b -->\n  <b/>\n\n  <c/>\n</a>");
    check(text, "//b", Operation::Delete, "<a>\n  <c/>\n</a>");
    let group = "<a>\n  <!-- all of them -->\n  <b/>\n  <c/>\n</a>";
    check(group, "//b", Operation::Delete, "<a>\n  <!-- all of them -->\n  <c/>\n</a>");
    let markup = "<a>\n  <!-- <old/> -->\n  <b/>\n</a>";
    check(markup, "//b", Operation::Delete, "<a>\n  <!-- <old/> -->\n</a>");
}

#[test]
fn inserts_only_comments_and_instructions_beside_root() {
    check("<?xml version=\"1.0\"?>\n<a/>\n", "/a", before("<!-- c -->"), "<?xml version=\"1.0\"?>\n<!-- c -->\n<a/>\n");
    check("<a/>\n", "/a", after("<?p?>"), "<a/>\n<?p?>\n");
    refused("<a/>", "/a", after("<b/>"), FailureKind::Unsupported);
}

#[test]
fn inserts_into_elements() {
    check(LIST, "/list", first("<new/>"), "<list>\n  <new/>\n  <item id=\"a\"/>\n  <item id=\"c\"/>\n</list>\n");
    check(LIST, "/list", last("<new/>"), "<list>\n  <item id=\"a\"/>\n  <item id=\"c\"/>\n  <new/>\n</list>\n");
    check("<r>\n    <a/>\n</r>", "//a", last("<b/>"), "<r>\n    <a>\n        <b/>\n    </a>\n</r>");
    check("<r>\n    <a>\n    </a>\n</r>", "//a", last("<b/>"), "<r>\n    <a>\n        <b/>\n    </a>\n</r>");
    check("<r><a/></r>", "//a", last("<b/>"), "<r><a><b/></a></r>");
    check("<a/>", "/a", last("text"), "<a>text</a>");
    check("<a>text</a>", "/a", last("<b/>"), "<a>text<b/></a>");
    check("<a>\n  text\n</a>", "/a", last("<b/>"), "<a>\n  text\n  <b/>\n</a>");
    check("<a>\n  text\n</a>", "/a", first("<b/>"), "<a>\n  <b/>\n  text\n</a>");
    check("<a>\n  <!-- c -->\n</a>", "/a", last("<b/>"), "<a>\n  <!-- c -->\n  <b/>\n</a>");
}

#[test]
fn inserts_sorted() {
    check(
        LIST,
        "/list",
        sorted("<item id=\"b\"/>"),
        "<list>\n  <item id=\"a\"/>\n  <item id=\"b\"/>\n  <item id=\"c\"/>\n</list>\n",
    );
    check(
        LIST,
        "/list",
        sorted("<item id=\"d\"/>"),
        "<list>\n  <item id=\"a\"/>\n  <item id=\"c\"/>\n  <item id=\"d\"/>\n</list>\n",
    );
    let names = "<l>\n  <n>ann</n>\n  <n>eve</n>\n  <z/>\n</l>";
    check(names, "/l", sorted("<n>bob</n>"), "<l>\n  <n>ann</n>\n  <n>bob</n>\n  <n>eve</n>\n  <z/>\n</l>");
    check(names, "/l", sorted("<n>zoe</n>"), "<l>\n  <n>ann</n>\n  <n>eve</n>\n  <n>zoe</n>\n  <z/>\n</l>");
    check(names, "/l", sorted("<o/>"), "<l>\n  <n>ann</n>\n  <n>eve</n>\n  <o/>\n  <z/>\n</l>");
}

#[test]
fn inserts_attributes() {
    check("<a/>", "/a", last("b=\"1\""), "<a b=\"1\"/>");
    check("<a c='2'>x</a>", "/a", first("b=\"1\""), "<a b=\"1\" c='2'>x</a>");
    check("<a b='1' d='2'/>", "/a", sorted("c='3'"), "<a b='1' c='3' d='2'/>");
    check("<a xmlns=\"u\"/>", "/*", last("b=\"1\""), "<a xmlns=\"u\" b=\"1\"/>");
    check("<a\n  b='1'\n  c='2'/>", "/a", last("d='3'"), "<a\n  b='1'\n  c='2'\n  d='3'/>");
    check("<a b='1' c='2'/>", "/a/@c", before("x='0'"), "<a b='1' x='0' c='2'/>");
    check("<a b='1' c='2'/>", "/a/@c", after("x='0'"), "<a b='1' c='2' x='0'/>");
    refused("<a b='1'/>", "/a", last("b='2'"), FailureKind::InvalidArgument);
    refused("<a b='1'/>", "/a/@b", after("<x/>"), FailureKind::InvalidArgument);
}

#[test]
fn wraps() {
    let wrapped = "<list>\n  <g>\n    <item id=\"a\"/>\n  </g>\n  <item id=\"c\"/>\n</list>\n";
    check(LIST, "//item[1]", wrap("<g>", "</g>"), wrapped);
    check("<p>a <b/> c</p>", "//b", wrap("<i>", "</i>"), "<p>a <i><b/></i> c</p>");
    check("<a>text</a>", "/a/text()", wrap("<b>", "</b>"), "<a><b>text</b></a>");
    check(
        "<r>\n  <a>\n    <b/>\n  </a>\n</r>",
        "//a",
        wrap("<w x='1'>", "</w>"),
        "<r>\n  <w x='1'>\n    <a>\n      <b/>\n    </a>\n  </w>\n</r>",
    );
    check(
        LIST,
        "//item[1]",
        wrap("<!-- ", " -->"),
        "<list>\n  <!-- <item id=\"a\"/> -->\n  <item id=\"c\"/>\n</list>\n",
    );
}

#[test]
fn deletes() {
    check(LIST, "//item[1]", Operation::Delete, "<list>\n  <item id=\"c\"/>\n</list>\n");
    check(LIST, "//item", Operation::Delete, "<list>\n</list>\n");
    check("<a><b/><c/></a>", "//b", Operation::Delete, "<a><c/></a>");
    check("<a><b/> <c/></a>", "//b", Operation::Delete, "<a><c/></a>");
    check("<a><b/> <c/></a>", "//c", Operation::Delete, "<a><b/></a>");
    check("<p>a <b/> c</p>", "//b", Operation::Delete, "<p>a  c</p>");
    check("<p>\n  a\n  <b/>\n  c\n  <d/>\n</p>", "/p/*", Operation::Delete, "<p>\n  a\n  c\n</p>");
    check("<a>\r\n  <b/>\r\n  <c/>\r\n</a>", "//b", Operation::Delete, "<a>\r\n  <c/>\r\n</a>");
    check("<a b='1' c='2'/>", "//@b", Operation::Delete, "<a c='2'/>");
    check("<a\n  b='1'\n  c='2'/>", "//@c", Operation::Delete, "<a\n  b='1'/>");
    check("<a b='1' c='2'/>", "//@*", Operation::Delete, "<a/>");
    check("<a>x<!-- c -->y</a>", "//comment()", Operation::Delete, "<a>xy</a>");
    check("<a><b><b/></b></a>", "//b", Operation::Delete, "<a></a>");
    check("<a xml:space='preserve'>\n <b/>\n</a>", "//b", Operation::Delete, "<a xml:space='preserve'>\n \n</a>");
    refused("<a/>", "/a", Operation::Delete, FailureKind::Unsupported);
}

#[test]
fn edits_namespace_declarations() {
    let text = "<a xmlns:p=\"u\" b='1'><c/></a>";
    check(text, "/a/namespace::p", replace("v"), "<a xmlns:p=\"v\" b='1'><c/></a>");
    check(text, "/a/namespace::p", Operation::Delete, "<a b='1'><c/></a>");
    check(text, "/a/namespace::p", after("d='2'"), "<a xmlns:p=\"u\" d='2' b='1'><c/></a>");
    refused(text, "/a/c/namespace::p", replace("v"), FailureKind::Unsupported);
    refused(text, "/a/namespace::xml", replace("v"), FailureKind::Unsupported);
}

#[test]
fn refuses_nodes_from_dtd_and_entities() {
    let text = "<!DOCTYPE a [<!ENTITY e '<b/>'><!ATTLIST a d CDATA 'x'>]><a>&e;</a>";
    refused(text, "/a/b", replace("<c/>"), FailureKind::Unsupported);
    refused(text, "/a/@d", replace("y"), FailureKind::Unsupported);
    refused("<a><b><b/></b></a>", "//b", replace("<c/>"), FailureKind::InvalidTarget);
    refused("<a>x</a>", "//text()", last("y"), FailureKind::Unsupported);
    refused("<a b='c'/>", "//@b", wrap("x", "y"), FailureKind::Unsupported);
    refused("<a><b></a>", "//b", body("x"), FailureKind::Unsupported);
}

#[test]
fn every_region_works() {
    check_regions::<Xml>("a.xml", "<?xml version=\"1.0\"?>\n<!DOCTYPE a>\n<a>\n  <b/>\n</a>\n", "<!-- c -->");
}

#[test]
fn edits_regions() {
    let text = "<?xml version=\"1.0\"?>\n<!DOCTYPE a>\n<a/>\n";
    let region =
        |name: &str, operation| open::<Xml>("a.xml", text).edit(TargetKind::Region, name, operation).expect("edited");
    assert_eq!(region("doctype", Operation::Delete), "<?xml version=\"1.0\"?>\n<a/>\n");
    assert_eq!(
        region("declaration", replace("<?xml version=\"1.1\"?>")),
        "<?xml version=\"1.1\"?>\n<!DOCTYPE a>\n<a/>\n"
    );
    assert_eq!(region("doctype", after("<!-- c -->")), "<?xml version=\"1.0\"?>\n<!DOCTYPE a>\n<!-- c -->\n<a/>\n");
    assert_eq!(region("root", replace("<b/>")), "<?xml version=\"1.0\"?>\n<!DOCTYPE a>\n<b/>\n");
}

#[test]
fn content_gets_indentation_of_document() {
    check(
        LIST,
        "//item[2]",
        replace("<b>\n    <c>\n        <d/>\n    </c>\n</b>"),
        "<list>\n  <item id=\"a\"/>\n  <b>\n    <c>\n      <d/>\n    </c>\n  </b>\n</list>\n",
    );
    let tabs = "<r>\n\t<a/>\n</r>\n";
    check(
        tabs,
        "//a",
        after("<b>\n  <!-- c\n  d -->\n  <e/>\n</b>"),
        "<r>\n\t<a/>\n\t<b>\n\t\t<!-- c\n  d -->\n\t\t<e/>\n\t</b>\n</r>\n",
    );
    check(tabs, "/r", last("<b>\n  <e/>\n</b>"), "<r>\n\t<a/>\n\t<b>\n\t\t<e/>\n\t</b>\n</r>\n");
}

#[test]
fn upsert_creates_missing_nodes() {
    let make = |path: &str, text: &str, target: &str, content: &str, expected: &str| {
        check_insert_missing::<Xml>((path, text), (Xpath, target), content, expected)
    };
    make("a.xml", LIST, "//item[@id='a']/@name", "x \"y\"", &LIST.replace("\"a\"/", "\"a\" name=\"x &quot;y&quot;\"/"));
    make("a.xml", LIST, "/list/@k", "k='v'", &LIST.replace("<list>", "<list k='v'>"));
    make("a.xml", LIST, "/list/item[@id='b']", "x", &LIST.replace("</list>", "  <item id='b'>x</item>\n</list>"));
    make("a.xml", LIST, "/list/item[@id='b']/@k", "v", &LIST.replace("</list>", "  <item id='b' k=\"v\"/>\n</list>"));
    make("a.xml", LIST, "/list/name", "<name a=\"b\"/>", &LIST.replace("</list>", "  <name a=\"b\"/>\n</list>"));
    let project = "<Project xmlns=\"http://x\">\n    <ItemGroup/>\n</Project>\n";
    let made = project.replace(
        "</Project>",
        "    <PropertyGroup>\n        <Nullable>enable</Nullable>\n    </PropertyGroup>\n</Project>",
    );
    make("a.csproj", project, "/Project/PropertyGroup/Nullable", "enable", &made);
    make("a.csproj", project, "PropertyGroup/_:Nullable", "enable", &made);
    make("a.xml", project, "/_:Project/_:PropertyGroup/_:Nullable", "enable", &made);
    let refused = |text: &str, target: &str, content: &str| {
        check_missing_refusal::<Xml>(("a.xml", text), (Xpath, target), content).kind
    };
    assert_eq!(refused(LIST, "//item/@name", "x"), FailureKind::InvalidTarget);
    assert_eq!(refused(LIST, "//item[1]/@id", "x"), FailureKind::InvalidArgument);
    for target in ["//zzz", "/zzz", "/list/item[3]", "//item[1]/text()", "/list/*[@k]", "/list/zzz | /list/yyy"] {
        assert_eq!(refused(LIST, target, "x"), FailureKind::InvalidTarget, "{target}");
    }
    // Without a prefix, the name has no namespace, but the new element would be in the default
    // namespace.
    assert_eq!(refused(project, "/_:Project/zzz", "x"), FailureKind::InvalidTarget);
}
