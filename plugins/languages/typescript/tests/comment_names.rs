//! Names that JSDoc comments declare: `@typedef`, `@callback`, `@template`. The notation is that of `completeness.rs`.

use crate::host::{check_marked as check, files_of, open, rename_showing};
use marquetry_sdk::{Subject, Symbols};

/// Checks files after `Old` is renamed; every `New` in them was `Old`, and `¦` marks the place that was given.
#[track_caller]
fn check_name(after: &str) {
    check(&after.replace('§', "").replace("New", "Old"), &after.replace('¦', ""));
}

#[test]
fn types_of_comments_are_renamed() {
    for text in [
        "// a.js\n/** @typedef {{ a: number }} ¦New */\n/** @param {New} x @returns {New[]} */\nfunction f(x) {}\n/** @type {Map<string, New>} */ const i = new Map();",
        "// a.js\n/**\n * @typedef {Object} New\n * @property {number} a\n */\n/** @param {¦New} x */\nexport function f(x) {}",
        "// a.js\n/**\n * @callback ¦New\n * @param {string} x\n * @returns {boolean}\n */\n/** @param {New} p {@link New} */\nexport function f(p) {}",
        "// a.js\n/** @enum {number} ¦New */\n/** @type {New} */ export let x;",
        "// a.js\n/** @typedef {string} ¦New */\n/** @typedef {{ a: New, b: New[] }} Other */\nexport {};",
        // A type parameter, a variable and a member with the same name are something else.
        "// a.js\n/** @typedef {string} ¦New */\n/** @template Old\n * @param {Old} x */\nexport function f(x) {}\n/** @param {New} x\n * @param {Other.Old} y */\nexport function g(x, y) {}",
    ] {
        check_name(text);
    }
}

#[test]
fn types_of_comments_are_renamed_in_other_files() {
    for text in [
        "// a.js\n/** @typedef {{ a: number }} ¦New */\nexport {};\n// b.js\n/** @param {import('./a').New} x */\nexport function g(x) {}",
        "// a.js\n/** @typedef {{ a: number }} New */\nexport {};\n// b.js\n/** @param {import('./a').¦New} x */\nexport function g(x) {}",
        "// a.js\n/** @typedef {{ a: number }} ¦New */\nexport {};\n// b.ts\nimport type { New } from './a'; export const x: New = { a: 1 };",
        "// a.js\n/** @typedef {{ a: number }} New */\nmodule.exports = {};\n// b.ts\nimport { ¦New as Own } from './a'; export const x: Own = { a: 1 };",
        "// a.js\n/** @callback ¦New\n * @param {number} x */\nexports.x = 1;\n// b.ts\nexport let f: import('./a').New;",
        "// a.js\n/** @typedef {{ a: number }} ¦New */\nexport {};\n// b.js\n/** @import { New } from './a' */\n/** @param {New} x */\nexport function g(x) {}",
        // Scripts share their types.
        "// a.js\n/** @typedef {{ a: number }} ¦New */\n/** @type {New} */ var x;\n// b.js\n/** @param {§Old} x */\nfunction g(x) {}\n// c.js\n/** @typedef {string} Old */\n/** @param {Old} x */\nexport function g(x) {}",
    ] {
        check_name(text);
    }
}

#[test]
fn type_parameters_of_comments_are_renamed_where_they_are_known() {
    for text in [
        "// a.js\n/**\n * @template ¦New\n * @param {New} x\n * @returns {New[]}\n */\nfunction f(x) { /** @type {New} */ const y = x; return [y]; }\n/** @template Old\n * @param {Old} x */\nfunction g(x) {}",
        "// a.js\n/** @template A, New, B\n * @param {¦New} x */\nexport const f = (x) => x;",
        "// a.js\n/** @template {string} [¦New=string] */\nexport class C {\n  /** @param {New} x */\n  m(x) {}\n  /** @template Old\n   * @param {Old} x */\n  n(x) {}\n}\n/** @type {Old} */ let x;",
        "// a.js\n/**\n * @template ¦New\n * @typedef {{ a: New }} Box\n */\n/** @param {Box<Old>} x */\nexport function f(x) {}",
        "// a.js\n/**\n * @template ¦New\n * @callback Fn\n * @param {New} x\n */\nexport function f(/** @type {Old} */ x) {}",
    ] {
        check_name(text);
    }
}

#[test]
fn types_of_comments_are_found_by_address() {
    let text = "/** @typedef {{ a: number }} Item */\n/** @param {Item} x */\nexport function f(x) {}";
    for subject in [Subject::Address("Item".to_owned()), Subject::Exported("Item".to_owned())] {
        let files = files_of(&format!("// a.js\n{text}"));
        let after = rename_showing(&files, "a.js", subject, "New").map_err(|failure| failure.message);
        assert_eq!(after.map(|files| files["a.js"].clone()), Ok(text.replace("Item", "New")));
    }
    marquetry_sdk::workspace::set_files(Vec::<(String, String)>::new());
    let names = |path: &str, text: &str| {
        let facts = marquetry_typescript::TypeScript::facts(&open(path, text));
        let exports = facts.exports.into_iter().map(|export| export.name);
        (exports.collect::<Vec<_>>(), facts.shared.into_iter().map(|shared| shared.name).collect::<Vec<_>>())
    };
    assert_eq!(names("a.js", text), (vec!["Item".to_owned(), "f".to_owned()], vec![]));
    assert_eq!(names("a.js", "/** @typedef {1} Item */"), (vec![], vec!["Item".to_owned()]));
    assert_eq!(names("a.ts", text), (vec!["f".to_owned()], vec![]));
}

#[test]
fn taken_names_of_comments_are_refused() {
    for text in [
        "/** @typedef {string} Old */\n/** @typedef {number} New */\nexport {};",
        "/** @typedef {string} Old */\nexport class New {}",
        "/** @template Old, New\n * @param {Old} x */\nexport function f(x) {}",
    ] {
        let files = files_of(&format!("// a.js\n{text}"));
        let at = text.find("Old").expect("the text has the name") as u32;
        let failure = rename_showing(&files, "a.js", Subject::At(at), "New").expect_err(text);
        assert_eq!(failure.message, "`New` is already declared in this file", "{text}");
    }
}
