//! A JavaScript file and its declaration file are renamed together. The notation is that of `completeness.rs`.

use crate::host::check_marked as check;

#[track_caller]
fn check_both(js: &str, types: &str, user: &str) {
    let after = format!("// a.js\n{js}\n// a.d.ts\n{types}\n// b.ts\n{user}");
    let before = after.replace("New", "old").replace('§', "");
    for (at, _) in before.match_indices("old").filter(|(at, _)| !before[..*at].contains("// b.ts")) {
        let marked = format!("{}¦{}", &before[..at], &before[at..]);
        check(&marked, &after);
    }
}

#[test]
fn exports_are_renamed_in_both_files() {
    check_both(
        "export function New() {}\nNew();",
        "export declare function New(): void;",
        "import { New } from './a.js'; New();",
    );
    check_both("export const New = 1;", "export const New: number;", "import * as a from './a'; a.New;");
    check_both(
        "exports.New = () => 1;",
        "export declare function New(): number;",
        "import { New } from './a.js'; New();",
    );
    check_both(
        "function New() {}\nmodule.exports = { New };",
        "export declare function New(): void;",
        "import { New } from './a.js'; New();",
    );
    check_both("export class New {}", "export class New {}", "import { New } from './a.js'; new New();");
}

#[test]
fn members_of_exports_are_renamed_in_both_files() {
    check_both(
        "export class A { New() { return this.New(); } }",
        "export class A { New(): void; }",
        "import { A } from './a.js'; new A().New();",
    );
    check_both(
        "export class A { static New = 1; }",
        "export class A { static New: number; }",
        "import { A } from './a.js'; A.New;",
    );
}

#[test]
fn exports_of_other_names_are_left_alone() {
    check(
        "// a.js\nexport function ¦one() {}\n// a.d.ts\nexport declare function two(): void;\n// c.d.ts\nexport declare function one(): void;",
        "// a.js\nexport function New() {}\n// a.d.ts\nexport declare function two(): void;\n// c.d.ts\nexport declare function one(): void;",
    );
}
