//! Measures how run time grows on worst-case inputs: `cargo run --package marquetry-xml --example xml_growth [NAME]`.

use marquetry_sdk::{
    Linking,
    testing::growth::{Step, Text, growth, nested, numbered, repeat},
};
use marquetry_xml::Xml;

const TEXTS: [Text; 17] = [
    ("nested elements", |bytes| nested("<a>", "x", "</a>", bytes)),
    ("nested namespaces", |bytes| nested("<a xmlns:b='c'>", "x", "</a>", bytes)),
    ("elements not closed", |bytes| repeat("<a>", bytes)),
    ("elements closed too often", |bytes| format!("<a>{}", repeat("</b>", bytes))),
    ("tags not closed", |bytes| repeat("<a ", bytes)),
    ("attributes", |bytes| format!("<a {}/>", numbered(|number| format!("b{number}='c' "), bytes))),
    ("equal attributes", |bytes| format!("<a {}/>", repeat("b='c' ", bytes))),
    ("namespaces", |bytes| format!("<a {}/>", numbered(|number| format!("xmlns:b{number}='c' "), bytes))),
    ("siblings", |bytes| format!("<r>{}</r>", repeat("<a>x</a>", bytes))),
    ("siblings with ids", |bytes| format!("<r>{}</r>", numbered(|number| format!("<a id='b{number}'/>"), bytes))),
    ("siblings with names", |bytes| format!("<r>{}</r>", numbered(|number| format!("<a{number}/>"), bytes))),
    ("comments", |bytes| format!("<r>{}</r>", repeat("<!-- x -->", bytes))),
    ("comments not closed", |bytes| format!("<r>{}", repeat("<!--", bytes))),
    ("references", |bytes| format!("<r>{}</r>", repeat("&amp;", bytes))),
    ("entities", |bytes| {
        format!("<!DOCTYPE r [{}]><r/>", numbered(|number| format!("<!ENTITY e{number} '&e{};'>", number / 2), bytes))
    }),
    ("declarations", |bytes| {
        format!("<!DOCTYPE r [{}]><r/>", numbered(|number| format!("<!ATTLIST r a{number} CDATA 'x'>"), bytes))
    }),
    ("text", |bytes| format!("<r>{}</r>", repeat("x ", bytes))),
];

fn main() -> std::io::Result<()> {
    let steps: [Step<Xml>; 1] = [("links", |document| drop(Xml::links(document)))];
    growth::<Xml>(&mut std::io::stdout(), "a.xml", (&TEXTS, &steps), 1 << 20)
}
