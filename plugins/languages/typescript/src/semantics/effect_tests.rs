//! Tests of effects: code that runs without a call, collections, and conversions. Each text has a `«marked part»`.

use std::rc::Rc;

use oxc_semantic::{NodeId, Semantic};
use oxc_span::Span;

use super::effects::{Effects, effects_of};
use super::implicit_code::ImplicitCode;
use crate::TypeScriptDocument;
use crate::semantics::Semantics;
use crate::syntax::tree::Tree;

fn with_effects<R>(marked: &str, look: impl FnOnce(&Semantic<'_>, Effects, Span) -> R) -> R {
    let start = marked.find('«').expect("«");
    let end = marked.find('»').expect("»") - '«'.len_utf8();
    let span = Span::new(start as u32, end as u32);
    Tree::parse("a.tsx", marked.replace(['«', '»'], "")).with(|parsed| {
        let semantic = parsed.semantic();
        let effects = effects_of(semantic, &Rc::new(ImplicitCode::of_file(semantic)), NodeId::ROOT, span);
        look(semantic, effects, span)
    })
}

fn acts(marked: &str) -> bool {
    with_effects(marked, |_, effects, _| effects.has_side_effects)
}

fn creates(marked: &str) -> bool {
    with_effects(marked, |_, effects, _| effects.creates_object)
}

/// Returns whether the marked code could run after the rest of the text instead.
fn moves(marked: &str) -> bool {
    with_effects(marked, |semantic, effects, span| {
        let rest = Span::new(span.end, semantic.source_text().len() as u32);
        effects.first_obstacle(semantic, NodeId::ROOT, rest).is_none()
    })
}

#[test]
fn getters_with_side_effects_act_in_every_form() {
    assert!(acts("const o = { get a() { return f(); } }; «o.a»;"));
    assert!(acts("class A { get a() { return ++this.n; } } «x.a»;"));
    assert!(acts("class A { get #a() { return this.n++; } b() { «this.#a»; } }"));
    assert!(acts("Object.defineProperty(o, 'a', { get: () => f() }); «o.a»;"));
    assert!(acts("Object.defineProperties(o, { a: { get() { f(); } } }); «o.a»;"));
    assert!(acts("const p = Object.create(null, { a: { get: read } }); function read() { f(); } «p.a»;"));
    assert!(acts("o.__defineGetter__('a', () => f()); «o.a»;"));
    assert!(acts("const o = { get a() { return f(); } }; const { a } = «{ ...o }»;"));
    assert!(acts("const o = { get a() { return this.b; }, get b() { return f(); } }; «o.a»;"));
}

#[test]
fn getters_that_only_read_do_not_act() {
    assert!(!acts("class A { get a() { return this.b * 2; } } «x.a»;"));
    assert!(!acts("class A { get a() { let n = 0; for (const i of this.b) n += i; return n; } } «x.a»;"));
    assert!(!acts("class A { get a() { return Math.max(this.b, 1); } } «x.a»;"));
    assert!(!acts("class A { get a() { return this.sum(); } sum() { return this.b + 1; } } «x.a»;"));
    assert!(!acts("class A { get a() { return this.b.filter((x) => x > 1).length; } } «x.a»;"));
    assert!(!acts("class A { get a() { return f(); } } «x.b»;"));
    assert!(acts("class A { get a() { return this.b.map((x) => f(x)); } } «x.a»;"));
    assert!(acts("class A { get a() { return this.load(); } load() { this.b = 1; } } «x.a»;"));
}

#[test]
fn functions_that_call_each_other_are_followed_to_a_limit() {
    assert!(acts(
        "class A { get a() { return f(); } } function f() { return g(); } function g() { return f(); } «x.a»;"
    ));
    assert!(acts("class A { get a() { return f(); } } const f = () => [1].map(() => f()); «x.a»;"));
}

#[test]
fn values_of_getters_change_with_what_they_read() {
    let area = "const o = { w: 1, get a() { return this.w; }, get b() { return this.a * 2; } };";
    assert!(!moves(&format!("{area} «o.b»; o.w = 2;")));
    assert!(moves(&format!("{area} «o.b»; o.h = 2;")));
    assert!(!moves("let n = 1; const o = { get a() { return n; } }; «o.a»; n = 2;"));
    assert!(creates("const o = { get a() { return [...this.b]; } }; «o.a»;"));
    assert!(!creates("const o = { get a() { return this.b; } }; «o.a»;"));
}

#[test]
fn code_with_effects_does_not_move_past_getters_that_act() {
    let getter = "const o = { get a() { return f(); } };";
    assert!(!moves(&format!("{getter} «x.y»; const b = o.a;")));
    assert!(!moves(&format!("{getter} «x.y»; const {{ a }} = o;")));
    assert!(moves(&format!("{getter} «1 + 2»; const b = o.a;")));
    assert!(!moves("«f()»; const { b } = o;"));
    assert!(!moves("«f()»; const [b] = o;"));
    assert!(!moves("«f()»; const b = [...o];"));
}

#[test]
fn conversions_act_for_values_that_may_be_objects() {
    let arrow = "const o = { toString: () => f() };";
    assert!(acts(&format!("{arrow} «`${{o}}`»;")));
    assert!(acts(&format!("{arrow} «o + 1»;")));
    assert!(acts(&format!("{arrow} «o > x»;")));
    assert!(acts(&format!("{arrow} «-o»;")));
    assert!(acts(&format!("{arrow} «x[o]»;")));
    assert!(acts(&format!("{arrow} («{{ [o]: 1 }}»);")));
    assert!(!acts(&format!("{arrow} «o === x»;")));
    assert!(!acts(&format!("{arrow} «!o»;")));
    assert!(!acts(&format!("{arrow} «typeof o»;")));
    assert!(!acts(&format!("{arrow} const a = 1; «a + 2»;")));
    assert!(!acts(&format!("{arrow} const a = b ? 'c' : `d`; «`${{a}}`»;")));
    assert!(!acts(&format!("{arrow} «x.length * 2»;")));
    assert!(acts(&format!("{arrow} «(x - 1) * 2»;")));
    assert!(!acts(&format!("{arrow} const a = 1; «(a - 1) * 2»;")));
    assert!(!acts(&format!("{arrow} function g(n: number, s: 'a' | 'b') {{ «n + s»; }}")));
    assert!(acts(&format!("{arrow} function g(n: Date) {{ «n + 1»; }}")));
    assert!(acts(&format!("{arrow} «x.join('') + x.indexOf(o)»;")));
    assert!(acts(&format!("{arrow} «x.slice(1) + ''»;")));
}

#[test]
fn conversions_are_found_in_every_form() {
    assert!(acts("class A { valueOf = () => f(); } «o + 1»;"));
    assert!(acts("class A { valueOf() { return this.n++; } } «o + 1»;"));
    assert!(acts("o.valueOf = () => f(); «o + 1»;"));
    assert!(acts("o[Symbol.toPrimitive] = f; «o + 1»;"));
    assert!(acts("const o = { [Symbol.toPrimitive]() { f(); } }; «o + 1»;"));
    assert!(acts("Object.defineProperty(o, 'toString', { value: () => f() }); «`${o}`»;"));
    assert!(!acts("class A { toString() { return this.n.join(','); } } «`${o}`»;"));
    assert!(!acts("const o = { toString: null }; «o + 1»;"));
    assert!(!moves("class A { valueOf() { return this.n; } } «o + 1»; o.n = 2;"));
}

#[test]
fn iterators_that_are_used_up_act() {
    assert!(acts("function* g() { yield 1; } const i = g(); «[...i]»;"));
    assert!(acts("const o = { next() { return this.n++; } }; «[...o]»;"));
    assert!(!acts("function* g() { yield 1; } const a = [1]; «[...a]»;"));
    assert!(!acts("function* g() { yield 1; } function h(...a) { «[...a]»; }"));
    assert!(!acts("class A { *[Symbol.iterator]() { yield* this.b; } } «[...a]»;"));
}

#[test]
fn sizes_and_elements_change_with_their_collection() {
    assert!(!moves("const a = []; «a.length»; a.push(1);"));
    assert!(!moves("const a = []; const b = a; «a.length»; b.push(1);"));
    assert!(moves("const a = []; const b = []; «a.length»; b.push(1);"));
    assert!(!moves("function f(a, b) { «a.length»; b.push(1); }"));
    assert!(!moves("const a = []; const f = () => a.push(1); «a.length»; f();"));
    assert!(!moves("const a = []; const f = () => { a[0] = 1; }; «a[0]»; f();"));
    assert!(!moves("const a = []; const f = () => { a.length = 0; }; «a[0]»; f();"));
    assert!(!moves("const a = new Map(); const f = () => a.set(1, 2); «a.size»; f();"));
    assert!(!moves("class A { f() { this.#b.pop(); } g() { «this.#b.length»; h(); } }"));
    assert!(moves("class A { f() { this.#c.pop(); } g() { «this.#b.length»; h(); } }"));
    assert!(!moves("class A { get n() { return this.#b.length; } f() { this.#b.pop(); } } «x.n»; h();"));
    assert!(!moves("function f(a, g) { «a.length»; g(); }"));
    assert!(moves("function f(a) { «a.length»; g(); }"));
    assert!(!moves("const a = [1]; «`${a}`»; a.push(2);"));
    assert!(!moves("const a = [1]; «[...a]»; a.push(2);"));
}

#[test]
fn operands_of_the_document_are_those_of_the_file() {
    let document = TypeScriptDocument::open("a.ts", "const o = { get a() { return f(); } }; o.a;".to_owned());
    let acts = Semantics::with(&document, |code| {
        code.effects_of(NodeId::ROOT, marquetry_sdk::Span::new(39, 42)).has_side_effects
    });
    assert!(acts);
}
