//! Types from generic functions, libraries and frameworks: as long as they are not inferred, their uses are listed, and
//! no answer claims to be complete.

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
fn what_is_not_inferred_is_listed() {
    let renamed = ITEM.replace("¦id", "New");
    for form in FORMS {
        check(&format!("// a.tsx\n{ITEM}{}", form.replace('§', "")), &format!("// a.tsx\n{renamed}{form}"));
    }
}

#[test]
#[ignore = "generic signatures of declarations and packages are not instantiated"]
fn what_generic_functions_hand_on_is_renamed() {
    let renamed = ITEM.replace("¦id", "New");
    for form in FORMS {
        let after = form.replace("§id", "New");
        check(&format!("// a.tsx\n{ITEM}{}", form.replace('§', "")), &format!("// a.tsx\n{renamed}{after}"));
    }
}

const IN_COMMENT: &str = "// a.ts\nexport interface Item { ¦id: number; size: 1 }\n// b.js\n/** @param {import('./a').Item} it */\nconst f = (it) => it.id;";

#[test]
fn the_parameter_of_an_arrow_that_a_comment_types_is_listed() {
    check(IN_COMMENT, &IN_COMMENT.replace("¦id", "New").replace("it.id", "it.§id"));
}

#[test]
#[ignore = "types in comments above arrows are not read"]
fn the_parameter_of_an_arrow_has_the_type_that_a_comment_gives_it() {
    check(IN_COMMENT, &IN_COMMENT.replace("¦id", "New").replace("it.id", "it.New"));
}

#[test]
fn a_member_that_is_part_of_made_keys_is_listed_with_the_type() {
    check(
        "// a.ts\ninterface Api { ¦click: 1; b: 2 } type On = { [K in keyof Api as `on${Capitalize<K>}`]: K };\ndeclare const on: On; on.onClick;",
        "// a.ts\ninterface Api { New: 1; b: 2 } type On = { [K in keyof Api as §`on${Capitalize<K>}`]: K };\ndeclare const on: On; on.onClick;",
    );
}

#[test]
#[ignore = "keys that template types make of others are not renamed"]
fn a_key_that_is_made_of_a_member_is_renamed_with_it() {
    check(
        "// a.ts\ninterface Api { ¦click: 1; b: 2 } type On = { [K in keyof Api as `on${Capitalize<K>}`]: K };\ndeclare const on: On; on.onClick;",
        "// a.ts\ninterface Api { New: 1; b: 2 } type On = { [K in keyof Api as `on${Capitalize<K>}`]: K };\ndeclare const on: On; on.onNew;",
    );
}

#[test]
fn arms_that_types_choose() {
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
