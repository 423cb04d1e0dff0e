//! Extends a single import declaration, as a text.

use marquetry_sdk::items::{C_STYLE, EmptyStyle, Items};
use marquetry_sdk::span::apply;
use marquetry_sdk::{Edit, Span, lines};
use oxc_ast::ast::*;
use oxc_span::{GetSpan, SourceType};

use crate::editor::fragment::with_parsed;
use crate::imports::model::declaration_bindings;
use crate::imports::order::{self, Detected, ListEntry, ListOrder};
use crate::imports::preferences::Preferences;
use crate::imports::statement::{self, ListFormatting};
use crate::syntax::comments;
use crate::syntax::spans::{skip_trivia, span_in};

/// Style of the imports in a file.
pub(crate) struct ImportFormatting<'f> {
    pub(crate) unit: &'f str,
    pub(crate) grammar: SourceType,
    /// True if some import has `type` before individual names.
    pub(crate) marks_types: bool,
    /// `{ a }` rather than `{a}`.
    pub(crate) padded: bool,
    pub(crate) preferences: &'f Preferences,
    /// The lists of all imports of the file: each name, and whether it is marked as a type.
    pub(crate) lists: Vec<Vec<(String, bool)>>,
    /// If an `import type` becomes an import of values, `type` is written before each of its names.
    pub(crate) keeps_types: bool,
}

/// A name to import.
#[derive(Clone)]
pub(crate) struct RequestedName {
    pub(crate) name: String,
    pub(crate) local: String,
    /// There is `type` before the name, or the statement is an `import type`.
    pub(crate) is_type: bool,
    /// The statement is an `import type`.
    pub(crate) in_type_statement: bool,
    /// The source text without `type`.
    pub(crate) text: String,
}

impl ImportFormatting<'_> {
    /// Returns the statement with one more name.
    ///
    /// The name is added to the existing list or, with `make_list`, to a new one after the default import.
    pub(crate) fn with_name(&self, text: &str, name: &RequestedName, make_list: bool) -> Option<String> {
        with_single_import(text, self.grammar, |declaration, program| {
            self.extend_declaration(declaration, program, text, name, make_list)
        })
    }

    fn extend_declaration(
        &self,
        declaration: &ImportDeclaration<'_>,
        program: &Program<'_>,
        text: &str,
        name: &RequestedName,
        make_list: bool,
    ) -> Option<String> {
        let names = declaration_bindings(declaration);
        let has = |wanted: &str| names.iter().any(|it| it.name == wanted);
        let types = declaration.import_kind.is_type();
        if name.name == "default" {
            let fits = !types && !name.is_type && !names.is_empty() && !declares_default(declaration);
            let at = skip_trivia(text, "import".len());
            return fits.then(|| apply(text, &[Edit::insert(at, format!("{}, ", name.text))]));
        }
        let mark = match (types, name.is_type) {
            (true, true) => "",
            (true, false) => return None,
            (false, false) => "",
            // A type from an `import type` is only added to a list of values if the file already has `type` before
            // individual names elsewhere.
            (false, true) if name.in_type_statement && !self.marks_types => return None,
            (false, true) => "type ",
        };
        let item = format!("{mark}{}", name.text);
        if has("*") || (types && declares_default(declaration)) {
            return None;
        }
        match list_span(declaration, text) {
            Some(inner) => {
                let items = self.list_items(declaration, program, text, inner);
                let place = self.insertion_index(declaration, &name.local, mark == "type ");
                Some(apply(text, &items.insert(place, &item)))
            }
            None if make_list => {
                let default = names.first()?;
                let item = if self.padded { format!("{{ {item} }}") } else { format!("{{{item}}}") };
                Some(apply(text, &[Edit::insert(default.local.span.end as usize, format!(", {item}"))]))
            }
            None => None,
        }
    }

    /// Returns the index for a new name in the list: by order if the list is sorted, else at the end.
    fn insertion_index(&self, declaration: &ImportDeclaration<'_>, name: &str, is_type: bool) -> usize {
        let names: Vec<ListEntry<'_>> = named_specifiers(declaration).map(list_entry).collect();
        let Detected { order, is_sorted } = self.list_order(&names);
        let new = ListEntry { name, is_type };
        if is_sorted { order::insertion_index(&names, |known| order.compare(*known, new)) } else { names.len() }
    }

    fn list_order(&self, names: &[ListEntry<'_>]) -> Detected<ListOrder> {
        let mut others: Vec<Vec<ListEntry<'_>>> = Vec::new();
        for list in &self.lists {
            others.push(list.iter().map(|(name, is_type)| ListEntry { name, is_type: *is_type }).collect());
        }
        order::order_of_list(names, &others, self.preferences)
    }

    /// Converts an `import type` to an import of values.
    pub(crate) fn promote_to_value(&self, text: &str) -> Option<String> {
        with_single_import(text, self.grammar, |declaration, _| {
            let can = declaration.import_kind.is_type() && named_specifiers(declaration).next().is_some();
            can.then(|| self.changed_to_value(declaration, text, ""))
        })
    }

    /// Returns the names between the braces.
    fn list_items<'t>(
        &'t self,
        declaration: &ImportDeclaration<'_>,
        program: &Program<'_>,
        text: &'t str,
        inner: Span,
    ) -> Items<'t> {
        let items = named_specifiers(declaration).map(|named| {
            let span = span_in(named.span, text);
            comments::attached_comment(&program.comments, text, span.range().start)
                .filter(|doc| doc.start >= inner.start)
                .map_or(span, |doc| Span { start: doc.start, end: span.end })
        });
        Items {
            text,
            inner,
            items: items.collect(),
            separator: ",",
            terminated: false,
            comments: C_STYLE,
            unit: self.unit,
            empty: if self.padded { EmptyStyle::Padded } else { EmptyStyle::Tight },
            breaks: 1,
        }
    }
}

fn named_specifiers<'i, 'a>(import: &'i ImportDeclaration<'a>) -> impl Iterator<Item = &'i ImportSpecifier<'a>> {
    import.specifiers.iter().flatten().filter_map(|specifier| match specifier {
        ImportDeclarationSpecifier::ImportSpecifier(named) => Some(&**named),
        _ => None,
    })
}

fn list_entry<'i>(named: &'i ImportSpecifier<'_>) -> ListEntry<'i> {
    ListEntry { name: named.local.name.as_str(), is_type: named.import_kind.is_type() }
}

/// Parses a text that is a single import declaration.
fn with_single_import<R>(
    text: &str,
    grammar: SourceType,
    look: impl FnOnce(&ImportDeclaration<'_>, &Program<'_>) -> Option<R>,
) -> Option<R> {
    with_parsed(text, grammar, |program| match program.body.as_slice() {
        [Statement::ImportDeclaration(import)] => look(import, program),
        _ => None,
    })?
}

fn declares_default(import: &ImportDeclaration<'_>) -> bool {
    let default =
        |it: &ImportDeclarationSpecifier<'_>| matches!(it, ImportDeclarationSpecifier::ImportDefaultSpecifier(_));
    import.specifiers.iter().flatten().any(default)
}

/// Result for a declaration that already imports the name.
pub(crate) enum ExistingName {
    Unchanged,
    /// The declaration imports the name as a type, but the name is needed as a value. The text is that of the changed
    /// declaration.
    Changed(String),
}

impl ImportFormatting<'_> {
    /// Returns whether a declaration imports the name.
    pub(crate) fn find_name(&self, text: &str, name: &RequestedName) -> Option<ExistingName> {
        with_single_import(text, self.grammar, |declaration, program| {
            let mut known = declaration_bindings(declaration).into_iter();
            let known = known.find(|known| known.name == name.name && known.local.name == name.local.as_str())?;
            if !known.type_only || name.is_type {
                return Some(ExistingName::Unchanged);
            }
            let moved = self.moved_to_value(declaration, &program.comments, text, &name.local);
            Some(ExistingName::Changed(moved.unwrap_or_else(|| self.changed_to_value(declaration, text, &name.local))))
        })
    }

    /// Returns the statement in which a type is changed to a value and moved to its new position. `None` if the
    /// position does not change.
    fn moved_to_value(
        &self,
        import: &ImportDeclaration<'_>,
        comments: &[Comment],
        text: &str,
        local: &str,
    ) -> Option<String> {
        let names: Vec<ListEntry<'_>> = named_specifiers(import).map(list_entry).collect();
        let from = names.iter().position(|known| known.name == local && known.is_type)?;
        let Detected { order, .. } = self.list_order(&names);
        let new = ListEntry { name: local, is_type: false };
        let to = order::insertion_index(&names, |known| order.compare(*known, new));
        let parts = statement::parse_import(import, comments, text).filter(|_| to != from)?;
        let list = parts.list.as_ref()?;
        let mut items = list.items.clone();
        let mut item = items.get(from).cloned()?;
        item.is_type = false;
        items.insert(to, item);
        items.remove(if to <= from { from + 1 } else { from });
        let form = ListFormatting { unit: self.unit, line_break: lines::line_break(text), end: "" };
        Some(parts.with_clause(&statement::clause(form, parts.default, None, Some((list, &items)))))
    }

    /// Returns the statement in which a type is changed to a value.
    fn changed_to_value(&self, import: &ImportDeclaration<'_>, text: &str, local: &str) -> String {
        let mut edits = Vec::new();
        let word = |at: usize| Edit::remove(at..skip_trivia(text, at + "type".len()));
        if import.import_kind.is_type() {
            edits.push(word(skip_trivia(text, "import".len())));
        }
        for named in named_specifiers(import) {
            let start = named.span.start as usize;
            match (named.local.name == local, import.import_kind.is_type()) {
                (true, false) if named.import_kind.is_type() => edits.push(word(start)),
                (false, true) if self.keeps_types => edits.push(Edit::insert(start, "type ")),
                _ => {}
            }
        }
        apply(text, &edits)
    }
}

/// Returns the part between the braces of an import declaration.
fn list_span(import: &ImportDeclaration<'_>, text: &str) -> Option<Span> {
    let default = import.specifiers.iter().flatten().find_map(|specifier| match specifier {
        ImportDeclarationSpecifier::ImportDefaultSpecifier(default) => Some(default.span.end as usize),
        _ => None,
    });
    let mut at = skip_trivia(text, default.unwrap_or("import".len()));
    if default.is_some() {
        at = skip_trivia(text, at + text[at..].starts_with(',').then_some(1)?);
    } else if import.import_kind.is_type() {
        at = skip_trivia(text, at + "type".len());
    }
    let open = at + text[at..].starts_with('{').then_some(1)?;
    let last = import.specifiers.iter().flatten().last().map_or(open, |last| (last.span().end as usize).max(open));
    let mut close = skip_trivia(text, last);
    if text[close..].starts_with(',') {
        close = skip_trivia(text, close + 1);
    }
    text[close..].starts_with('}').then(|| Span::new(open, close))
}
