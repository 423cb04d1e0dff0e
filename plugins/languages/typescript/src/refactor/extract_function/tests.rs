//! Tests of extracting functions and methods.

use marquetry_sdk::span::apply;
use marquetry_sdk::{Selection, Span, refactor};
use oxc_span::GetSpan as _;

use crate::refactor::testing::{assert_refused, assert_rewrite, run_in_workspace, run_refactoring};
use crate::syntax::tree::Tree;
use crate::{TypeScript, TypeScriptDocument};

const FUNCTION: &str = "extract_function";
const METHOD: &str = "extract_method";

#[test]
fn used_variables_are_passed_and_assigned_ones_returned() {
    assert_rewrite(
        FUNCTION,
        &[("extractedName", "sum")],
        "function f(a: number, b: number) {\n  const c = «a + b»;\n  return c;\n}\n",
        "function f(a: number, b: number) {\n  const c = sum(a, b);\n  return c;\n}\n\nfunction sum(a: number, b: number) {\n  return a + b;\n}\n",
    );
    assert_rewrite(
        FUNCTION,
        &[],
        "function f() {\n  let a = 1;\n  let b = 'x';\n  «a++;\n  b += a;»\n  return a + b;\n}\n",
        "function f() {\n  let a = 1;\n  let b = 'x';\n  ({ a, b } = newFunction(a, b));\n  return a + b;\n}\n\nfunction newFunction(a: number, b: string) {\n  a++;\n  b += a;\n  return { a, b };\n}\n",
    );
    assert_rewrite(
        FUNCTION,
        &[],
        "function f(a: number[]) {\n  «const b = a.length;\n  const c = b + 1;»\n  return [b, c];\n}\n",
        "function f(a: number[]) {\n  const { b, c } = newFunction(a);\n  return [b, c];\n}\n\nfunction newFunction(a: number[]) {\n  const b = a.length;\n  const c = b + 1;\n  return { b, c };\n}\n",
    );
    // A variable without a value cannot be passed.
    assert_rewrite(
        FUNCTION,
        &[],
        "function f() {\n  let a: number;\n  «a = 1;\n  g(a);»\n  return a;\n}\n",
        "function f() {\n  let a: number;\n  a = newFunction();\n  return a;\n}\n\nfunction newFunction() {\n  let a: number;\n  a = 1;\n  g(a);\n  return a;\n}\n",
    );
}

#[test]
fn narrowing_by_discriminant_is_lost_outside_its_condition() {
    let types = "interface A { done: true; b: 1 }\ninterface C { done: false; d: 2 }\n";
    let marked = format!("{types}function f(a: A | C) {{\n  if (!a.done) {{\n    g(«a.d + 1»);\n  }}\n}}\n");
    let (_, rewritten) = run_refactoring(FUNCTION, "a.ts", &marked, &[]);
    let incomplete = rewritten.expect("a rewrite").incomplete;
    assert_eq!(incomplete.as_deref(), Some("the type of `a` is unknown and is written as `any`"));
    // A type that is not a union is not affected by narrowing.
    assert_rewrite(
        FUNCTION,
        &[],
        "interface A { done: boolean; b: number }\nfunction f(a: A) {\n  if (a.done) {\n    g(«a.b + 1»);\n  }\n}\n",
        "interface A { done: boolean; b: number }\nfunction f(a: A) {\n  if (a.done) {\n    g(newFunction(a));\n  }\n}\n\nfunction newFunction(a: A) {\n  return a.b + 1;\n}\n",
    );
}

#[test]
fn narrowing_of_unknown_type_gives_warning() {
    let doubt = |marked: &str| {
        let (_, rewritten) = run_refactoring(FUNCTION, "a.ts", marked, &[]);
        rewritten.expect("a rewrite").incomplete
    };
    let told = Some("type narrowing of `v` by the condition may be lost".to_owned());
    assert_eq!(doubt("const v = parse();\nif («v.key» === 'a') f(v.a);\n"), told, "an inferred type");
    assert_eq!(doubt("type U = A | B;\nfunction f(v: U) {\n  if («v.key === 'a'») g(v.a);\n}\n"), told, "a type alias");
    assert_eq!(
        doubt("import { U } from './u';\nfunction f(v: U) {\n  if («v.key») g(v.a);\n}\n"),
        told,
        "an imported type"
    );
    assert_eq!(doubt("function f(v: unknown) {\n  if («typeof v === 'string'») g(v);\n}\n"), told, "`unknown`");
    assert_eq!(
        doubt("class U { key = 1; a = 2 }\nfunction f(v: U) {\n  if («v.key === 1») g(v.a);\n}\n"),
        None,
        "a class"
    );
    assert_eq!(doubt("function f(v: number) {\n  if («v > 1») g(v);\n}\n"), None, "`number`");
}

#[test]
fn code_with_private_members_stays_in_class() {
    assert_rewrite(
        FUNCTION,
        &[],
        "class A {\n  private static b = 1;\n  c() {\n    return «A.b + 1»;\n  }\n}\n",
        "class A {\n  private static b = 1;\n  c() {\n    return newFunction();\n\n    function newFunction() {\n      return A.b + 1;\n    }\n  }\n}\n",
    );
    assert_rewrite(
        FUNCTION,
        &[],
        "class A {\n  constructor(protected b: number, c: A) {\n    f(«c.b + 1»);\n  }\n}\n",
        "class A {\n  constructor(protected b: number, c: A) {\n    f(newFunction());\n\n    function newFunction() {\n      return c.b + 1;\n    }\n  }\n}\n",
    );
}

#[test]
fn returns_and_jumps_are_preserved() {
    assert_rewrite(
        FUNCTION,
        &[],
        "function f(a: number) {\n  if (a) {\n    «g();\n    return a + 1;»\n  }\n}\n",
        "function f(a: number) {\n  if (a) {\n    return newFunction(a);\n  }\n}\n\nfunction newFunction(a: number) {\n  g();\n  return a + 1;\n}\n",
    );
    // All paths return.
    assert_rewrite(
        FUNCTION,
        &[],
        "function f(a: number) {\n  «if (a) {\n    return 1;\n  }\n  throw a;»\n}\n",
        "function f(a: number) {\n  return newFunction(a);\n}\n\nfunction newFunction(a: number) {\n  if (a) {\n    return 1;\n  }\n  throw a;\n}\n",
    );
    assert_rewrite(
        FUNCTION,
        &[],
        "function f(a: number) {\n  let b = 1;\n  «b = a;\n  return g(b), b;»\n}\n",
        "function f(a: number) {\n  let b = 1;\n  let __return;\n  ({ b, __return } = newFunction(b, a));\n  return __return;\n}\n\nfunction newFunction(b: number, a: number) {\n  b = a;\n  return { __return: (g(b), b), b };\n}\n".replace("b, __return }", "__return, b }").as_str(),
    );
    assert_rewrite(
        FUNCTION,
        &[],
        "async function f(a: string) {\n  const b = «await g(a)» + 1;\n}\n",
        "async function f(a: string) {\n  const b = await newFunction(a) + 1;\n}\n\nasync function newFunction(a: string) {\n  return await g(a);\n}\n",
    );
    assert_rewrite(
        FUNCTION,
        &[],
        "function* f(a: string) {\n  «const b = yield a;\n  yield b;»\n}\n",
        "function* f(a: string) {\n  yield* newFunction(a);\n}\n\nfunction* newFunction(a: string) {\n  const b = yield a;\n  yield b;\n}\n",
    );
    assert_rewrite(
        FUNCTION,
        &[],
        "for (const a of [1]) {\n  «for (const b of [2]) {\n    if (a) break;\n  }»\n}\n",
        "for (const a of [1]) {\n  newFunction(a);\n}\n\nfunction newFunction(a: number) {\n  for (const b of [2]) {\n    if (a) break;\n  }\n}\n",
    );
}

#[test]
fn this_is_passed_along() {
    assert_rewrite(
        METHOD,
        &[("extractedName", "sum")],
        "class A {\n  b = 1;\n  #c = 2;\n\n  m(d: number) {\n    return «this.b + this.#c + d»;\n  }\n\n  n() {}\n}\n",
        "class A {\n  b = 1;\n  #c = 2;\n\n  m(d: number) {\n    return this.sum(d);\n  }\n\n  private sum(d: number) {\n    return this.b + this.#c + d;\n  }\n\n  n() {}\n}\n",
    );
    assert_rewrite(
        METHOD,
        &[],
        "class A<T> {\n  static async m(a: T) {\n    «await g(a);»\n  }\n}\n",
        "class A<T> {\n  static async m(a: T) {\n    await A.newMethod(a);\n  }\n\n  private static async newMethod(a: T) {\n    await g(a);\n  }\n}\n",
    );
    assert_rewrite(
        METHOD,
        &[],
        "class A extends B {\n  m() {\n    return «super.m()» + 1;\n  }\n}\n",
        "class A extends B {\n  m() {\n    return this.newMethod() + 1;\n  }\n\n  private newMethod() {\n    return super.m();\n  }\n}\n",
    );
    assert_rewrite(
        FUNCTION,
        &[],
        "const a = {\n  m() {\n    «g(this);»\n  },\n};\n",
        "const a = {\n  m() {\n    newFunction.call(this);\n  },\n};\n\nfunction newFunction(this: any) {\n  g(this);\n}\n",
    );
}

#[test]
fn scopes_can_be_chosen() {
    let text = "namespace N {\n  export const a = 1;\n  function f(b: number) {\n    g(«a + b»);\n  }\n}\n";
    let start = "namespace N {\n  export const a = 1;\n  function f(b: number) {\n    g(";
    assert_rewrite(
        FUNCTION,
        &[("scope", "inner")],
        text,
        &format!("{start}newFunction());\n\n    function newFunction() {{\n      return a + b;\n    }}\n  }}\n}}\n"),
    );
    assert_rewrite(
        FUNCTION,
        &[("scope", "1")],
        text,
        &format!(
            "{start}newFunction(b));\n  }}\n\n  function newFunction(b: number) {{\n    return a + b;\n  }}\n}}\n"
        ),
    );
    assert_rewrite(
        FUNCTION,
        &[("scope", "module")],
        text,
        &format!("{start}newFunction(b));\n  }}\n}}\n\nfunction newFunction(b: number) {{\n  return N.a + b;\n}}\n"),
    );
    assert_refused(FUNCTION, &[("scope", "3")], text, "unknown scope `3`");
}

#[test]
fn known_types_are_annotated() {
    assert_rewrite(
        FUNCTION,
        &[],
        "function f<T extends object>(a: T, b?: string) {\n  if (b) {\n    «g(a, b);»\n  }\n}\n",
        "function f<T extends object>(a: T, b?: string) {\n  if (b) {\n    newFunction<T>(a, b);\n  }\n}\n\nfunction newFunction<T extends object>(a: T, b: string) {\n  g(a, b);\n}\n",
    );
    assert_rewrite(
        FUNCTION,
        &[],
        "function f(a: { b: number }[]): string[] {\n  return a.map(c => «g(c.b)»);\n}\n",
        "function f(a: { b: number }[]): string[] {\n  return a.map(c => newFunction(c));\n}\n\nfunction newFunction(c: { b: number }) {\n  return g(c.b);\n}\n",
    );
    // A type that is local to the function is not in scope further out.
    assert_rewrite(
        FUNCTION,
        &[],
        "function f() {\n  interface A { b: number }\n  const a: A = { b: 1 };\n  return «a.b + 1»;\n}\n",
        "function f() {\n  interface A { b: number }\n  const a: A = { b: 1 };\n  return newFunction();\n\n  function newFunction() {\n    return a.b + 1;\n  }\n}\n",
    );
    // The contextual type of a returned value becomes the return type.
    assert_rewrite(
        FUNCTION,
        &[],
        "function f(a: number): Set<string> {\n  «g(a);\n  return new Set();»\n}\n",
        "function f(a: number): Set<string> {\n  return newFunction(a);\n}\n\nfunction newFunction(a: number): Set<string> {\n  g(a);\n  return new Set();\n}\n",
    );
}

#[test]
fn types_of_simple_values_are_inferred() {
    let types = [
        ("const a = [1, 'b'];", "(number | string)[]"),
        ("const a = null;", "null"),
        ("const a = s.split(',').map(c => c.length);", "number[]"),
        ("const a = [s].find(c => c);", "string | undefined"),
        ("const a = s || null;", "string | null"),
        ("const a = { get b() { return s; }, c: () => 1 };", "{ readonly b: string; c: () => number; }"),
        ("const [, a]: [string, Date] = g();", "Date"),
        ("const a = new Map<string, number[]>();", "Map<string, number[]>"),
        ("const a = !s;", "boolean"),
        ("const a = (b: string, c = 1) => { g(); };", "(b: string, c?: number) => void"),
        ("const a = [() => 1];", "(() => number)[]"),
        ("let a: 'b' | 'c' = 'b';", "'b' | 'c'"),
    ];
    for (declaration, ty) in types {
        assert_rewrite(
            FUNCTION,
            &[],
            &format!("function f(s: string) {{\n  {declaration}\n  «h(a);»\n}}\n"),
            &format!(
                "function f(s: string) {{\n  {declaration}\n  newFunction(a);\n}}\n\nfunction newFunction(a: {ty}) {{\n  h(a);\n}}\n"
            ),
        );
    }
    // Two type parameters cannot have the same name.
    assert_rewrite(
        FUNCTION,
        &[],
        "function f<T>(a: T) {\n  function g<T>(b: T) {\n    «h(a, b);»\n  }\n}\n",
        "function f<T>(a: T) {\n  function g<T>(b: T) {\n    newFunction<T>(b);\n  }\n\n  function newFunction<T>(b: T) {\n    h(a, b);\n  }\n}\n",
    );
}

#[test]
fn comments_and_style_are_preserved() {
    assert_rewrite(
        FUNCTION,
        &[],
        "function f(a: number) {\n\t«// about b\n\tconst b = `\n  ${a}\n`; // behind\n\n\t/* c */ g(b)»\n}\n",
        "function f(a: number) {\n\tnewFunction(a);\n}\n\nfunction newFunction(a: number) {\n\t// about b\n\tconst b = `\n  ${a}\n`; // behind\n\n\t/* c */ g(b);\n}\n",
    );
    assert_rewrite(
        FUNCTION,
        &[],
        "const a = 1\nlet b = 2\nfunction f() {\n  let c = 1\n  «const d = a\n  c = d»\n  g(c, d)\n}\n",
        "const a = 1\nlet b = 2\nfunction f() {\n  let c = 1\n  let d\n  ;({ d, c } = newFunction(c))\n  g(c, d)\n}\n\nfunction newFunction(c: number) {\n  const d = a\n  c = d\n  return { d, c }\n}\n",
    );
    assert_rewrite(
        FUNCTION,
        &[],
        "f()\n«g()\n;»[1].map(h)\ni()\n",
        "f()\nnewFunction()\n;[1].map(h)\ni()\n\nfunction newFunction() {\n    g()\n}\n",
    );
    assert_rewrite(
        FUNCTION,
        &[],
        "f()\n{ «g()»; h() }\n",
        "f()\n{ newFunction(); h() }\n\nfunction newFunction() {\n    g();\n}\n",
    );
    assert_rewrite(
        FUNCTION,
        &[],
        "if (a) «g();»\n",
        "if (a) newFunction();\n\nfunction newFunction() {\n    g();\n}\n",
    );
    assert_rewrite(
        FUNCTION,
        &[],
        "const a = <b>{«c»}<d e=«»/></b>".replace("«»", "'f'").replace("«c»", "«g(1)»").as_str(),
        "const a = <b>{newFunction()}<d e='f'/></b>\n\nfunction newFunction() {\n    return g(1);\n}\n",
    );
    assert_rewrite(
        FUNCTION,
        &[],
        "const a = new «b.C»();\nconst d = { e: 1, «f» };\n".replace("«f»", "f").as_str(),
        "const a = new (newFunction())();\nconst d = { e: 1, f };\n\nfunction newFunction() {\n    return b.C;\n}\n",
    );
}

#[test]
fn refuses_selections_that_cannot_be_extracted() {
    let cases = [
        ("for (;;) { «break;» }", "a `break` in the selection jumps out of it"),
        ("function f(a) { «if (a) return 1;» g(); }", "the selection does not return on every path"),
        ("class A extends B { constructor() { «super();» } }", "`super()` can only be called in a constructor"),
        ("function f() { return «arguments.length»; }", "`arguments` would refer to the new function"),
        ("class A { m() { «g(this);» } }", "the selection uses `this` or `super` of the class"),
        ("function f() { «function g() {}» g(); }", "`g` is declared in the selection but used outside of it"),
        (
            "function f(a: number) { return «a++ + 1»; }",
            "`a` is assigned in the selection, but an extracted expression only returns its value",
        ),
        ("«import a from 'a';»", "an import cannot be moved into a function"),
        ("«export const a = 1;»", "an export cannot be moved into a function"),
        ("{ «using a = b;» }", "the value of `using` would be disposed of at the end of the new function"),
        ("var a; «var a = 1;» a;", "`a` is declared both inside and outside the selection"),
        (
            "«let a = 1; const b = () => a++;» b(); a;",
            "`a` would become two variables: a function in the selection captures it",
        ),
    ];
    for (text, message) in cases {
        assert_refused(FUNCTION, &[], text, message);
    }
    assert_refused(METHOD, &[], "function f() { «g();» }", "the selection is not in a method of a class");
    assert_refused(
        METHOD,
        &[],
        "class A { m() { function f() { «g();» } } }",
        "the selection is in a function that has its own `this`",
    );
    assert_refused(
        METHOD,
        &[],
        "class A { constructor(readonly a: number) { «this.a = 1;» } }",
        "`a` is read-only: a method cannot assign it",
    );
    assert_refused(
        METHOD,
        &[],
        "class A { a: number; constructor() { «this.a = 1;» } }",
        "`a` has no value until the constructor sets it: a method cannot assign it",
    );
    assert_refused(FUNCTION, &[("extractedName", "g")], "«g();»", "`g` is already declared here");
    assert_refused(FUNCTION, &[("extractedName", "a b")], "«g();»", "`a b` is not a valid name for a function");
}

/// A variable shared with a closure must stay one variable.
#[test]
fn shared_variables_are_not_copied() {
    let text = "function f() {\n  let a = 0;\n  const b = () => { a++; };\n  «g(b, a);»\n  return a;\n}\n";
    assert_refused(
        FUNCTION,
        &[("scope", "module")],
        text,
        "`a` is shared with a function that may run at a different time",
    );
    assert_rewrite(
        FUNCTION,
        &[],
        text,
        "function f() {\n  let a = 0;\n  const b = () => { a++; };\n  newFunction();\n  return a;\n\n  function newFunction() {\n    g(b, a);\n  }\n}\n",
    );
    // A callback that is only called before the receiving call returns does not prevent the extraction.
    assert_rewrite(
        FUNCTION,
        &[],
        "function f(a: number[]) {\n  let b = 0;\n  «a.forEach(c => { b += c; });»\n  return b;\n}\n",
        "function f(a: number[]) {\n  let b = 0;\n  b = newFunction(a, b);\n  return b;\n}\n\nfunction newFunction(a: number[], b: number) {\n  a.forEach(c => { b += c; });\n  return b;\n}\n",
    );
}

#[test]
fn new_name_is_unused_and_its_offset_is_returned() {
    let (text, rewritten) = run_refactoring(FUNCTION, "a.ts", "function newFunction() {}\nf(«1 + 2»);\n", &[]);
    let rewritten = rewritten.expect("a function");
    let after = apply(&text, &rewritten.edits);
    assert_eq!(
        after,
        "function newFunction() {}\nf(newFunction_1());\n\nfunction newFunction_1() {\n    return 1 + 2;\n}\n"
    );
    let at = rewritten.name_at.expect("the offset of the name") as usize;
    assert!(after[at..].starts_with("newFunction_1()"));
}

/// Texts in which both refactorings are tried at every node.
const SAMPLES: [&str; 8] = [
    "export class A<T> extends B { #x = 1; static y = f(() => this.y);\n constructor(private readonly a: T, b = 1 + 2) { super(); this.#x = b; }\n get z() { return this.#x ?? super.z; } async *g() { for await (const q of h()) { yield q; await q?.r.s; } } static { this.y++; } }",
    "function f({ a, b: [c] = [] }: any, ...d) { let e; var g = 1; label: for (const h in d) { switch (h) { case 'i': continue label; default: e = `${h}\n${c}`; } } try { return a?.[e]!.k(); } catch (l) { g++; throw l } finally { e = g } }",
    "const a = <B.C d='e' {...f} g={(h) => <i key={h}>{j} text</i>}>{/* k */}<></></B.C>\nconst { l = m, ...n } = o as const; [p, q] = [q, p]; ({ p, ...q.r } = s)",
    "namespace A { export namespace B { export interface C<D extends C<D>> { e: D } export const f = <D,>(g: D): C<any> => ({ e: g as never }) } declare const h: B.C<any>; enum E { i = 1 << 2, j = i } const k = h satisfies unknown; }",
    "import a, { b as c } from 'd'; export { c as e }; export default (async () => { await using f = a; return new.target })\nexport * from 'g'",
    "var a = function* b() { const c = yield* d(a, b); return arguments[0] }\nif (a) b(); else { do { c() } while (d) }\n;[1].map(e)\n\"use strict\"\ndelete a.b, typeof c, void 0, new (f())()",
    "function a(this: { b: string }) { «».toString(); const c = () => this.b; let d: number; d = 1; { let d = 2; d } return (c, d) }",
    "@d class A { @e() m(@f g: string) { return tag`a${g}b` } accessor h = /i/u; ['j'] = 1; declare k: string }\nabstract class L { abstract m(): void }",
];

/// Every selection is refused or gives edits that are in order and leave a text that can be parsed.
#[test]
fn any_selection_gives_valid_syntax() {
    let mut answered = 0;
    for text in SAMPLES {
        let text = text.replace("«»", "''");
        let document = TypeScriptDocument::open("a.tsx", text.clone());
        let spans: Vec<Span> = document.tree.with(|parsed| {
            let nodes = parsed.semantic().nodes().iter().map(|node| node.kind().span());
            nodes
                .filter(|span| span.end as usize <= text.len())
                .map(|span| Span { start: span.start, end: span.end })
                .collect()
        });
        let broken = |text: &str| {
            Tree::parse("a.tsx", text.to_owned()).with(|parsed| parsed.errors.len() + parsed.early_errors().len())
        };
        let before = broken(&text);
        let pairs = spans.iter().zip(spans.iter().skip(1)).map(|(a, b)| Span { start: a.start, end: a.end.max(b.end) });
        for span in spans.iter().copied().chain(pairs) {
            for id in [FUNCTION, METHOD] {
                let Ok(rewritten) =
                    refactor::apply::<TypeScript>(&document, id, Selection::from_span(span), Vec::new())
                else {
                    continue;
                };
                answered += 1;
                assert!(rewritten.edits.windows(2).all(|pair| pair[0].span.end <= pair[1].span.start), "{text}");
                let after = apply(&text, &rewritten.edits);
                assert!(broken(&after) <= before, "{}\n----\n{after}", span.slice(&text));
            }
        }
    }
    assert!(answered > 100, "{answered}");
}

#[test]
fn void_call_is_followed_by_separate_return() {
    assert_rewrite(
        FUNCTION,
        &[],
        "function f(a: number): string | undefined {\n  if (a) {\n    «return;»\n  }\n  return 'b';\n}\n",
        "function f(a: number): string | undefined {\n  if (a) {\n    newFunction();\n    return;\n  }\n  return 'b';\n}\n\nfunction newFunction() {\n  return;\n}\n",
    );
    assert_rewrite(
        FUNCTION,
        &[],
        "function f(a: number) {\n  if (a) {\n    «g();\n    return;»\n  }\n  return 'b';\n}\n",
        "function f(a: number) {\n  if (a) {\n    newFunction();\n    return;\n  }\n  return 'b';\n}\n\nfunction newFunction() {\n  g();\n  return;\n}\n",
    );
    assert_rewrite(
        FUNCTION,
        &[],
        "function f(a: number) {\n  if (a) {\n    «g();\n    return;»\n  }\n  h();\n}\n",
        "function f(a: number) {\n  if (a) {\n    return newFunction();\n  }\n  h();\n}\n\nfunction newFunction() {\n  g();\n  return;\n}\n",
    );
}

#[test]
fn type_parameters_of_callee_are_not_annotated() {
    assert_rewrite(
        FUNCTION,
        &[],
        "interface B<T> { c(): B<T> }\nconst f = <A,>(a: { b: B<A> }): A => g(a);\nf({ b: «d.c()» });\n",
        "interface B<T> { c(): B<T> }\nconst f = <A,>(a: { b: B<A> }): A => g(a);\nf({ b: newFunction() });\n\nfunction newFunction() {\n    return d.c();\n}\n",
    );
}

/// Extracts a method in the first of these files; returns its text or the error message.
fn extract_method(files: &[(&str, &str)]) -> Result<String, String> {
    let done = run_in_workspace(METHOD, &[("extractedName", "start")], files);
    done.map(|done| done.texts["a.ts"].clone()).map_err(|failure| failure.message)
}

#[test]
fn extract_method_refuses_the_name_of_a_member_of_a_related_class() {
    let job = "export class Job { go(a: number) { return «a + 1»; } }";
    let taken = "`start` is already declared here";
    let base = "import { Base } from './b'; class Job extends Base { go(a: number) { return «a + 1»; } }";
    for (files, why) in [
        ([("a.ts", base), ("b.ts", "export class Base { start() {} }")], taken),
        ([("a.ts", base), ("b.ts", "class Top { protected start = 1; } export class Base extends Top {}")], taken),
        (
            [
                ("a.ts", "class Job { go(a: number) { return «a + 1»; } }\nclass Mail extends Job { start() {} }"),
                ("b.ts", ""),
            ],
            taken,
        ),
        (
            [("a.ts", job), ("b.ts", "import { Job } from './a'; class Mail extends Job { start() {} }")],
            "a subclass already has a member `start`",
        ),
        (
            [
                ("a.ts", "class Job { go(a: number) { return «a + 1»; } }\nmodule.exports = { Job };"),
                ("b.js", "const { Job } = require('./a'); class Mail extends Job { start() {} }"),
            ],
            "a subclass already has a member `start`",
        ),
        (
            [
                ("a.ts", job),
                (
                    "b.ts",
                    "import { Job } from './a'; const mix = (b: any) => class extends b {}; class D extends mix(Job) { start() {} }",
                ),
            ],
            "a subclass already has a member `start`",
        ),
    ] {
        assert_eq!(extract_method(&files), Err(why.to_owned()), "{files:?}");
    }
    let through = [
        ("a.ts", job),
        ("b.ts", "import { Job } from './a'; export class Mail extends Job {}"),
        ("c.ts", "import { Mail } from './b'; class Letter extends Mail { private start = 1; }"),
    ];
    assert_eq!(extract_method(&through), Err("a subclass already has a member `start`".to_owned()));
    let unrelated = [
        ("a.ts", job),
        (
            "b.ts",
            "import { Job } from './a'; export class Mail { start() { return new Job(); } } class Other extends Job {}",
        ),
    ];
    assert!(extract_method(&unrelated).expect("a method").contains("this.start(a)"));
}

#[test]
fn code_before_super_call_becomes_static_method() {
    assert_rewrite(
        METHOD,
        &[("extractedName", "v")],
        "class A extends B {\n  constructor(y: number) {\n    super(«y * 2» + 1);\n  }\n}\n",
        "class A extends B {\n  constructor(y: number) {\n    super(A.v(y) + 1);\n  }\n\n  private static v(y: number) {\n    return y * 2;\n  }\n}\n",
    );
    assert_rewrite(
        METHOD,
        &[("extractedName", "v")],
        "class A extends B {\n  constructor(y: number) {\n    const z = «y * 2»;\n    super(z);\n  }\n}\n",
        "class A extends B {\n  constructor(y: number) {\n    const z = A.v(y);\n    super(z);\n  }\n\n  private static v(y: number) {\n    return y * 2;\n  }\n}\n",
    );
    assert_rewrite(
        METHOD,
        &[("extractedName", "v")],
        "class A extends B {\n  constructor(y: number) {\n    super();\n    f(«y * 2»);\n  }\n}\n",
        "class A extends B {\n  constructor(y: number) {\n    super();\n    f(this.v(y));\n  }\n\n  private v(y: number) {\n    return y * 2;\n  }\n}\n",
    );
}

#[test]
fn refuses_computed_member_keys() {
    let why = "the type of the object depends on this literal key, which a function call would widen";
    assert_refused(FUNCTION, &[], "enum E { A }\nconst o: { [E.A]: number } = { [«E.A»]: 1 };\n", why);
    assert_refused(FUNCTION, &[], "class C {\n  [«k()»] = 1;\n}\n", why);
}

#[test]
fn scopes_accept_names_of_other_refactorings() {
    let text = "function f() {\n  return «1 + 2»;\n}\n";
    for (one, other) in [("module", "file"), ("inner", "function"), ("inner", "block")] {
        let of = |scope: &str| {
            let (before, rewritten) = run_refactoring(FUNCTION, "a.ts", text, &[("scope", scope)]);
            apply(&before, &rewritten.expect("a rewrite").edits)
        };
        assert_eq!(of(one), of(other));
    }
    assert_refused(FUNCTION, &[("scope", "class")], text, "a class cannot contain a function");
    for (one, other) in [("file", "module"), ("function", "inner")] {
        let of = |scope: &str| {
            let (before, rewritten) = run_refactoring("extract_constant", "a.ts", text, &[("scope", scope)]);
            apply(&before, &rewritten.expect("a rewrite").edits)
        };
        assert_eq!(of(one), of(other));
    }
}
