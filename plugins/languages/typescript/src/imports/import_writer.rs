//! Writing imports: into existing statements if possible, otherwise as new ones.

use std::collections::HashSet;

use marquetry_sdk::items::{C_STYLE, EmptyStyle, Items};
use marquetry_sdk::{Edit, Span};
use oxc_ast::AstKind;
use oxc_ast::ast::{BindingPattern, ObjectPattern, Statement};

use crate::editor::indentation;
use crate::imports::add::{self, AddOptions};
use crate::imports::candidates::{Candidate, CandidateFinder, ExportKind};
use crate::imports::compiler_settings::ModuleKind;
use crate::imports::insertion::{self, NewImport, Rank};
use crate::imports::jsdoc_imports;
use crate::imports::missing_names::MissingName;
use crate::imports::model::{self, Form};
use crate::syntax::spans::span_in;
use crate::syntax::tree::Tree;

/// Collects the names to import.
pub(crate) struct ImportWriter<'w, 'f, 'p, 'a> {
    finder: &'w CandidateFinder<'f, 'p, 'a>,
    tree: &'w Tree,
    quote: char,
    end: &'static str,
    uses_require: bool,
    names: Vec<NameToImport>,
    edits: Vec<Edit>,
}

/// The import of a name as a type: not possible, possible or required.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TypeImportMode {
    Never,
    May,
    Must,
}

/// A name and how to import it.
#[derive(Clone, Debug)]
struct NameToImport {
    specifier: String,
    imported: String,
    local: String,
    as_type: TypeImportMode,
    /// True for `import a = require("x")`.
    equals: bool,
}

impl<'w, 'f, 'p, 'a> ImportWriter<'w, 'f, 'p, 'a> {
    pub(crate) fn new(finder: &'w CandidateFinder<'f, 'p, 'a>, tree: &'w Tree) -> ImportWriter<'w, 'f, 'p, 'a> {
        ImportWriter {
            finder,
            tree,
            quote: finder.preferences.quote.unwrap_or_else(|| preferred_quote(finder, tree.text())),
            end: if insertion::uses_semicolons(finder.parsed, tree.text()) { ";" } else { "" },
            uses_require: finder.uses_require(),
            names: Vec::new(),
            edits: Vec::new(),
        }
    }

    /// Adds a name from the chosen module.
    pub(crate) fn add_name(&mut self, missing: &MissingName, candidate: &Candidate) {
        if missing.only_in_jsdoc {
            self.edits.extend(jsdoc_imports::jsdoc_import_edits(
                self.finder.parsed,
                self.tree.text(),
                &missing.name,
                &candidate.specifier,
            ));
            return;
        }
        let settings = &self.finder.settings;
        let meaning = &candidate.meaning;
        let erased = !meaning.is_value || meaning.only_as_type;
        let as_type = match () {
            () if missing.as_value || self.finder.parsed.program.source_type.is_javascript() => TypeImportMode::Never,
            () if erased && (settings.marks_types || self.marks_types()) => TypeImportMode::Must,
            () if self.finder.preferences.prefer_types => TypeImportMode::Must,
            () => TypeImportMode::May,
        };
        let (imported, equals) = self.import_form(candidate);
        self.names.push(NameToImport {
            specifier: candidate.specifier.clone(),
            imported,
            local: missing.name.clone(),
            as_type,
            equals,
        });
    }

    /// Returns whether the file marks imports of types with the keyword `type`.
    fn marks_types(&self) -> bool {
        self.finder.imports.iter().flat_map(|import| &import.bindings).any(|binding| binding.type_only)
    }

    /// Returns the imported name, and whether the import needs the form `import a = require()`.
    fn import_form(&self, candidate: &Candidate) -> (String, bool) {
        let settings = &self.finder.settings;
        let is_js = self.finder.parsed.program.source_type.is_javascript();
        let has_equals = self.finder.imports.iter().any(|import| import.form == Form::Equals);
        let equals_works = matches!(settings.module, ModuleKind::CommonJs | ModuleKind::Other)
            || settings.module == ModuleKind::Node && !settings.is_esm;
        let synthetic = if settings.allows_synthetic_default { "default" } else { "*" };
        match candidate.kind {
            ExportKind::ModuleExports | ExportKind::UmdGlobal if self.uses_require => ("*".to_owned(), false),
            ExportKind::ModuleExports if is_js || !equals_works => (synthetic.to_owned(), false),
            ExportKind::ModuleExports if has_equals || !settings.allows_synthetic_default => ("*".to_owned(), true),
            ExportKind::ModuleExports => ("default".to_owned(), false),
            ExportKind::UmdGlobal if settings.allows_synthetic_default => ("default".to_owned(), false),
            ExportKind::UmdGlobal => ("*".to_owned(), equals_works && !is_js),
            ExportKind::Named | ExportKind::Default => (candidate.imported.clone(), false),
        }
    }

    /// Returns all edits.
    pub(crate) fn into_edits(mut self) -> Vec<Edit> {
        let mut edits = std::mem::take(&mut self.edits);
        let names = std::mem::take(&mut self.names);
        let names = self.merge_into_patterns(names, &mut edits);
        if self.uses_require {
            let new = self.require_declarations(&names);
            edits.extend(self.place_statements(&new));
            return edits;
        }
        let (equals, names): (Vec<NameToImport>, Vec<NameToImport>) =
            names.into_iter().partition(|chosen| chosen.equals);
        let values: HashSet<&str> =
            names.iter().filter(|it| it.as_type == TypeImportMode::Never).map(|it| it.specifier.as_str()).collect();
        let beside_value = |chosen: &NameToImport| values.contains(chosen.specifier.as_str());
        let content: Vec<String> =
            names.iter().map(|chosen| self.print_statement(&[chosen], Some(beside_value(chosen)))).collect();
        let unit = indentation::unit(self.tree);
        let manner = AddOptions {
            unit: &unit,
            grammar: self.tree.grammar(),
            preferences: self.finder.preferences,
            keeps_types: self.finder.settings.marks_types,
            promotes_type_imports: true,
        };
        let added = add::merge_imports_with(self.finder.parsed, self.tree.text(), &content.join("\n"), manner);
        let (merged, rest) = added.map_or((Vec::new(), content.join("\n")), |added| (added.edits, added.remaining));
        edits.extend(merged);
        let left: Vec<&NameToImport> = names
            .iter()
            .zip(&content)
            .filter(|(_, text)| rest.lines().any(|line| line == *text))
            .map(|(it, _)| it)
            .collect();
        let mut new = self.import_statements(&left);
        new.extend(equals.iter().map(|chosen| NewImport {
            text: format!("import {} = require({}){}", chosen.local, self.quote_specifier(&chosen.specifier), self.end),
            specifier: chosen.specifier.clone(),
            rank: Rank::Equals,
        }));
        edits.extend(self.place_statements(&new));
        edits
    }

    fn place_statements(&self, new: &[NewImport]) -> Vec<Edit> {
        if new.is_empty() {
            return Vec::new();
        }
        insertion::insert_statements(self.finder.parsed, self.tree.text(), self.finder.preferences, new)
    }

    fn quote_specifier(&self, specifier: &str) -> String {
        format!(
            "{0}{1}{0}",
            self.quote,
            specifier.replace('\\', "\\\\").replace(self.quote, &format!("\\{}", self.quote))
        )
    }

    /// Returns new import declarations: one for each module, unless its names cannot be in one declaration.
    fn import_statements(&self, names: &[&NameToImport]) -> Vec<NewImport> {
        let mut new = Vec::new();
        let mut seen: Vec<&str> = Vec::new();
        for chosen in names {
            if seen.contains(&chosen.specifier.as_str()) {
                continue;
            }
            seen.push(&chosen.specifier);
            let same: Vec<&NameToImport> =
                names.iter().filter(|it| it.specifier == chosen.specifier).copied().collect();
            let (spaces, others): (Vec<&NameToImport>, Vec<&NameToImport>) =
                same.into_iter().partition(|it| it.imported == "*");
            let mut groups: Vec<Vec<&NameToImport>> = spaces.into_iter().map(|space| vec![space]).collect();
            let is_default = |it: &&NameToImport| it.imported == "default";
            let types = others.iter().all(|it| it.as_type == TypeImportMode::Must);
            if types && others.iter().any(is_default) {
                // `import type` allows a default import or names, not both.
                let (defaults, named): (Vec<&NameToImport>, Vec<&NameToImport>) =
                    others.into_iter().partition(is_default);
                groups.extend([defaults, named]);
            } else {
                groups.push(others);
            }
            for group in groups.into_iter().filter(|group| !group.is_empty()) {
                let rank = match () {
                    () if self.is_type_statement(&group) => Rank::Types,
                    () if group[0].imported == "*" => Rank::Space,
                    () if group.iter().any(|it| it.imported == "default") => Rank::Default,
                    () => Rank::Named,
                };
                let text = self.print_statement(&group, None);
                new.push(NewImport { text, specifier: chosen.specifier.clone(), rank });
            }
        }
        new
    }

    /// Returns whether names are imported by an `import type`.
    fn is_type_statement(&self, names: &[&NameToImport]) -> bool {
        let erases = self.finder.settings.verbatim || self.finder.preferences.prefer_types;
        names.iter().all(|it| it.as_type == TypeImportMode::Must)
            || erases && names.iter().all(|it| it.as_type != TypeImportMode::Never)
    }

    /// Prints an import declaration of names of one module. `merged` is set if the declaration will be merged into an
    /// existing one. It states whether values of the module are imported as well. If they are, names are only marked as
    /// types if they must be.
    fn print_statement(&self, names: &[&NameToImport], merged: Option<bool>) -> String {
        let is_new = merged.is_none();
        let types = is_new && self.is_type_statement(names);
        let mut parts: Vec<String> = Vec::new();
        for name in names {
            match name.imported.as_str() {
                "default" => parts.push(name.local.clone()),
                "*" => parts.push(format!("* as {}", name.local)),
                _ => {}
            }
        }
        let mut listed: Vec<(bool, String)> = Vec::new();
        for name in names.iter().filter(|name| !matches!(name.imported.as_str(), "default" | "*")) {
            let is_type = !types && self.is_written_as_type(name, merged == Some(false));
            let mark = if is_type { "type " } else { "" };
            let named = match name.imported == name.local {
                true => name.local.clone(),
                false => format!("{} as {}", name.imported, name.local),
            };
            listed.push((is_type, format!("{mark}{named}")));
        }
        listed.sort_by_key(|(is_type, text)| (*is_type, text.to_lowercase()));
        if !listed.is_empty() {
            let names: Vec<String> = listed.into_iter().map(|(_, text)| text).collect();
            parts.push(format!("{{ {} }}", names.join(", ")));
        }
        let default_type =
            !is_new && names.iter().any(|it| it.imported == "default" && it.as_type == TypeImportMode::Must);
        let keyword = if types || default_type { "import type" } else { "import" };
        let specifier = names.first().map_or("", |name| name.specifier.as_str());
        format!("{keyword} {} from {}{}", parts.join(", "), self.quote_specifier(specifier), self.end)
    }

    /// Returns whether to mark a name with `type`: if it must be imported as a type, or if `may_go` is set and an
    /// existing `import type` of its module can take it.
    fn is_written_as_type(&self, name: &NameToImport, may_go: bool) -> bool {
        let takes = || {
            let mut statements = self.finder.parsed.program.body.iter();
            statements.any(|statement| match statement {
                Statement::ImportDeclaration(import) => {
                    import.import_kind.is_type()
                        && import.source.value == name.specifier.as_str()
                        && model::declaration_bindings(import)
                            .iter()
                            .any(|binding| !matches!(&*binding.name, "default" | "*"))
                }
                _ => false,
            })
        };
        match name.as_type {
            TypeImportMode::Must => true,
            TypeImportMode::May => may_go && takes(),
            TypeImportMode::Never => false,
        }
    }

    /// Returns new declarations with `require`.
    fn require_declarations(&self, names: &[NameToImport]) -> Vec<NewImport> {
        let mut new: Vec<NewImport> = Vec::new();
        let mut seen: Vec<&str> = Vec::new();
        for chosen in names {
            if seen.contains(&chosen.specifier.as_str()) {
                continue;
            }
            seen.push(&chosen.specifier);
            let same = || names.iter().filter(|it| it.specifier == chosen.specifier);
            let mut add = |pattern: String| {
                let text =
                    format!("const {pattern} = require({}){}", self.quote_specifier(&chosen.specifier), self.end);
                new.push(NewImport { text, specifier: chosen.specifier.clone(), rank: Rank::Require });
            };
            let is_whole = |it: &&NameToImport| it.imported == "*" || it.equals;
            same().filter(is_whole).for_each(|it| add(it.local.clone()));
            let mut listed: Vec<String> = same().filter(|it| !is_whole(it)).map(print_in_pattern).collect();
            listed.sort_by_key(|text| (!text.starts_with("default:"), text.to_lowercase()));
            if !listed.is_empty() {
                add(format!("{{ {} }}", listed.join(", ")));
            }
        }
        new
    }

    /// Adds names to existing patterns `const { a } = require("x")`, and returns the others.
    fn merge_into_patterns(&self, names: Vec<NameToImport>, edits: &mut Vec<Edit>) -> Vec<NameToImport> {
        if !self.finder.parsed.program.source_type.is_javascript() {
            return names;
        }
        let declared = |specifier: &str| {
            let mut imports = self.finder.imports.iter();
            imports.any(|import| import.form == Form::Declaration && import.specifier == specifier)
        };
        let mut left = Vec::new();
        for chosen in names {
            let pattern = self.require_pattern(&chosen.specifier);
            match pattern.filter(|_| chosen.imported != "*" && !declared(&chosen.specifier)) {
                Some(pattern) => edits.extend(self.extend_pattern(pattern, &chosen)),
                None => left.push(chosen),
            }
        }
        left
    }

    /// Returns the pattern that destructures the required module.
    fn require_pattern(&self, specifier: &str) -> Option<&ObjectPattern<'_>> {
        let imports = self.finder.imports.iter();
        let required = imports.filter(|import| import.form == Form::Require && import.specifier == specifier);
        let locals: Vec<u32> = required.flat_map(|import| &import.bindings).map(|it| it.local.span.start).collect();
        self.finder.parsed.program.body.iter().find_map(|statement| {
            let Statement::VariableDeclaration(variables) = statement else { return None };
            variables.declarations.iter().find_map(|variable| match &variable.id {
                BindingPattern::ObjectPattern(object) => {
                    let inside = |at: &u32| object.span.start <= *at && *at < object.span.end;
                    locals.iter().any(inside).then_some(&**object)
                }
                _ => None,
            })
        })
    }

    fn extend_pattern(&self, pattern: &ObjectPattern<'_>, chosen: &NameToImport) -> Vec<Edit> {
        let text = self.tree.text();
        let whole = span_in(pattern.span, text);
        let items: Vec<Span> = pattern.properties.iter().map(|property| span_in(property.span, text)).collect();
        let unit = indentation::unit(self.tree);
        let count = items.len();
        let items = Items {
            text,
            inner: Span { start: whole.start + 1, end: whole.end - 1 },
            items,
            separator: ",",
            terminated: false,
            comments: C_STYLE,
            unit: &unit,
            empty: EmptyStyle::Padded,
            breaks: 1,
        };
        items.insert(count, &print_in_pattern(chosen))
    }
}

/// Prints a name as part of a pattern.
fn print_in_pattern(chosen: &NameToImport) -> String {
    if chosen.imported == chosen.local {
        chosen.local.clone()
    } else {
        format!("{}: {}", chosen.imported, chosen.local)
    }
}

/// Returns the quote of the first specifier. Without specifiers, returns the single quote if at least three strings use
/// it and none uses the double quote.
fn preferred_quote(finder: &CandidateFinder<'_, '_, '_>, text: &str) -> char {
    let body = &finder.parsed.program.body;
    let source = body.iter().find_map(|statement| match statement {
        Statement::ImportDeclaration(import) => Some(import.source.span),
        Statement::ExportFromDeclaration(export) => Some(export.source.span),
        Statement::ExportAllDeclaration(export) => Some(export.source.span),
        _ => None,
    });
    let quote = |span: oxc_span::Span| span_in(span, text).slice(text).chars().next();
    let literals = || {
        finder.parsed.semantic().nodes().iter().filter_map(|node| match node.kind() {
            AstKind::StringLiteral(literal) => quote(literal.span),
            _ => None,
        })
    };
    match source.and_then(quote) {
        Some(quote) => quote,
        None => {
            let required = finder.imports.iter().find(|import| import.form != Form::Declaration);
            let first = required.and_then(|import| {
                let own = span_in(import.span, text).slice(text);
                own.chars().find(|char| matches!(char, '\'' | '"'))
            });
            let is_single =
                || literals().filter(|quote| *quote == '\'').count() > 2 && !literals().any(|quote| quote == '"');
            first.unwrap_or_else(|| if is_single() { '\'' } else { '"' })
        }
    }
}
