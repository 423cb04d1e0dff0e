//! The npm packages: one for each target with the program inside, and one that depends on all of them and starts the
//! one that npm installed. No script runs at install, and nothing is downloaded.

use anyhow::Result;
use serde_json::{Map, Value, json};

use crate::{
    files::{self, Entry},
    project::{KEYWORDS, LICENSE, MCP_NAME, NPM_NAME, NPM_SCOPE, Project, REPOSITORY, SUMMARY},
    target::{TARGETS, Target},
};

/// Starts the program of the package for this platform.
const LAUNCHER: &str = include_str!("../templates/launcher.js");

/// Returns the file name of a platform's package, as `npm pack` names it.
pub(crate) fn platform_file(project: &Project, target: &Target) -> String {
    format!("npm/{}-{}.tgz", platform_name(target).trim_start_matches('@').replace('/', "-"), project.version)
}

/// Returns the file name of the package that users install.
pub(crate) fn main_file(project: &Project) -> String {
    format!("npm/{NPM_NAME}-{}.tgz", project.version)
}

/// Builds the package of one platform.
pub(crate) fn platform_package(project: &Project, target: &Target, program: &[u8]) -> Result<Vec<u8>> {
    let (system, processor) = target.npm;
    let mut manifest = common(project, &platform_name(target));
    manifest.insert("description".into(), json!(format!("The program marq for {system} on {processor}")));
    manifest.insert("os".into(), json!([system]));
    manifest.insert("cpu".into(), json!([processor]));
    manifest.insert("preferUnplugged".into(), json!(true));
    let readme = format!(
        "# {}\n\nThe program `marq` for {system} on {processor}. Install [{NPM_NAME}]({REPOSITORY}), which selects the \
         package for your platform.\n",
        platform_name(target)
    );
    let entries = vec![
        manifest_entry(&manifest),
        Entry::program(format!("package/bin/{}", target.program()), program),
        Entry::data("package/README.md", readme),
    ];
    packed(project, entries)
}

/// Builds the package that users install.
pub(crate) fn main_package(project: &Project) -> Result<Vec<u8>> {
    let mut manifest = common(project, NPM_NAME);
    manifest.insert("description".into(), json!(SUMMARY));
    manifest.insert("mcpName".into(), json!(MCP_NAME));
    manifest.insert("keywords".into(), json!(KEYWORDS));
    manifest.insert("bin".into(), json!({ "marq": "bin/marq.js" }));
    let versions = TARGETS.iter().map(|target| (platform_name(target), json!(project.version)));
    manifest.insert("optionalDependencies".into(), Value::Object(versions.collect()));
    let entries = vec![
        manifest_entry(&manifest),
        Entry::program("package/bin/marq.js", LAUNCHER.replace("@SCOPE@", NPM_SCOPE).as_bytes()),
        Entry::data("package/README.md", project.readme.clone()),
    ];
    packed(project, entries)
}

/// Returns the name of a platform's package.
fn platform_name(target: &Target) -> String {
    format!("{NPM_SCOPE}/{}-{}", target.npm.0, target.npm.1)
}

fn common(project: &Project, name: &str) -> Map<String, Value> {
    let fields = [
        ("name", json!(name)),
        ("version", json!(project.version)),
        ("license", json!(format!("({LICENSE})"))),
        ("repository", json!({ "type": "git", "url": format!("git+{REPOSITORY}.git") })),
        ("engines", json!({ "node": ">=18" })),
    ];
    fields.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}

fn manifest_entry(manifest: &Map<String, Value>) -> Entry {
    Entry::data("package/package.json", format!("{:#}\n", Value::Object(manifest.clone())))
}

fn packed(project: &Project, mut entries: Vec<Entry>) -> Result<Vec<u8>> {
    entries.extend(project.licenses.iter().map(|(name, text)| Entry::data(format!("package/{name}"), text.clone())));
    files::tar_gz(&entries)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn package_names_are_those_that_the_launcher_requires() {
        let project = Project::for_tests();
        let target = Target::find("aarch64-unknown-linux-musl").expect("a target");
        assert_eq!(platform_name(target), "@marquetry/linux-arm64");
        assert_eq!(platform_file(&project, target), "npm/marquetry-linux-arm64-1.2.3.tgz");
        assert!(LAUNCHER.contains("`@SCOPE@/${process.platform}-${process.arch}`"), "{LAUNCHER}");
    }
}
