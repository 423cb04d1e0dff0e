//! Tests of extracting types.

use crate::refactor::testing;
use marquetry_sdk::span::apply;

#[track_caller]
fn check(marked: &str, after: &str) {
    testing::assert_rewrite("extract_type", &[], marked, after);
}

#[track_caller]
fn refused(marked: &str, message: &str) {
    testing::assert_refused("extract_type", &[], marked, message);
}

#[test]
fn types_become_aliases() {
    check("let a: «string»;\n", "type NewType = string;\n\nlet a: NewType;\n");
    check("let a: str‸ing;\n", "type NewType = string;\n\nlet a: NewType;\n");
    check("let a: A | «B | C» | D;\n", "type NewType = B | C;\n\nlet a: A | NewType | D;\n");
    check("let a: A «& B» | C;\n", "type NewType = A & B;\n\nlet a: NewType | C;\n");
    check("let a: «A | B;»\n", "type NewType = A | B;\n\nlet a: NewType;\n");
    check("function f() {\n  let a: «A»;\n}\n", "function f() {\n  type NewType = A;\n\n  let a: NewType;\n}\n");
    check("let a: «B»\nlet c\n", "type NewType = B\n\nlet a: NewType\nlet c\n");
    check("// a\nlet a: «B»;\n", "type NewType = B;\n\n// a\nlet a: NewType;\n");
    check("let a: «B | /* c */ C /* d */»;\n", "type NewType = B | /* c */ C /* d */;\n\nlet a: NewType;\n");
    check("@d\nexport class A { a: «B» }\n", "type NewType = B;\n\n@d\nexport class A { a: NewType }\n");
    check("let a: readonly ‸[B];\n", "type NewType = readonly [B];\n\nlet a: NewType;\n");
    check("type NewType = 1;\nlet a: «B»;\n", "type NewType = 1;\ntype NewType1 = B;\n\nlet a: NewType1;\n");
    testing::assert_rewrite("extract_type", &[("extractedName", "A")], "f(b as «C»);\n", "type A = C;\n\nf(b as A);\n");
}

#[test]
fn typescript_types_in_javascript_become_typedefs() {
    let check = |marked: &str, after: &str| {
        let (text, rewritten) = testing::run_refactoring("extract_type", "a.js", marked, &[]);
        assert_eq!(apply(&text, &rewritten.expect("a typedef").edits), after, "{marked}");
    };
    check("type A = «string | /* b */ C»;\n", "/**\n * @typedef {string | C} NewType\n */\n\ntype A = NewType;\n");
    check(
        "type A = «{\n    b: C;\n    // d\n}»;\n",
        "/**\n * @typedef {{\n    b: C;\n}} NewType\n */\n\ntype A = NewType;\n",
    );
    check(
        "function f<T extends A>(b: «T[]») {}\n",
        "/**\n * @template {A} T\n * @typedef {T[]} NewType\n */\n\nfunction f<T extends A>(b: NewType<T>) {}\n",
    );
}

#[test]
fn new_type_is_placed_before_all_overloads() {
    check(
        "f();\n// about g\nexport function g(a: string): void;\nexport function g(a: «any») {}\n",
        "f();\ntype NewType = any;\n\n// about g\nexport function g(a: string): void;\nexport function g(a: NewType) {}\n",
    );
    check(
        "function f(a: 1): void;\nfunction g(a: 1): void;\nfunction g(a: «2») {}\n",
        "function f(a: 1): void;\ntype NewType = 2;\n\nfunction g(a: 1): void;\nfunction g(a: NewType) {}\n",
    );
}

#[test]
fn object_types_become_interfaces() {
    check("let a: «{ b: 1, c?: D }»;\n", "interface NewType {\n    b: 1;\n    c?: D;\n}\n\nlet a: NewType;\n");
    check("let a: «{ b: 1 } & { c: 2 }»;\n", "interface NewType {\n    b: 1;\n    c: 2;\n}\n\nlet a: NewType;\n");
    check("let a: «{ b: 1 } & { b: 2 }»;\n", "type NewType = {\n    b: 1;\n} & {\n    b: 2;\n};\n\nlet a: NewType;\n");
    check("let a: { b: «{ c: 1 }» };\n", "interface NewType {\n    c: 1;\n}\n\nlet a: { b: NewType };\n");
    check(
        "let a: «{\n  // about b\n  b: 1, // one\n  c: 2\n}»;\n",
        "interface NewType {\n  // about b\n  b: 1; // one\n  c: 2;\n}\n\nlet a: NewType;\n",
    );
    check(
        "let a: «{ /* about */ b: 1 /* one */, c: 2 /* two */ }»;\n",
        "interface NewType {\n    /* about */ b: 1 /* one */;\n    c: 2; /* two */\n}\n\nlet a: NewType;\n",
    );
    check("let a: «{}»;\n", "interface NewType {}\n\nlet a: NewType;\n");
    check("type A = B | «{ c: 1 }»;\n", "type NewType = {\n    c: 1;\n};\n\ntype A = B | NewType;\n");
    check(
        "type Shape = A | {‸ kind: 'round thing'; b: 1 };\n",
        "type RoundThingShape = {\n    kind: 'round thing';\n    b: 1;\n};\n\ntype Shape = A | RoundThingShape;\n",
    );
    testing::assert_rewrite(
        "extract_type",
        &[("kind", "type")],
        "let a: «{ b: 1 }»;\n",
        "type NewType = {\n    b: 1;\n};\n\nlet a: NewType;\n",
    );
    testing::assert_refused(
        "extract_type",
        &[("kind", "interface")],
        "let a: «B»;\n",
        "only object types can become an interface",
    );
}

#[test]
fn used_type_parameters_are_passed() {
    check("type A<T, U> = «U | T»;\n", "type NewType<U, T> = U | T;\n\ntype A<T, U> = NewType<U, T>;\n");
    check(
        "type A<T, U extends keyof T> = B<«U[]»>;\n",
        "type NewType<U extends keyof T, T> = U[];\n\ntype A<T, U extends keyof T> = B<NewType<U, T>>;\n",
    );
    check(
        "type A<T> = { [K in keyof T]: «T[K]» };\n",
        "type NewType<T, K extends keyof T> = T[K];\n\ntype A<T> = { [K in keyof T]: NewType<T, K> };\n",
    );
    check(
        "type A<T> = T extends (infer P)[] ? «P» : never;\n",
        "type NewType<P> = P;\n\ntype A<T> = T extends (infer P)[] ? NewType<P> : never;\n",
    );
    check(
        "function f<T>(a: T) {\n  let b: «T»;\n}\n",
        "function f<T>(a: T) {\n  type NewType = T;\n\n  let b: NewType;\n}\n",
    );
}

#[test]
fn conditional_types_constrain_type_parameters() {
    check(
        "type A<T> = T extends B ? { c: «T['c']» } : never;\n",
        "type NewType<T extends B> = T['c'];\n\ntype A<T> = T extends B ? { c: NewType<T> } : never;\n",
    );
    check(
        "type A<T extends B | C> = T extends D ? «T['d']» : T;\n",
        "type NewType<T extends (B | C) & D> = T['d'];\n\ntype A<T extends B | C> = T extends D ? NewType<T> : T;\n",
    );
    check(
        "type A<T> = T extends B ? 1 : «T[]»;\n",
        "type NewType<T> = T[];\n\ntype A<T> = T extends B ? 1 : NewType<T>;\n",
    );
    refused(
        "type A<T> = T extends (infer P)[] ? «T[number]» : 1;\n",
        "`T` is narrowed by the surrounding conditional type",
    );
}

#[test]
fn refuses_types_bound_to_their_position() {
    refused("type A<T> = T extends («infer P») ? P : 1;\n", "`infer P` is only valid at its current position");
    refused("type A<T> = T extends «B<infer P>» ? P : 1;\n", "`infer` is only valid in its conditional type");
    refused("interface A<T extends { b: «T» }> {}\n", "the constraint of `T` refers to the selected type");
    refused("function f(a: B, c: «typeof a») {}\n", "`a` is not in scope outside the type around it");
    refused("interface A { f(): «this | B» }\n", "`this` would be a different type at the new position");
    refused("const a = 1 as «const»;\n", "`const` is only valid at its current position");
    refused("const «a» = 1;\n", "no type is selected");
    refused("let a: «B;\nlet c: ;\n»", "the file has syntax errors");
}

#[test]
fn jsdoc_types_become_typedefs() {
    let (text, rewritten) = testing::run_refactoring(
        "extract_type",
        "a.js",
        "/**\n * @template {A} T, U\n * @param {T} b\n * @returns {«T | U»}\n */\nfunction f(b) {}\n",
        &[],
    );
    let expected = "/**\n * @template {A} T\n * @template U\n * @typedef {T | U} NewType\n */\n\n\
                    /**\n * @template {A} T, U\n * @param {T} b\n * @returns {NewType<T, U>}\n */\nfunction f(b) {}\n";
    assert_eq!(apply(&text, &rewritten.expect("a rewrite").edits), expected);
}

#[test]
fn any_selection_of_sample_texts_is_handled() {
    for sample in testing::SAMPLES {
        testing::assert_valid_at_every_offset("extract_type", "a.tsx", sample, &[]);
        testing::assert_valid_at_every_offset("extract_type", "a.js", sample, &[]);
    }
}
