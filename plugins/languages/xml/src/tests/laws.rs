//! Tests of the laws, which are properties that every language pack must have, with typical and random documents.

use marquetry_sdk::{Form, Operation, Position, TargetKind, testing};

use crate::Xml;

const PIECES: &[&str] = &[
    "<a>",
    "</a>",
    "<b c=\"d\">",
    "</b>",
    "<e/>",
    "<p:x xmlns:p='u'>",
    "</p:x>",
    "<f xmlns=\"v\">",
    "</f>",
    "text",
    " ",
    "\n",
    "\r\n",
    "\t",
    "&amp;",
    "&#65;",
    "&e;",
    "&",
    "<",
    ">",
    "]]>",
    "<![CDATA[",
    "<![CDATA[x]]>",
    "<!-- c -->",
    "<!--",
    "-->",
    "<?p q?>",
    "<?xml version='1.0'?>",
    "?>",
    "<!DOCTYPE a [",
    "<!ENTITY e '<z>y</z>'>",
    "<!ENTITY e 'e'>",
    "<!ATTLIST a k CDATA 'v'>",
    "%p;",
    "]>",
    "\"",
    "'",
    "=",
    "é",
    "\u{0}",
    "\u{FFFE}",
    "<a b='1' b='2' c=3 d>",
    "</",
    "/>",
    "<!",
    "<a:b:c>",
    "<_ _:_=''/>",
    "xml:space='preserve'",
    "<é ü='ß'>",
];

const DOCUMENTS: &[&str] = &[
    "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<Project Sdk=\"Microsoft.NET.Sdk\">\n  <PropertyGroup>\n    <TargetFramework>net9.0</TargetFramework>\n  </PropertyGroup>\n\n  <!-- packages -->\n  <ItemGroup>\n    <PackageReference Include=\"A\" Version=\"1\" />\n    <PackageReference Include=\"B\" Version=\"2\"/>\n  </ItemGroup>\n</Project>\n",
    "<svg xmlns=\"http://www.w3.org/2000/svg\" xmlns:xlink=\"http://www.w3.org/1999/xlink\"><g id=\"a\"><path d=\"M0 0\"/><use xlink:href=\"#b\"/></g><text>a <tspan>b</tspan> c</text></svg>",
    "<!DOCTYPE r [\r\n  <!ENTITY w \"<i>world</i>\">\r\n  <!ENTITY n 'name'>\r\n  <!ATTLIST r v CDATA '1'>\r\n]>\r\n<r>hello &w;, &n;<![CDATA[ <x> ]]></r>\r\n",
    "<a>\n\t<b/> <!-- trailing -->\n\n\t<!-- about c -->\n\t<c>\n\t\ttext\n\t</c>\n\t<d xml:space=\"preserve\"> <e/> </d>\n</a>\n<!-- end -->",
];

#[test]
fn laws_hold_on_documents() {
    for text in DOCUMENTS {
        testing::check_laws::<Xml>("a.xml", text);
        testing::check_laws::<Xml>("a.svg", text);
    }
}

#[test]
fn laws_hold_on_random_text() {
    testing::check_laws_on_random::<Xml>("a.xml", PIECES, DOCUMENTS);
    testing::check_laws_on_random::<Xml>("a.csproj", PIECES, DOCUMENTS);
}

/// Checks the laws for all nodes that XPath can select, not only for elements.
fn all_nodes(text: &str) {
    let bench = testing::open::<Xml>("a.xml", text);
    let Ok(nodes) = bench.nodes(TargetKind::Xpath, "/ | //node() | //@* | //namespace::*") else {
        panic!("the query must find at least the document node: {text:?}")
    };
    for node in &nodes {
        let found =
            bench.nodes(TargetKind::Xpath, &node.address).unwrap_or_else(|failure| panic!("{failure:?} in {text:?}"));
        assert_eq!(found.iter().map(|found| found.id).collect::<Vec<_>>(), [node.id], "{} in {text:?}", node.address);
        let own = bench.show(node, Form::Full).expect("shown");
        let shown = |form| {
            bench.show(node, form).unwrap_or_else(|failure| panic!("{failure:?} of {} in {text:?}", node.address))
        };
        let (signature, inside, summary) = (shown(Form::Signature), shown(Form::Body), shown(Form::Summary));
        assert!(text.contains(&signature) && summary.len() < 20_000);
        let edit = |operation| bench.edit(TargetKind::Xpath, &node.address, operation);
        assert_eq!(edit(Operation::Replace(own)).expect("the identity"), text);
        if node.body.is_some() {
            assert_eq!(
                edit(Operation::ReplaceBody(inside)).expect("the identity"),
                text,
                "{} in {text:?}",
                node.address
            );
        }
        for operation in [
            Operation::Replace("x".into()),
            Operation::ReplaceBody("<x/>".into()),
            Operation::InsertBefore("<x>\n <y/>\n</x>".into()),
            Operation::InsertAfter("x='1'".into()),
            testing::insert_into("<x/>", Position::Sorted),
            testing::insert_into("x='1'", Position::Sorted),
            testing::insert_into("<x/>", Position::First),
            testing::wrap("<x>", "</x>"),
            Operation::Delete,
        ] {
            // `edit` fails the test if the edits are out of order or outside of the text. Its result does not matter.
            let _ = edit(operation);
        }
    }
    for operation in [Operation::Delete, Operation::InsertAfter("<x/>".into()), Operation::InsertBefore("<x/>".into())]
    {
        let _ = bench.edit(TargetKind::Xpath, "//node()", operation);
    }
}

#[test]
fn laws_hold_for_every_xpath_node() {
    DOCUMENTS.iter().for_each(|text| all_nodes(text));
    let mut state = 1_u64;
    let mut next = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    for _ in 0..150 {
        let text: String = (0..next(20)).map(|_| PIECES[next(PIECES.len())]).collect();
        all_nodes(&text);
        let document = DOCUMENTS[next(DOCUMENTS.len())];
        let places: Vec<usize> = document.char_indices().map(|(at, _)| at).collect();
        let (a, b) = (places[next(places.len())], places[next(places.len())]);
        let cut = a.min(b)..a.max(b).min(a.min(b) + 30);
        all_nodes(&format!("{}{}{}", &document[..cut.start], PIECES[next(PIECES.len())], &document[cut.end..]));
    }
}
