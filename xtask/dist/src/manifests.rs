//! Files that refer to the archives: the install scripts, the manifests of package managers, the entry in the MCP registry,
//! and the container file. All are templates with `@NAME@` for each value.

use std::path::Path;

use anyhow::Result;
use serde_json::json;

use crate::{
    archive, files,
    project::{LICENSE, MCP_NAME, NPM_NAME, PYTHON_NAME, Project, REPOSITORY, SUMMARY},
    target::{TARGETS, Target},
};

/// The archives of a release, with their checksums.
#[derive(Debug, Default)]
pub(crate) struct Archives(Vec<(&'static Target, String)>);

impl Archives {
    /// Reads the archives of all targets from a folder.
    pub(crate) fn read(project: &Project, folder: &Path) -> Result<Archives> {
        let mut found = Vec::new();
        for target in &TARGETS {
            let path = folder.join(archive::name(project, target));
            if path.is_file() {
                found.push((target, files::sha256(&files::read(&path)?)));
            }
        }
        Ok(Archives(found))
    }

    /// Returns true if no target was packed.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the checksum of a target's archive, if it was packed.
    fn sha256(&self, triple: &str) -> Option<&str> {
        self.0.iter().find(|(target, _)| target.triple == triple).map(|(_, sha256)| sha256.as_str())
    }
}

/// The templates, each with the name of its file and the targets whose archives it needs.
const TEMPLATES: [(&str, &str, &[&str]); 7] = [
    ("install.sh", include_str!("../templates/install.sh"), &[]),
    ("install.ps1", include_str!("../templates/install.ps1"), &[]),
    ("manifests/Containerfile", include_str!("../templates/Containerfile"), &["x86_64-unknown-linux-musl"]),
    ("manifests/homebrew/marquetry.rb", include_str!("../templates/homebrew.rb"), &ALL_UNIX),
    ("manifests/scoop/marquetry.json", include_str!("../templates/scoop.json"), &["x86_64-pc-windows-gnu"]),
    ("manifests/winget/marquetry.yaml", include_str!("../templates/winget.yaml"), &["x86_64-pc-windows-gnu"]),
    ("manifests/nix/default.nix", include_str!("../templates/default.nix"), &LINUX),
];

const LINUX: [&str; 2] = ["x86_64-unknown-linux-musl", "aarch64-unknown-linux-musl"];
const ALL_UNIX: [&str; 4] =
    ["x86_64-unknown-linux-musl", "aarch64-unknown-linux-musl", "x86_64-apple-darwin", "aarch64-apple-darwin"];

/// Returns names and texts of all files whose targets were packed.
pub(crate) fn filled_templates(project: &Project, archives: &Archives) -> Vec<(String, String)> {
    let has_archives = |needed: &[&str]| needed.iter().all(|triple| archives.sha256(triple).is_some());
    let complete = TEMPLATES.iter().filter(|(_, _, needed)| has_archives(needed));
    let filled = complete.map(|(name, template, _)| ((*name).to_owned(), fill(project, archives, template)));
    filled.chain([("server.json".to_owned(), server(project))]).collect()
}

/// Fills in the values of a template.
fn fill(project: &Project, archives: &Archives, template: &str) -> String {
    let release = format!("{REPOSITORY}/releases/download/v{}", project.version);
    let values = [
        ("@VERSION@", project.version.as_str()),
        ("@REPOSITORY@", REPOSITORY),
        ("@RELEASE@", &release),
        ("@SUMMARY@", SUMMARY),
        ("@LICENSE@", LICENSE),
    ];
    let text = values.iter().fold(template.to_owned(), |text, (name, value)| text.replace(name, value));
    archives.0.iter().fold(text, |text, (target, sha256)| {
        text.replace(&format!("@SHA256:{}@", target.triple), sha256)
            .replace(&format!("@ARCHIVE:{}@", target.triple), &archive::name(project, target))
    })
}

/// Returns the entry of the MCP registry.
fn server(project: &Project) -> String {
    let package = |kind: &str, identifier: &str| {
        json!({
            "registryType": kind,
            "identifier": identifier,
            "version": project.version,
            "transport": { "type": "stdio" },
            "packageArguments": [{ "type": "positional", "value": "mcp" }],
        })
    };
    let entry = json!({
        "$schema": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
        "name": MCP_NAME,
        "title": "Marquetry",
        "description": SUMMARY,
        "repository": { "url": REPOSITORY, "source": "github" },
        "version": project.version,
        "packages": [package("npm", NPM_NAME), package("pypi", PYTHON_NAME)],
    });
    format!("{entry:#}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn archives() -> Archives {
        Archives(TARGETS.iter().map(|target| (target, format!("sum-{}", target.triple))).collect())
    }

    #[test]
    fn every_value_is_filled_in() {
        let project = Project::for_tests();
        let all = filled_templates(&project, &archives());
        assert_eq!(all.len(), TEMPLATES.len() + 1);
        for (name, text) in &all {
            assert!(!text.contains("@SHA256") && !text.contains("@VERSION") && !text.contains("@ARCHIVE"), "{name}");
            assert!(!text.contains("@RELEASE@") && !text.contains("@REPOSITORY@"), "{name}");
        }
        let scoop = &all.iter().find(|(name, _)| name.contains("scoop")).expect("a manifest").1;
        let scoop: serde_json::Value = serde_json::from_str(scoop).expect("JSON");
        assert_eq!(scoop["architecture"]["64bit"]["hash"], "sum-x86_64-pc-windows-gnu");
    }

    #[test]
    fn manifests_of_targets_that_were_not_packed_are_left_out() {
        let linux = Archives(vec![(&TARGETS[0], "sum".to_owned())]);
        let names: Vec<String> =
            filled_templates(&Project::for_tests(), &linux).into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["install.sh", "install.ps1", "manifests/Containerfile", "server.json"]);
    }

    /// The summary in the MCP registry has at most 100 characters.
    #[test]
    fn entry_of_the_registry_is_within_its_limits() {
        assert!(SUMMARY.len() <= 100, "{}", SUMMARY.len());
        let entry: serde_json::Value = serde_json::from_str(&server(&Project::for_tests())).expect("JSON");
        assert_eq!(entry["packages"][1]["identifier"], "marquetry-cli");
    }
}
