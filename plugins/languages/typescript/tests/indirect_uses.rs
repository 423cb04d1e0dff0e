//! Uses that other files or the platform reach without naming the declaration: globals, augmentations, `children`,
//! JSDoc types. The notation is that of `completeness.rs`.

use crate::host::check_marked as check;

/// Checks texts of files, separated by `// path` lines, after the name at the `¦` is renamed to `New`.
#[track_caller]
fn check_all(old: &str, texts: &[&str]) {
    for after in texts {
        check(&after.replace('§', "").replace("New", old), &after.replace('¦', ""));
    }
}

#[test]
fn globals_are_renamed_through_the_global_object() {
    check_all(
        "cfg",
        &[
            "// a.ts\ndeclare global { var ¦New: { a: 1 }; } (globalThis as any).New.a; globalThis['New']; (globalThis).New; export {};",
            "// a.d.ts\ndeclare var ¦New: { a: 1 };\n// b.js\nNew.a; globalThis.New; window.New;\n// c.ts\nexport {}; (globalThis as any).New; New.a;",
            "// a.d.ts\ndeclare function ¦New(): void;\n// b.js\nNew(); globalThis.New = () => 1; window['New']();\n// c.ts\nexport {}; New();",
            "// a.ts\nexport {}; declare global { interface Window { ¦New: 1 } }\n// b.js\nwindow.New; §cfg; globalThis.§cfg;",
            "// a.ts\nconst o: any = {}; (o as any).cfg; declare global { var ¦New: 1; } export {};",
        ],
    );
}

#[test]
fn uses_of_augmented_types_are_listed() {
    check_all(
        "css",
        &[
            "// a.tsx\nimport 'react'; declare module 'react' { interface HTMLAttributes<T> { ¦New?: string } } const x = <div §css=\"a\" />; const p: React.HTMLAttributes<1> = { §css: 'a' };",
            "// a.ts\nimport 'fastify'; declare module 'fastify' { interface FastifyInstance { ¦New: 1 } }\n// b.ts\nimport { FastifyInstance } from 'fastify'; export function f(app: FastifyInstance) { app.§css; app.decorate('§css', 1); }",
            "// a.ts\nimport 'vue'; declare module 'vue' { interface ComponentCustomProperties { ¦New: 1 } }\n// b.ts\nimport { App } from 'vue'; declare const app: App; app.config.globalProperties.§css = 1; this.§css;",
            "// a.ts\ndeclare module 'express-session' { interface SessionData { ¦New: 1 } }\n// b.ts\napp.get('/', (req) => { req.session.§css = 1; });",
            "// a.tsx\ninterface Props { ¦New: string } const x = <div css=\"a\" />; declare function own(name: string): void; own('css');",
        ],
    );
}

#[test]
fn elements_with_a_body_are_listed_for_children() {
    check_all(
        "children",
        &[
            "// a.tsx\ninterface Props { ¦New: string } function Box(p: Props) { return p.New; } const q = <§Box>text</Box>; const r = <Box />; const s = <div>x</div>;",
            "// a.tsx\nexport interface Props { ¦New: string }\n// b.tsx\nimport { Props } from './a'; function Box({ New: children }: Props) { return children; } const q = <§Box><b /></Box>;",
            "// a.tsx\ninterface Tree { ¦New: Tree[]; id: 1 } interface Props { children: string; own: 1 } function Box(p: Props) { return p.children; } const q = <Box own={1}>text</Box>;",
        ],
    );
}

#[test]
fn members_in_comments_of_javascript_are_listed() {
    check_all(
        "x",
        &[
            "// a.js\n/** @typedef {{ §x: number }} P */\n/** @type {P} */ const p = { ¦New: 1 };\np.New;",
            "// a.js\n/** @typedef {Object} P\n@property {number} §x */\n/** @param {P} p */ function f(p) { p.§x; }\n f({ ¦§New: 1 });",
            "// a.js\n/** The x of a point, {@link other}. @param {number} x */ const p = { ¦New: 1 };",
        ],
    );
}

#[test]
fn merged_declarations_are_renamed_together() {
    check_all(
        "S",
        &[
            "// a.ts\ninterface Box<¦New> { s: New } interface Box<New> { t: New } class C<S> { s: S }",
            "// a.ts\ninterface Box<T, ¦New> { s: New } class Box<T, New> { t: New }",
            "// lib.ts\nexport interface New { depth: number }\n// plug.ts\nimport './lib'; declare module './lib' { interface ¦New { width: number } }\n// main.ts\nimport { New } from './lib'; const s: New = { depth: 1, width: 1 };",
        ],
    );
}

#[test]
fn members_of_objects_in_a_class_are_not_members_of_its_base() {
    let texts = [
        "import { Base } from 'pkg'; interface S { ¦New: 1 } class A extends Base { s: S = { New: 1 }; run() { const s: S = { New: 1 }; return s; } }",
        "import { Base } from 'pkg'; class A extends Base { run() { const s = { ¦New: 1 }; return s.New; } }",
        "import { Base } from 'pkg'; class A extends Base { run(s: { ¦New: 1 }) { return s.New; } }",
        "import { Base } from 'pkg'; class A extends Base { run() { const make = () => ({ ¦New: 1 }); return make().New; } }",
        "import { Base } from 'pkg'; class A extends Base { §¦New = 1; run() { return { alpha: 1 }; } }",
        "import { Base } from 'pkg'; class A extends Base { constructor(private ¦New: number) { super(); } run() { return this.New; } }",
        "import { Base } from 'pkg'; class A extends Base { constructor(readonly §¦New: number) { super(); } }",
    ];
    check_all("alpha", &texts);
}

#[test]
fn members_of_types_in_separate_callbacks_are_unrelated() {
    let texts = [
        "declare function it(name: string, run: () => any): void; it('a', () => { class A { ¦New = 1 } new A().New; }); it('b', () => { class A { alpha = 2 } new A().alpha; });",
        "declare function it(name: string, run: () => any): void; it('a', async () => { interface A { ¦New: 1 } const a: A = { New: 1 }; }); await it('b', function () { interface A { alpha: 1 } const a: A = { alpha: 1 }; });",
        "// a.ts\nit('a', () => { class A { ¦New = 1 } new A().New; });\n// b.ts\nimport './a'; it.each([1])('b', () => { class A { alpha = 2 } new A().alpha; });",
        // The types are visible together, or the result is used.
        "declare function it(name: string, run: () => any): void; class B { §alpha = 1 } it('a', () => { class A { ¦New = 1 } new A().New; });",
        "declare function it(name: string, run: () => any): void; it('a', () => { class A { ¦New = 1 } it('b', () => { class B { §alpha = 2 } }); });",
        "declare function run<T>(make: () => T): T; const a = run(() => { class A { ¦New = 1 } return new A(); }); run(() => { class B { §alpha = 2 } }); a.New;",
        "function one() { class A { ¦New = 1 } return new A(); } function other() { class B { §alpha = 2 } }",
    ];
    check_all("alpha", &texts);
}
