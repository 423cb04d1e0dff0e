//! The Debian package: an `ar` archive with two compressed tar archives.

use anyhow::{Context, Result};

use crate::{
    files::{self, Entry},
    project::{DEBIAN_NAME, Project, REPOSITORY, SUMMARY},
    target::Target,
};

/// Returns the file name.
pub(crate) fn file_name(project: &Project, target: &Target) -> String {
    format!("{DEBIAN_NAME}_{}_{}.deb", project.version, target.debian.unwrap_or("all"))
}

/// Builds the package.
pub(crate) fn package(project: &Project, architecture: &str, program: &[u8]) -> Result<Vec<u8>> {
    let licenses = project.licenses.iter().map(|(_, text)| text.as_str()).collect::<Vec<_>>().join("\n");
    let installed = [
        Entry::program("./usr/bin/marq", program),
        Entry::data(format!("./usr/share/doc/{DEBIAN_NAME}/README.md"), project.readme.clone()),
        Entry::data(format!("./usr/share/doc/{DEBIAN_NAME}/copyright"), licenses),
    ];
    let kibibytes = installed.iter().map(|entry| entry.content.len().div_ceil(1024)).sum::<usize>();
    let control = Entry::data("./control", control(project, architecture, kibibytes));
    let parts = [
        ("debian-binary", b"2.0\n".to_vec()),
        ("control.tar.gz", files::tar_gz(&[control])?),
        ("data.tar.gz", files::tar_gz(&installed)?),
    ];
    ar(&parts)
}

fn control(project: &Project, architecture: &str, kibibytes: usize) -> String {
    format!(
        "Package: {DEBIAN_NAME}\nVersion: {}\nArchitecture: {architecture}\nSection: devel\nPriority: optional\n\
         Maintainer: The Marquetry authors <marquetry@users.noreply.github.com>\nInstalled-Size: {kibibytes}\nHomepage: {REPOSITORY}\n\
         Description: {SUMMARY}\n",
        project.version
    )
}

/// Builds an `ar` archive in the format that Debian requires.
fn ar(parts: &[(&str, Vec<u8>)]) -> Result<Vec<u8>> {
    let mut archive = b"!<arch>\n".to_vec();
    for (name, content) in parts {
        u32::try_from(content.len()).context("a part of the package is too large")?;
        let header = format!("{name:<16}{:<12}{:<6}{:<6}{:<8}{:<10}`\n", 0, 0, 0, "100644", content.len());
        archive.extend(header.as_bytes());
        archive.extend(content);
        if content.len() % 2 == 1 {
            archive.push(b'\n');
        }
    }
    Ok(archive)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_of_ar_archives_start_at_even_offsets() {
        let archive = ar(&[("a", b"odd".to_vec()), ("b", b"even".to_vec())]).expect("an archive");
        let text = String::from_utf8(archive).expect("text");
        let expected = "!<arch>\n\
            a               0           0     0     100644  3         `\nodd\n\
            b               0           0     0     100644  4         `\neven";
        assert_eq!(text, expected);
    }

    #[test]
    fn control_file_has_the_required_fields() {
        let control = control(&Project::for_tests(), "amd64", 12);
        for field in ["Package: marquetry\n", "Version: 1.2.3\n", "Architecture: amd64\n", "Installed-Size: 12\n"] {
            assert!(control.contains(field), "{control}");
        }
    }
}
