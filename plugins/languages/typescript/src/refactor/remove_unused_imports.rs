//! `remove_unused_imports`: removes unused names from imports without reordering the rest.

use marquetry_sdk::refactor::{Argument, Place, RefactorInput, Refactoring};
use marquetry_sdk::{Result, Rewrite};

use crate::TypeScriptDocument;
use crate::editor::statement_joins::separate_statements;
use crate::editor::{final_checks, indentation};
use crate::imports::unused::{RemovalRequest, UnusedImports};
use crate::imports::usage::Usage;

pub(super) const REMOVE_UNUSED_IMPORTS: Refactoring<TypeScriptDocument> = Refactoring {
    id: "remove_unused_imports",
    title: "Remove unused imports",
    place: Place::Document,
    arguments: &[
        Argument {
            name: "symbol",
            summary: "the name to remove; by default those of the selected import, or all unused names",
            values: &[],
            required: false,
        },
        Argument {
            name: "all",
            summary: "remove all unused imports, ignoring the selection",
            values: &["true", "false"],
            required: false,
        },
    ],
    asks_exporters: false,
    apply,
};

fn apply(document: &TypeScriptDocument, input: &RefactorInput) -> Result<Rewrite> {
    let tree = &document.tree;
    tree.with(|parsed| {
        parsed.check_exact(tree.text(), "unused imports")?;
        let remover = UnusedImports { parsed, text: tree.text(), unit: indentation::unit(tree) };
        let usage = Usage::collect(parsed, tree.path());
        // If the caller gives no position, the caret is at the start of the file.
        let is_everywhere = input.is_true("all") || input.at.caret == 0 && input.at.span.is_empty();
        let at = (!is_everywhere).then_some(input.at.span);
        let wanted = remover.removal_scope(&RemovalRequest { symbol: input.argument("symbol"), at }, &usage)?;
        let mut edits = final_checks::sort_edits(remover.edits(&usage, &wanted))?;
        separate_statements(parsed, tree, &mut edits);
        Ok(edits.into())
    })
}

#[cfg(test)]
mod tests {
    use super::super::testing::{assert_refused, assert_rewrite, assert_valid_at_every_offset};

    #[track_caller]
    fn removed(before: &str, after: &str) {
        assert_rewrite("remove_unused_imports", &[], before, after);
    }

    #[test]
    fn only_unused_names_are_removed() {
        removed(
            "import b, { a } from 'x';\nimport { c, d } from 'y';\nb; d;\n",
            "import b from 'x';\nimport { d } from 'y';\nb; d;\n",
        );
        removed("import b, { a } from 'x';\na;\n", "import { a } from 'x';\na;\n");
        removed("import b, * as n from 'x';\nn;\n", "import * as n from 'x';\nn;\n");
        removed("import b, * as n from 'x';\nb;\n", "import b from 'x';\nb;\n");
        removed("import {\n  a,\n  b, // b\n  c,\n} from 'x';\na; c;\n", "import {\n  a,\n  c,\n} from 'x';\na; c;\n");
        removed("import z from 'z';\nimport y from 'y';\n\nz;\n", "import z from 'z';\n\nz;\n");
        removed("import a = require('x');\nf();\n", "f();\n");
        removed("import 'x';\n", "import 'x';\n");
        removed("import { a } from 'x';\r\nf();\r\n", "f();\r\n");
        removed("namespace N { import a = M; export import b = M; }\n", "namespace N {  export import b = M; }\n");
    }

    #[test]
    fn comments_are_kept_except_tool_directives() {
        removed("// head\nimport a from 'x';\nf();\n", "// head\nf();\n");
        removed("import a from 'x'; // why\nf();\n", " // why\nf();\n");
        removed("import a from 'x'; // eslint-disable-line\nf();\n", "f();\n");
        removed("f();\n// @ts-ignore\nimport a from 'x';\ng();\n", "f();\ng();\n");
    }

    #[test]
    fn removes_single_requested_name() {
        let text = "import { a, b, c } from 'x';\nc;\n";
        assert_rewrite("remove_unused_imports", &[("symbol", "a")], text, "import { b, c } from 'x';\nc;\n");
        assert_refused("remove_unused_imports", &[("symbol", "c")], text, "`c` is used in the file");
        assert_refused("remove_unused_imports", &[("symbol", "d")], text, "no import of `d`");
        removed(
            "f();\nimport { a, ‸b } from 'x';\nimport c from 'c';\n",
            "f();\nimport { a } from 'x';\nimport c from 'c';\n",
        );
        removed("f();\n‸import { a, b } from 'x';\nimport c from 'c';\n", "f();\nimport c from 'c';\n");
        assert_rewrite(
            "remove_unused_imports",
            &[("all", "true")],
            "f();\nimport ‸a from 'a';\nimport b from 'b';\n",
            "f();\n",
        );
    }

    #[test]
    fn any_caret_gives_valid_syntax() {
        for text in [
            "import a, * as b from 'x';import {type c, d as e, default as f} from 'x'\nimport type g from 'y';e;",
            "import a, {b, // c\n c} from 'x'; c; import d = a.b; import {} from 'x'; import 'x' /* a",
            "declare module 'm' { import a from 'x'; import { b } from 'x'; export { a }; }",
        ] {
            assert_valid_at_every_offset("remove_unused_imports", "a.ts", text, &[]);
        }
    }
}
