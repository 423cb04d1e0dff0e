//! Tests of all operations in typical positions.

use marquetry_sdk::TargetKind::{Region, Selector};
use marquetry_sdk::testing::{
    after, before, body, check_edit, check_insert_missing, check_missing_refusal, check_refusal, first, last, replace,
    sorted, wrap,
};
use marquetry_sdk::{FailureKind, Operation};

use super::open;
use crate::Html;

#[track_caller]
fn check(text: &str, target: &str, operation: Operation, expected: &str) {
    check_edit::<Html>(("a.html", text), (Selector, target), operation, expected);
}

#[track_caller]
fn refused(text: &str, target: &str, operation: Operation, kind: FailureKind, message: &str) {
    let failure = check_refusal::<Html>(("a.html", text), (Selector, target), operation);
    assert_eq!((failure.kind, failure.message.as_str()), (kind, message));
}

const LIST: &str = "<div>\n  <ul>\n    <li>a</li>\n    <li>c</li>\n  </ul>\n</div>\n";

#[test]
fn replace_keeps_indentation_of_element() {
    check(LIST, "ul", replace("<ol>\n  <li>x</li>\n</ol>"), "<div>\n  <ol>\n    <li>x</li>\n  </ol>\n</div>\n");
    check("<p>a <b>x</b> c</p>", "b", replace("<i> y </i>"), "<p>a <i> y </i> c</p>");
    check("<p>\n  a <b>x</b>\n</p>", "b", replace("<i>\n  y\n</i>\n"), "<p>\n  a <i>\n    y\n  </i>\n</p>");
    check("<ul>\n  <li>a\n  <li>b\n</ul>", "li:first-child", replace("<li>x"), "<ul>\n  <li>x\n  <li>b\n</ul>");
}

#[test]
fn replace_keeps_preformatted_lines() {
    let text = "<body>\n  <p>a</p>\n</body>";
    check(
        text,
        "p",
        replace("<div>\n  <pre>\n x\n</pre>\n</div>"),
        "<body>\n  <div>\n    <pre>\n x\n</pre>\n  </div>\n</body>",
    );
    check(
        text,
        "p",
        replace("<a title=\"x\n y\">\n  b\n</a>"),
        "<body>\n  <a title=\"x\n y\">\n    b\n  </a>\n</body>",
    );
    check(
        text,
        "p",
        replace("<textarea>\nx\n</textarea>\n<b></b>"),
        "<body>\n  <textarea>\nx\n</textarea>\n  <b></b>\n</body>",
    );
    let script = "<script>\n  a();\n</script>";
    check(text, "p", replace(script), "<body>\n  <script>\n    a();\n  </script>\n</body>");
    let template = "<script>\n  a(`\n`);\n</script>";
    check(text, "p", replace(template), "<body>\n  <script>\n    a(`\n`);\n  </script>\n</body>");
}

#[test]
fn replace_body_of_element() {
    check("<p class=a>old</p>", "p", body("new <b>x</b>"), "<p class=a>new <b>x</b></p>");
    check(
        LIST,
        "ul",
        body("<li>x</li>\n<li>y</li>"),
        "<div>\n  <ul>\n    <li>x</li>\n    <li>y</li>\n  </ul>\n</div>\n",
    );
    check(LIST, "ul", body(""), "<div>\n  <ul></ul>\n</div>\n");
    check("<div></div>\n", "div", body("<p>a</p>\n<p>b</p>"), "<div>\n  <p>a</p>\n  <p>b</p>\n</div>\n");
    check("<div>\n</div>\n", "div", body("a"), "<div>\n  a\n</div>\n");
    check("<div>x</div>\n", "div", body("<p>a</p>\n<p>b</p>\n"), "<div>\n  <p>a</p>\n  <p>b</p>\n</div>\n");
    check("<pre>\n a\n</pre>", "pre", body("b\n  c\n"), "<pre>b\n  c\n</pre>");
    check("<title>a</title>", "title", body("b"), "<title>b</title>");
    check("<ul><li>a<li>b</ul>", "li:last-child", body("c"), "<ul><li>a<li>c</ul>");
}

#[test]
fn content_gets_indentation_unit_of_page() {
    check(
        LIST,
        "ul",
        replace("<ol>\n    <li>\n        x\n    </li>\n</ol>"),
        "<div>\n  <ol>\n    <li>\n      x\n    </li>\n  </ol>\n</div>\n",
    );
    let tabs = "<div>\n\t<p>a</p>\n\t<script>\n\t\ta();\n\t</script>\n</div>\n";
    let content = "<pre>\n    x\n  y</pre>\n<b>\n    z\n</b>";
    check(tabs, "p", replace(content), &tabs.replace("<p>a</p>", "<pre>\n    x\n  y</pre>\n\t<b>\n\t\tz\n\t</b>"));
    check(
        tabs,
        "script",
        body("if (a) {\n  b(`\n  c`);\n}"),
        &tabs.replace("a();", "if (a) {\n\t\t\tb(`\n  c`);\n\t\t}"),
    );
    check(tabs, "div", last("<i>\n  x\n</i>"), &tabs.replace("</script>\n", "</script>\n\t<i>\n\t\tx\n\t</i>\n"));
}

#[test]
fn code_is_indented_except_template_literals() {
    let page = "<head>\n  <script>\n    old();\n  </script>\n</head>";
    let at = |code: &str| page.replace("old();", code);
    check(page, "script", body("a(`x`);\nif (b) {\n  c();\n}"), &at("a(`x`);\n    if (b) {\n      c();\n    }"));
    check(page, "script", body("a(`\n  x ${b}\n`);\nc();"), &at("a(`\n  x ${b}\n`);\n    c();"));
    check(page, "script", body("// it's a `\nc();"), &at("// it's a `\n    c();"));
    check(page, "script", body("a = 'b\\\n  c';\nd();"), &at("a = 'b\\\n  c';\n    d();"));
    check(page, "script", body("/* ` */ if (a) /`/.test(b);\nc();"), &at("/* ` */ if (a) /`/.test(b);\nc();"));
    let style = "<head>\n  <style>\n    a {}\n  </style>\n</head>";
    let rules = "/* ` */\nb {\n  c: 'd\\\n e';\n}";
    check(style, "style", body(rules), &style.replace("a {}", "/* ` */\n    b {\n      c: 'd\\\n e';\n    }"));
}

#[test]
fn replace_body_of_script_and_style() {
    let page = "<head>\n  <script>\n    old();\n  </script>\n</head>";
    check(
        page,
        "script",
        body("a();\nif (b) {\n  c();\n}"),
        "<head>\n  <script>\n    a();\n    if (b) {\n      c();\n    }\n  </script>\n</head>",
    );
    check("<script></script>\n", "script", body("a();\nb();"), "<script>\n  a();\n  b();\n</script>\n");
    check("<style>a{}</style>", "style", body("b{}"), "<style>b{}</style>");
    refused(
        "<script>a()</script>",
        "script",
        body("x = '</script>'"),
        FailureKind::InvalidArgument,
        "`</script` inside the content would end the element",
    );
}

#[test]
fn void_elements_refuse_content() {
    refused("<p><br></p>", "br", body("x"), FailureKind::Unsupported, "`<br>` cannot have content");
    refused("<p><br></p>", "br", last("x"), FailureKind::Unsupported, "`<br>` cannot have content");
    refused("<svg><path/></svg>", "path", last("x"), FailureKind::Unsupported, "`<path>` cannot have content");
}

#[test]
fn insert_before_and_after_element() {
    check(
        LIST,
        "li:first-child",
        before("<li>x</li>"),
        "<div>\n  <ul>\n    <li>x</li>\n    <li>a</li>\n    <li>c</li>\n  </ul>\n</div>\n",
    );
    check(
        LIST,
        "li:last-child",
        after("<li>\n  x\n</li>"),
        "<div>\n  <ul>\n    <li>a</li>\n    <li>c</li>\n    <li>\n      x\n    </li>\n  </ul>\n</div>\n",
    );
    check(
        "<ul><li>a</li> <li>b</li></ul>",
        "li:first-child",
        after("<li>x</li>"),
        "<ul><li>a</li> <li>x</li> <li>b</li></ul>",
    );
    check(
        "<ul><li>a</li><li>b</li></ul>",
        "li:last-child",
        before("<li>x</li>\n"),
        "<ul><li>a</li><li>x</li><li>b</li></ul>",
    );
    check("<p>a <b>x</b>, c</p>", "b", after(" and <i>y</i>"), "<p>a <b>x</b> and <i>y</i>, c</p>");
    check("<p>a</p>", "p", after("<p>b</p>"), "<p>a</p>\n<p>b</p>");
}

#[test]
fn insert_uses_blank_lines_of_neighbours() {
    let text = "<main>\n  <p>a</p>\n\n  <p>b</p>\n</main>";
    check(text, "p:last-child", after("<p>c</p>"), "<main>\n  <p>a</p>\n\n  <p>b</p>\n  <p>c</p>\n</main>");
    check(text, "p:last-child", before("<p>c</p>"), "<main>\n  <p>a</p>\n\n  <p>c</p>\n\n  <p>b</p>\n</main>");
    check(text, "p:first-child", after("<p>c</p>"), "<main>\n  <p>a</p>\n\n  <p>c</p>\n\n  <p>b</p>\n</main>");
    check(text, "main", last("<p>c</p>"), "<main>\n  <p>a</p>\n\n  <p>b</p>\n\n  <p>c</p>\n</main>");
    check(text, "main", first("<p>c</p>"), "<main>\n  <p>c</p>\n\n  <p>a</p>\n\n  <p>b</p>\n</main>");
}

#[test]
fn comment_above_belongs_to_element() {
    let text = "<body>\n  <p>a</p>\n  <!-- Why -->\n  <nav></nav> <!-- end -->\n  <p>b</p>\n</body>";
    check(
        text,
        "nav",
        before("<hr>"),
        "<body>\n  <p>a</p>\n  <hr>\n  <!-- Why -->\n  <nav></nav> <!-- end -->\n  <p>b</p>\n</body>",
    );
    check(
        text,
        "nav",
        after("<hr>"),
        "<body>\n  <p>a</p>\n  <!-- Why -->\n  <nav></nav> <!-- end -->\n  <hr>\n  <p>b</p>\n</body>",
    );
    check(text, "nav", Operation::Delete, "<body>\n  <p>a</p>\n  <p>b</p>\n</body>");
    check(text, "nav", replace("<hr>"), "<body>\n  <p>a</p>\n  <!-- Why -->\n  <hr> <!-- end -->\n  <p>b</p>\n</body>");
    let apart = "<!-- Page -->\n\n<p>a</p>\n";
    check(apart, "p", Operation::Delete, "<!-- Page -->\n");
    let condition = "<!--[if IE]><![endif]-->\n<p>a</p>\n<p>b</p>";
    check(condition, "p:first-of-type", Operation::Delete, "<!--[if IE]><![endif]-->\n<p>b</p>");
}

#[test]
fn insert_into_element() {
    check(
        LIST,
        "ul",
        first("<li>x</li>"),
        "<div>\n  <ul>\n    <li>x</li>\n    <li>a</li>\n    <li>c</li>\n  </ul>\n</div>\n",
    );
    check(
        LIST,
        "ul",
        last("<li>x</li>"),
        "<div>\n  <ul>\n    <li>a</li>\n    <li>c</li>\n    <li>x</li>\n  </ul>\n</div>\n",
    );
    check("<ul><li>a</li></ul>", "ul", last("<li>b</li>"), "<ul><li>a</li><li>b</li></ul>");
    check("<ul></ul>\n", "ul", last("<li>b</li>"), "<ul>\n  <li>b</li>\n</ul>\n");
    check("<p></p>\n", "p", last("<b>b</b>"), "<p><b>b</b></p>\n");
    check("<p>a <b>x</b></p>", "p", last("<i>y</i>"), "<p>a <b>x</b><i>y</i></p>");
    check("<p>a</p>", "p", first("<i>y</i> "), "<p><i>y</i> a</p>");
    check("<body>\n  <p>a\n  <p>b\n</body>", "body", last("<p>c"), "<body>\n  <p>a\n  <p>b\n  <p>c\n</body>");
    check("<div>\n  <!-- todo -->\n</div>", "div", last("<p>a</p>"), "<div>\n  <!-- todo -->\n  <p>a</p>\n</div>");
    check(
        "<style>\n  a {}\n</style>",
        "style",
        last("b {\n  c: d;\n}"),
        "<style>\n  a {}\n  b {\n    c: d;\n  }\n</style>",
    );
    check(
        "<select>\n\t<option>a\n</select>",
        "select",
        last("<option>b"),
        "<select>\n\t<option>a\n\t<option>b\n</select>",
    );
}

#[test]
fn insert_into_sorted() {
    check(
        LIST,
        "ul",
        sorted("<li>B</li>"),
        "<div>\n  <ul>\n    <li>a</li>\n    <li>B</li>\n    <li>c</li>\n  </ul>\n</div>\n",
    );
    check(
        LIST,
        "ul",
        sorted("<li><b>d</b></li>"),
        "<div>\n  <ul>\n    <li>a</li>\n    <li>c</li>\n    <li><b>d</b></li>\n  </ul>\n</div>\n",
    );
    check(
        "<dl>\n  <dt>a\n  <dd>1\n  <dt>c\n  <dd>3\n</dl>",
        "dl",
        sorted("<dt>b\n<dd>2"),
        "<dl>\n  <dt>a\n  <dd>1\n  <dt>b\n  <dd>2\n  <dt>c\n  <dd>3\n</dl>",
    );
    check(
        "<select><option>a</option><option>c</option></select>",
        "select",
        sorted("<option>b</option>"),
        "<select><option>a</option><option>b</option><option>c</option></select>",
    );
    refused(
        "<div><p>a</p></div>",
        "div",
        sorted("<p>b</p>"),
        FailureKind::Unsupported,
        "the content of `<div>` cannot be sorted",
    );
}

#[test]
fn wrap_elements() {
    check(
        LIST,
        "ul",
        wrap("<nav>", "</nav>"),
        "<div>\n  <nav>\n    <ul>\n      <li>a</li>\n      <li>c</li>\n    </ul>\n  </nav>\n</div>\n",
    );
    check("<p>a <b>x</b></p>", "b", wrap("<i>", "</i>"), "<p>a <i><b>x</b></i></p>");
    check("<pre>\n a\n</pre>\n", "pre", wrap("<div>", "</div>"), "<div>\n  <pre>\n a\n</pre>\n</div>\n");
    check(
        "<ul>\n\t<li>a</li>\n</ul>",
        "ul",
        wrap("<nav>\n\t<div>\n", "\t</div>\n</nav>"),
        "<nav>\n\t<div>\n\t\t<ul>\n\t\t\t<li>a</li>\n\t\t</ul>\n\t</div>\n</nav>",
    );
    check("<p>a</p><p>b</p>", "p", wrap("<div>", "</div>"), "<div><p>a</p></div><div><p>b</p></div>");
}

#[test]
fn delete_removes_lines_or_inline_text() {
    check(LIST, "li:first-child", Operation::Delete, "<div>\n  <ul>\n    <li>c</li>\n  </ul>\n</div>\n");
    check(LIST, "li", Operation::Delete, "<div>\n  <ul>\n  </ul>\n</div>\n");
    check("<p>a <b>x</b> c</p>", "b", Operation::Delete, "<p>a c</p>");
    check("<p>a <b>x</b>.</p>", "b", Operation::Delete, "<p>a .</p>");
    check("<p>a <b>x</b>\nc</p>", "b", Operation::Delete, "<p>a\nc</p>");
    check(
        "<main>\n  <p>a</p>\n\n  <p>b</p>\n\n  <p>c</p>\n</main>",
        "p:nth-child(2)",
        Operation::Delete,
        "<main>\n  <p>a</p>\n\n  <p>c</p>\n</main>",
    );
    check(
        "<main>\n  <p>a</p>\n\n  <p>b</p>\n</main>",
        "p:nth-child(2)",
        Operation::Delete,
        "<main>\n  <p>a</p>\n</main>",
    );
    check(
        "<main>\n  <p>a</p>\n\n  <p>b</p>\n</main>",
        "p:nth-child(1)",
        Operation::Delete,
        "<main>\n  <p>b</p>\n</main>",
    );
    check("<ul>\n  <li>a\n  <li>b\n</ul>", "li:first-child", Operation::Delete, "<ul>\n  <li>b\n</ul>");
    check("<div><p>a</p><p>b</p></div>", "div, p", Operation::Delete, "");
}

#[test]
fn edits_keep_line_endings() {
    let text = "<ul>\r\n  <li>a</li>\r\n\r\n  <li>b</li>\r\n</ul>\r\n";
    check(text, "li:last-child", Operation::Delete, "<ul>\r\n  <li>a</li>\r\n</ul>\r\n");
    check(text, "li:first-child", Operation::Delete, "<ul>\r\n  <li>b</li>\r\n</ul>\r\n");
    check(
        text,
        "li:first-child",
        after("<li>x</li>"),
        "<ul>\r\n  <li>a</li>\n\n  <li>x</li>\r\n\r\n  <li>b</li>\r\n</ul>\r\n",
    );
    check(
        text,
        "ul",
        wrap("<nav>", "</nav>"),
        "<nav>\n  <ul>\r\n    <li>a</li>\r\n\r\n    <li>b</li>\r\n  </ul>\n</nav>\r\n",
    );
}

#[test]
fn edit_attributes() {
    let text = "<a class=\"x y\" href='u' hidden data-n=1>t</a>";
    check(text, "a@href", replace("href=\"v\""), "<a class=\"x y\" href=\"v\" hidden data-n=1>t</a>");
    check(text, "a@href", replace("v?a=1"), "<a class=\"x y\" href='v?a=1' hidden data-n=1>t</a>");
    check(text, "a@href", body("it's"), "<a class=\"x y\" href=\"it's\" hidden data-n=1>t</a>");
    check(text, "a@data-n", body("2 3"), "<a class=\"x y\" href='u' hidden data-n=\"2 3\">t</a>");
    check(text, "a@data-n", body("2"), "<a class=\"x y\" href='u' hidden data-n=2>t</a>");
    check(text, "a@hidden", replace("disabled"), "<a class=\"x y\" href='u' disabled data-n=1>t</a>");
    check(text, "a@hidden", body("until-found"), "<a class=\"x y\" href='u' hidden=\"until-found\" data-n=1>t</a>");
    check(text, "a@href", Operation::Delete, "<a class=\"x y\" hidden data-n=1>t</a>");
    check(text, "a@data-n", after("id=i"), "<a class=\"x y\" href='u' hidden data-n=1 id=i>t</a>");
    check(text, "a@class", before("id=i"), "<a id=i class=\"x y\" href='u' hidden data-n=1>t</a>");
    check(text, "a@class", last("z x"), "<a class=\"x y z\" href='u' hidden data-n=1>t</a>");
    check("<a href=u/>", "a@href", Operation::Delete, "<a>");
    check("<a\n  href=u\n  id=b>", "a@href", Operation::Delete, "<a\n  id=b>");
    refused(text, "a@href", after("<b>"), FailureKind::InvalidArgument, "not an attribute: `<b>`");
    refused(text, "a@href", wrap("a", "b"), FailureKind::Unsupported, "an attribute cannot be wrapped");
    refused(text, "a@href", last("x"), FailureKind::Unsupported, "the attribute `href` cannot be inserted into");
}

#[test]
fn edit_doctype() {
    let page = open("<!DOCTYPE html PUBLIC \"x\">\n<p>a");
    let after = page.edit(Region, "doctype", replace("<!DOCTYPE html>")).expect("edited");
    assert_eq!(after, "<!DOCTYPE html>\n<p>a");
    assert_eq!(page.edit(Region, "doctype", Operation::Delete).expect("edited"), "<p>a");
}

#[test]
fn nested_targets_are_refused() {
    let message = "some targets are inside others";
    refused("<div><div>a</div></div>", "div", replace("x"), FailureKind::InvalidArgument, message);
    check("<b><b>a</b></b>c", "b", after("x"), "<b><b>a</b>x</b>xc");
}

#[test]
fn upsert_creates_missing_attributes() {
    let make = |text: &str, target: &str, content: &str, expected: &str| {
        check_insert_missing::<Html>(("a.html", text), (Selector, target), content, expected)
    };
    make("<img src=a.png>", "img@alt", "A \"b\"", "<img src=a.png alt='A \"b\"'>");
    make("<p>x</p>", "p@class", "class=\"a b\"", "<p class=\"a b\">x</p>");
    make("<button/>", "button@disabled", "", "<button disabled/>");
    make("<a\n  href=x\n>y</a>", "a@title", "z", "<a\n  href=x\n  title=\"z\"\n>y</a>");
    let refused = |text: &str, target: &str, content: &str| {
        check_missing_refusal::<Html>(("a.html", text), (Selector, target), content)
    };
    assert_eq!(refused("<p><p>", "p@id", "x").candidates, ["body > p:nth-of-type(1)@id", "body > p:nth-of-type(2)@id"]);
    assert_eq!(refused("<p id=x>", "p@id", "y").kind, FailureKind::InvalidArgument);
    assert_eq!(refused("<p>", "video", "y").kind, FailureKind::InvalidTarget);
    assert_eq!(refused("<p>", "video@src", "y").kind, FailureKind::TargetNotFound);
    assert_eq!(refused("<p>", "p@a b", "y").kind, FailureKind::InvalidArgument);
}
