//! What JSON files name.

use marquetry_sdk::{Linking, testing};

use crate::Json;

#[track_caller]
fn check_links(path: &str, text: &str, expected: &[(&str, &str)]) {
    let bench = testing::open::<Json>(path, text);
    let links = Json::links(bench.document());
    let found: Vec<(&str, &str)> = links.iter().map(|link| (link.kind.as_str(), link.span.of(text))).collect();
    assert_eq!(found, expected, "{path}");
}

#[test]
fn manifests_name_entries_scripts_and_assets() {
    check_links(
        "package.json",
        r#"{
  "main": "lib/index.js",
  "icon": "images/icon.png",
  "scripts": { "build": "node scripts/build.js && tsc -p ./tsconfig.json", "odd": "echo \"a/b.c\"" },
  "browser": { "./lib/node.js": "./lib/web.js", "fs": false },
  "contributes": { "themes": [{ "label": "x", "path": "./themes/dark.json" }], "commands": [{ "icon": "$(gear)" }] },
  "jest": { "setupFiles": ["<rootDir>/test/setup.js"], "preset": "ts-jest" },
  "eslintConfig": { "extends": ["./lint.js", "standard"] },
  "files": ["dist/**"],
  "license": "MIT",
  "data": { "seed": "data/seed.sql" }
}"#,
        &[
            ("entry", "lib/index.js"),
            ("asset", "images/icon.png"),
            ("script", "scripts/build.js"),
            ("script", "./tsconfig.json"),
            ("entry", "./lib/node.js"),
            ("entry", "./lib/web.js"),
            ("asset", "./themes/dark.json"),
            ("jest", "<rootDir>/test/setup.js"),
            ("entry", "./lint.js"),
            ("glob", "dist/**"),
            ("possible", "data/seed.sql"),
        ],
    );
}

#[test]
fn what_tools_write_names_nothing_for_us() {
    check_links("package-lock.json", r#"{ "a": "src/x.js", "b": { "c": "./y.js" } }"#, &[]);
    check_links("data.json", r#"{ "type": "application/json", "url": "https://a.b/c.d" }"#, &[]);
}

#[test]
fn a_part_of_a_value_is_not_removed() {
    let bench = testing::open::<Json>("package.json", r#"{ "scripts": { "a": "node x.js" } }"#);
    assert!(Json::unlink(bench.document(), &[0]).is_err());
}
