//! Tests of `DeclaredKey::forms`: the texts, one of which a file must contain to use a member that it does not declare.
//! A private member can only be used with brackets, such as `a["x"]`.

use marquetry_sdk::{LanguagePack, Subject, Symbols, workspace};
use marquetry_typescript::TypeScript;

/// Checks the forms of the member at `¦`. They are empty if any file that contains the name may use the member.
fn check(text: &str, expected: &[&str]) {
    let at = text.find('¦').expect("a marked place");
    let text = text.replace('¦', "");
    workspace::set_files([("a.ts".to_owned(), text.clone())]);
    let document = TypeScript::open("a.ts", text, "{}");
    let found = TypeScript::resolve_symbol(&document, Subject::At(at as u32)).expect("a name");
    assert_eq!(found.declared.expect("a member").forms, expected);
}

const IN_BRACKETS: [&str; 3] = ["\"x\"", "'x'", "`x`"];

#[test]
fn private_members_have_bracket_forms() {
    check("export class A { private ¦x = 1; f() { return this.x; } }", &IN_BRACKETS);
    check("export class A { private x = 1; f() { return this.¦x; } }", &IN_BRACKETS);
    check("export class A { private ¦x(): void {} }", &IN_BRACKETS);
    check("export class A { private static ¦x = 1; }", &IN_BRACKETS);
    check("export class A { private get ¦x() { return 1; } private set x(v) {} }", &IN_BRACKETS);
    check("export class A { constructor(private readonly ¦x: string) {} }", &IN_BRACKETS);
    check("export class A { constructor(private ¦x = 1) {} }", &IN_BRACKETS);
}

#[test]
fn other_members_have_no_forms() {
    check("export class A { ¦x = 1; }", &[]);
    check("export class A { protected ¦x(): void {} }", &[]);
    check("export class A { constructor(readonly ¦x: string) {} }", &[]);
    check("export interface A { ¦x: string }", &[]);
    check("interface I { x: number } export class A implements I { ¦x = 1; }", &[]);
    check("export const a = { ¦x: 1 };", &[]);
}

#[test]
fn names_in_camel_case_have_a_form_for_templates() {
    check("export interface A { ¦userName: string }", &["userName", "user-name"]);
    check("export class A { ¦toJSON() {} }", &["toJSON", "to-j-s-o-n"]);
}
