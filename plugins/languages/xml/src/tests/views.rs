//! Tests of views.

use marquetry_sdk::{Form, TargetKind, testing};

use super::PROJECT;
use crate::Xml;

#[test]
fn shows_views() {
    let bench = testing::open::<Xml>("a.csproj", PROJECT);
    let show = |xpath: &str, form| {
        let nodes = bench.nodes(TargetKind::Xpath, xpath).expect("found");
        bench.show(&nodes[0], form).expect("shown")
    };
    assert_eq!(show("//PackageReference[1]", Form::Full), "<PackageReference Include=\"xunit\" Version=\"2\" />");
    assert_eq!(show("//PackageReference[2]", Form::Signature), "<PackageReference Include=\"Moq\">");
    assert_eq!(show("//PackageReference[2]", Form::Body), "<PrivateAssets>all</PrivateAssets>");
    assert_eq!(show("//PackageReference[1]", Form::Body), "");
    assert_eq!(show("//PackageReference/@Version", Form::Body), "2");
    assert_eq!(show("//comment()", Form::Body), " for the tests ");
    assert_eq!(
        show("/Project", Form::Summary),
        "Project @Sdk
  PropertyGroup
    Version \"1.2\"
  ItemGroup
    PackageReference @Include @Version ×2
      PrivateAssets \"all\"
"
    );
    let node = &bench.nodes(TargetKind::Xpath, "//PackageReference[1]").expect("found")[0];
    assert_eq!(node.doc.map(|doc| &PROJECT[doc.range()]), Some("<!-- for the tests -->"));
    assert_eq!(node.value.as_deref(), Some("\"\""));
}
