//! `organize_imports`: removes unused imports, merges imports of one module, and sorts names and statements.

use marquetry_sdk::refactor::{Argument, Place, RefactorInput, Refactoring};
use marquetry_sdk::{FailureKind, Result, Rewrite, fail};

use crate::TypeScriptDocument;
use crate::editor::final_checks;
use crate::imports::organized_file::organize_edits;
use crate::imports::preferences::{self, Preferences};

pub(super) const ORGANIZE_IMPORTS: Refactoring<TypeScriptDocument> = Refactoring {
    id: "organize_imports",
    title: "Organize imports: remove unused ones, then combine and sort the rest",
    place: Place::Document,
    arguments: &[
        Argument {
            name: "mode",
            summary: "whether to only sort and combine, or only remove unused imports",
            values: &["All", "SortAndCombine", "RemoveUnused"],
            required: false,
        },
        preferences::ARGUMENT,
    ],
    asks_exporters: false,
    apply,
};

fn apply(document: &TypeScriptDocument, input: &RefactorInput) -> Result<Rewrite> {
    let mode = input.argument("mode").unwrap_or("All");
    let preferences = Preferences::for_request(input, document.tree.path())?;
    let tree = &document.tree;
    tree.with(|parsed| {
        // Type annotations in JavaScript are an error, but the tree is complete.
        let is_broken = !parsed.is_exact(tree.text());
        if mode == "RemoveUnused" && is_broken {
            let (reason, hint) = parsed.unread_reason();
            let message = format!("unused imports cannot be determined: {reason}");
            return Err(fail(FailureKind::ParseError, message).hint(format!("{hint}; or use `mode: SortAndCombine`")));
        }
        let removes = mode != "SortAndCombine" && !is_broken;
        let edits = organize_edits(parsed, tree.path(), tree.text(), &preferences, mode != "RemoveUnused", removes);
        let mut rewrite = Rewrite::from(final_checks::sort_edits(edits)?);
        if mode == "All" && is_broken {
            rewrite.incomplete = Some(format!("{}, so unused imports were kept", parsed.unread_reason().0));
        }
        Ok(rewrite)
    })
}

#[cfg(test)]
mod tests {
    use super::super::testing::{
        assert_refused, assert_rewrite, assert_rewrite_in, assert_valid_at_every_offset, run_refactoring,
    };

    #[track_caller]
    fn sorted(before: &str, after: &str) {
        assert_rewrite("organize_imports", &[("mode", "SortAndCombine")], before, after);
        assert_rewrite("organize_imports", &[("mode", "SortAndCombine")], after, after);
    }

    #[track_caller]
    fn organized(before: &str, after: &str) {
        assert_rewrite("organize_imports", &[], before, after);
        assert_rewrite("organize_imports", &[], after, after);
    }

    #[test]
    fn imports_of_same_module_are_combined() {
        sorted("import { b } from 'x';\nimport { a } from 'x';\n", "import { a, b } from 'x';\n");
        sorted("import D from 'x';\nimport { a } from 'x';\n", "import D, { a } from 'x';\n");
        sorted("import { a } from 'x';\nimport D from 'x';\n", "import D, { a } from 'x';\n");
        sorted(
            "import { a } from 'x';\nimport * as n from 'x';\n",
            "import * as n from 'x';\nimport { a } from 'x';\n",
        );
        sorted("import D from 'x';\nimport * as n from 'x';\n", "import D, * as n from 'x';\n");
        sorted("import a from 'x';\nimport b from 'x';\n", "import { default as a, default as b } from 'x';\n");
        sorted(
            "import type { A } from 'x';\nimport { b } from 'x';\n",
            "import type { A } from 'x';\nimport { b } from 'x';\n",
        );
        sorted(
            "import type D from 'x';\nimport type { A } from 'x';\n",
            "import type D from 'x';\nimport type { A } from 'x';\n",
        );
        sorted(
            "import a from 'x' with { type: 'json' };\nimport { b } from 'x';\n",
            "import a from 'x' with { type: 'json' };\nimport { b } from 'x';\n",
        );
    }

    #[test]
    fn detected_order_is_kept() {
        sorted("import { B, a, C } from 'x';\n", "import { a, B, C } from 'x';\n");
        sorted("import { A, B, a, C } from 'x';\n", "import { A, a, B, C } from 'x';\n");
        sorted("import b from './b';\nimport a from 'a';\n", "import a from 'a';\nimport b from './b';\n");
        sorted("import {b,a} from 'x'\nf()\n", "import {a, b} from 'x'\nf()\n");
        sorted("import {\n\tb,\n\ta,\n} from 'x';\n", "import {\n\ta,\n\tb,\n} from 'x';\n");
        sorted(
            "import b from 'b';\r\nimport a from 'a';\r\n\r\nf();\r\n",
            "import a from 'a';\r\nimport b from 'b';\r\n\r\nf();\r\n",
        );
        sorted("\u{feff}import b from 'b';\nimport a from 'a';\n", "\u{feff}import a from 'a';\nimport b from 'b';\n");
        sorted("import b from 'b'; import a from 'a'; f();\n", "import a from 'a';\nimport b from 'b'; f();\n");
    }

    #[test]
    fn groups_and_side_effect_imports_keep_their_position() {
        sorted(
            "import b from 'b';\n\nimport d from 'd';\nimport c from 'c';\n",
            "import b from 'b';\n\nimport c from 'c';\nimport d from 'd';\n",
        );
        sorted(
            "import d from 'd';\nimport c from 'c';\nimport './z.css';\nimport './a.css';\nimport b from 'b';\nimport a from 'a';\n",
            "import c from 'c';\nimport d from 'd';\nimport './z.css';\nimport './a.css';\nimport a from 'a';\nimport b from 'b';\n",
        );
        sorted("import 'x';\nimport 'x';\n", "import 'x';\n");
        sorted("import c from 'c';\nf();\nimport a from 'a';\n", "import a from 'a';\nimport c from 'c';\nf();\n");
    }

    #[test]
    fn comments_move_with_their_imports() {
        sorted(
            "// About the file.\nimport b from 'b'; // b\nimport a from 'a'; /* a */\n",
            "// About the file.\nimport a from 'a'; /* a */\nimport b from 'b'; // b\n",
        );
        sorted(
            "import {\n  // second\n  b, // b\n  /** first */\n  a,\n  // nothing\n} from 'x';\n",
            "import {\n  /** first */\n  a,\n  // nothing\n  // second\n  b, // b\n} from 'x';\n",
        );
        sorted("import { b /* b */, /* a */ a } from 'x';\n", "import { /* a */ a, b /* b */ } from 'x';\n");
        sorted("import { b // b\n  , a } from 'x';\n", "import {\n  a,\n  b // b\n} from 'x';\n");
        sorted(
            "import { b } from 'x'; // b\nimport { a } /* a */ from 'x'; // c\n",
            "import { a, b } from 'x'; // b /* a */ // c\n",
        );
        sorted("import d /* d */, { b, a } from 'x';\n", "import d /* d */, { b, a } from 'x';\n");
        sorted(
            "// @ts-ignore\nimport b from 'b';\nimport d from 'd';\nimport c from 'c';\n",
            "// @ts-ignore\nimport b from 'b';\nimport c from 'c';\nimport d from 'd';\n",
        );
    }

    #[test]
    fn tool_directives_are_removed_with_their_import() {
        sorted(
            "import z from 'z';\n// eslint-disable-next-line import/no-unresolved\nimport b from 'b';\nimport a from 'a';\n",
            "import a from 'a';\n// eslint-disable-next-line import/no-unresolved\nimport b from 'b';\nimport z from 'z';\n",
        );
        sorted(
            "import z from 'z';\n// @ts-ignore\nimport a from 'a';\n",
            "// @ts-ignore\nimport a from 'a';\nimport z from 'z';\n",
        );
        // Other comments start a new group.
        sorted(
            "import z from 'z';\n// the rest\nimport a from 'a';\n",
            "import z from 'z';\n// the rest\nimport a from 'a';\n",
        );
    }

    #[test]
    fn unused_names_are_removed() {
        organized("import { a, b } from 'x';\nb;\n", "import { b } from 'x';\nb;\n");
        organized("import a, { b } from 'x';\na;\n", "import a from 'x';\na;\n");
        organized("import a from 'x';\nimport b from 'y';\n\nb;\n", "import b from 'y';\n\nb;\n");
        organized("import a from 'x';\n\nf();\n", "f();\n");
        organized("import 'x';\nimport {} from 'y';\n", "import 'x';\nimport {} from 'y';\n");
        organized("import { A } from 'x';\nlet a: A;\n", "import { A } from 'x';\nlet a: A;\n");
        organized("import { a } from 'x';\nexport { a };\n", "import { a } from 'x';\nexport { a };\n");
        organized(
            "import { A } from 'x';\n/** {@link A} */\nf();\n",
            "import { A } from 'x';\n/** {@link A} */\nf();\n",
        );
        organized("import { A } from 'x';\n/** A */\nf();\n", "/** A */\nf();\n");
        organized("import { a } from 'x';\nfunction f(a) { a; }\n", "function f(a) { a; }\n");
        let kept = "// biome-ignore lint/correctness/noUnusedImports: checked\nimport type { A } from 'x';\n";
        organized(kept, kept);
        organized("import type { a } from 'x';\na;\n", "import type { a } from 'x';\na;\n");
        organized("import x from 'x';\ndeclare module 'x' {}\n", "import x from 'x';\ndeclare module 'x' {}\n");
    }

    #[test]
    fn jsx_uses_its_factory() {
        let files = |settings: &'static str, text: &'static str| [("tsconfig.json", settings), ("a.tsx", text)];
        let react = "import React from 'react';\n<a />;\n";
        let classic = "{\"compilerOptions\": {\"jsx\": \"react\"}}";
        assert_rewrite_in(&files(classic, react), "organize_imports", &[], "a.tsx", react);
        let automatic = "{\"compilerOptions\": {\"jsx\": \"react-jsx\"}}";
        assert_rewrite_in(&files(automatic, react), "organize_imports", &[], "a.tsx", "<a />;\n");
        let own = "/** @jsx h */\nimport { h, F } from 'h';\n<a />;\n";
        assert_rewrite_in(
            &files(classic, own),
            "organize_imports",
            &[],
            "a.tsx",
            "/** @jsx h */\nimport { h } from 'h';\n<a />;\n",
        );
        let project = [("package.json", "{}"), ("a.jsx", react)];
        assert_rewrite_in(&project, "organize_imports", &[], "a.jsx", react);
    }

    #[test]
    fn exports_are_sorted() {
        organized(
            "export { b } from 'x';\nexport * from 'x';\nexport { a } from 'x';\n",
            "export * from 'x';\nexport { a, b } from 'x';\n",
        );
        organized("let a, b;\nexport { b };\nexport { a };\n", "let a, b;\nexport { a, b };\n");
        organized(
            "export * as n from 'x';\nexport { a } from 'x';\n",
            "export * as n from 'x';\nexport { a } from 'x';\n",
        );
        organized(
            "export type { T } from 'x';\nexport { a } from 'x';\n",
            "export { a } from 'x';\nexport type { T } from 'x';\n",
        );
        organized("export type * from 'x';\nexport * from 'x';\n", "export * from 'x';\nexport type * from 'x';\n");
    }

    #[test]
    fn preferences_control_order() {
        let with = |preferences: &str, before: &str, after: &str| {
            assert_rewrite(
                "organize_imports",
                &[("mode", "SortAndCombine"), ("preferences", preferences)],
                before,
                after,
            );
        };
        with("{\"organizeImportsIgnoreCase\": false}", "import { a, B } from 'x';\n", "import { B, a } from 'x';\n");
        with(
            "{\"organizeImportsTypeOrder\": \"first\"}",
            "import { a, type B } from 'x';\n",
            "import { type B, a } from 'x';\n",
        );
        assert_refused("organize_imports", &[("preferences", "[]")], "f();\n", "`preferences` is not a JSON object");
    }

    #[test]
    fn project_settings_control_order() {
        let text = "import { a, B } from 'x';\na(B);\n";
        let sorted = "import { B, a } from 'x';\na(B);\n";
        let linted = [(".eslintrc.json", "{\"rules\": {\"sort-imports\": [\"error\"]}}"), ("a.ts", text)];
        assert_rewrite_in(&linted, "organize_imports", &[], "a.ts", sorted);
        let order = "{\"typescript.preferences.organizeImports\": {\"caseSensitivity\": \"caseSensitive\"}}";
        let edited = [(".vscode/settings.json", order), ("src/a.ts", text)];
        assert_rewrite_in(&edited, "organize_imports", &[], "src/a.ts", sorted);
        let input = [("preferences", "{\"organizeImportsIgnoreCase\": true}")];
        assert_rewrite_in(&linted, "organize_imports", &input, "a.ts", text);
        let text = "import c from './c';\nimport fs from 'node:fs';\nimport { a10, b, B, a9 } from 'lib';\nimport u from '../u';\n\n[a10, b, B, a9, c, fs, u];\n";
        let biome = [("biome.json", "{ \"formatter\": {} }"), ("a.ts", text)];
        let by_distance = "import fs from 'node:fs';\nimport { a9, a10, B, b } from 'lib';\nimport u from '../u';\nimport c from './c';\n\n[a10, b, B, a9, c, fs, u];\n";
        assert_rewrite_in(&biome, "organize_imports", &[], "a.ts", by_distance);
        let off = [("biome.json", "{ \"organizeImports\": { \"enabled\": false } }"), ("a.ts", text)];
        let usual = text.replace("import c from './c';\nimport fs from 'node:fs';\nimport { a10, b, B, a9 } from 'lib';\nimport u from '../u';", "import { a10, a9, b, B } from 'lib';\nimport fs from 'node:fs';\nimport u from '../u';\nimport c from './c';");
        assert_rewrite_in(&off, "organize_imports", &[], "a.ts", &usual);
    }

    #[test]
    fn linter_groups_are_separated_by_blank_lines() {
        let rules = "{\"rules\": {\"simple-import-sort/imports\": \"error\"}}";
        let grouped = |before: &'static str, after: &str| {
            for text in [before, after] {
                let files = [(".eslintrc.json", rules), ("a.ts", text)];
                assert_rewrite_in(&files, "organize_imports", &[("mode", "SortAndCombine")], "a.ts", after);
            }
        };
        grouped(
            "import b from './b';\nimport fs from 'node:fs';\n\nimport x from '@/x';\nimport a from 'a';\n\n\nimport c from '../c';\n\nf();\n",
            "import fs from 'node:fs';\n\nimport a from 'a';\n\nimport x from '@/x';\n\nimport c from '../c';\nimport b from './b';\n\nf();\n",
        );
        grouped(
            "import './z.css';\nimport b from 'b';\nimport { img10, img2, type A } from 'a';\nf();\n",
            "import './z.css';\n\nimport { type A, img2, img10 } from 'a';\nimport b from 'b';\nf();\n",
        );
        grouped(
            "import b from 'b';\n\n// about a\nimport a from 'a';\n",
            "import b from 'b';\n\n// about a\nimport a from 'a';\n",
        );
    }

    #[test]
    fn files_with_syntax_errors_keep_all_imports() {
        let before = "import { b, a } from 'x';\nclass class class;\n";
        let (_, rewritten) = run_refactoring("organize_imports", "a.ts", before, &[]);
        let rewrite = rewritten.expect("sorted");
        assert_eq!(
            marquetry_sdk::span::apply(before, &rewrite.edits),
            "import { a, b } from 'x';\nclass class class;\n"
        );
        assert!(rewrite.incomplete.is_some());
        let why = "unused imports cannot be determined: the file has syntax errors";
        assert_refused("organize_imports", &[("mode", "RemoveUnused")], before, why);
    }

    #[test]
    fn unclosed_comment_may_contain_code() {
        let before = "import { b, a } from './m';\nconsole.log(a);\n/* open\nconsole.log(b);\n";
        let (_, rewritten) = run_refactoring("organize_imports", "a.ts", before, &[]);
        let rewrite = rewritten.expect("sorted");
        let sorted = before.replace("{ b, a }", "{ a, b }");
        assert_eq!(marquetry_sdk::span::apply(before, &rewrite.edits), sorted);
        assert!(rewrite.incomplete.is_some());
        let why = "unused imports cannot be determined: the file has syntax errors";
        assert_refused("organize_imports", &[("mode", "RemoveUnused")], before, why);
        let (_, unused) = super::super::testing::run_refactoring("remove_unused_imports", "a.ts", before, &[]);
        assert!(unused.is_err() || unused.is_ok_and(|unused| unused.edits.is_empty() && unused.incomplete.is_some()));
    }

    #[test]
    fn any_sample_gives_valid_syntax() {
        for text in [
            "import a, * as b from 'x';import {type c, d as e, default as f} from 'x'\nimport type g from 'y';export {a} from 'x';e;",
            "import {} from 'x'; import 'x' /* a",
            "declare module 'm' { import a from 'x'; import { b } from 'x'; export { a }; export * from 'y'; }",
            "import { \"a b\" as c, c as c } from 'x';\nexport { c as \"a b\", c as default };\n",
        ] {
            assert_valid_at_every_offset("organize_imports", "a.ts", text, &[]);
        }
    }
}
