//! Tests of problems and their positions.

use marquetry_sdk::testing;

use super::PROJECT;
use crate::Xml;

#[track_caller]
fn problems(text: &str, expected: &[&str]) {
    assert_eq!(testing::open::<Xml>("a.xml", text).diagnostics(), expected, "{text}");
}

#[test]
fn valid_documents_have_no_errors() {
    for good in [
        PROJECT,
        "\u{FEFF}<a/>",
        "<a b='&lt;&#10;\u{E9}' c=\">\"/>\n<!-- x --><?y z?>\n",
        "<!DOCTYPE a [<!ENTITY lt '&#38;#60;'><!ENTITY e 'x'>]><a>&e;&lt;</a>",
        "<!DOCTYPE a SYSTEM 'a.dtd'><a>&unknown;</a>",
        "<x:a xmlns:x='u'><x:b xmlns:x='v'/></x:a>",
        "<?xml version='1.1' encoding='UTF-8' standalone='no' ?><a>&#1;</a>",
        "<a><![CDATA[ ]] > <b> ]]></a  >",
    ] {
        problems(good, &[]);
    }
}

#[test]
fn reports_errors_with_positions() {
    problems("<a>\n  <b>\n</a>", &["2:3 the element `b` has no end tag"]);
    problems("<a></b></a>", &["1:4 expected the end tag `</a>`, not `</b>`"]);
    problems("<a/><b/>", &["1:5 a second root element `b`"]);
    problems("<a/>text", &["1:5 text outside of the root element"]);
    problems("", &["1:1 the document has no element"]);
    problems("<a b=1/>", &["1:6 the value of `b` is not in quotes"]);
    problems("<a b/>", &["1:4 the attribute `b` has no value"]);
    problems("<a b='1' b='2'/>", &["1:10 duplicate attribute `b`"]);
    problems("<a b='1'c='2'/>", &["1:9 expected white space before the attribute"]);
    problems("<a b='<'/>", &["1:7 `<` in the value of an attribute: write `&lt;`"]);
    problems("<a>&</a>", &["1:4 `&` does not start a reference: write `&amp;`"]);
    problems("<a>&b</a>", &["1:4 the reference `&b` has no `;`: write `&amp;` for the character"]);
    problems("<a>&b;</a>", &["1:4 the entity `b` is not declared"]);
    problems("<a>&#0;</a>", &["1:4 the reference `&#0;` is not an allowed character"]);
    problems("<a>]]></a>", &["1:4 `]]>` in text: write `]]&gt;`"]);
    problems("<a><!-- a -- b --></a>", &["1:11 `--` within a comment"]);
    problems("<a><p:b/></a>", &["1:5 the prefix `p` is not declared"]);
    problems("<a xmlns:p='u' xmlns:q='u' p:x='1' q:x='2'/>", &["1:36 duplicate attribute `q:x`, under two prefixes"]);
    problems(" <?xml version='1.0'?><a/>", &["1:2 an XML declaration is allowed only at the very beginning"]);
    problems("<?xml version='1.0' encoding='8'?><a/>", &["1:33 `8` is not the name of a character encoding"]);
    problems("<a>\u{1}</a>", &["1:4 the character U+0001 is not allowed"]);
    problems("<a><b</a>", &["1:4 the element `b` has no end tag", "1:6 the tag `<b` has no `>`"]);
}

#[test]
fn entity_expansion_is_limited() {
    let levels: String = (1..30).map(|n| format!("<!ENTITY e{n} '&e{};&e{};'>", n - 1, n - 1)).collect();
    let bomb = format!("<!DOCTYPE a [<!ENTITY e0 'lol'>{levels}]><a b='&e29;'>&e29;</a>");
    let found = testing::open::<Xml>("a.xml", &bomb).diagnostics();
    assert!(!found.is_empty() && found.iter().all(|problem| problem.contains("expand to too much")), "{found:?}");
    problems(
        "<!DOCTYPE a [<!ENTITY e '&f;'><!ENTITY f '&e;'>]><a>&e;</a>",
        &["1:53 in the entity `f`: the entity `e` refers to itself"],
    );
    problems(
        "<!DOCTYPE a [<!ENTITY e '<b>'>]><a>&e;</b></a>",
        &["1:36 in the entity `e`: the element `b` has no end tag", "1:39 expected the end tag `</a>`, not `</b>`"],
    );
}
