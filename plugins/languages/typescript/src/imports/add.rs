//! Adds imports. If a module is already imported, its statement is extended.

use marquetry_sdk::{Edit, Span};
use oxc_ast::ast::*;
use oxc_span::{GetSpan, SourceType};

use crate::editor::fragment::with_parsed;
use crate::imports::declaration::{ExistingName, ImportFormatting, RequestedName};
use crate::imports::model::{ImportedBinding, declaration_bindings};
use crate::imports::preferences::Preferences;
use crate::syntax::spans::span_in;
use crate::syntax::tree::Parsed;

/// Result of adding import statements to a file.
#[derive(Debug, Default)]
pub(crate) struct AddedImports {
    /// Edits of existing statements that now import more.
    pub(crate) edits: Vec<Edit>,
    /// Statements that still have to be inserted.
    pub(crate) remaining: String,
}

/// Adds the imports in `content` to statements of the file. `None` if the content is not only import declarations.
///
/// A name is added to a statement that imports from the same module with the same attributes. A value is not added to
/// an `import type`. A type is added to an import of values only with `type` before its name. Nothing is added to an
/// import for side effects or to an import of a namespace. If the file already imports the name as a type, but
/// `content` imports it as a value, the existing import becomes one of a value.
pub(crate) fn merge_imports(
    parsed: &Parsed<'_>,
    text: &str,
    unit: &str,
    content: &str,
    grammar: SourceType,
) -> Option<AddedImports> {
    let preferences = Preferences::default();
    let manner =
        AddOptions { unit, grammar, preferences: &preferences, keeps_types: true, promotes_type_imports: false };
    merge_imports_with(parsed, text, content, manner)
}

/// Options for adding imports.
#[derive(Clone, Copy)]
pub(crate) struct AddOptions<'m> {
    pub(crate) unit: &'m str,
    pub(crate) grammar: SourceType,
    pub(crate) preferences: &'m Preferences,
    /// If an `import type` becomes an import of values, `type` is written before each of its names.
    pub(crate) keeps_types: bool,
    /// Converts an `import type` to an import of values if that saves a statement.
    pub(crate) promotes_type_imports: bool,
}

/// Like [`merge_imports`], with options.
pub(crate) fn merge_imports_with(
    parsed: &Parsed<'_>,
    text: &str,
    content: &str,
    manner: AddOptions<'_>,
) -> Option<AddedImports> {
    let wanted = with_parsed(content, manner.grammar, |program| wanted_imports(program, content))??;
    let mut file = ImportingFile::new(parsed, text, manner);
    let mut rest: Vec<String> = Vec::new();
    for import in &wanted {
        if import.names.is_empty() {
            let known = file.statements.iter().any(|known| known.source == import.source && known.is_side_effect);
            rest.extend((!known).then(|| import.text.clone()));
            continue;
        }
        let left: Vec<&RequestedName> = import.names.iter().filter(|name| !file.has_import(import, name)).collect();
        let left: Vec<&RequestedName> = left.into_iter().filter(|name| !file.add_to_statement(import, name)).collect();
        if left.len() == import.names.len() {
            rest.push(import.text.clone());
        } else if !left.is_empty() {
            rest.push(import.restricted_to(&left));
        }
    }
    Some(AddedImports { edits: file.edits(), remaining: rest.join("\n") })
}

/// Module and attributes of an import. Two imports can only be merged if both are equal.
#[derive(PartialEq)]
struct ImportSource {
    specifier: String,
    attributes: String,
}

impl ImportSource {
    fn new(import: &ImportDeclaration<'_>, text: &str) -> ImportSource {
        let attributes = import.with_clause.as_ref().map(|clause| span_in(clause.span, text).slice(text));
        let attributes = attributes.unwrap_or_default().split_whitespace().collect();
        ImportSource { specifier: import.source.value.display().to_string(), attributes }
    }
}

/// An import statement to add.
struct WantedImport {
    source: ImportSource,
    text: String,
    type_only: bool,
    names: Vec<RequestedName>,
    /// The text from the keyword `from` to the end.
    tail: String,
}

impl WantedImport {
    /// Returns the statement with only these names.
    fn restricted_to(&self, names: &[&RequestedName]) -> String {
        let mut parts: Vec<String> = Vec::new();
        let outside = names.iter().filter(|name| matches!(name.name.as_str(), "default" | "*"));
        parts.extend(outside.map(|name| name.text.clone()));
        let named = names.iter().filter(|name| !matches!(name.name.as_str(), "default" | "*"));
        let listed: Vec<String> = named
            .map(|name| if name.is_type && !self.type_only { format!("type {}", name.text) } else { name.text.clone() })
            .collect();
        if !listed.is_empty() {
            parts.push(format!("{{ {} }}", listed.join(", ")));
        }
        let keyword = if self.type_only { "import type" } else { "import" };
        format!("{keyword} {} {}", parts.join(", "), self.tail)
    }
}

/// Returns the imports in the content; `None` if it contains anything else.
fn wanted_imports(program: &Program<'_>, content: &str) -> Option<Vec<WantedImport>> {
    if !program.comments.is_empty() || !program.directives.is_empty() || program.body.is_empty() {
        return None;
    }
    let import = |statement: &Statement<'_>| {
        let Statement::ImportDeclaration(import) = statement else { return None };
        if import.phase.is_some() {
            return None;
        }
        let text = span_in(import.span, content).slice(content);
        let names = declaration_bindings(import);
        let specifiers = import.specifiers.iter().flatten();
        let name = |(binding, specifier): (ImportedBinding<'_>, &ImportDeclarationSpecifier<'_>)| {
            let written = span_in(specifier.span(), content).slice(content);
            RequestedName {
                name: binding.name.into_owned(),
                local: binding.local.name.to_string(),
                is_type: binding.type_only,
                in_type_statement: import.import_kind.is_type(),
                text: strip_type_keyword(written, specifier).to_owned(),
            }
        };
        let names: Vec<RequestedName> = names.into_iter().zip(specifiers).map(name).collect();
        let before = content[..import.source.span.start as usize].trim_end();
        let tail = &content[before.len() - if names.is_empty() { 0 } else { "from".len() }..import.span.end as usize];
        Some(WantedImport {
            source: ImportSource::new(import, content),
            text: text.to_owned(),
            type_only: import.import_kind.is_type(),
            names,
            tail: tail.to_owned(),
        })
    };
    program.body.iter().map(import).collect()
}

/// Returns a specifier without the keyword `type`.
fn strip_type_keyword<'t>(written: &'t str, specifier: &ImportDeclarationSpecifier<'_>) -> &'t str {
    match specifier {
        ImportDeclarationSpecifier::ImportSpecifier(named) if named.import_kind.is_type() => {
            written.strip_prefix("type").unwrap_or(written).trim_start()
        }
        _ => written,
    }
}

/// The import statements of the file with the changes so far.
struct ImportingFile<'f> {
    text: &'f str,
    style: ImportFormatting<'f>,
    promotes: bool,
    statements: Vec<ExistingImport>,
}

/// An import declaration of the file.
struct ExistingImport {
    span: Span,
    text: String,
    source: ImportSource,
    is_side_effect: bool,
    /// `import type`
    is_type: bool,
}

impl<'f> ImportingFile<'f> {
    fn new(parsed: &Parsed<'_>, text: &'f str, manner: AddOptions<'f>) -> ImportingFile<'f> {
        let AddOptions { unit, grammar, preferences, keeps_types, promotes_type_imports: promotes } = manner;
        let style = ImportFormatting {
            unit,
            grammar,
            marks_types: false,
            padded: true,
            preferences,
            lists: Vec::new(),
            keeps_types,
        };
        let mut file = ImportingFile { text, style, promotes, statements: Vec::new() };
        let mut tight = None;
        for statement in &parsed.program.body {
            let Statement::ImportDeclaration(import) = statement else { continue };
            let span = span_in(import.span, text);
            let own = span.slice(text);
            let names = import.specifiers.iter().flatten().filter_map(|specifier| match specifier {
                ImportDeclarationSpecifier::ImportSpecifier(it) => {
                    Some((it.local.name.to_string(), it.import_kind.is_type()))
                }
                _ => None,
            });
            file.style.lists.push(names.collect());
            file.style.marks_types |=
                !import.import_kind.is_type() && declaration_bindings(import).iter().any(|name| name.type_only);
            if let Some((_, list)) = own.split_once('{').filter(|(_, list)| !list.starts_with('}') && tight.is_none()) {
                tight = Some(!list.starts_with([' ', '\t', '\n', '\r']));
            }
            // In a repaired text, a statement may differ from the document.
            if import.phase.is_none() && !parsed.repaired {
                file.statements.push(ExistingImport {
                    span,
                    text: own.to_owned(),
                    source: ImportSource::new(import, text),
                    is_side_effect: import.specifiers.is_none(),
                    is_type: import.import_kind.is_type(),
                });
            }
        }
        file.style.padded = tight != Some(true);
        file
    }

    /// Returns whether a statement imports the name. If the name is imported as a type but wanted as a value, the
    /// statement is changed.
    fn has_import(&mut self, import: &WantedImport, name: &RequestedName) -> bool {
        for known in self.statements.iter_mut().filter(|known| known.source == import.source) {
            match self.style.find_name(&known.text, name) {
                Some(ExistingName::Unchanged) => return true,
                Some(ExistingName::Changed(text)) => {
                    known.text = text;
                    return true;
                }
                None => {}
            }
        }
        false
    }

    /// Adds the name to an existing statement. Returns false if no statement can take the name.
    fn add_to_statement(&mut self, import: &WantedImport, name: &RequestedName) -> bool {
        if name.name == "*" {
            return false;
        }
        // Prefer statements that already have a list in braces and, among them, an `import type` for a type and an
        // import of values for a value.
        for (make_list, with_types) in [(false, name.is_type), (false, !name.is_type), (true, false), (true, true)] {
            let same = self.statements.iter_mut().filter(|known| known.source == import.source);
            for known in same.filter(|known| !known.is_side_effect && known.is_type == with_types) {
                if let Some(text) = self.style.with_name(&known.text, name, make_list) {
                    known.text = text;
                    return true;
                }
            }
        }
        self.promotes && !name.is_type && name.name != "default" && self.add_to_promoted(import, name)
    }

    /// Converts an `import type` to an import of values and adds the name to it. Returns false if no statement can be
    /// converted.
    fn add_to_promoted(&mut self, import: &WantedImport, name: &RequestedName) -> bool {
        for known in self.statements.iter_mut().filter(|known| known.source == import.source) {
            let marks = std::mem::replace(&mut self.style.keeps_types, true);
            let promoted = self.style.promote_to_value(&known.text);
            self.style.keeps_types = marks;
            if let Some(text) = promoted.and_then(|promoted| self.style.with_name(&promoted, name, false)) {
                known.text = text;
                return true;
            }
        }
        false
    }

    fn edits(&self) -> Vec<Edit> {
        let changed = self.statements.iter().filter(|known| known.span.slice(self.text) != known.text);
        changed.map(|known| Edit::new(known.span, known.text.as_str())).collect()
    }
}

#[cfg(test)]
mod tests {
    use marquetry_sdk::span::apply;

    use super::*;
    use crate::syntax::tree::Tree;

    /// Checks the file after an import is added; statements that were not merged are appended.
    #[track_caller]
    fn check(file: &str, content: &str, after: &str) {
        let tree = Tree::parse("a.ts", file.to_owned());
        let added = tree.with(|parsed| merge_imports(parsed, file, "  ", content, tree.grammar())).expect("imports");
        let mut text = apply(file, &added.edits);
        if !added.remaining.is_empty() {
            text.push_str(&added.remaining);
        }
        assert_eq!(text, after, "{content}");
        let again = Tree::parse("a.ts", text.clone());
        again.with(|parsed| assert!(parsed.errors.is_empty() && parsed.early_errors().is_empty(), "{text}"));
    }

    #[test]
    fn names_are_added_to_existing_statement() {
        check("import { b } from 'x';\n", "import { a } from 'x';", "import { a, b } from 'x';\n");
        check("import {b} from \"x\"\n", "import { c } from 'x'", "import {b, c} from \"x\"\n");
        check("import { c, b } from 'x';\n", "import { a } from 'x';", "import { c, b, a } from 'x';\n");
        check("import D from 'x';\n", "import { a } from 'x';", "import D, { a } from 'x';\n");
        check("import {} from 'x';\n", "import { a } from 'x';", "import { a } from 'x';\n");
        check("import { a } from 'x';\n", "import D from 'x';", "import D, { a } from 'x';\n");
        check("import * as n from 'x';\n", "import D from 'x';", "import D, * as n from 'x';\n");
        check("import D, { a } from 'x';\n", "import D, { b as c } from 'x';", "import D, { a, b as c } from 'x';\n");
        check("import { a } from 'x';\n", "import { a } from 'x';", "import { a } from 'x';\n");
        check(
            "import {\n  a, // one\n  c,\n} from 'x';\n",
            "import { b, d } from 'x';",
            "import {\n  a, // one\n  b,\n  c,\n  d,\n} from 'x';\n",
        );
        check(
            "import D /* { */, { a } from 'x';\n",
            "import { b } from 'x';",
            "import D /* { */, { a, b } from 'x';\n",
        );
        check("import {B, a} from 'x';\n", "import { C } from 'x';", "import {B, C, a} from 'x';\n");
    }

    #[test]
    fn incompatible_imports_become_new_statements() {
        check("import 'x';\n", "import { a } from 'x';", "import 'x';\nimport { a } from 'x';");
        check("import 'x';\n", "import 'x';", "import 'x';\n");
        check("import { a } from 'x';\n", "import 'x';", "import { a } from 'x';\nimport 'x';");
        check("import * as n from 'x';\n", "import { a } from 'x';", "import * as n from 'x';\nimport { a } from 'x';");
        check("import { a } from 'x';\n", "import * as n from 'x';", "import { a } from 'x';\nimport * as n from 'x';");
        check("import { a } from 'x';\n", "import { b } from 'y';", "import { a } from 'x';\nimport { b } from 'y';");
        check(
            "import a from 'x' with { type: 'json' };\n",
            "import { b } from 'x';",
            "import a from 'x' with { type: 'json' };\nimport { b } from 'x';",
        );
        check(
            "import a from 'x' with { type: 'json' };\n",
            "import { b } from 'x' with {type: 'json'};",
            "import a, { b } from 'x' with { type: 'json' };\n",
        );
        check(
            "import D, * as n from 'x';\n",
            "import D, { a } from 'x';",
            "import D, * as n from 'x';\nimport { a } from 'x';",
        );
        check(
            "import { a } from 'x';\n",
            "import { b } from 'x';\nimport { c } from 'y';",
            "import { a, b } from 'x';\nimport { c } from 'y';",
        );
    }

    #[test]
    fn type_imports_stay_type_only() {
        check("import type { A } from 'x';\n", "import type { B } from 'x';", "import type { A, B } from 'x';\n");
        check("import type { A } from 'x';\n", "import { type B } from 'x';", "import type { A, B } from 'x';\n");
        check("import { a } from 'x';\n", "import { type B } from 'x';", "import { a, type B } from 'x';\n");
        check(
            "import { a } from 'x';\n",
            "import type { B } from 'x';",
            "import { a } from 'x';\nimport type { B } from 'x';",
        );
        check(
            "import { a, type C } from 'x';\n",
            "import type { B } from 'x';",
            "import { a, type B, type C } from 'x';\n",
        );
        check(
            "import type { A } from 'x';\n",
            "import { b } from 'x';",
            "import type { A } from 'x';\nimport { b } from 'x';",
        );
        check(
            "import type D from 'x';\n",
            "import type { A } from 'x';",
            "import type D from 'x';\nimport type { A } from 'x';",
        );
        check("import { a } from 'x';\n", "import type { a } from 'x';", "import { a } from 'x';\n");
        check("import { type a } from 'x';\n", "import { a } from 'x';", "import { a } from 'x';\n");
        check("import type { a } from 'x';\n", "import { a } from 'x';", "import { a } from 'x';\n");
        check("import type { a, b } from 'x';\n", "import { a } from 'x';", "import { a, type b } from 'x';\n");
    }

    #[test]
    fn unsupported_content_is_rejected() {
        let tree = Tree::parse("a.ts", "import a from 'x';\n".to_owned());
        for content in
            ["f();", "// b\nimport { b } from 'x';", "import b from 'x';\nf();", "import defer * as n from 'x';", ""]
        {
            let added = tree.with(|parsed| merge_imports(parsed, tree.text(), "  ", content, tree.grammar()));
            assert!(added.is_none(), "{content}");
        }
    }
}
