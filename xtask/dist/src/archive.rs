//! The archive of a target: one folder with the program, the readme and the licences.

use anyhow::Result;

use crate::{
    files::{self, Entry},
    project::Project,
    target::Target,
};

/// Returns the file name.
pub(crate) fn name(project: &Project, target: &Target) -> String {
    format!("{}.{}", folder(project, target), if target.is_windows() { "zip" } else { "tar.gz" })
}

/// Returns the name of the folder in the archive.
pub(crate) fn folder(project: &Project, target: &Target) -> String {
    format!("marq-{}-{}", project.version, target.triple)
}

/// Builds the archive.
pub(crate) fn archive(project: &Project, target: &Target, program: &[u8]) -> Result<Vec<u8>> {
    let folder = folder(project, target);
    let mut entries = vec![Entry::program(format!("{folder}/{}", target.program()), program)];
    entries.push(Entry::data(format!("{folder}/README.md"), project.readme.clone()));
    entries.extend(project.licenses.iter().map(|(name, text)| Entry::data(format!("{folder}/{name}"), text.clone())));
    if target.is_windows() { files::zip(&entries) } else { files::tar_gz(&entries) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_version_and_target() {
        let named = |triple| name(&Project::for_tests(), Target::find(triple).expect("a target"));
        assert_eq!(named("x86_64-unknown-linux-musl"), "marq-1.2.3-x86_64-unknown-linux-musl.tar.gz");
        assert_eq!(named("x86_64-pc-windows-gnu"), "marq-1.2.3-x86_64-pc-windows-gnu.zip");
    }
}
