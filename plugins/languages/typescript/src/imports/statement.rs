//! Parts of an import or export statement, from which statements can be rewritten: the code before the names, the names
//! with their comments, and the code after them.

use marquetry_sdk::{Span, lines};
use oxc_ast::ast::*;
use oxc_span::GetSpan;

use crate::imports::order::ListEntry;
use crate::program::exports::export_name;
use crate::syntax::spans::{skip_trivia, span_in};

/// An import or export statement with a module, or `export { … }` without one.
#[derive(Clone, Debug)]
pub(crate) struct ModuleStatement<'t> {
    pub(crate) span: Span,
    /// `None` for `export { … }` of local names.
    pub(crate) specifier: Option<String>,
    /// The attributes in a normalized form.
    pub(crate) attributes: String,
    pub(crate) type_only: bool,
    /// True for `import "x"` and `export * from "x"`.
    pub(crate) is_bare: bool,
    /// The source text with its comments.
    pub(crate) default: Option<ImportPart<'t>>,
    /// `* as a` of an import or an export.
    pub(crate) namespace: Option<ImportPart<'t>>,
    pub(crate) list: Option<List<'t>>,
    /// Span from the first name or brace to the end of the last name or brace.
    pub(crate) clause: Span,
    /// True if there are comments in the clause outside of braces. Rewriting the clause would lose them.
    pub(crate) is_opaque: bool,
    /// Span of the specifier.
    source: Option<Span>,
    text: &'t str,
}

/// A default import or a namespace import.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ImportPart<'t> {
    pub(crate) name: &'t str,
    pub(crate) text: &'t str,
    /// Span of the local name.
    pub(crate) local: Span,
}

/// The names in braces.
#[derive(Clone, Debug)]
pub(crate) struct List<'t> {
    pub(crate) items: Vec<Item<'t>>,
    /// The part between the braces.
    pub(crate) inner: Span,
    pub(crate) trailing_comma: bool,
    text: &'t str,
}

/// A name in braces.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Item<'t> {
    pub(crate) name: &'t str,
    pub(crate) is_type: bool,
    /// The source text without `type`.
    pub(crate) text: &'t str,
    /// Comments before the item. The next three fields have the comments after the item: before its comma, after its
    /// comma, and, for the last item, those above the closing brace.
    pub(crate) before: Vec<ItemComment<'t>>,
    pub(crate) comments_after: Vec<&'t str>,
    pub(crate) comments_after_comma: Vec<&'t str>,
    pub(crate) below: Vec<&'t str>,
    /// Span of the name that the file declares for it.
    pub(crate) local: Span,
    /// Start of the previous item, if it was on the same line.
    pub(crate) previous_on_line: Option<u32>,
    pub(crate) span: Span,
}

/// A comment before an item.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ItemComment<'t> {
    pub(crate) text: &'t str,
    /// A line break follows it.
    ends_line: bool,
}

impl<'t> ItemComment<'t> {
    /// Creates a comment, or a word, on the same line as the next item.
    pub(crate) fn inline(text: &'t str) -> ItemComment<'t> {
        ItemComment { text, ends_line: false }
    }
}

impl Item<'_> {
    pub(crate) fn list_entry(&self) -> ListEntry<'_> {
        ListEntry { name: self.name, is_type: self.is_type }
    }

    fn has_line_comment(&self) -> bool {
        let before = self.before.iter().map(|note| note.text);
        let mut all = before
            .chain([&self.comments_after, &self.comments_after_comma, &self.below].into_iter().flatten().copied());
        all.any(|comment| comment.starts_with("//"))
    }
}

/// Returns the parts of a statement. `None` for other statements, and for imports with `defer` or `source`.
pub(crate) fn parse_statement<'t>(
    statement: &Statement<'_>,
    comments: &[Comment],
    text: &'t str,
) -> Option<ModuleStatement<'t>> {
    match statement {
        Statement::ImportDeclaration(import) if import.phase.is_none() => parse_import(import, comments, text),
        Statement::ExportNamedDeclaration(export) => {
            let list = parse_export(&export.specifiers, export.span, export.export_kind, comments, text)?;
            Some(ModuleStatement { specifier: None, ..list })
        }
        Statement::ExportFromDeclaration(export) => {
            let list = parse_export(&export.specifiers, export.span, export.export_kind, comments, text)?;
            let attributes = attributes(export.with_clause.as_deref());
            Some(ModuleStatement { specifier: Some(specifier_text(&export.source)), attributes, ..list })
        }
        Statement::ExportAllDeclaration(export) => Some(parse_export_all(export, text)),
        _ => None,
    }
}

fn specifier_text(literal: &StringLiteral<'_>) -> String {
    literal.value.display().to_string()
}

fn attributes(clause: Option<&WithClause<'_>>) -> String {
    let Some(clause) = clause else { return String::new() };
    let key = |key: &ImportAttributeKey<'_>| match key {
        ImportAttributeKey::Identifier(name) => name.name.to_string(),
        ImportAttributeKey::StringLiteral(text) => specifier_text(text),
    };
    let entries = clause.with_entries.iter();
    let mut entries: Vec<String> =
        entries.map(|entry| format!("{}:{:?}", key(&entry.key), specifier_text(&entry.value))).collect();
    entries.sort();
    format!("{:?} {}", clause.keyword, entries.join(","))
}

/// Returns the parts of an import declaration.
pub(crate) fn parse_import<'t>(
    import: &ImportDeclaration<'_>,
    comments: &[Comment],
    text: &'t str,
) -> Option<ModuleStatement<'t>> {
    let span = span_in(import.span, text);
    let mut at = skip_trivia(text, span.range().start + "import".len());
    if import.import_kind.is_type() {
        at = skip_trivia(text, at + "type".len());
    }
    let start = at;
    let source = span_in(import.source.span, text);
    let (mut default, mut space, mut named, mut end) = (None, None, Vec::new(), at);
    for specifier in import.specifiers.iter().flatten() {
        let own = span_in(specifier.span(), text);
        let part = |local: &BindingIdentifier<'_>| {
            let local = span_in(local.span, text);
            ImportPart { name: local.slice(text), text: own.slice(text), local }
        };
        match specifier {
            ImportDeclarationSpecifier::ImportDefaultSpecifier(it) => default = Some(part(&it.local)),
            ImportDeclarationSpecifier::ImportNamespaceSpecifier(it) => space = Some(part(&it.local)),
            ImportDeclarationSpecifier::ImportSpecifier(it) => {
                let name = export_name(&it.imported);
                let local = span_in(it.local.span, text);
                named.push((own, local, it.import_kind.is_type(), name == it.local.name.as_str()));
            }
        }
        end = own.range().end;
    }
    let list = if import.specifiers.is_some() && space.is_none() {
        if let Some(default) = &default {
            at = skip_trivia(text, default.local.range().end);
            at = if text[at..].starts_with(',') { skip_trivia(text, at + 1) } else { at };
        }
        parse_list(text, at, &named, comments)
    } else {
        None
    };
    if named.is_empty() && default.is_none() && space.is_none() && import.specifiers.is_some() && list.is_none() {
        return None;
    }
    let end = list.as_ref().map_or(end, |list| list.inner.range().end + 1);
    Some(ModuleStatement {
        span,
        specifier: Some(specifier_text(&import.source)),
        attributes: attributes(import.with_clause.as_deref()),
        type_only: import.import_kind.is_type(),
        is_bare: import.specifiers.is_none(),
        default,
        namespace: space,
        is_opaque: is_opaque(comments, Span::new(start, end.max(start)), list.as_ref()),
        clause: Span::new(start, end.max(start)),
        list,
        source: Some(source),
        text,
    })
}

/// Returns whether there are comments in a clause outside of braces.
fn is_opaque(comments: &[Comment], clause: Span, list: Option<&List<'_>>) -> bool {
    let first = comments.partition_point(|comment| comment.span.start < clause.start);
    let mut inside = comments[first..].iter().take_while(|comment| comment.span.start < clause.end);
    let is_listed = |comment: &Comment| {
        list.is_some_and(|list| list.inner.start <= comment.span.start && comment.span.end <= list.inner.end)
    };
    inside.any(|comment| !is_listed(comment) || list.is_some_and(|list| list.items.is_empty()))
}

fn parse_export<'t>(
    specifiers: &[ExportSpecifier<'_>],
    span: oxc_span::Span,
    kind: ImportOrExportKind,
    comments: &[Comment],
    text: &'t str,
) -> Option<ModuleStatement<'t>> {
    let span = span_in(span, text);
    // In a JavaScript file with TypeScript's declaration syntax, other keywords may precede `export`, so search for it.
    let mut at = span.range().start + span.slice(text).find("export")? + "export".len();
    at = skip_trivia(text, at);
    if kind.is_type() {
        at = skip_trivia(text, at + "type".len());
    }
    let named = specifiers.iter().map(|it| {
        let same = it.local.span() != it.exported.span() && export_name(&it.local) == export_name(&it.exported);
        (span_in(it.span, text), span_in(it.exported.span(), text), it.export_kind.is_type(), same)
    });
    let named: Vec<_> = named.collect();
    let list = parse_list(text, at, &named, comments)?;
    Some(ModuleStatement {
        span,
        specifier: None,
        attributes: String::new(),
        type_only: kind.is_type(),
        is_bare: false,
        default: None,
        namespace: None,
        is_opaque: false,
        clause: Span::new(at, list.inner.range().end + 1),
        list: Some(list),
        source: None,
        text,
    })
}

fn parse_export_all<'t>(export: &ExportAllDeclaration<'_>, text: &'t str) -> ModuleStatement<'t> {
    let span = span_in(export.span, text);
    let space = export.exported.as_ref().map(|name| {
        let local = span_in(name.span(), text);
        ImportPart { name: local.slice(text), text: local.slice(text), local }
    });
    ModuleStatement {
        span,
        specifier: Some(specifier_text(&export.source)),
        attributes: attributes(export.with_clause.as_deref()),
        type_only: export.export_kind.is_type(),
        is_bare: space.is_none(),
        default: None,
        namespace: space,
        list: None,
        is_opaque: false,
        clause: span,
        source: Some(span_in(export.source.span, text)),
        text,
    }
}

/// Span of an item, span of its outer name, whether it is marked as a type, and whether it repeats the same name.
type RawItem = (Span, Span, bool, bool);

fn parse_list<'t>(text: &'t str, open: usize, named: &[RawItem], comments: &[Comment]) -> Option<List<'t>> {
    if !text[open..].starts_with('{') {
        return None;
    }
    let last = named.last().map_or(open + 1, |last| last.0.range().end);
    let mut close = skip_trivia(text, last);
    let trailing_comma = text[close..].starts_with(',');
    if trailing_comma {
        close = skip_trivia(text, close + 1);
    }
    if !text[close..].starts_with('}') {
        return None;
    }
    let inner = Span::new(open + 1, close);
    let within = |from: usize, to: usize| -> Vec<&'t str> {
        let first = comments.partition_point(|comment| (comment.span.start as usize) < from);
        let found = comments[first..].iter().take_while(|comment| comment.span.end as usize <= to);
        found.map(|comment| span_in(comment.span, text).slice(text)).collect()
    };
    let notes = |from: usize, to: usize| -> Vec<ItemComment<'t>> {
        let first = comments.partition_point(|comment| (comment.span.start as usize) < from);
        let found = comments[first..].iter().take_while(|comment| comment.span.end as usize <= to);
        let note = |comment: &Comment| {
            let span = span_in(comment.span, text);
            ItemComment { text: span.slice(text), ends_line: lines::ends_line(text, span.range().end) }
        };
        found.map(note).collect()
    };
    let mut items: Vec<Item<'t>> = Vec::new();
    let mut from = open + 1;
    for (index, (span, local, is_type, same)) in named.iter().enumerate() {
        let range = span.range();
        let written = if *is_type {
            text[range.clone()].strip_prefix("type").unwrap_or("").trim_start()
        } else {
            span.slice(text)
        };
        let comma = skip_trivia(text, range.end);
        let has_comma = text[comma..].starts_with(',');
        // Comments after a comma at the end of a line belong to the item before it.
        let next = named.get(index + 1).map_or(close, |next| next.0.range().start);
        let after = comma + usize::from(has_comma);
        let rest = lines::line_end(text, after).min(next);
        let is_last = index + 1 == named.len();
        let ends_line = has_comma && (rest < next || is_last);
        let behind = within(range.end, comma);
        let behind_comma = if ends_line { within(after, rest) } else { Vec::new() };
        let below = if is_last { within(rest.max(after), close) } else { Vec::new() };
        let follows = index.checked_sub(1).and_then(|_| {
            let gap = &text[items.last()?.span.range().end..range.start];
            (!gap.contains(['\n', '\r'])).then_some(items.last()?.span.start)
        });
        items.push(Item {
            name: local.slice(text),
            is_type: *is_type,
            text: if *same { local.slice(text) } else { written },
            before: notes(from, range.start),
            comments_after: behind,
            comments_after_comma: behind_comma,
            below: if has_comma { below } else { Vec::new() },
            local: *local,
            previous_on_line: follows,
            span: *span,
        });
        from = if ends_line { rest } else { after };
    }
    Some(List { items, inner, trailing_comma, text })
}

impl List<'_> {
    pub(crate) fn is_multi_line(&self) -> bool {
        self.inner.slice(self.text).contains('\n')
    }

    fn is_padded(&self) -> bool {
        !self.inner.slice(self.text).starts_with(|char: char| !char.is_whitespace())
    }

    /// Returns the indentation of the items.
    fn indent(&self) -> Option<&str> {
        let starts = |item: &&Item<'_>| lines::starts_line(self.text, item.span.range().start);
        let first = self.items.iter().find(starts)?;
        Some(lines::indent_at(self.text, first.span.range().start))
    }
}

/// Formatting of lists that are new or merged from several.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ListFormatting<'f> {
    pub(crate) unit: &'f str,
    pub(crate) line_break: &'f str,
    /// End of statements: `;` or nothing.
    pub(crate) end: &'f str,
}

/// Returns the clause of a statement from its parts.
pub(crate) fn clause(
    form: ListFormatting<'_>,
    default: Option<ImportPart<'_>>,
    space: Option<ImportPart<'_>>,
    list: Option<(&List<'_>, &[Item<'_>])>,
) -> String {
    let parts = [default, space].into_iter().flatten().map(|part| part.text.to_owned());
    parts.chain(list.map(|(like, items)| print_braces(form, like, items))).collect::<Vec<_>>().join(", ")
}

/// Returns items in braces, formatted like another list.
pub(crate) fn print_braces(form: ListFormatting<'_>, like: &List<'_>, items: &[Item<'_>]) -> String {
    let multi_line = like.is_multi_line() || items.iter().any(Item::has_line_comment);
    if items.is_empty() {
        return "{}".to_owned();
    }
    let outer = lines::indent_at(like.text, like.inner.range().start);
    let own = like.indent().map_or_else(|| format!("{outer}{}", form.unit), str::to_owned);
    let break_to = |indent: &str| format!("{}{indent}", form.line_break);
    let mut text = String::from("{");
    text += &match (multi_line, like.is_padded()) {
        (true, _) => break_to(&own),
        (false, true) => " ".to_owned(),
        (false, false) => String::new(),
    };
    for (index, item) in items.iter().enumerate() {
        for note in &item.before {
            text += note.text;
            text += &if multi_line && note.ends_line { break_to(&own) } else { " ".to_owned() };
        }
        text += if item.is_type { "type " } else { "" };
        text += item.text;
        let (lines, blocks): (Vec<&str>, Vec<&str>) = item.comments_after.iter().partition(|it| it.starts_with("//"));
        blocks.iter().for_each(|comment| text += &format!(" {comment}"));
        let next = items.get(index + 1);
        if next.is_some() || (multi_line && like.trailing_comma) {
            text.push(',');
        }
        item.comments_after_comma.iter().chain(&lines).for_each(|comment| text += &format!(" {comment}"));
        item.below.iter().for_each(|comment| {
            text += &if multi_line { break_to(&own) } else { " ".to_owned() };
            text += comment;
        });
        if let Some(next) = next {
            let is_closed = item.comments_after_comma.is_empty() && lines.is_empty() && item.below.is_empty();
            let follows = is_closed && next.previous_on_line == Some(item.span.start);
            text += &if multi_line && !follows { break_to(&own) } else { " ".to_owned() };
        }
    }
    text += &match (multi_line, like.is_padded()) {
        (true, _) => break_to(outer),
        (false, true) => " ".to_owned(),
        (false, false) => String::new(),
    };
    text + "}"
}

impl<'t> ModuleStatement<'t> {
    pub(crate) fn items(&self) -> &[Item<'t>] {
        self.list.as_ref().map_or(&[], |list| &list.items)
    }

    /// Returns the comments in the statement that are not in its clause.
    pub(crate) fn other_comments(&self, comments: &[Comment]) -> Vec<&'t str> {
        let first = comments.partition_point(|comment| comment.span.start < self.span.start);
        let inside = comments[first..].iter().take_while(|comment| comment.span.start < self.span.end);
        let outside = inside.filter(|it| it.span.end <= self.clause.start || self.clause.end <= it.span.start);
        outside.map(|comment| span_in(comment.span, self.text).slice(self.text)).collect()
    }

    /// Returns the source text.
    pub(crate) fn source_text(&self) -> &'t str {
        self.span.slice(self.text)
    }

    /// Returns the statement with another clause.
    pub(crate) fn with_clause(&self, clause: &str) -> String {
        let (own, whole) = (self.clause.range(), self.span.range());
        format!("{}{clause}{}", &self.text[whole.start..own.start], &self.text[own.end..whole.end])
    }

    /// Returns the statement as an import for side effects.
    pub(crate) fn as_side_effect_import(&self) -> String {
        let from = self.source.map_or(self.span.end, |source| source.start) as usize;
        format!("import {}", &self.text[from..self.span.range().end])
    }
}
