//! Values whose types come from generic functions, the language's library and frameworks. If the type is inferred,
//! a rename changes the uses of its members. Otherwise, the rename lists the uses and does not claim to be complete.

use crate::host::check_marked as check;

const ITEM: &str = "interface Item { ¦id: number; size: 1 }\ninterface Other { id: string; age: 1 }\ndeclare const item: Item, other: Other, items: Item[], byName: Record<string, Item>, later: Promise<Item>;\n";

/// Forms whose types are inferred, with the uses that a rename changes.
const INFERRED: &[&str] = &[
    // The language.
    "Object.values(byName)[0].§id;",
    "Object.entries(byName)[0][1].§id; for (const [name, it] of Object.entries(byName)) it.§id;",
    "Object.values({ a: item }).map((it) => it.§id);",
    "new Map([['a', item]]).get('a')!.§id;",
    "const m = new Map(items.map((it) => [it.§id, it] as const)); m.get(1)!.§id;",
    "new Set(items).forEach((it) => it.§id);",
    "async () => (await Promise.race([later])).§id;",
    "async () => (await Promise.any([later])).§id;",
    "async () => (await Promise.allSettled([later])).map((it) => it.status === 'fulfilled' && it.value.§id);",
    "async () => { const [a, b] = await Promise.all([later, 1]); a.§id; };",
    "function* all() { yield item; } for (const it of all()) it.§id;",
    "function* all() { yield* items; } [...all()][0].§id;",
    "async function* all() { yield item; } async () => { for await (const it of all()) it.§id; };",
    "function* all(): Generator<Item> { yield item; } [...all()][0].§id;",
    "structuredClone(item).§id;",
    "[items].flat()[0].§id;",
    "Array.of(item)[0].§id;",
    "declare const lists: Record<string, Item[]>; lists.a.map((it) => it.§id); lists['b'][0].§id;",
    "Map.groupBy(items, (it) => it.§id).get(1)![0].§id;",
    // Generic functions and classes of the project.
    "declare function wrap<T>(x: T): { inner: T }; wrap(item).inner.§id;",
    "interface Box<T> { value: T } declare function box<T>(x: T): Box<T>; box(item).value.§id;",
    "interface Box<T> { value: T } declare function open<T>(x: Box<T>): T; declare const b: Box<Item>; open(b).§id;",
    "interface Box<T> { value: T } declare function open<T>(x: Box<T>): T; open({ value: item }).§id;",
    "class Box<T> { constructor(readonly value: T) {} } class Own extends Box<Item> {} declare function open<T>(x: Box<T>): T; open(new Own(item)).§id;",
    "type Lazy<T> = T | (() => T); declare function force<T>(x: Lazy<T>): T; force(item).§id; force(() => item).§id;",
    "declare function open<T>(x: Promise<T>): T; open(later).§id;",
    "declare function run<T>(f: () => T): T; run(() => item).§id; run(function () { return item; }).§id;",
    "declare function apply<A, B>(x: A, f: (x: A) => B): B; apply(item, (it) => it.§id); apply(1, () => item).§id;",
    "declare function each<T>(xs: readonly T[], f: (x: T) => void): void; each(items, (it) => it.§id);",
    "declare function last<T>(xs: readonly T[]): T | undefined; last(items)?.§id;",
    "declare function rest<T>(...xs: T[]): T[]; rest(item)[0].§id;",
    "declare function keyBy<T>(xs: Iterable<T>, key: (x: T) => string): Map<string, T>; keyBy(items, (it) => `${it.§id}`).get('a')!.§id;",
    "declare function load<T>(o: { load: () => Promise<T> }): Promise<T>; async () => (await load({ load: async () => item })).§id;",
    "declare function second<T>(x: [string, T]): T; second(['a', item]).§id;",
    "class Stack<T> { constructor(public all: T[]) {} top(): T { return this.all[0]; } } new Stack(items).top().§id;",
    // An argument with members that determine the types of others.
    "declare function make<S>(o: { init: S; run: (s: S) => void }): S; make({ init: item, run: (s) => s.§id }).§id;",
    "declare function make<S>(o: { init: () => S; run(s: S): void }): S; make({ init: () => item, run(s) { s.§id; } }).§id;",
    "interface Options<A, B> { load: () => Promise<A>; pick: (a: A) => B; done?: (b: B) => void } declare function query<A, B>(o: Options<A, B>): B; query({ load: async () => item, pick: (it) => it.§id });",
    "declare function make<S>(o: { all: S[]; by?: { key: (s: S) => number } }): S; make({ all: items, by: { key: (s) => s.§id } }).§id;",
    // The expected type determines the types of arguments.
    "declare function same<T>(x: T): T; const it: Item = same({ §id: 1, size: 1 });",
    "type Run<T> = (x: T) => void; declare function once<T>(run: Run<T>): Run<T>; const run: Run<Item> = once((it) => it.§id);",
    "type Make<T> = (set: (x: T) => void) => T; declare function log<T>(m: Make<T>): Make<T>; const m: Make<Item> = log((set) => { set({ §id: 1, size: 1 }); return { §id: 2, size: 1 }; });",
    "type Pair<A, B = A> = { a: A; b: B }; declare const p: Pair<Item>; p.b.§id;",
    "interface Runner { run(it: Item): void } const r: Runner | Function = { run: (it) => it.§id };",
    // React.
    "import { Component } from 'react'; class A extends Component<Other, Item> { constructor(p: Other) { super(p); this.state = { §id: 1, size: 1 }; } run() { this.state.§id; this.setState({ §id: 2 }); this.setState((it, p) => ({ §id: it.§id + p.age })); const { §id: id } = this.state; } } declare const a: A; a.state.§id;",
    "import * as React from 'react'; class A extends React.PureComponent<{}, Item> { state: Item = { §id: 1, size: 1 }; run() { this.setState((it) => { it.§id; return { §id: 1 }; }, () => this.state.§id); } }",
    "import { memo } from 'react'; const A = memo((it: Item) => it.§id); <A §id={1} size={1} />;",
    "import { memo, forwardRef } from 'react'; const A = memo(forwardRef<HTMLElement, Item>(function A({ §id: id }, ref) { return id; })); <A §id={1} size={1} />;",
    "import * as React from 'react'; const A = React.forwardRef((it: Item, ref: any) => it.§id); const B = React.memo(A); <B §id={1} size={1} />; <A §id={1} size={1} />;",
    "import { memo } from 'react'; const A = memo<Item>((it) => it.§id); <A §id={1} size={1} />;",
    "import { memo } from 'react'; const A = memo(function A(it: Item) { return it.§id; }, (a, b) => a.§id === b.§id); <A §id={1} size={1} />;",
    "import { memo, type FC } from 'react'; declare const B: FC<Item>; const A = memo(B); <A §id={1} size={1} />;",
    "import { useState } from 'react'; const [it, set] = useState(item); it.§id; set({ §id: 1, size: 1 });",
    "import { useState } from 'react'; const [it, set] = useState<Item | null>(null); it?.§id; set((old) => ({ ...old!, §id: 2 }));",
    "import { useState } from 'react'; const [it] = useState(() => item); it.§id;",
    "import * as React from 'react'; const [all] = React.useState<Item[]>([]); all.map((it) => it.§id);",
    "import React from 'react'; React.useMemo(() => items, [])[0].§id;",
    "import { useRef } from 'react'; const it = useRef<Item>(null); it.current!.§id;",
    "import { useMemo } from 'react'; const it = useMemo(() => item, []); it.§id;",
    "import { useCallback } from 'react'; const get = useCallback((it: Item) => it.§id, []); get({ §id: 1, size: 1 });",
    "import { useReducer } from 'react'; const reduce = (state: Item, action: 1) => state; const [it] = useReducer(reduce, item); it.§id;",
    "import { createContext, useContext } from 'react'; const C = createContext(item); useContext(C).§id;",
    "import type { Dispatch, RefObject, SetStateAction } from 'react'; declare const r: RefObject<Item>, set: Dispatch<SetStateAction<Item>>; r.current.§id; set((old) => ({ ...old, §id: 1 }));",
    "import { useState as state } from 'preact/hooks'; state(item)[0].§id;",
    // Vue.
    "import { ref } from 'vue'; const it = ref(item); it.value.§id;",
    "import { ref, type Ref } from 'vue'; declare const it: Ref<Item>; it.value.§id; const all = ref<Item[]>([]); all.value.map((it) => it.§id);",
    "import { computed } from 'vue'; const it = computed(() => item); it.value.§id;",
    "import { reactive } from 'vue'; const it = reactive(item); it.§id;",
    "import { ref, unref } from 'vue'; unref(ref(item)).§id; unref(item).§id;",
    // Stores and schemas.
    "import { create } from 'zustand'; const use = create<Item>()((set, get) => ({ §id: get().§id, size: 1 })); use((it) => it.§id); use().§id; use.getState().§id; use.setState({ §id: 2 }); use.subscribe((it, old) => it.§id + old.§id);",
    "import { create } from 'zustand'; const use = create<Item & { run: () => void }>()((set) => ({ §id: 1, size: 1, run: () => set((it) => ({ §id: it.§id + 1 })) })); const { §id: id } = use();",
    "import { create } from 'zustand'; const use = create<Item>((set) => ({ §id: 1, size: 1 })); use((it) => it.§id);",
    "import { create } from 'zustand'; import { devtools, persist } from 'zustand/middleware'; const use = create<Item>()(devtools(persist((set) => ({ §id: 1, size: 1 }), { name: 'x', partialize: (it) => it.§id }))); use((it) => it.§id);",
    "import { create } from 'zustand'; import { immer } from 'zustand/middleware/immer'; const use = create<Item>()(immer((set) => ({ §id: 1, size: 1, run: () => set((it) => { it.§id = 1; }) })));",
    "import { create, type StateCreator } from 'zustand'; const slice: StateCreator<Item> = (set, get) => ({ §id: get().§id, size: 1 }); const part: StateCreator<Item & Other, [], [], Item> = (set) => ({ §id: 1, size: 1 });",
    "import { createStore, useStore } from 'zustand'; const store = createStore<Item>()(() => ({ §id: 1, size: 1 })); useStore(store, (it) => it.§id); useStore(store).§id;",
    "import { z } from 'zod'; const A = z.object({ inner: z.object({ a: z.string() }) }); declare const s: { parse(x: Item): Item }; s.parse({ §id: 1, size: 1 }).§id; A.parse({ inner: { a: '' } }).inner.a;",
    // Vue.
    "import { ref, watch } from 'vue'; watch(ref(item), (it, old) => it.§id + old.§id); watch(() => item, (it) => it.§id);",
];

/// Forms whose types are not inferred, with the use that cannot be resolved.
const UNINFERRED: &[&str] = &[
    "const same = <T,>(x: T[]) => ({ x }); same(items).x[0].§id;",
    "import { pick } from 'lodash'; pick(items, 0).§id;",
    "import type { PropType } from 'vue'; type P = PropType<Item>; declare const p: P; (p as any).§id;",
    "import { ref } from 'vue'; const it = ref({ inner: ref(item) }); it.value.inner.§id;",
    "import { useState } from './react'; const [it] = useState(item); it.§id;",
    "import { useEvent } from 'react'; useEvent(§item).§id;",
    "const a = { ...b }; const b = { ...a }; Object.values(a)[0].§id;",
    "function* a() { yield* b(); yield* b(); } function* b() { yield* a(); yield* a(); } for (const it of a()) it.§id;",
];

#[test]
fn members_of_constrained_parameters_are_listed() {
    for form in [
        "declare function hoc<P extends object>(of: (props: P) => 1): (props: P & { more?: 1 }) => 1; declare const of: any; const H = hoc(of); <H §id={7} />;",
        "declare function tag<T extends object>(of: any): T & { tag: 1 }; tag(1).§id;",
        "declare function part<T extends object>(of: any): Partial<T>; part(1).§id;",
    ] {
        check_form(form, form);
    }
}

/// Forms in which the member belongs to another type.
const OTHERS: &[&str] = &[
    "import { useState } from 'react'; const [it] = useState(other); it.id;",
    "import { ref } from 'vue'; ref(other).value.id;",
    "Object.values({ other })[0].id;",
    "declare function first<A, B>(a: A, b: B): A; first(other, item).id;",
    "declare function both<A, B>(a: A, b: B): A & B; both(other, 1).id;",
    "async () => { const [a, b] = await Promise.all([later, other]); b.id; };",
    "function* all() { yield other; } for (const it of all()) it.id;",
];

fn check_form(form: &str, after: &str) {
    let renamed = ITEM.replace("¦id", "New");
    check(&format!("// a.tsx\n{ITEM}{}", form.replace('§', "")), &format!("// a.tsx\n{renamed}{after}"));
}

#[test]
fn inferred_members_are_renamed() {
    for form in INFERRED {
        check_form(form, &form.replace("§id", "New"));
    }
}

#[test]
fn uninferred_members_are_listed() {
    for form in UNINFERRED {
        check_form(form, form);
    }
}

#[test]
fn members_of_other_types_are_left() {
    for form in OTHERS {
        check_form(form, form);
    }
}

const IN_COMMENT: &str = "// a.ts\nexport interface Item { ¦id: number; size: 1 }\n// b.js\n/** @param {import('./a').Item} it */\nconst f = (it) => it.id;";

#[test]
fn rename_jsdoc_typed_arrow_parameter() {
    check(IN_COMMENT, &IN_COMMENT.replace("¦id", "New").replace("it.id", "it.New"));
}

#[test]
fn template_type_of_member_is_listed() {
    check(
        "// a.ts\ninterface Api { ¦click: 1; b: 2 } type On = { [K in keyof Api as `on${Capitalize<K>}`]: K };\ndeclare const on: On; on.onClick;",
        "// a.ts\ninterface Api { New: 1; b: 2 } type On = { [K in keyof Api as §`on${Capitalize<K>}`]: K };\ndeclare const on: On; on.§onClick;",
    );
}

#[test]
#[ignore = "a template may change the case of the name or join it with others, so the names that it produces have no new text; they are listed"]
fn rename_template_key_with_member() {
    check(
        "// a.ts\ninterface Api { ¦click: 1; b: 2 } type On = { [K in keyof Api as `on${Capitalize<K>}`]: K };\ndeclare const on: On; on.onClick;",
        "// a.ts\ninterface Api { New: 1; b: 2 } type On = { [K in keyof Api as `on${Capitalize<K>}`]: K };\ndeclare const on: On; on.onNew;",
    );
}

#[test]
fn rename_in_extracted_union_arms() {
    let arms = "interface Login { type: 'login'; ¦user: string; at: 1 } interface Audit { type: 'audit'; user: string; by: 1 }\ntype All = Login | Audit;\n";
    for code in [
        "declare const m: Extract<All, { type: 'login' }>; m.user;",
        "declare const m: Exclude<All, { type: 'audit' }>; m.user;",
        "declare const m: Exclude<All, Audit>; m.user;",
        "declare const m: Extract<All, Login>; m.user;",
    ] {
        check(
            &format!("// a.ts\n{arms}{code}"),
            &format!("// a.ts\n{}{}", arms.replace("¦user", "New"), code.replace("m.user", "m.New")),
        );
    }
}

#[test]
fn members_of_parameters_of_functions_are_renamed() {
    for text in [
        "function f(a: { ¦New: 1 }) {} type P = Parameters<typeof f>[0]; const p: P = { New: 1 }; p.New;",
        "class C { constructor(o: { ¦New: 1 }) {} } type P = ConstructorParameters<typeof C>[0]; const p: P = { New: 1 };",
        "const f = (n: number, ...rest: { ¦New: 1 }[]) => rest[0].New; declare const p: Parameters<typeof f>; p[1].§x;",
        "function f(a: string): void; function f(a: { ¦New: 1 }): void; function f(a: any) {} declare const p: Parameters<typeof f>[0]; p.§x;",
    ] {
        crate::host::check_renamed("x", text);
    }
}

#[test]
fn awaited_types_with_members_of_their_own_are_told_apart() {
    for text in [
        "type R = { ¦New: () => 1 } & Promise<Response>; async function f(r: R) { const a = await r; a.x(); r.New(); }",
        "interface P { ¦New: 1 } type L = Promise<P> & { y(): void }; async function f(r: L) { (await r).New; const a = await r; a.New; }",
        "interface P { ¦New: 1 } interface L extends Promise<P> { y: 1 } async function f(r: L) { (await r).New; r.y; }",
        "interface P { ¦New: 1 } class L extends Promise<P> { y = 1 } async function f(r: L) { const [a] = await Promise.all([r]); a.New; }",
    ] {
        crate::host::check_renamed("x", text);
    }
}

/// Schemas of zod: the keys of the object are the members of the type.
#[test]
fn members_of_schemas_are_inferred() {
    for text in [
        "import { z } from 'zod'; const A = z.object({ ¦New: z.string(), age: z.number() }); type A = z.infer<typeof A>; const f = (a: A) => a.New; const made: A = { New: 'x', age: 1 };",
        "import * as z from 'zod'; const A = z.object({ ¦New: z.string() }); const a = A.parse({ New: 'x' }); a.New; const { New: x } = A.parse({ New: '' }); A.shape.New;",
        "import { z } from 'zod'; const A = z.object({ ¦New: z.string() }); const r = A.safeParse(§JSON.parse('{}')); if (r.success) r.data.New;",
        "import { z } from 'zod'; const A = z.object({ ¦New: z.string() }); const B = A.extend({ age: z.number() }).partial(); type B = z.infer<typeof B>; const f = (b: B) => b.New; A.pick({ New: true }).parse({ New: '' }).New;",
        "import { z } from 'zod'; const A = z.object({ inner: z.object({ ¦New: z.string() }) }); type A = z.output<typeof A>; const f = (a: A) => a.inner.New;",
        "import { z } from 'zod'; const A = z.object({ ¦New: z.string() }); const L = z.array(A); type L = z.infer<typeof L>; const f = (l: L) => l[0].New; const g = (l: z.infer<typeof A>[]) => l.map((a) => a.New); A.array().parse([{ New: '' }])[0].New;",
        "import { z } from 'zod'; const A = z.object({ ¦New: z.string(), b: z.string() }).refine((a) => a.New === a.b); type A = z.infer<typeof A>; const f = (a: A) => a.New;",
    ] {
        crate::host::check_renamed("title", text);
    }
    crate::host::check_renamed(
        "title",
        "// a.ts\nimport { z } from 'zod'; export const A = z.object({ ¦New: z.string() }); export type A = z.infer<typeof A>;\n// b.ts\nimport { A } from './a'; export const f = (a: A) => a.New; A.parse({ New: '' }).New; const { New: q } = A.parse({ New: '' });",
    );
}
