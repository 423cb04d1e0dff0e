//! Tests of links in JSON files.

use marquetry_sdk::{FileMoves, Linking, Relocation, testing, workspace};

use crate::Json;

#[track_caller]
fn check_links(path: &str, text: &str, expected: &[(&str, &str)]) {
    let bench = testing::open::<Json>(path, text);
    let links = Json::links(bench.document());
    let found: Vec<(&str, &str)> = links.iter().map(|link| (link.kind.as_str(), link.span.slice(text))).collect();
    assert_eq!(found, expected, "{path}");
}

#[test]
fn finds_links_of_package_manifests() {
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
fn finds_links_of_hooks_and_workspaces() {
    check_links(
        "package.json",
        r#"{
  "workspaces": ["packages/*", "!packages/old"],
  "simple-git-hooks": { "pre-commit": "cd tools && node check.js" },
  "gitHooks": { "pre-push": "./push.sh" },
  "husky": { "hooks": { "commit-msg": "node tools/msg.js" } },
  "lint-staged": { "*.ts": ["eslint --fix", "node tools/lint.js"], "*.md": "./md.sh" }
}"#,
        &[
            ("glob", "packages/*"),
            ("glob", "packages/old"),
            ("script", "tools"),
            ("script in tools", "check.js"),
            ("script", "./push.sh"),
            ("script", "tools/msg.js"),
            ("script", "tools/lint.js"),
            ("script", "./md.sh"),
        ],
    );
}

#[test]
fn unlink_removes_emptied_containers() {
    let check = |path: &str, text: &str, wanted: &[&str], expected: &str| {
        let bench = testing::open::<Json>(path, text);
        let links = Json::links(bench.document()).into_iter().enumerate();
        let wanted: Vec<u32> = links
            .filter(|(_, link)| wanted.contains(&link.specifier.as_str()))
            .map(|(index, _)| index as u32)
            .collect();
        let edits = Json::unlink(bench.document(), &wanted).expect("unlinked").edits;
        assert_eq!(marquetry_sdk::span::apply(text, &edits), expected);
    };
    let alias = |paths: &str| format!(r#"{{"compilerOptions": {{"paths": {{{paths}}}}}}}"#);
    check("tsconfig.json", &alias(r#""@a": ["a.ts"], "@b": ["b.ts"]"#), &["a.ts"], &alias(r#""@b": ["b.ts"]"#));
    check("tsconfig.json", &alias(r#""@a": ["a.ts", "b.ts"]"#), &["a.ts"], &alias(r#""@a": ["b.ts"]"#));
    check("tsconfig.json", r#"{"files": ["a.ts", "b.ts"]}"#, &["a.ts"], r#"{"files": ["b.ts"]}"#);
    check(
        "tsconfig.json",
        r#"{"references": [{"path": "a", "prepend": true}, {"path": "b"}]}"#,
        &["a"],
        r#"{"references": [{"path": "b"}]}"#,
    );
    check(
        "package.json",
        r#"{"contributes": {"themes": [{"label": "x", "path": "./x.json"}, {"label": "y", "path": "./y.json"}]}}"#,
        &["./x.json"],
        r#"{"contributes": {"themes": [{"label": "y", "path": "./y.json"}]}}"#,
    );
    check(
        "package.json",
        r#"{"contributes": {"languages": [{"id": "x", "configuration": "./x.json"}]}}"#,
        &["./x.json"],
        r#"{"contributes": {"languages": [{"id": "x"}]}}"#,
    );
    check(
        "package.json",
        r#"{"name": "x", "typesVersions": {"*": {"a": ["a.d.ts"]}}}"#,
        &["a.d.ts"],
        r#"{"name": "x"}"#,
    );
    check(
        "package.json",
        r#"{"typesVersions": {"*": {"a": ["a.d.ts"], "b": ["b.d.ts"]}}}"#,
        &["a.d.ts"],
        r#"{"typesVersions": {"*": {"b": ["b.d.ts"]}}}"#,
    );
    check(
        "tsconfig.json",
        r#"{"compilerOptions": {"typeRoots": ["types"]}}"#,
        &["types"],
        r#"{"compilerOptions": {}}"#,
    );
    check(
        "package.json",
        r#"{"workspaces": ["p1"], "bin": {"q": "./q.js"}}"#,
        &["p1", "./q.js"],
        r#"{"workspaces": [], "bin": {}}"#,
    );
    let exports = |inside: &str| format!(r#"{{"exports": {{{inside}}}}}"#);
    let both = r#""./a": {"node": {"import": "./a.mjs"}, "default": "./a.js"}, "./b": "./b.js""#;
    check("package.json", &exports(both), &["./a.mjs", "./a.js"], &exports(r#""./b": "./b.js""#));
    check("package.json", &exports(r#""./a": {"import": "./a.js"}"#), &["./a.js"], &exports(""));
}

#[test]
fn unlink_refuses_last_file_of_compiler_configuration() {
    let bench = testing::open::<Json>("tsconfig.json", r#"{"files": ["a.ts"]}"#);
    let failure = Json::unlink(bench.document(), &[0]).expect_err("the compiler does not accept an empty list");
    assert_eq!(failure.message, "`files` would be an empty list, which is an error in a compiler configuration");
    assert!(failure.hint.is_some());
}

#[test]
fn generated_files_have_no_links() {
    check_links("package-lock.json", r#"{ "a": "src/x.js", "b": { "c": "./y.js" } }"#, &[]);
    check_links("data.json", r#"{ "type": "application/json", "url": "https://a.b/c.d" }"#, &[]);
}

#[test]
fn unlink_refuses_part_of_value() {
    let bench = testing::open::<Json>("package.json", r#"{ "scripts": { "a": "node x.js" } }"#);
    assert!(Json::unlink(bench.document(), &[0]).is_err());
}

/// Returns the configuration `tsconfig.app.json` after a move, in a folder with other files, or the message of the
/// refusal.
fn moved(files: &[(&str, &str)], (from, to): (&str, &str)) -> Result<String, String> {
    workspace::set_files(files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())));
    let (path, text) = files[0];
    let relocations = vec![Relocation { from: from.to_owned(), to: to.to_owned() }];
    let moves = FileMoves { path: path.to_owned(), links: Vec::new(), relocations };
    let bench = testing::open::<Json>(path, text);
    let edits = Json::relink(bench.document(), &moves).map_err(|failure| failure.message)?.edits;
    Ok(marquetry_sdk::span::apply(text, &edits))
}

const APP: (&str, &str) = ("p/tsconfig.app.json", r#"{"include": ["src"]}"#);

#[test]
fn include_stays_if_other_project_includes_new_place() {
    let from_src_to_test = ("p/src/a.test.ts", "p/test/a.test.ts");
    for (name, other) in [
        ("p/tsconfig.test.json", r#"{"include": ["test"]}"#),
        ("p/tsconfig.test.json", r#"{"include": ["./test/**/*.ts"], "exclude": ["src"]}"#),
        ("p/tsconfig.test.json", r#"{"include": ["**/*.test.ts"]}"#),
        ("p/tsconfig.test.json", r#"{"files": ["test/a.test.ts"]}"#),
        ("p/tsconfig.json", r#"{"compilerOptions": {"strict": true}}"#),
        ("p/tsconfig.json", r#"{"include": ["src", "test"]}"#),
        ("p/test/tsconfig.spec.json", r#"{"include": ["*.ts"]}"#),
        ("p/test/tsconfig.json", "{}"),
        ("p/tsconfig.test.json", "// Tests.\n{\"include\": [\"test\",],}"),
    ] {
        let files = [APP, (name, other), ("p/src/a.ts", ""), (from_src_to_test.0, "")];
        assert_eq!(moved(&files, from_src_to_test).as_deref(), Ok(APP.1), "{other}");
    }
    let base = ("p/base.json", r#"{"include": ["test"], "compilerOptions": {"allowJs": true}}"#);
    let extended = ("p/tsconfig.test.json", r#"{"extends": "./base"}"#);
    let files = [APP, extended, base, ("p/src/a.ts", ""), ("p/src/b.ts", "")];
    assert_eq!(moved(&files, ("p/src/b.ts", "p/test/b.ts")).as_deref(), Ok(APP.1));
    let files = [APP, ("p/tsconfig.test.json", r#"{"include": ["test"]}"#), ("p/src/a.ts", ""), ("p/src/x/b.ts", "")];
    assert_eq!(moved(&files, ("p/src/x", "p/test/x")).as_deref(), Ok(APP.1));
    let files = [APP, ("q/tsconfig.lib.json", r#"{"include": ["src"]}"#), ("p/src/a.ts", ""), ("p/src/b.ts", "")];
    assert_eq!(moved(&files, ("p/src/b.ts", "q/src/b.ts")).as_deref(), Ok(APP.1));
}

#[test]
fn include_grows_if_no_other_project_includes_new_place() {
    let grown = r#"{"include": ["src", "test/a.ts"]}"#;
    for (name, other) in [
        ("p/tsconfig.test.json", r#"{"include": ["spec"]}"#),
        ("p/tsconfig.test.json", r#"{"include": ["test/*.test.ts"]}"#),
        ("p/tsconfig.test.json", r#"{"include": ["test"], "exclude": ["**/a.ts"]}"#),
        ("p/tsconfig.json", r#"{"files": [], "references": [{"path": "./tsconfig.app.json"}]}"#),
        ("p/tsconfig.test.json", r#"{"extends": "./tsconfig.app.json"}"#),
        ("p/other.json", r#"{"include": ["test"]}"#),
        ("tsconfig.app.json", "{}"),
        ("q/tsconfig.json", "{}"),
    ] {
        let files = [APP, (name, other), ("p/src/a.ts", ""), ("p/src/b.ts", "")];
        assert_eq!(moved(&files, ("p/src/a.ts", "p/test/a.ts")).as_deref(), Ok(grown), "{name} {other}");
    }
    let app = ("p/tsconfig.app.json", r#"{"include": ["src"], "compilerOptions": {"allowJs": true}}"#);
    for (name, other, grows) in [
        ("p/tsconfig.test.json", r#"{"include": ["test"]}"#, true),
        ("p/tsconfig.test.json", r#"{"include": ["test"], "compilerOptions": {"allowJs": true}}"#, false),
        ("p/jsconfig.json", r#"{"include": ["test"]}"#, false),
    ] {
        let files = [app, (name, other), ("p/src/a.js", ""), ("p/src/b.js", "")];
        let after = moved(&files, ("p/src/a.js", "p/test/a.js")).expect("moved");
        assert_eq!(after != app.1, grows, "{name} {other}");
    }
}

#[test]
fn last_included_file_is_not_left_to_other_project() {
    let files = [APP, ("p/tsconfig.test.json", r#"{"include": ["test"]}"#), ("p/src/a.ts", "")];
    let message = moved(&files, ("p/src/a.ts", "p/test/a.ts")).expect_err("no file is left");
    assert_eq!(message, "`include` matches no files after the move of `p/src/a.ts`");
}
