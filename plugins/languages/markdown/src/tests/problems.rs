//! Tests of errors and their positions.

use marquetry_sdk::testing::open;

use crate::Markdown;

#[test]
fn reports_errors_in_mdx() {
    let problems = |text: &str| open::<Markdown>("a.mdx", text).diagnostics();
    for text in [
        "<a>",
        "</a>",
        "{a",
        "a {b c",
        "import a\n",
        "export var a\nvar b\n",
        "{a b}",
        "<a {b} />",
        "*<a>*</a>",
        "> <A\nb/>",
    ] {
        assert!(!problems(text).is_empty(), "{text:?}");
    }
    for text in [
        "<a />",
        "{/* c */}",
        "\\{ a",
        "`{`",
        "```\n{\n```",
        "a < b",
        "&#123;",
        "<a>*b*</a>",
        "export const a = 1\n\nb",
    ] {
        assert_eq!(problems(text), [""; 0], "{text:?}");
    }
    assert_eq!(open::<Markdown>("a.md", "<a>{").diagnostics(), [""; 0]);
    let open_front = open::<Markdown>("a.md", "---\ntitle: x\n\n# y\n").diagnostics();
    assert_eq!(open_front, ["1:1 front matter is not closed: what follows is read as Markdown"]);
}
