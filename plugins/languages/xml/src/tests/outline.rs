//! Tests of the outline.

use marquetry_sdk::{Document as _, testing};

use super::PROJECT;
use crate::Xml;

#[test]
fn outline_names_elements_by_key_attributes() {
    let bench = testing::open::<Xml>("a.csproj", PROJECT);
    assert_eq!(
        bench.outline(),
        "element Project @/Project
  element PropertyGroup @/Project/PropertyGroup
    element Version @/Project/PropertyGroup/Version
  element ItemGroup @/Project/ItemGroup
    element PackageReference \"xunit\" @/Project/ItemGroup/PackageReference[1]
    element PackageReference \"Moq\" @/Project/ItemGroup/PackageReference[2]
      element PrivateAssets @/Project/ItemGroup/PackageReference[2]/PrivateAssets
"
    );
    let svg = testing::open::<Xml>("a.svg", "<svg><g id='layer'/></svg>");
    assert_eq!(svg.outline(), "element svg @/svg\n  element g #layer @/svg/g\n");
}

#[test]
fn outlines_of_large_files_are_complete_up_to_the_limit_of_the_contract() {
    let outline = |text: &str| testing::open::<Xml>("a.xml", text).document().outline();
    assert_eq!(outline(&format!("<a>{}</a>", "<b>x</b>".repeat(40_000))).len(), 40_001);
    assert_eq!(outline(&format!("<a>{}</a>", "<b>x</b>".repeat(60_000))).len(), 50_000);
    // Of the first level that does not fit, the first elements are listed.
    let nodes = outline(&format!("<a><z/>{}<y/></a>", "<b><c/></b>".repeat(30_000)));
    assert_eq!(nodes.len(), 50_000);
    assert_eq!(nodes.iter().filter(|node| node.name == "y").count(), 1);
    assert_eq!(nodes.iter().filter(|node| node.name == "c").count(), 50_000 - 30_003);
}
