//! The bundle for MCP clients (`.mcpb`): the program, and a manifest that says how a client starts it.

use anyhow::Result;
use serde_json::json;

use crate::{
    files::{self, Entry},
    project::{KEYWORDS, LICENSE, Project, REPOSITORY, SUMMARY},
    target::Target,
};

/// Returns the file name.
pub(crate) fn file_name(project: &Project, target: &Target) -> String {
    format!("marquetry-{}-{}-{}.mcpb", project.version, target.npm.0, target.npm.1)
}

/// Builds the bundle.
pub(crate) fn bundle(project: &Project, target: &Target, program: &[u8]) -> Result<Vec<u8>> {
    let mut entries = vec![
        Entry::data("manifest.json", manifest(project, target)),
        Entry::program(format!("server/{}", target.program()), program),
        Entry::data("README.md", project.readme.clone()),
    ];
    entries.extend(project.licenses.iter().map(|(name, text)| Entry::data(*name, text.clone())));
    files::zip(&entries)
}

fn manifest(project: &Project, target: &Target) -> String {
    let program = format!("server/{}", target.program());
    let manifest = json!({
        "manifest_version": "0.3",
        "name": "marquetry",
        "display_name": "Marquetry",
        "version": project.version,
        "description": SUMMARY,
        "author": { "name": "The Marquetry authors", "url": REPOSITORY },
        "repository": { "type": "git", "url": format!("{REPOSITORY}.git") },
        "license": LICENSE,
        "keywords": KEYWORDS,
        "server": {
            "type": "binary",
            "entry_point": program,
            "mcp_config": {
                "command": format!("${{__dirname}}/{program}"),
                "args": ["mcp", "--root", "${user_config.folder}"],
                "env": {},
            },
        },
        "tools_generated": true,
        "user_config": {
            "folder": {
                "type": "directory",
                "title": "Folder",
                "description": "The project whose files the tools read and change",
                "required": true,
            },
        },
        "compatibility": { "platforms": [target.bundle_platform] },
    });
    format!("{manifest:#}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn manifest_starts_the_program_of_the_bundle() {
        let target = Target::find("x86_64-pc-windows-gnu").expect("a target");
        let manifest = manifest(&Project::for_tests(), target);
        let manifest: serde_json::Value = serde_json::from_str(&manifest).expect("JSON");
        assert_eq!(manifest["server"]["entry_point"], "server/marq.exe");
        assert_eq!(manifest["server"]["mcp_config"]["command"], "${__dirname}/server/marq.exe");
        assert_eq!(manifest["compatibility"]["platforms"], json!(["win32"]));
    }
}
