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
fn other_members_have_casts_of_texts_as_forms() {
    let of_class: [&str; 2] = ["own", "as keyof A"];
    check("export class A { ¦own = 1; }", &of_class);
    check("export class A { protected ¦own(): void {} }", &of_class);
    check("export class A { constructor(readonly ¦own: string) {} }", &of_class);
    check("export interface A { ¦own: string }", &of_class);
    check(
        "interface I { own: number } export class A implements I { ¦own = 1; }",
        &["own", "as keyof I", "as keyof A"],
    );
    check("export const a = { ¦own: 1 };", &["own", "as keyof typeof a"]);
    check("export const a = { ¦log: 1 };", &["log", "as keyof typeof a"]);
    check("export enum A { ¦own }", &["own", "as keyof typeof A"]);
    check("export default { ¦own: 1 };", &[]);
}

/// A value of the platform, or a function of a package, can be used as the type without the name of the member: `new Service(console)`. The file then
/// contains the name of the type, or of a declaration that mentions it.
#[test]
fn members_of_outside_values_have_the_names_that_take_their_owner_as_forms() {
    let cast = "as keyof A";
    check("export interface A { ¦own(): void }", &["own", cast, "A"]);
    check("export interface A { ¦own: () => void } export const f = (a: A) => a.own();", &["own", cast, "A", "f"]);
    check("export class A { ¦own(): void {} private x = 1 } export const f = (a: A) => a;", &["own", cast]);
    check("export interface A { ¦log(): void }", &["log", cast, "A"]);
    check("interface A { ¦log(): void } export class S { constructor(a: A) {} }", &["log", cast, "A", "S"]);
    check(
        "interface A { ¦log(): void } export function f(a: A) {} export const g = (a: A[]) => a;",
        &["log", cast, "A", "f", "g"],
    );
    check(
        "interface A { ¦log(): void } interface B { a: A } export let b: B; export type C = B | 1;",
        &["log", cast, "A", "B", "b", "C"],
    );
    check("export class A { ¦log() {} } function f() { const a = new A(); return a; }", &["log", cast, "A"]);
    check("export type A = { ¦size: number }; export class B { static a: A; }", &["size", cast, "A", "B"]);
}

#[test]
fn names_that_templates_produce_are_forms() {
    check("interface A { ¦own: 1 } export type On = `on${Capitalize<keyof A>}`;", &["own", "onOwn", "as keyof A"]);
    check(
        "interface A { ¦own: 1 } export type On<T> = { [K in keyof T as `${K & string}Changed`]: 1 };",
        &["own", "ownChanged", "as keyof A"],
    );
    check("type Size = '¦own' | 'b'; export type C = `${Size}-${string}`;", &["own", "own-"]);
}

#[test]
fn names_in_camel_case_have_forms_for_templates_and_computed_keys() {
    check(
        "export interface A { ¦userName: string }",
        &[
            "userName",
            "user-name",
            "[`user${",
            "}Name`]",
            "['user' +",
            "+ 'Name']",
            "[\"user\" +",
            "+ \"Name\"]",
            "as keyof A",
        ],
    );
}
