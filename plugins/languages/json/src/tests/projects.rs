//! Tests of compiler configurations that are not extended for a file, because another configuration includes the file.

use marquetry_sdk::{FileMoves, Linking, Relocation, testing, workspace};

use crate::Json;

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

/// Returns whether another configuration in the same folder includes a new place below `p`, so that `tsconfig.app.json`
/// is not extended.
fn is_included(other: &str, place: &str) -> bool {
    let files = [APP, ("p/tsconfig.test.json", other), ("p/src/a.ts", ""), ("p/src/moved.ts", "")];
    moved(&files, ("p/src/moved.ts", &format!("p/{place}"))).expect("moved") == APP.1
}

#[test]
fn patterns_of_other_project_are_matched() {
    for (pattern, place, expected) in [
        ("test", "test/a.ts", true),
        ("test", "test/x/y/a.ts", true),
        ("test", "tests/a.ts", false),
        ("./test/", "test/a.ts", true),
        ("test/*", "test/a.ts", true),
        ("test/*", "test/x/a.ts", false),
        ("test/**/*", "test/a.ts", true),
        ("test/**/*", "test/x/y/a.ts", true),
        ("test/**", "test/x/a.ts", true),
        ("**/*.spec.ts", "a.spec.ts", true),
        ("**/*.spec.ts", "test/x/a.spec.ts", true),
        ("**/*.spec.ts", "test/a.ts", false),
        ("**/x/**/*.ts", "test/x/y/a.ts", true),
        ("**/x/**/*.ts", "test/y/a.ts", false),
        ("t?st/a.ts", "test/a.ts", true),
        ("test/a.ts", "test/a.ts", true),
        ("test/a.ts", "test/b.ts", false),
        (".", "test/a.ts", true),
        ("../p/test", "test/a.ts", true),
        ("../../outside", "test/a.ts", false),
        ("test", "test/node_modules/a.ts", false),
        ("test", "test/a.css", false),
        ("test", "test/a.mts", true),
    ] {
        let other = format!(r#"{{"include": ["{pattern}"]}}"#);
        assert_eq!(is_included(&other, place), expected, "{pattern} and {place}");
    }
}

#[test]
fn settings_of_other_project_are_read() {
    for (other, place, expected) in [
        (r#"{"include": ["test"], "exclude": ["test/x"]}"#, "test/x/a.ts", false),
        (r#"{"include": ["test"], "exclude": ["test/x"]}"#, "test/y/a.ts", true),
        (r#"{"include": ["test"], "exclude": ["**/*.spec.ts"]}"#, "test/a.spec.ts", false),
        (r#"{"files": ["test/a.ts"], "exclude": ["test"]}"#, "test/a.ts", true),
        (r#"{"files": ["test/a.ts"], "include": ["spec"]}"#, "spec/a.ts", true),
        (r#"{"files": ["test/a.ts"]}"#, "test/b.ts", false),
        (r#"{"exclude": ["test"]}"#, "test/a.ts", false),
        (r#"{"exclude": ["test"]}"#, "spec/a.ts", true),
        (r#"{"include": 1}"#, "test/a.ts", true),
        (r#"{"include": []}"#, "test/a.ts", false),
        (r#"["test"]"#, "test/a.ts", true),
    ] {
        assert_eq!(is_included(other, place), expected, "{other} and {place}");
    }
}

#[test]
fn lists_of_extended_project_are_inherited() {
    for (other, base, expected) in [
        (r#"{"extends": "./base.json"}"#, r#"{"include": ["test"]}"#, true),
        (r#"{"extends": "./base"}"#, r#"{"include": ["spec"]}"#, false),
        (r#"{"extends": "./base", "include": ["spec"]}"#, r#"{"include": ["test"]}"#, false),
        (r#"{"extends": ["./missing", "./base"]}"#, r#"{"include": ["spec"]}"#, false),
        (r#"{"extends": "@scope/base"}"#, r#"{"include": ["spec"]}"#, true),
        // Reading configurations that extend each other must end.
        (r#"{"extends": "./base"}"#, r#"{"extends": "./tsconfig.test.json"}"#, true),
    ] {
        let files =
            [APP, ("p/tsconfig.test.json", other), ("p/base.json", base), ("p/src/a.ts", ""), ("p/src/b.ts", "")];
        let after = moved(&files, ("p/src/b.ts", "p/test/b.ts")).expect("moved");
        assert_eq!(after == APP.1, expected, "{other} and {base}");
    }
}

#[test]
fn project_that_moves_along_includes_nothing() {
    let files =
        [APP, ("p/src/x/tsconfig.x.json", r#"{"include": ["*.ts"]}"#), ("p/src/a.ts", ""), ("p/src/x/b.ts", "")];
    let after = moved(&files, ("p/src/x", "p/x")).expect("moved");
    assert_eq!(after, r#"{"include": ["src", "x"]}"#);
}

#[test]
fn pattern_whose_folder_moves_follows_it() {
    let files = [APP, ("p/tsconfig.test.json", r#"{"include": ["test"]}"#), ("p/src/a.ts", "")];
    assert_eq!(moved(&files, ("p/src", "p/test/src")).as_deref(), Ok(APP.1));
}
