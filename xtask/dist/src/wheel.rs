//! The Python wheel of a target: the program as a script, which pip copies into the environment.

use anyhow::Result;

use crate::{
    files::{self, Entry},
    project::{KEYWORDS, LICENSE, MCP_NAME, PYTHON_NAME, Project, REPOSITORY, SUMMARY},
    target::Target,
};

/// Returns the file name, whose parts are the name, the version and the tags.
pub(crate) fn file_name(project: &Project, target: &Target) -> String {
    format!("{}-{}-py3-none-{}.whl", distribution(), project.version, target.wheel)
}

/// Builds the wheel.
pub(crate) fn wheel(project: &Project, target: &Target, program: &[u8]) -> Result<Vec<u8>> {
    let name = format!("{}-{}", distribution(), project.version);
    let info = format!("{name}.dist-info");
    let mut entries = vec![
        Entry::program(format!("{name}.data/scripts/{}", target.program()), program),
        Entry::data(format!("{info}/METADATA"), metadata(project)),
        Entry::data(format!("{info}/WHEEL"), tags(target)),
    ];
    let licenses = project.licenses.iter();
    entries.extend(licenses.map(|(name, text)| Entry::data(format!("{info}/licenses/{name}"), text.clone())));
    let record = format!("{info}/RECORD");
    let lines = entries
        .iter()
        .map(|entry| format!("{},sha256={},{}\n", entry.path, base64_digest(&entry.content), entry.content.len()));
    let lines = lines.chain([format!("{record},,\n")]).collect::<String>();
    entries.push(Entry::data(record, lines));
    files::zip(&entries)
}

/// Returns the package name as file names contain it.
fn distribution() -> String {
    PYTHON_NAME.replace('-', "_")
}

fn metadata(project: &Project) -> String {
    let licenses = project.licenses.iter().map(|(name, _)| format!("License-File: {name}\n")).collect::<String>();
    format!(
        "Metadata-Version: 2.4\nName: {PYTHON_NAME}\nVersion: {}\nSummary: {SUMMARY}\nKeywords: {}\n\
         License-Expression: {LICENSE}\n{licenses}Project-URL: Repository, {REPOSITORY}\n\
         Description-Content-Type: text/markdown\n\n<!-- mcp-name: {MCP_NAME} -->\n\n{}",
        project.version,
        KEYWORDS.join(","),
        project.readme
    )
}

/// Returns the file that lists the tags one by one; the file name has them combined.
fn tags(target: &Target) -> String {
    let tags = target.wheel.split('.').map(|platform| format!("Tag: py3-none-{platform}\n")).collect::<String>();
    format!("Wheel-Version: 1.0\nGenerator: marquetry\nRoot-Is-Purelib: false\n{tags}")
}

/// Returns the sha256 in base64 for URLs, without padding.
fn base64_digest(content: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let digest = <sha2::Sha256 as sha2::Digest>::digest(content);
    let encode = |chunk: &[u8]| {
        let bits = chunk.iter().fold(0_u32, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - chunk.len()));
        let letter = move |index: usize| LETTERS[(bits >> (18 - 6 * index) & 63) as usize] as char;
        (0..=chunk.len()).map(letter).collect::<String>()
    };
    digest.chunks(3).map(encode).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_are_in_base64_for_urls() {
        assert_eq!(base64_digest(b""), "47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU");
        assert_eq!(base64_digest(b"abc"), "ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0");
    }

    #[test]
    fn record_lists_every_file() {
        let target = Target::find("x86_64-unknown-linux-musl").expect("a target");
        let bytes = wheel(&Project::for_tests(), target, b"program").expect("a wheel");
        let mut archive = zip::ZipArchive::new(std::io::Cursor::new(bytes)).expect("an archive");
        let record = archive.by_name("marquetry_cli-1.2.3.dist-info/RECORD").expect("a record");
        let record = std::io::read_to_string(record).expect("text");
        let recorded: Vec<&str> = record.lines().filter_map(|line| line.split(',').next()).collect();
        let names = archive.file_names().map(|name| name.expect("a name").into_owned());
        assert_eq!(recorded, names.collect::<Vec<_>>());
        assert!(record.contains("marquetry_cli-1.2.3.data/scripts/marq,sha256="), "{record}");
    }

    #[test]
    fn name_has_all_tags() {
        let target = Target::find("x86_64-unknown-linux-musl").expect("a target");
        let expected = "marquetry_cli-1.2.3-py3-none-manylinux2014_x86_64.musllinux_1_1_x86_64.whl";
        assert_eq!(file_name(&Project::for_tests(), target), expected);
        assert!(tags(target).ends_with("Tag: py3-none-manylinux2014_x86_64\nTag: py3-none-musllinux_1_1_x86_64\n"));
    }
}
