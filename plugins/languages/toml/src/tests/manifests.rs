//! Tests of manifests and hover information.

use marquetry_sdk::{Hover, testing, workspace};

use crate::Toml;

#[test]
fn reads_cargo_manifest() {
    let text = "[package]\nname = \"shop\"\nversion = \"1.2.3\"\n[workspace]\nmembers = [\"crates/*\"]\n";
    let bench = testing::open::<Toml>("Cargo.toml", text);
    let manifest = Toml::read_manifest(bench.document()).expect("a manifest");
    assert_eq!(manifest.name.as_deref(), Some("shop"));
    assert_eq!(manifest.version.as_deref(), Some("1.2.3"));
    assert_eq!(manifest.manager.as_deref(), Some("cargo"));
    assert_eq!(manifest.workspaces, ["crates/*"]);
}

#[test]
fn reads_scripts_of_python_project() {
    workspace::set_files([("uv.lock".to_owned(), String::new())]);
    let text = "[project]\nname = \"shop\"\nversion = \"1\"\n[project.scripts]\nserve = \"shop:main\"\n[tool.poe.tasks]\ntest = { cmd = \"pytest\" }\n";
    let bench = testing::open::<Toml>("pyproject.toml", text);
    let manifest = Toml::read_manifest(bench.document()).expect("a manifest");
    assert_eq!((manifest.name.as_deref(), manifest.manager.as_deref()), (Some("shop"), Some("uv")));
    let scripts: Vec<(&str, &str)> =
        manifest.scripts.iter().map(|script| (script.name.as_str(), script.command.as_str())).collect();
    assert_eq!(scripts, [("serve", "shop:main"), ("test", "{\"cmd\":\"pytest\"}")]);
}

#[test]
fn hover_shows_kind_and_inherited_definition() {
    workspace::set_files([
        ("Cargo.toml".to_owned(), "[workspace.dependencies]\nserde = \"1\"\n".to_owned()),
        ("crates/a/Cargo.toml".to_owned(), String::new()),
    ]);
    let text = "[package]\n# How it is called.\nname = \"a\"\n\n[dependencies]\nserde.workspace = true\n";
    let bench = testing::open::<Toml>("crates/a/Cargo.toml", text);
    let info = |part: &str| {
        let at = text.find(part).expect(part) as u32;
        Toml::hover(bench.document(), at).expect("hover information")
    };
    let name = info("name");
    assert_eq!((name.name.as_str(), name.kind.as_str()), ("name", "string"));
    assert_eq!(name.documentation.as_deref(), Some("How it is called."));
    assert!(name.declared.is_none());
    let declared = info("serde").declared.expect("a location");
    assert_eq!((declared.path.as_str(), declared.offset), ("Cargo.toml", 25));
    assert_eq!(info("[dependencies]").name, "dependencies");
}
