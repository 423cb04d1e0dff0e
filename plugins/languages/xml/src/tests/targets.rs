//! Tests of regions, and of errors for invalid targets. XPath is tested in a separate file.

use marquetry_sdk::{FailureKind, Position, TargetKind, testing};

use super::PROJECT;
use crate::Xml;

#[test]
fn finds_regions() {
    let bench = testing::open::<Xml>("a.csproj", PROJECT);
    let read = |name: &str| bench.read(TargetKind::Region, name);
    assert_eq!(read("declaration").expect("found"), ["<?xml version=\"1.0\"?>"]);
    assert_eq!(read("doctype").expect("found"), ["<!DOCTYPE Project [<!ENTITY v '1.2'>]>"]);
    assert!(read("root").expect("found")[0].starts_with("<Project"));
    assert_eq!(read("imports").expect_err("refused").kind, FailureKind::InvalidTarget);
    let bare = testing::open::<Xml>("a.xml", "<a/>");
    assert_eq!(bare.read(TargetKind::Region, "doctype").expect_err("none").kind, FailureKind::TargetNotFound);
    assert_eq!(bare.read(TargetKind::Selector, "a > b").expect_err("refused").kind, FailureKind::Unsupported);
}

#[test]
fn not_found_offers_nearest_paths() {
    let bench = testing::open::<Xml>("a.csproj", PROJECT);
    let failure = bench.nodes(TargetKind::Xpath, "//packagereference").expect_err("not found");
    assert_eq!(failure.kind, FailureKind::TargetNotFound);
    assert_eq!(
        failure.candidates.first().map(String::as_str),
        Some("/Project/ItemGroup/PackageReference"),
        "{failure:?}"
    );
    let failure = bench.nodes(TargetKind::Xpath, "//PackageReference/@version").expect_err("not found");
    assert!(failure.candidates[0].ends_with("/@Version"), "{failure:?}");
}

#[test]
fn broken_documents_can_still_be_addressed() {
    let text = "<a>\n  <b x='1'>\n  <c>text</c>\n</a>";
    let bench = testing::open::<Xml>("a.xml", text);
    assert_eq!(bench.read(TargetKind::Xpath, "//c").expect("found"), ["<c>text</c>"]);
    let after = bench.edit(TargetKind::Xpath, "//c", testing::insert_into("d='2'", Position::Last)).expect("edited");
    assert_eq!(after, text.replace("<c>", "<c d='2'>"));
}
