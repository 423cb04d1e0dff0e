//! Tests, grouped by topic.

mod edits;
mod keeping;
mod laws;
mod links;
mod outline;
mod problems;
mod symbols;
mod targets;
mod views;
mod xpath;

const PROJECT: &str = "<?xml version=\"1.0\"?>
<!DOCTYPE Project [<!ENTITY v '1.2'>]>
<Project Sdk=\"Microsoft.NET.Sdk\">
  <PropertyGroup>
    <Version>&v;</Version>
  </PropertyGroup>
  <ItemGroup>
    <!-- for the tests -->
    <PackageReference Include=\"xunit\" Version=\"2\" />

    <PackageReference Include=\"Moq\"><PrivateAssets>all</PrivateAssets></PackageReference>
  </ItemGroup>
</Project>
";
