//! The software bill of materials, in the format of CycloneDX: every crate of the lock with its checksum.

use anyhow::Result;
use serde_json::{Value, json};

use crate::project::{LICENSE, Project};

/// Returns the bill of materials.
pub(crate) fn sbom(project: &Project) -> Result<String> {
    let components: Vec<Value> = packages(&project.lock).iter().map(component).collect();
    let bill = json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "component": {
                "type": "application",
                "name": "marquetry",
                "version": project.version,
                "licenses": [{ "expression": LICENSE }],
            },
        },
        "components": components,
    });
    Ok(format!("{bill:#}\n"))
}

/// A crate of the lock that comes from a registry.
#[derive(Debug, PartialEq, Eq)]
struct Package<'a> {
    name: &'a str,
    version: &'a str,
    checksum: &'a str,
}

/// Returns the crates of the lock that come from a registry; the others are parts of this repository.
fn packages(lock: &str) -> Vec<Package<'_>> {
    let parts = lock.split("[[package]]").skip(1);
    let value = |part: &'_ str, key: &str| -> Option<(usize, usize)> {
        let start = part.find(&format!("\n{key} = \""))? + key.len() + 5;
        Some((start, start + part[start..].find('"')?))
    };
    let package = |part: &'_ str| {
        let [name, version, checksum] = ["name", "version", "checksum"].map(|key| value(part, key));
        Some((name?, version?, checksum?))
    };
    parts
        .filter_map(|part| {
            let (name, version, checksum) = package(part)?;
            let text = |(start, end): (usize, usize)| &part[start..end];
            Some(Package { name: text(name), version: text(version), checksum: text(checksum) })
        })
        .collect()
}

fn component(package: &Package<'_>) -> Value {
    let reference = format!("pkg:cargo/{}@{}", package.name, package.version);
    json!({
        "type": "library",
        "bom-ref": reference,
        "name": package.name,
        "version": package.version,
        "purl": reference,
        "hashes": [{ "alg": "SHA-256", "content": package.checksum }],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOCK: &str = "version = 4\n\n[[package]]\nname = \"a\"\nversion = \"1.0.0\"\nsource = \"registry+x\"\n\
        checksum = \"ab\"\ndependencies = [\n \"own\",\n]\n\n[[package]]\nname = \"own\"\nversion = \"0.1.0\"\n";

    #[test]
    fn crates_of_registries_are_listed_with_checksums() {
        assert_eq!(packages(LOCK), [Package { name: "a", version: "1.0.0", checksum: "ab" }]);
    }

    #[test]
    fn bill_names_packages_by_url() {
        let bill = sbom(&Project { lock: LOCK.to_owned(), ..Project::for_tests() }).expect("a bill");
        let bill: Value = serde_json::from_str(&bill).expect("JSON");
        assert_eq!(bill["components"][0]["purl"], "pkg:cargo/a@1.0.0");
        assert_eq!(bill["metadata"]["component"]["version"], "1.2.3");
    }
}
