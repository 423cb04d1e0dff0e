//! Tests of links: positions, resolution, formatting and removal.

use marquetry_sdk::{Context, Destination, Linking, Request, SpecifierRequest, span, testing, workspace};

use crate::Xml;

const PROJECT: &str = "<Project Sdk=\"Microsoft.NET.Sdk\">
  <Import Project=\"$(MSBuildThisFileDirectory)..\\common.props\" />
  <Import Sdk=\"Some.Sdk\" Project=\"Sdk.props\" />
  <PropertyGroup>
    <ApplicationIcon>assets\\app icon.ico</ApplicationIcon>
  </PropertyGroup>
  <ItemGroup>
    <ProjectReference Include=\"..\\Core\\Core.csproj\" />
  </ItemGroup>
  <ItemGroup>
    <Compile Include=\"a.cs; sub\\b.cs;gen\\*.cs\" Exclude=\"$(Out)\\x.cs\" />
    <None Update=\"./readme%20first.md\" CopyToOutputDirectory=\"Always\" />
    <PackageReference Include=\"Newtonsoft.Json\" />
    <Reference Include=\"Lib\">
      <HintPath>..\\lib\\Lib.dll</HintPath>
    </Reference>
  </ItemGroup>
</Project>
";

/// Returns the links as `kind specifier`, and checks that their spans are valid in the text.
fn links(path: &str, text: &str) -> Vec<String> {
    let bench = testing::open::<Xml>(path, text);
    let links = Xml::links(bench.document());
    for link in &links {
        assert!(!link.span.slice(text).is_empty() && (link.statement.contains(link.span)), "{link:?}");
    }
    links.into_iter().map(|link| format!("{} {}", link.kind, link.specifier)).collect()
}

fn unlink(path: &str, text: &str, specifiers: &[&str]) -> String {
    let bench = testing::open::<Xml>(path, text);
    let all = Xml::links(bench.document());
    let wanted = all.iter().enumerate().filter(|(_, link)| specifiers.contains(&link.specifier.as_str()));
    let indices: Vec<u32> = wanted.map(|(index, _)| index as u32).collect();
    assert!(!indices.is_empty(), "{specifiers:?} among {all:?}");
    span::apply(text, &Xml::unlink(bench.document(), &indices).expect("unlinked").edits)
}

fn resolve(from: &str, kind: &str, specifier: &str) -> String {
    let request = Request { kind: kind.to_owned(), specifier: specifier.to_owned() };
    match Xml::resolve(&Context::for_path(from), &[request]).remove(0) {
        Destination::Inside(found) => format!("{}{}", found.path, found.suffix),
        Destination::External => "external".to_owned(),
        Destination::Missing(path) => format!("missing {path}"),
        Destination::Unknown(_) => "unknown".to_owned(),
    }
}

fn format_specifier(kind: &str, from: &str, specifier: &str, to: &str) -> String {
    let (from, to, was) = (from.to_owned(), to.to_owned(), String::new());
    let request = SpecifierRequest { from, to, was, kind: kind.to_owned(), specifier: specifier.to_owned() };
    Xml::format_specifiers(&Context::for_path(""), &[request]).remove(0).unwrap_or_else(|failure| failure.message)
}

#[test]
fn finds_msbuild_links() {
    assert_eq!(
        links("app/App.csproj", PROJECT),
        [
            "build-import $(MSBuildThisFileDirectory)..\\common.props",
            "path assets\\app icon.ico",
            "project-reference ..\\Core\\Core.csproj",
            "item a.cs",
            "item sub\\b.cs",
            "item gen\\*.cs",
            "item $(Out)\\x.cs",
            "item ./readme%20first.md",
            "path ..\\lib\\Lib.dll",
        ]
    );
}

#[test]
fn finds_links_by_their_namespaces() {
    let text = "<?xml-stylesheet type='text/xsl' href='a.xsl'?>\n<!DOCTYPE r SYSTEM \"r.dtd\">\n<r xmlns:xi='http://www.w3.org/2001/XInclude' xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance' xsi:schemaLocation='urn:a a.xsd\n urn:b b.xsd'><xi:include href='p&amp;q.xml'/></r>";
    assert_eq!(
        links("r.xml", text),
        ["stylesheet a.xsl", "dtd r.dtd", "schema a.xsd", "schema b.xsd", "include p&q.xml"]
    );
    let schema = "<xs:schema xmlns:xs='http://www.w3.org/2001/XMLSchema'><xs:import namespace='u' schemaLocation='u.xsd'/><xs:include schemaLocation='v.xsd'/></xs:schema>";
    assert_eq!(links("s.xsd", schema), ["schema u.xsd", "schema v.xsd"]);
    let style =
        "<xsl:stylesheet xmlns:xsl='http://www.w3.org/1999/XSL/Transform'><xsl:import href='b.xsl'/></xsl:stylesheet>";
    assert_eq!(links("a.xsl", style), ["import b.xsl"]);
    let svg = "<svg xmlns='http://www.w3.org/2000/svg' xmlns:l='http://www.w3.org/1999/xlink'><image l:href='a.png'/><use href='b.svg#x'/><use href='#y'/><a href='c.html'/></svg>";
    assert_eq!(links("d.svg", svg), ["image a.png", "href b.svg#x", "href c.html"]);
    let styled = "<svg><style><![CDATA[@import 'a.css'; b { c: url(d.png) }]]></style><g style='fill: url(&quot;#x&quot;)' filter='url(e.svg#f)' fill='url(#g)'/></svg>";
    assert_eq!(links("d.svg", styled), ["css-import a.css", "url d.png", "url e.svg#f"]);
    assert_eq!(format_specifier("url", "p.svg", "d.png", "i (1)/d.png"), "i%20%281%29/d.png");
}

#[test]
fn finds_the_links_of_other_formats() {
    let resx = "<root><data name='i' type='System.Resources.ResXFileRef, System.Windows.Forms'><value>..\\i.png;System.Drawing.Bitmap</value></data><data name='t'><value>x</value></data></root>";
    assert_eq!(links("r.resx", resx), ["file ..\\i.png"]);
    assert_eq!(links("s.slnx", "<Solution><Project Path=\"a/A.csproj\" /></Solution>"), ["file a/A.csproj"]);
    let pom = "<project xmlns='http://maven.apache.org/POM/4.0.0'><parent><relativePath>../pom.xml</relativePath></parent><modules><module>core</module></modules></project>";
    assert_eq!(links("pom.xml", pom), ["module ../pom.xml", "module core"]);
    let xaml = "<ResourceDictionary Source='Themes/Dark.xaml'><Image Source='{Binding X}'/></ResourceDictionary>";
    assert_eq!(links("a.xaml", xaml), ["resource Themes/Dark.xaml"]);
    assert_eq!(links("a.plist", "<plist><dict><key>a.xml</key></dict></plist>"), [""; 0]);
}

#[test]
fn resolves_specifiers() {
    let files = ["app/a.cs", "app/x y.cs", "common.props", "Core/Core.csproj", "core/pom.xml", "img/a.svg"];
    workspace::set_files(files.map(|file| (file.to_owned(), String::new())));
    assert_eq!(resolve("app/App.csproj", "item", "a.cs"), "app/a.cs");
    assert_eq!(resolve("app/App.csproj", "item", "x%20y.cs"), "app/x y.cs");
    assert_eq!(resolve("app/App.csproj", "item", "b.cs"), "missing app/b.cs");
    assert_eq!(resolve("app/App.csproj", "item", "gen\\*.cs"), "unknown");
    assert_eq!(resolve("app/App.csproj", "item", "$(Out)\\b.cs"), "unknown");
    assert_eq!(resolve("app/App.csproj", "project-reference", "..\\Core\\Core.csproj"), "Core/Core.csproj");
    assert_eq!(resolve("app/x.props", "build-import", "$(MSBuildThisFileDirectory)..\\common.props"), "common.props");
    assert_eq!(resolve("app/x.props", "build-import", "$(MSBuildProjectDirectory)\\common.props"), "unknown");
    assert_eq!(resolve("app/App.csproj", "item", "..\\..\\out.cs"), "external");
    assert_eq!(resolve("app/App.csproj", "item", "C:\\out.cs"), "external");
    assert_eq!(resolve("pom.xml", "module", "core"), "core/pom.xml");
    assert_eq!(resolve("app/p.svg", "image", "../img/a.svg?v=1#g"), "img/a.svg?v=1#g");
    assert_eq!(resolve("app/p.svg", "image", "https://e.org/a.svg"), "external");
    assert_eq!(resolve("app/p.svg", "image", "/img/a.svg"), "unknown");
}

#[test]
fn formats_specifier_in_style_of_old() {
    assert_eq!(
        format_specifier("project-reference", "app/App.csproj", "..\\Core\\Core.csproj", "lib/Core/Core.csproj"),
        "..\\lib\\Core\\Core.csproj"
    );
    assert_eq!(format_specifier("item", "app/App.csproj", "a.cs", "app/sub/a.cs"), "sub\\a.cs");
    assert_eq!(format_specifier("item", "app/App.csproj", "./x/a.cs", "app/y/b.cs"), "./y/b.cs");
    assert_eq!(format_specifier("item", "app/App.csproj", ".\\x\\a.cs", "b.cs"), "..\\b.cs");
    assert_eq!(format_specifier("item", "app/App.csproj", "x\\", "app/y"), "y\\");
    assert_eq!(
        format_specifier("build-import", "a/x.props", "$(MSBuildThisFileDirectory)..\\c.props", "b/c.props"),
        "$(MSBuildThisFileDirectory)..\\b\\c.props"
    );
    assert_eq!(format_specifier("module", "pom.xml", "core", "lib/core/pom.xml"), "lib/core");
    assert_eq!(format_specifier("image", "p.svg", "img/a.png?v=1#x", "img/b & c.png"), "img/b%20&amp;%20c.png?v=1#x");
    assert_eq!(format_specifier("include", "a/b.xml", "./c.xml", "a/d.xml"), "./d.xml");
    assert!(format_specifier("item", "app/App.csproj", "$(Out)\\a.cs", "b.cs").contains("property"));
}

#[test]
fn removes_links() {
    let after = unlink("app/App.csproj", PROJECT, &["..\\Core\\Core.csproj"]);
    assert!(!after.contains("ProjectReference") && after.matches("<ItemGroup>").count() == 1, "{after}");
    let after = unlink("app/App.csproj", PROJECT, &["sub\\b.cs"]);
    assert!(after.contains("Include=\"a.cs; gen\\*.cs\""), "{after}");
    let after = unlink("app/App.csproj", PROJECT, &["gen\\*.cs", "sub\\b.cs", "a.cs"]);
    assert!(!after.contains("Compile") && after.contains("readme"), "{after}");
    let after = unlink("app/App.csproj", PROJECT, &["..\\lib\\Lib.dll"]);
    assert!(!after.contains("Reference Include=\"Lib\"") && after.contains("Newtonsoft"), "{after}");
    let svg = "<svg xmlns='http://www.w3.org/2000/svg'>\n  <a href='c.html'><g/></a>\n  <image href='a.png'/>\n</svg>";
    assert_eq!(
        unlink("d.svg", svg, &["c.html", "a.png"]),
        "<svg xmlns='http://www.w3.org/2000/svg'>\n  <a><g/></a>\n</svg>"
    );
    let pairs =
        "<r xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance' xsi:schemaLocation='urn:a a.xsd urn:b b.xsd'/>";
    assert_eq!(unlink("r.xml", pairs, &["b.xsd"]), pairs.replace(" urn:b b.xsd", " "));
    assert_eq!(
        unlink("r.xml", pairs, &["a.xsd", "b.xsd"]),
        "<r xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance'/>"
    );
    let style = "<?xml-stylesheet href='a.xsl'?>\n<r/>";
    assert_eq!(unlink("r.xml", style, &["a.xsl"]), "<r/>");
}
