//! Tests of edits that can be checked by parsing a single declaration.

use marquetry_sdk::{Document as _, Edit, LanguagePack as _};

use crate::TypeScript;

/// Replaces `old` by `new` in the class of a longer text, and checks the result of `stays_well_formed` for this edit.
#[track_caller]
fn check_in(path: &str, (head, tail): (&str, &str), old: &str, new: &str, expected: bool) {
    let class = "class Old extends Base {\n  #seen = 0;\n  async find(id) {\n    return await load(id);\n  }\n}";
    let text = format!("{head}{class}\n{tail}\nfunction other() {{\n  {}\n}}\n", "call(); ".repeat(40));
    let at = text.find(old).expect("the text contains `old`");
    let document = TypeScript::open(path, text, "{}");
    assert_eq!(document.stays_well_formed(&[Edit::new(at..at + old.len(), new)]), expected, "{new}");
}

#[track_caller]
fn check(old: &str, new: &str, expected: bool) {
    check_in("a.ts", ("import { load } from './load';\n\nexport ", "[1].map(f)"), old, new, expected);
}

#[test]
fn edit_in_declaration_stays_well_formed() {
    check("return await load(id);", "const all = [id]; return all.map((one) => load(one));", true);
    check("return await load(id);", "return (;", false);
    check("return await load(id);", "}\n  also() {", true);
    check("return await load(id);", "} } class More { found() {", false);
    check("return await load(id);", "/* ", false);
    check("async find", "find", false);
    check("  #seen = 0;\n", "", true);
    // Replacing the declaration as a whole depends on the code around it.
    check("class Old", "const", false);
    check("Old", "New", false);
    check("export class Old", "export abstract class Old", false);
    check("[1].map(f)", "[2].map(f)", false);
}

#[test]
fn strict_mode_depends_on_surrounding_code() {
    let script = ("", "x");
    check_in("a.js", script, "return await load(id);", "with (id) { }", false); // class bodies are strict
    check_in("a.js", ("'use strict';\n", "x"), "return await load(id);", "1;", false);
    check_in("a.js", script, "return await load(id);", "1;", true);
    check_in("a.js", script, "return await load(id);", "import.meta.url;", false);
    check_in("a.js", ("export ", "x"), "return await load(id);", "import.meta.url;", true);
    check_in("a.js", ("export ", "x"), "return await load(id);", "this.#other;", false);
    // Existing errors hide new ones.
    check_in("a.ts", ("let = ;\n", "x"), "return await load(id);", "1;", false);
}
