//! Values whose types come from generic functions, libraries and frameworks. The pack does not infer these types yet.
//! So a rename lists the uses of their members as unresolved, and does not claim to be complete.

use crate::host::check_marked as check;

const ITEM: &str = "interface Item { ¦id: number; size: 1 }\ndeclare const item: Item, items: Item[], byName: Record<string, Item>, later: Promise<Item>;\n";

/// Each form, with the use that cannot be resolved.
const FORMS: &[&str] = &[
    "const same = <T,>(x: T[]) => ({ x }); same(items).x[0].§id;",
    "Object.values(byName)[0].§id;",
    "Object.entries(byName)[0][1].§id;",
    "Object.values({ a: item }).map((it) => it.§id);",
    "new Map([['a', item]]).get('a')!.§id;",
    "async () => (await Promise.race([later])).§id;",
    "async () => (await Promise.any([later])).§id;",
    "async () => (await Promise.allSettled([later])).map((it) => it.status === 'fulfilled' && it.value.§id);",
    "function* all() { yield item; } for (const it of all()) it.§id;",
    "structuredClone(item).§id;",
    "[items].flat()[0].§id;",
    "import { useState } from 'react'; const [it] = useState(item); it.§id;",
    "import { useRef } from 'react'; const it = useRef<Item>(null); it.current!.§id;",
    "import { useMemo } from 'react'; const it = useMemo(() => item, []); it.§id;",
    "import { createContext, useContext } from 'react'; const C = createContext(item); useContext(C).§id;",
    "import { ref } from 'vue'; const it = ref(item); it.value.§id;",
    "import { computed } from 'vue'; const it = computed(() => item); it.value.§id;",
    "import { reactive } from 'vue'; const it = reactive(item); it.§id;",
    "import { pick } from 'lodash'; pick(items, 0).§id;",
    "import type { PropType } from 'vue'; type P = PropType<Item>; declare const p: P; (p as any).§id;",
];

#[test]
fn uninferred_members_are_listed() {
    let renamed = ITEM.replace("¦id", "New");
    for form in FORMS {
        check(&format!("// a.tsx\n{ITEM}{}", form.replace('§', "")), &format!("// a.tsx\n{renamed}{form}"));
    }
}

#[test]
#[ignore = "generic signatures of declarations and packages are not instantiated"]
fn rename_through_generic_functions() {
    let renamed = ITEM.replace("¦id", "New");
    for form in FORMS {
        let after = form.replace("§id", "New");
        check(&format!("// a.tsx\n{ITEM}{}", form.replace('§', "")), &format!("// a.tsx\n{renamed}{after}"));
    }
}

const IN_COMMENT: &str = "// a.ts\nexport interface Item { ¦id: number; size: 1 }\n// b.js\n/** @param {import('./a').Item} it */\nconst f = (it) => it.id;";

#[test]
fn jsdoc_typed_arrow_parameter_is_listed() {
    check(IN_COMMENT, &IN_COMMENT.replace("¦id", "New").replace("it.id", "it.§id"));
}

#[test]
#[ignore = "types in comments above arrows are not read"]
fn rename_jsdoc_typed_arrow_parameter() {
    check(IN_COMMENT, &IN_COMMENT.replace("¦id", "New").replace("it.id", "it.New"));
}

#[test]
fn template_type_of_member_is_listed() {
    check(
        "// a.ts\ninterface Api { ¦click: 1; b: 2 } type On = { [K in keyof Api as `on${Capitalize<K>}`]: K };\ndeclare const on: On; on.onClick;",
        "// a.ts\ninterface Api { New: 1; b: 2 } type On = { [K in keyof Api as §`on${Capitalize<K>}`]: K };\ndeclare const on: On; on.onClick;",
    );
}

#[test]
#[ignore = "keys that template literal types derive from other keys are not renamed"]
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
