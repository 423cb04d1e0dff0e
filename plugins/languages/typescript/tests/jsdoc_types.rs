//! Members of values whose types are written in JSDoc comments of JavaScript. The notation is that of `completeness.rs`.

use crate::host::check_marked as check;

const ITEM: &str = "// a.ts\nexport interface Item { ¦id: number; size: 1 }\nexport class Box { item!: Item }\nexport namespace n { export interface Part { item: Item } }\n// b.js\n";

/// Checks a JavaScript file after the member `id` of a type in another file is renamed.
#[track_caller]
fn check_use(after: &str) {
    let renamed = ITEM.replace("¦id", "New");
    check(&format!("{ITEM}{}", after.replace('§', "").replace("New", "id")), &format!("{renamed}{after}"));
}

#[test]
fn members_of_values_with_types_in_comments_are_renamed() {
    for text in [
        "/** @param {import('./a').Item} it */\nconst f = (it) => it.New;",
        "/** @param {import('./a').Item} it */\nfunction f(it) { return it.New; }",
        "/**\n * @param {number} n\n * @param {import('./a').Item[]} [all] the items\n */\nexport function f(n, all) { all.map((it) => it.New); all[0].New; }",
        "import { Item } from './a';\n/** @param {?Item} it */\nexport const f = function (it) { return it.New; };",
        "/** @type {import('./a').Item} */\nconst it = load(); it.New;",
        "/** @type {import('./a').Item} */\nexport const it = load(); it.New;",
        "const it = /** @type {import('./a').Item} */ (load()); it.New;",
        "/** @returns {import('./a').Item} */\nfunction f() { return load(); } f().New;",
        "/** @returns {Promise<import('./a').Item>} */\nasync function f() { return load(); } async () => (await f()).New;",
        "/** @param {Map<string, import('./a').Item>} m */\nconst f = (m) => m.get('a').New;",
        "/** @param {import('./a').Box} b @param {import('./a').n.Part} p */\nconst f = (b, p) => b.item.New + p.item.New;",
        "import * as a from './a';\n/** @param {a.Item} it */\nexport const f = (it) => it.New;",
        "class C {\n  /** @param {import('./a').Item} it */\n  m(it) { return it.New; }\n}",
        "/** @param {import('./a').Item | null} it */\nconst f = (it) => it && it.New;",
    ] {
        check_use(text);
    }
}

#[test]
fn members_of_values_with_other_types_in_comments_are_listed() {
    for text in [
        "/** @param {object} it */\nconst f = (it) => it.§id;",
        "/** @param {Item} it */\nconst f = (it) => it.§id;",
        "/** @typedef {import('./a').Item} Item */\n/** @param {Item} it */\nconst f = (it) => it.§id;",
        "/** @param {import('./a').Item | string} it */\nconst f = (it, other) => other.§id;",
        "/** @param {import('./missing').Item} it */\nconst f = (it) => it.§id;",
        "/** @type {import('./a').Item} */\nconst a = load(), it = load(); it.§id;",
        "/* @type {import('./a').Item} */\nconst it = load(); it.§id;",
        "/** @param {import('./a').Item it */\nconst f = (it) => it.§id;",
    ] {
        check_use(text);
    }
    // The types of the comments of TypeScript mean nothing.
    check(
        "// a.ts\nexport interface Item { ¦id: number }\n// b.ts\n/** @param {import('./a').Item} it */\nconst f = (it: any) => it.id;",
        "// a.ts\nexport interface Item { New: number }\n// b.ts\n/** @param {import('./a').Item} it */\nconst f = (it: any) => it.§id;",
    );
}
