//! Tests of XPath 1.0: axes, predicates, functions, values, errors.

use marquetry_sdk::{Document as _, FailureKind, FindResult, LanguagePack as _, Query, Target, TargetKind, testing};

use crate::Xml;

const BOOKS: &str = "<!DOCTYPE books [<!ATTLIST book key ID #IMPLIED kind CDATA 'paper'>]>
<books xmlns:x=\"urn:x\" xml:lang=\"en\">
  <book key=\"b1\" price=\"10\"><title>One</title><x:note>a<!--c-->b</x:note></book>
  <book key=\"b2\" price=\"25.5\" kind=\"web\"><title>Two &amp; three</title></book>
  <book key=\"b3\" price=\"7\"><title xml:lang=\"de-AT\">Vier</title><?run now?></book>
</books>";

/// Returns the addresses of the nodes found, or the resulting value as JSON.
fn ask(text: &str, path: &str, xpath: &str) -> Result<Vec<String>, marquetry_sdk::Failure> {
    let document = Xml::open(path, text.to_owned(), "{}");
    let target = Target { kind: TargetKind::Xpath, value: xpath.to_owned() };
    Ok(match document.find(&Query { target, limit: u32::MAX, values: false })? {
        FindResult::Nodes(nodes) => nodes.nodes.into_iter().map(|node| node.address).collect(),
        FindResult::Scalar(scalar) => vec![scalar.json],
    })
}

#[track_caller]
fn check(xpath: &str, expected: &[&str]) {
    match ask(BOOKS, "a.xml", xpath) {
        Ok(found) => assert_eq!(found, expected, "{xpath}"),
        Err(failure) if failure.kind == FailureKind::TargetNotFound => {
            assert!(expected.is_empty(), "{xpath}: {failure:?}")
        }
        Err(failure) => panic!("{xpath}: {failure:?}"),
    }
}

#[test]
fn walks_all_axes() {
    check("/books/book[2]", &["/books/book[2]"]);
    check("//title/..", &["/books/book[1]", "/books/book[2]", "/books/book[3]"]);
    check("//book[3]/preceding-sibling::*[1]", &["/books/book[2]"]);
    check("//book[1]/following-sibling::*[last()]", &["/books/book[3]"]);
    check("//title[.='Vier']/preceding::title[1]", &["/books/book[2]/title"]);
    check("(//title[.='Vier']/preceding::title)[1]", &["/books/book[1]/title"]);
    check("//book[2]/following::*", &["/books/book[3]", "/books/book[3]/title"]);
    check("//x:note/ancestor::*", &["/books", "/books/book[1]"]);
    check("//x:note/ancestor-or-self::*[1]", &["/books/book[1]/x:note"]);
    check("//book[@kind='web']/@*", &["/books/book[2]/@key", "/books/book[2]/@price", "/books/book[2]/@kind"]);
    check("//book[1]/@kind", &["/books/book[1]/@kind"]);
    check("/books/namespace::*", &["/books/namespace::xml", "/books/namespace::x"]);
    check("//@price/following::title", &["/books/book[1]/title", "/books/book[2]/title", "/books/book[3]/title"]);
    check("//@price[. = 7]/preceding::book", &["/books/book[1]", "/books/book[2]"]);
    check("//@key/self::node()", &["/books/book[1]/@key", "/books/book[2]/@key", "/books/book[3]/@key"]);
    check("/..", &[]);
    check("/", &["/"]);
}

#[test]
fn evaluates_node_tests() {
    check("//x:note/text()", &["/books/book[1]/x:note/text()[1]", "/books/book[1]/x:note/text()[2]"]);
    check("//comment()", &["/books/book[1]/x:note/comment()"]);
    check("//processing-instruction()", &["/books/book[3]/processing-instruction('run')"]);
    check("//processing-instruction('walk')", &[]);
    check("//x:*", &["/books/book[1]/x:note"]);
    check("//book[1]/node()", &["/books/book[1]/title", "/books/book[1]/x:note"]);
}

#[test]
fn evaluates_predicates() {
    check("//book[@price > 8][2]", &["/books/book[2]"]);
    check("//book[position() mod 2 = 1]", &["/books/book[1]", "/books/book[3]"]);
    check("//book[last() - 1]", &["/books/book[2]"]);
    check("//book[title[@xml:lang]]", &["/books/book[3]"]);
    check("//book[not(title/@xml:lang) and @kind != 'web']", &["/books/book[1]"]);
    check("//title[1]", &["/books/book[1]/title", "/books/book[2]/title", "/books/book[3]/title"]);
    check("(//title)[2]", &["/books/book[2]/title"]);
    check("//book[1.5]", &[]);
    check("//book[1]|//book[3]|//book[1]", &["/books/book[1]", "/books/book[3]"]);
}

#[test]
fn calls_functions() {
    for (xpath, value) in [
        ("count(//book)", "3"),
        ("sum(//@price)", "42.5"),
        ("string(//book[2]/title)", "\"Two & three\""),
        ("name(//x:note)", "\"x:note\""),
        ("local-name(//x:note)", "\"note\""),
        ("namespace-uri(//x:note)", "\"urn:x\""),
        ("concat('a', 1 div 0, true())", "\"aInfinitytrue\""),
        ("starts-with('abc', 'ab')", "true"),
        ("contains('abc', 'd')", "false"),
        ("substring-before('1999/04', '/')", "\"1999\""),
        ("substring-after('1999/04', '/')", "\"04\""),
        ("substring('12345', 1.5, 2.6)", "\"234\""),
        ("substring('12345', 0 div 0, 3)", "\"\""),
        ("substring('12345', -42, 1 div 0)", "\"12345\""),
        ("string-length('äöü')", "3"),
        ("normalize-space('  a   b ')", "\"a b\""),
        ("translate('bar', 'abc', 'AB')", "\"BAr\""),
        ("boolean(//missing)", "false"),
        ("number('x')", "\"NaN\""),
        ("-1 div 0", "\"-Infinity\""),
        ("floor(-1.5) + ceiling(1.5) + round(2.5)", "3"),
        ("5 mod -2", "1"),
        ("--3", "3"),
        ("1 < 2 = true()", "true"),
        ("//@price > 20", "true"),
        ("//@price = //book/@price", "true"),
        ("//title != //title", "true"),
        ("lang('de')", "false"),
        ("count(//title[lang('de')])", "1"),
        ("count(id('b1 b3 nothing'))", "2"),
        ("string(id('b2')/title)", "\"Two & three\""),
        ("'a' or //x", "true"),
    ] {
        check(xpath, &[value]);
    }
}

#[test]
fn relative_paths_fall_back_to_root_element() {
    check("books/book[1]", &["/books/book[1]"]);
    check("book[2]/title", &["/books/book[2]/title"]);
    check("@xml:lang", &["/books/@xml:lang"]);
    check("count(book)", &["3"]);
    check("//title[book]", &[]);
}

#[test]
fn errors_have_xpath_1_0_alternatives() {
    for (xpath, part) in [
        ("//book[", "not the end"),
        ("//book]", "`]`"),
        ("", "a step"),
        ("/books/book[1", "`]`"),
        ("//*:title", "unexpected `:`"),
        ("foo(1)", "no function `foo()`"),
        ("lower-case('A')", "lower-case"),
        ("$x", "no variable"),
        ("count()", "takes 1 arguments"),
        ("count('a')", "node-set"),
        ("'a' | //b", "node"),
        ("1/a", "node"),
        ("y:a", "no prefix `y`"),
        ("sideways::a", "no axis"),
        ("for $x in //a return $x", "expected an operator"),
        ("a b", "expected an operator"),
    ] {
        let failure = ask(BOOKS, "a.xml", xpath).expect_err(xpath);
        assert_eq!(failure.kind, FailureKind::InvalidTarget, "{xpath}");
        assert!(failure.message.contains(part), "{xpath}: {}", failure.message);
        assert!(failure.hint.is_some(), "{xpath}");
    }
    let hint = ask(BOOKS, "a.xml", "//a[ends-with(., 'x')]").expect_err("refused").hint.expect("a hint");
    assert!(hint.contains("substring"), "{hint}");
}

#[test]
fn deep_and_long_expressions_are_refused() {
    let nested = format!("{}1{}", "(".repeat(5000), ")".repeat(5000));
    assert_eq!(ask("<a/>", "a.xml", &nested).expect_err("refused").kind, FailureKind::InvalidTarget);
    assert_eq!(ask("<a/>", "a.xml", &format!("1{}", "+1".repeat(50_000))).expect("a sum"), ["50001"]);
    assert_eq!(ask("<a/>", "a.xml", &format!("{}1", "-".repeat(50_001))).expect("a number"), ["-1"]);
}

const MAVEN: &str = "<project xmlns=\"http://maven.apache.org/POM/4.0.0\"><dependencies><dependency/><dependency/></dependencies></project>";

#[test]
fn underscore_is_prefix_of_default_namespace() {
    let found = ask(MAVEN, "a.xml", "/_:project/_:dependencies/_:dependency[2]").expect("found");
    assert_eq!(found, ["/_:project/_:dependencies/_:dependency[2]"]);
    // According to the standard, an unprefixed name has no namespace.
    let failure = ask(MAVEN, "a.xml", "//dependencies/dependency").expect_err("not found");
    assert_eq!(failure.kind, FailureKind::TargetNotFound);
    assert_eq!(failure.candidates, ["//_:dependencies/_:dependency"]);
    assert_eq!(ask(MAVEN, "a.xml", "count(//dependency)").expect("a number"), ["0"]);
    // If the file name implies the format, no prefix is needed.
    assert_eq!(ask(MAVEN, "b/pom.xml", "//dependency").expect("found").len(), 2);
    assert_eq!(ask(MAVEN, "b/pom.xml", "count(//dependency)").expect("a number"), ["2"]);
    let mixed = "<svg xmlns=\"http://www.w3.org/2000/svg\"><g/><g xmlns=\"\"/></svg>";
    assert_eq!(ask(mixed, "a.svg", "/_:svg").expect("found"), ["/svg"]);
    assert_eq!(
        ask(mixed, "a.svg", "//g").expect("found"),
        ["/svg/g"],
        "an unprefixed name must not refer to the default namespace if an element without a namespace has the name"
    );
}

#[test]
fn every_node_has_unique_address() {
    let text = "<a xmlns=\"u\" xmlns:p=\"v\"><p:b/><b/><c xmlns=\"w\"/><q:b xmlns:q=\"v\"/><b xmlns:p=\"z\"><p:b p:d=\"1\"/></b></a>";
    let bench = testing::open::<Xml>("a.xml", text);
    let addresses: Vec<String> =
        bench.nodes(TargetKind::Xpath, "//*|//@*").expect("nodes").into_iter().map(|node| node.address).collect();
    assert_eq!(
        addresses,
        [
            "/_:a",
            "/_:a/p:b[1]",
            "/_:a/_:b[1]",
            "/_:a/*[3]",
            "/_:a/q:b[2]",
            "/_:a/_:b[2]",
            "/_:a/_:b[2]/*",
            "/_:a/_:b[2]/*/@*[1]"
        ]
    );
    for address in addresses {
        assert_eq!(ask(text, "a.xml", &address).expect("found"), [address]);
    }
    let deep = format!("{}<b c='1'/>{}", "<a>".repeat(50), "</a>".repeat(50));
    assert_eq!(ask(&deep, "a.xml", "//b/@c").expect("found"), ["(//*)[51]/@c"]);
}
