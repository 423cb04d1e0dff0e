//! Values and keys that functions of packages get: they read members by their names, so the values are listed. The
//! notation is that of `completeness.rs`.

use crate::host::check_renamed;

/// Checks a text after the member `own` of `U` is renamed.
#[track_caller]
fn check_own(text: &str) {
    let head = "import _, { pick, sortBy, send } from 'pkg'; interface U { ¦New: string; b: 1 } declare const u: U, all: U[]; class C { own = 1; c = 2 } declare const c: C; interface V { b: 1 } declare const v: V;";
    check_renamed("own", &format!("{head}\n{text}"));
}

#[test]
fn keys_in_lists_for_functions_of_packages_are_listed() {
    for text in [
        "pick(§u, ['§own', 'b']); _.pick(§u, ['b', '§own']); sortBy(all, '§own'); sortBy(all, ['§own']);",
        "_.omit(§u, [['§own']]); _.orderBy(all, ['§own'], ['asc']); _(all).map('§own');",
        "pick(v, ['own']); sortBy([v], ['own']); console.log(['own']); declare function f(a: V, keys: string[]): void; f(v, ['own']);",
    ] {
        check_own(text);
    }
}

#[test]
fn values_for_functions_of_packages_are_listed() {
    for text in [
        "send(§u); _.send(1, §u); new _.Client(§u); send(v); send(u.b);",
        "const { client } = _; send(f(§u)); function f(x: U) { return x; }",
    ] {
        check_own(&text.replace("f(§u)", "§f(u)"));
    }
    // Test packages, class instances, functions of the program and of unknown objects.
    check_renamed(
        "own",
        "import { expect } from 'vitest'; import { render } from '@testing-library/react'; interface U { ¦New: 1 } declare const u: U, any: any; expect(u).toBe(u); render(u); function f(u: U) {} f(u); any.f(u);",
    );
    check_own("send(c); send(() => u.New);");
}

#[test]
fn keys_of_objects_for_functions_of_packages_are_listed() {
    check_renamed("name", "import { y } from 'schemas'; const s = y.object({ §¦New: y.string() }); s.shape.§name;");
}
