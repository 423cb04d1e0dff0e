//! Renames of members of narrowed values: type guards before a use (`m.type === 'login'`, `instanceof`) determine to
//! which alternative of a union, or to which class, the member belongs.

use crate::host::check_marked as check;

const ARMS: &str = "interface Login { type: 'login'; ¦user: string; where: 1 } interface Audit { type: 'audit'; user: string; at: number }\n";

/// Checks that the use `m.user` is resolved to the alternative `Login`, and that no other use changes.
#[track_caller]
fn check_narrowed(use_of_it: &str) {
    let rest = "\nconst wire: Audit = { type: 'audit', user: 'x', at: 1 };";
    let before = format!("// a.ts\n{ARMS}{use_of_it}{rest}");
    let renamed = use_of_it.replace("m.user", "m.New").replace("wire.user", "m.user");
    let after = format!("// a.ts\n{}{renamed}{rest}", ARMS.replace("¦user", "New"));
    check(&before, &after);
}

#[test]
fn filter_with_another_test_does_not_narrow() {
    let filter =
        |test: &str| format!("declare const all: (Login | Audit)[]; all.filter((m) => {test}).map((m) => m.user);");
    for test in ["m.type === 'login'", "m.type !== 'audit'", "!(m.type === 'audit')", "(m.type === 'login')"] {
        check_narrowed(&filter(test));
    }
    for test in ["m.type === 'login' && Math.random() > 0.5", "m.type === 'login' || check()"] {
        let code = format!("// a.ts\n{ARMS}{}", filter(test));
        let after = code.replace("¦user", "New").replace("Audit { type: 'audit'; user", "Audit { type: 'audit'; New");
        check(&code, &after.replace("m.user", "m.New"));
    }
}

#[test]
fn conditions_that_may_be_outdated_do_not_narrow() {
    for code in [
        "function f(m: Login | Audit, n: Login | Audit) { const is = m.type === 'login'; m = n; if (is) m.user; }",
        "function f(m: Login | Audit) { let is = m.type === 'login'; if (is) m.user; }",
        "function f(m: Login | Audit) { let { type } = m; if (type === 'login') m.user; }",
        "function f(o: { m: Login | Audit }, n: Login | Audit) { const is = o.m.type === 'login'; o.m = n; if (is) o.m.user; }",
    ] {
        let before = format!("// a.ts\n{ARMS}{code}");
        let after = before.replace("¦user", "New").replace("Audit { type: 'audit'; user", "Audit { type: 'audit'; New");
        check(&before, &after.replace("m.user", "m.New"));
    }
    check_narrowed("function f(m: Login | Audit) { const is = m.type === 'login'; if (is) m.user; }");
    check_narrowed("function f(m: Login | Audit) { const { type } = m; if (type === 'login') m.user; }");
}

#[test]
fn discriminant_narrows_the_union() {
    for code in [
        "function f(m: Login | Audit) { if (m.type === 'login') return m.user; return m.at; }",
        "function f(m: Login | Audit) { if (m.type == 'login') { m.user; } }",
        "function f(m: Login | Audit) { if ('login' === m.type) { m.user; } }",
        "function f(m: Login | Audit) { if (m.type !== 'login') return m.at; return m.user; }",
        "function f(m: Login | Audit) { if (m.type !== 'audit') m.user; }",
        "function f(m: Login | Audit) { if (m.type === 'audit') { return; } m.user; }",
        "function f(m: Login | Audit) { if (m.type === 'audit') { m.at; } else { m.user; } }",
        "function f(m: Login | Audit) { return m.type === 'login' ? m.user : m.at; }",
        "function f(m: Login | Audit) { return m.type === 'login' && m.user; }",
        "function f(m: Login | Audit) { return m.type !== 'login' || m.user; }",
        "function f(m: Login | Audit) { switch (m.type) { case 'login': return m.user; case 'audit': return m.at; } }",
        "function f(m: Login | Audit) { switch (m.type) { case 'audit': return m.at; default: return m.user; } }",
        "function f(m: Login | Audit) { switch (true) { case m.type === 'login': return m.user; } }",
        "function f(m: Login | Audit) { switch (m.type) { case 'audit': return m.at; } return m.user; }",
        "function f(m: Login | Audit) { switch (m.type) { case 'audit': { throw 1; } case 'login': break; } m.user; }",
        "function f(m: Login | Audit) { switch (m.type) { case 'login': break; default: throw 1; } m.user; }",
        "function f(m: Login | Audit) { switch (m.type) { case 'audit': m.at; default: if (m) return; else throw 1; case 'login': } m.user; }",
        "function f(m: Login | Audit) { for (;;) { switch (m.type) { case 'audit': continue; } m.user; } }",
        "function f(m: Login | Audit) { switch (m.type) { case 'audit': for (;;) { break; } return; } m.user; }",
        "function f(m: Login | Audit) { switch (true) { case m.type === 'audit': return; } m.user; }",
        "function f(m: Login | Audit) { if (!('at' in m)) m.user; }",
        "function f(m: Login | Audit) { if ('at' in m) m.at; else m.user; }",
        "function f(m: Login | Audit) { const is = m.type === 'login'; if (is) m.user; }",
        "function f(m: Login | Audit) { const { type } = m; if (type === 'login') m.user; }",
        "function f(m: Login | Audit) { while (m.type === 'login') { m.user; } }",
        "function f(m?: Login | Audit) { if (m?.type === 'login') m.user; }",
        "function f(m: Login | Audit) { if (m.type === 'login' && m.user.length > 0) m.user; }",
        "function f(m: Login | Audit) { if (!(m.type === 'audit')) m.user; }",
        "const isLogin = (m: Login | Audit) => m.type === 'login'; function f(m: Login | Audit) { if (isLogin(m)) m.user; }",
        "declare const all: (Login | Audit)[]; for (const m of all.filter((m) => m.type === 'login')) m.user;",
        "declare const all: (Login | Audit)[]; all.filter((m): m is Login => m.type === 'login').map((m) => m.user);",
        "const m: Login | Audit = { type: 'login', user: 'y', where: 1 }; m.user;",
        "function f(m: Login | Audit) { if (m.type === 'audit') throw 1; const g = () => m.user; }",
    ] {
        let expected = code.contains("user: 'y'");
        if expected {
            let renamed = code.replace("user: 'y'", "New: 'y'").replace("m.user", "m.New");
            check(&format!("// a.ts\n{ARMS}{code}"), &format!("// a.ts\n{}{renamed}", ARMS.replace("¦user", "New")));
        } else {
            check_narrowed(code);
        }
    }
}

#[test]
fn booleans_enums_and_instanceof_narrow() {
    for (types, code) in [
        (
            "enum K { A, B } interface A { k: K.A; ¦id: 1; a: 1 } interface B { k: K.B; id: 2; b: 1 }",
            "function f(x: A | B) { if (x.k === K.A) x.id; }",
        ),
        (
            "interface A { ok: true; ¦id: 1 } interface B { ok: false; id: 2 }",
            "function f(x: A | B) { if (x.ok) x.id; }",
        ),
        (
            "interface A { ok: true; ¦id: 1 } interface B { ok: false; id: 2 }",
            "function f(x: A | B) { if (!x.ok) return; x.id; }",
        ),
        (
            "interface A { n: 1; ¦id: 1 } interface B { n: 2; id: 2 }",
            "function f(x: A | B) { return x.n === 1 ? x.id : 0; }",
        ),
        (
            "type T = 'a' | 'b'; interface A { k: T; ¦id: 1 } interface B { k: 'c'; id: 2 }",
            "function f(x: A | B) { if (x.k === 'a' || x.k === 'b') x.id; }",
        ),
        (
            "type T = 'a' | 'b'; interface A { k: T; ¦id: 1 } interface B { k: 'c'; id: 2 }",
            "function f(x: A | B) { switch (x.k) { case 'a': case 'b': x.id; } }",
        ),
        (
            "interface A { e?: undefined; ¦id: 1; a: 1 } interface B { e: 'no'; id: 2; b: 1 }",
            "function f(x: A | B) { if (!x.e) x.id; }",
        ),
        (
            "class A { readonly k = 'a'; ¦id = 1 } class B { readonly k = 'b'; id = 2 }",
            "function f(x: A | B) { if (x.k === 'a') x.id; }",
        ),
        (
            "class A { ¦id = 1; a = 1 } class B { id = 2; b = 1 }",
            "function f(x: A | B) { if (x instanceof B) return; x.id; }",
        ),
        (
            "interface A { k: 'a'; ¦id: 1 } interface B { k: 'b'; id: 2 } interface Box { of: A | B }",
            "function f(x: Box) { if (x.of.k === 'a') x.of.id; }",
        ),
        (
            "interface A { k: 'a'; ¦id: 1 } interface B { k: 'b'; id: 2 }",
            "class C { of!: A | B; f() { if (this.of.k === 'a') this.of.id; } }",
        ),
    ] {
        let after = code.replace(".id", ".New");
        check(&format!("// a.ts\n{types} {code}"), &format!("// a.ts\n{} {after}", types.replace("¦id", "New")));
    }
}

#[test]
fn unnarrowed_member_is_of_all_arms() {
    for code in [
        "function f(m: Login | Audit) { m.user; }",
        "function f(m: Login | Audit) { if (m.type === 'login') { m.type; } m.user; }",
        "function f(m: Login | Audit, n: Login | Audit) { if (n.type === 'login') m.user; }",
        "function f(m: Login | Audit) { if (m.user === 'x') m.user; }",
        "function f(m: Login | Audit) { if (m) m.user; }",
        "function f(m: Login | Audit, n: Login | Audit) { if (m.type === 'login') { m = n; m.user; } }",
        "class C { of!: Login | Audit; f(n: Login | Audit) { if (this.of.type === 'login') { this.of = n; this.of.user; } } }",
        "function f(m: Login | Audit) { switch (m.type) { case 'login': m.type; default: m.user; } }",
        "function f(m: Login | Audit) { switch (m.type) { case 'audit': if (m) break; return; } m.user; }",
        "function f(m: Login | Audit) { switch (m.type) { case 'audit': m.at; case 'login': break; } m.user; }",
        "function f(m: Login | Audit) { x: { switch (m.type) { case 'audit': break x; } } m.user; }",
        "function f(m: Login | Audit, n: Login | Audit) { switch (m.type) { case 'audit': return; case 'login': m = n; } m.user; }",
        "function f(m: Login | Audit, n: Login | Audit) { if (m.type === 'audit') return; else m = n; m.user; }",
        "function f(m: Login | Audit, n: Login | Audit) { if (m.type === 'audit') return; while (n) { m.user; m = n; } }",
        "function f(m: Login | Audit, n: Login | Audit) { m = n; m.user; }",
    ] {
        let after = code.replace(".user", ".New");
        check(
            &format!("// a.ts\n{ARMS}{code}"),
            &format!("// a.ts\n{}{after}", ARMS.replace("¦user", "New").replace("user: string", "New: string")),
        );
    }
}

const FAULT: &str = "class HttpErr extends Error { ¦getRes() { return 1; } status = 1 }\n";

#[test]
fn platform_value_narrowed_to_class() {
    for code in [
        "function f(e: Error) { if (e instanceof HttpErr) e.getRes(); }",
        "function f(c: { error?: Error }) { if (c.error instanceof HttpErr) return c.error.getRes(); }",
        "function f(c: { error: { cause: Error } }) { return c.error.cause instanceof HttpErr && c.error.cause.getRes(); }",
        "class C { err!: Error; f() { if (this.err instanceof HttpErr) this.err.getRes(); } }",
        "class C { #err!: Error; f() { if (this.#err instanceof HttpErr) this.#err.getRes(); } }",
        "function f(es: Error[]) { if (es[0] instanceof HttpErr) es[0].getRes(); }",
        "function f(es: Error[]) { return es.filter((e) => e instanceof HttpErr).map((e) => e.getRes()); }",
        "function f(es: Error[]) { return es.find((e) => e instanceof HttpErr)?.getRes(); }",
        "function is(e: Error): e is HttpErr { return true; } function f(c: { e: Error }) { if (is(c.e)) c.e.getRes(); }",
        "function f(e: Error) { switch (true) { case e instanceof HttpErr: return e.getRes(); } }",
        "function f(e: Error) { const is = e instanceof HttpErr; if (is) return e.getRes(); }",
        "function f(e: Error) { if (!(e instanceof HttpErr)) throw e; e.getRes(); }",
        "function f(e: Error) { if (e.constructor === HttpErr) (e as HttpErr).getRes(); }",
    ] {
        let after = code.replace("getRes", "New");
        check(&format!("// a.ts\n{FAULT}{code}"), &format!("// a.ts\n{}{after}", FAULT.replace("¦getRes", "New")));
    }
}

#[test]
fn unknown_platform_members_are_listed() {
    for code in [
        "function f(e: Error) { check(e); e.§getRes(); }",
        "function f(e: Event) { if (isOf(e.target)) e.target.§getRes(); }",
        "function f(es: Error[]) { if (es.every(isOf)) es[0].§getRes(); }",
        "document.body.§getRes(); document.scene.§getRes(); const { app } = window; app.§getRes();",
        "class El extends HTMLElement { go() { this.scene.§getRes(); } }",
    ] {
        let before = code.replace('§', "");
        check(&format!("// a.ts\n{FAULT}{before}"), &format!("// a.ts\n{}{code}", FAULT.replace("¦getRes", "New")));
    }
    // Known members of platform types, such as `document.title`, are not uses of `Own.title`: they are not renamed or
    // listed.
    check(
        "// a.ts\ninterface Own { ¦title: 1; b: 2 } document.title; document.head.title; console.log(new Error().message);",
        "// a.ts\ninterface Own { New: 1; b: 2 } document.title; document.head.title; console.log(new Error().message);",
    );
    // `localStorage` and `dataset` have members with arbitrary names.
    check(
        "// a.ts\ninterface Own { ¦plan: 1; b: 2 } localStorage.plan; document.body.dataset.plan;",
        "// a.ts\ninterface Own { New: 1; b: 2 } localStorage.plan; document.body.dataset.plan;",
    );
}

#[test]
fn members_of_augmented_dom_types_are_listed() {
    let scene = "export interface Scene { ¦draw(): void; size: 1 }\ndeclare global { interface Document { scene: Scene } interface Window { app: { scene: Scene } } interface HTMLElement { scene: Scene } }\n";
    for code in [
        "document.scene.§draw();",
        "document.body.scene.§draw();",
        "class H extends HTMLElement { go() { this.scene.§draw(); } }",
        "function f(e: HTMLElement) { e.scene.§draw(); }",
        "const { scene } = document; scene.§draw();",
    ] {
        let before = code.replace('§', "");
        check(&format!("// a.ts\n{scene}{before}"), &format!("// a.ts\n{}{code}", scene.replace("¦draw", "New")));
    }
}

#[test]
fn many_narrowing_tests_are_fast() {
    let tests: String = (0..200).map(|n| format!("if (m.is{n}(m)) return;\n")).collect();
    let text = format!("// a.ts\nclass A {{ ¦id = 1 }}\nfunction f(m: A) {{\n{tests}m.id; }}");
    check(&text, &text.replace("¦id", "New").replace("m.id", "m.New"));
}

#[test]
fn attributes_of_unknown_components_are_listed() {
    let own = "interface Props { ¦ident: number; size: 1 } function F1(p: Props) { return <b>{p.ident}</b>; }\n";
    let renamed = "interface Props { New: number; size: 1 } function F1(p: Props) { return <b>{p.New}</b>; }\n";
    for (before, after) in [
        ("<F1 ident={5} size={1} />;", "<F1 New={5} size={1} />;"),
        (
            "function hoc(C: unknown) { return () => <i />; } const W = hoc(F1); <W ident={5} />;",
            "function hoc(C: unknown) { return () => <i />; } const W = hoc(F1); <W §ident={5} />;",
        ),
        (
            "const hoc = <P,>(C: (p: P) => unknown) => (p: P) => <C {...p} />; const W = hoc(F1); <W ident={5} />;",
            "const hoc = <P,>(C: (p: P) => unknown) => (p: P) => <C {...p} />; const W = hoc(F1); <W §ident={5} />;",
        ),
        (
            "import { lazy } from 'react'; const W = lazy(() => import('./f')); <W ident={5} />;",
            "import { lazy } from 'react'; const W = lazy(() => import('./f')); <W §ident={5} />;",
        ),
        (
            "import { lazy } from 'react'; const W = lazy(async () => ({ default: F1 })); <W ident={5} />;",
            "import { lazy } from 'react'; const W = lazy(async () => ({ default: F1 })); <W §ident={5} />;",
        ),
        (
            "function Other() { return <i />; } <Other key={1} />; <b ident={1} />;",
            "function Other() { return <i />; } <Other key={1} />; <b ident={1} />;",
        ),
    ] {
        check(&format!("// a.tsx\n{own}{before}"), &format!("// a.tsx\n{renamed}{after}"));
    }
}

#[test]
fn rename_jsx_attribute_in_place() {
    // In a script, `attr` is a global; an attribute is not.
    check("// a.tsx\nvar t = <jsx ¦attr={5} />; var attr = 1;", "// a.tsx\nvar t = <jsx New={5} />; var attr = 1;");
    check("// a.tsx\nexport const t = <jsx ¦attr={5} />;", "// a.tsx\nexport const t = <jsx New={5} />;");
    check("// a.tsx\nfunction F() {} <F ¦data-x={5} />;", "// a.tsx\nfunction F() {} <F New={5} />;");
}

#[test]
fn objects_with_other_discriminant_are_listed() {
    check(
        "// a.ts\nlet p = { kind: 'a', ¦x: 1 }; const q = { kind: 'b', x: 2 }; p = q; p.x;",
        "// a.ts\nlet p = { kind: 'a', New: 1 }; const q = { kind: 'b', §x: 2 }; p = q; p.New;",
    );
    check(
        "// a.ts\ninterface A { kind: 'a'; ¦x: number } const q = { kind: 'b', x: 2 }; const r = { kind: 'a', x: 3 };",
        "// a.ts\ninterface A { kind: 'a'; New: number } const q = { kind: 'b', x: 2 }; const r = { kind: 'a', §x: 3 };",
    );
}

/// A value of the type `Login`, before and after the rename.
const VALUE: (&str, &str) = ("{ type: 'login', user: 'u', where: 1 }", "{ type: 'login', New: 'u', where: 1 }");

#[test]
fn assignment_narrows_the_union() {
    for code in [
        "function f(m: Login | Audit) { m = VALUE; m.user; }",
        "function f(m: Login | Audit, n: Login) { m = n; m.user; }",
        "function f(m: Login | Audit, n: Login | Audit) { m = n; m = VALUE; m.user; }",
        "function f(m: Login | Audit) { m = VALUE; { m.user; } if (1) return m.user; }",
        "function f(m: Login | Audit) { if (m.type === 'audit') { m = VALUE; m.user; } }",
        "function f(n: Login | Audit) { let m: Login | Audit = VALUE; m.user; m = n; }",
        "class C { of!: Login | Audit; f() { this.of = VALUE; this.of.user; } }",
        "class C { #of!: Login | Audit; f() { this.#of = VALUE; this.#of.user; } }",
    ] {
        let before = format!("// a.ts\n{ARMS}{}", code.replace("VALUE", VALUE.0));
        let after = code.replace("VALUE", VALUE.1).replace(".user", ".New");
        check(&before, &format!("// a.ts\n{}{after}", ARMS.replace("¦user", "New")));
    }
}

#[test]
fn assignment_that_may_be_followed_by_another_does_not_narrow() {
    for code in [
        "function f(m: Login | Audit, n: Login | Audit) { m = VALUE; if (n) m = n; m.user; }",
        "function f(m: Login | Audit, n: Login | Audit) { m = VALUE; while (n) { m.user; m = n; } }",
        "function f(m: Login | Audit, n: Login | Audit) { m = VALUE; for (;; m = n) m.user; }",
        "function f(m: Login | Audit, n: Login | Audit) { m = VALUE; try { m = n; } catch { m.user; } }",
        "function f(m: Login | Audit, n: Login | Audit) { m = VALUE; (() => m.user)(); m = n; }",
        "function f(m: Login | Audit) { if (m) { m = VALUE; } m.user; }",
        "class C { of!: Login | Audit; f(n: C) { this.of = VALUE; n.of.user; } }",
    ] {
        let before = format!("// a.ts\n{ARMS}{}", code.replace("VALUE", VALUE.0));
        let after = code.replace("VALUE", VALUE.1).replace(".user", ".New");
        let types = ARMS.replace("¦user", "New").replace("user: string", "New: string");
        check(&before, &format!("// a.ts\n{types}{after}"));
    }
}

#[test]
fn members_of_platform_subclasses_are_listed_on_platform_values() {
    let panel = "// a.ts\nclass Panel extends HTMLElement { ¦open() {} }\nclass Wide extends Panel {}\n";
    for code in [
        "document.createElement('my-panel').§open();",
        "document.querySelector('my-panel')?.§open();",
        "document.body.appendChild(new Panel()).§open();",
        "if (document.activeElement instanceof Panel) document.activeElement.§open();",
        "new Wide().New();",
    ] {
        let before = format!("{panel}{}", code.replace('§', "").replace("New", "open"));
        // A platform class may have a member of this name, so the declaration is listed as well.
        let after = format!("{}{}", panel.replace("¦open", "§New"), code);
        check(&before, &after);
    }
}
