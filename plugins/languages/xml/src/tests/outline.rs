//! Tests of the outline.

use marquetry_sdk::testing;

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
