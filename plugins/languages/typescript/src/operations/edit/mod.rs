//! Text edits for each edit operation.

mod body;
mod insert;
mod remove;
mod wrap;

use marquetry_sdk::items::{C_STYLE, EmptyStyle, Items};
use marquetry_sdk::{Edit, EditOptions, Failure, Insertion, NodeId, Operation, Position, Result, Span, indent, lines};

use crate::document::{Target, TypeScriptDocument};
use crate::editor::final_checks;
use crate::editor::fragment::Fragment;
use crate::editor::indentation;
use crate::editor::list::{self, List, ListKind};
use crate::editor::statement_joins::separate_statements;
use crate::outline::declarations::{BodyKind, Decl, DeclId, Kind};
use crate::syntax::comments;
use crate::syntax::tree::Parsed;

/// Context of an edit: the document and its syntax tree.
pub(crate) struct Editor<'e, 'a> {
    pub(crate) document: &'e TypeScriptDocument,
    pub(crate) parsed: &'e Parsed<'a>,
    pub(crate) text: &'e str,
    /// One level of indentation.
    unit: String,
    /// One level of indentation, or `None` if neither the text nor the project's configuration determines it.
    detected_unit: Option<String>,
}

/// Returns the edits that apply one operation to all nodes.
pub(crate) fn edit(
    document: &TypeScriptDocument,
    nodes: &[NodeId],
    operation: &Operation,
    options: EditOptions,
) -> Result<Vec<Edit>> {
    let targets: Vec<Target<'_>> = nodes.iter().map(|id| document.target(*id)).collect::<Result<_>>()?;
    document.tree.with(|parsed| {
        let text = document.tree.text();
        let told_unit = indentation::detected_unit(document.tree.path(), text);
        let unit = told_unit.clone().unwrap_or_else(|| indent::unit(""));
        let editor = Editor { document, parsed, text, unit, detected_unit: told_unit };
        if matches!(operation, Operation::Delete) {
            if !options.force {
                editor.check_rest_element(&targets)?;
            }
            let mut edits = final_checks::sort_edits(editor.delete(&targets)?)?;
            separate_statements(parsed, &document.tree, &mut edits);
            return Ok(edits);
        }
        let mut edits = Vec::new();
        for target in &targets {
            edits.extend(editor.edit_node(target, operation, options)?);
        }
        let mut edits = final_checks::sort_edits(edits)?;
        separate_statements(parsed, &document.tree, &mut edits);
        if !options.force {
            final_checks::check_placement(parsed, &document.tree, &edits)?;
        }
        Ok(edits)
    })
}

impl<'e> Editor<'e, '_> {
    fn edit_node(&self, target: &Target<'_>, operation: &Operation, options: EditOptions) -> Result<Vec<Edit>> {
        match operation {
            Operation::Replace(content) => Ok(self.replace(target, content, options)),
            Operation::ReplaceBody(content) => match target {
                Target::Declaration(_, decl) => self.replace_body(decl, content),
                _ => Err(Failure::unsupported("a region has no body").hint("use `replace`")),
            },
            Operation::InsertBefore(content) => self.insert_beside(target, content, Side::Before),
            Operation::InsertAfter(content) => self.insert_beside(target, content, Side::After),
            Operation::InsertInto(insertion) => self.insert_into(target, insertion),
            Operation::Wrap(wrapper) => Ok(self.wrap(target, wrapper)),
            Operation::Delete => Err(Failure::unsupported("this operation does not apply to single nodes")),
        }
    }

    /// Returns the comment attached to the node that starts here.
    fn attached_comment(&self, at: usize) -> Option<Span> {
        comments::attached_comment(&self.parsed.program.comments, self.text, at)
    }

    /// Extends a span to include the attached comment.
    fn with_doc(&self, span: Span) -> Span {
        self.attached_comment(span.range().start).map_or(span, |doc| Span { start: doc.start, end: span.end })
    }

    fn replace(&self, target: &Target<'_>, content: &str, options: EditOptions) -> Vec<Edit> {
        let span = target.span();
        if span.is_empty() {
            return self.first_import(content);
        }
        let own = span.slice(self.text);
        let list = list::list_of_item(self.parsed, self.text, span);
        let kind = list.as_ref().map_or(ListKind::Block, |(list, _)| list.kind);
        let content = self.strip_separators(content, kind, own.ends_with(';'));
        let known = Fragment::of_list_items(content, kind, self.document.tree.grammar());
        let mut new = self.reindent(&known, content, lines::indent_at(self.text, span.range().start));
        let keeps_semicolon = own.ends_with(';') && !new.ends_with(';');
        if keeps_semicolon && (known.lacks_semicolon || kind == ListKind::TypeMembers) {
            new.push(';');
        }
        // Content with a JSDoc comment replaces the existing JSDoc comment.
        let doc = self.attached_comment(span.range().start).filter(|doc| doc.slice(self.text).starts_with("/**"));
        let range = match doc {
            Some(doc) if options.include_doc || new.starts_with("/**") => Span { start: doc.start, end: span.end },
            _ if options.include_doc => self.with_doc(span),
            _ => span,
        };
        if range.slice(self.text) == new { Vec::new() } else { vec![Edit::new(range, new)] }
    }

    /// Reindents content to this indentation, using the document's indent unit.
    fn reindent(&self, known: &Fragment, content: &str, indent: &str) -> String {
        known.indent_for(content, indent, self.detected_unit.as_deref())
    }

    /// Strips trailing list separators, because the list adds its own.
    fn strip_separators<'c>(&self, content: &'c str, kind: ListKind, keep_semicolon: bool) -> &'c str {
        match kind {
            ListKind::Module | ListKind::Block | ListKind::ClassMembers => content,
            ListKind::TypeMembers if keep_semicolon => content.trim_end().trim_end_matches(','),
            ListKind::TypeMembers => content.trim_end().trim_end_matches([',', ';']),
            _ => content.trim_end().trim_end_matches([',', ';']),
        }
    }

    /// Converts a list to the `Items` of the SDK, which inserts into it and deletes from it.
    fn sdk_items(&self, list: &List) -> Items<'_> {
        let text = self.text;
        let inner = list.inner.range();
        let mut before = inner.start;
        let items: Vec<Span> = list
            .items
            .iter()
            .map(|item| {
                let item = item.range();
                // In a text with syntax errors, an item may extend beyond its list, and the comment before it may be
                // part of the previous item.
                let end = item.end.clamp(before, inner.end);
                let start =
                    self.attached_comment(item.start).map_or(item.start, |doc| doc.range().start).clamp(before, end);
                before = end;
                Span::new(start, end)
            })
            .collect();
        let (separator, terminated) = match list.kind {
            ListKind::Module | ListKind::Block | ListKind::ClassMembers => ("", false),
            ListKind::TypeMembers => self.type_separator(list),
            _ => (",", false),
        };
        let empty = match list.kind {
            ListKind::Elements | ListKind::Parameters | ListKind::ArrayBindings => EmptyStyle::Tight,
            ListKind::Bindings => EmptyStyle::Padded,
            _ => EmptyStyle::Block,
        };
        Items {
            text,
            inner: list.inner,
            items,
            separator,
            terminated,
            comments: C_STYLE,
            unit: &self.unit,
            empty,
            breaks: 1,
        }
    }

    /// Returns the separator of type members: `;` unless the members use `,` or only line breaks.
    fn type_separator(&self, list: &List) -> (&'static str, bool) {
        let after = |span: &Span| self.text[span.range().end..].trim_start().chars().next();
        let has = |c: char| list.items.iter().any(|item| after(item) == Some(c));
        let on_lines = list.items.iter().all(|item| lines::starts_line(self.text, item.range().start));
        if has(',') {
            (",", false)
        } else if list.items.is_empty() || has(';') || !on_lines {
            (";", on_lines || list.items.last().is_some_and(|last| after(last) == Some(';')))
        } else {
            ("", false)
        }
    }

    fn insert_beside(&self, target: &Target<'_>, content: &str, side: Side) -> Result<Vec<Edit>> {
        let span = match target {
            Target::Imports(span) if span.is_empty() => return Ok(self.first_import(content)),
            Target::Imports(_) => {
                if let Some(added) = self.merge_imports(content) {
                    let mut edits = added.edits;
                    if !added.remaining.is_empty() {
                        edits.extend(self.insert_at_imports(&added.remaining, side, target)?);
                    }
                    return Ok(edits);
                }
                return self.insert_at_imports(content, side, target);
            }
            _ => target.span(),
        };
        self.insert_at(span, content, side, target)
    }

    /// Inserts above the first import, or below the last one.
    fn insert_at_imports(&self, content: &str, side: Side, target: &Target<'_>) -> Result<Vec<Edit>> {
        let imports = &self.document.regions().imports;
        let chosen = if side == Side::Before { imports.first() } else { imports.last() };
        self.insert_at(chosen.map_or(target.span(), |(span, _)| *span), content, side, target)
    }

    fn insert_at(&self, span: Span, content: &str, side: Side, target: &Target<'_>) -> Result<Vec<Edit>> {
        let (list, index) = list::list_of_item(self.parsed, self.text, span).ok_or_else(|| self.not_in_list(target))?;
        Ok(self.insert(&list, index, side, content))
    }

    fn not_in_list(&self, target: &Target<'_>) -> Failure {
        let what = match target {
            Target::Declaration(_, decl) => format!("{} `{}`", decl.kind.label(), decl.name.resolve(self.text)),
            _ => "this region".to_owned(),
        };
        Failure::unsupported(format!("{what} is not in a list of statements or members"))
            .hint("use `replace`, or target the node that contains it")
            .at(target.span())
    }

    fn insert_into(&self, target: &Target<'_>, insertion: &Insertion) -> Result<Vec<Edit>> {
        match target {
            Target::Imports(span) if span.is_empty() => Ok(self.first_import(&insertion.content)),
            Target::Imports(_) => self.add_import(insertion),
            Target::Export(..) => Err(Failure::unsupported("`exports` is not a list to insert into")
                .hint("use `insert_after` on one of the exports")),
            Target::Declaration(id, decl) => {
                let list = self.list_inside(decl)?;
                let at = match insertion.position {
                    Position::First => list.fixed_count,
                    Position::Last => list.items.len(),
                    Position::Sorted => {
                        let grammar = self.document.tree.grammar();
                        self.member_index(
                            *id,
                            &list,
                            insert::first_declared_name(&insertion.content, list.kind, grammar).as_deref(),
                        )
                    }
                };
                let (index, side) = match at {
                    at if at < list.items.len() => (at, Side::Before),
                    at => (at.saturating_sub(1), Side::After),
                };
                Ok(self.insert(&list, index, side, &insertion.content))
            }
        }
    }

    /// Returns the index at which a member with this name keeps the members sorted. A member without a name is inserted
    /// at the end.
    fn member_index(&self, id: DeclId, list: &List, name: Option<&str>) -> usize {
        let Some(name) = name else { return list.items.len() };
        let members = self.document.table().children(Some(id));
        let mut named: Vec<(usize, &str)> = members
            .filter_map(|(_, decl)| {
                let start = decl.span.start;
                let index = list.items.iter().position(|item| item.start == start)?;
                Some((index, decl.name.resolve(self.text)))
            })
            .collect();
        named.dedup_by_key(|(index, _)| *index);
        let at = marquetry_sdk::items::sorted_index(named.iter().map(|(_, name)| *name), name);
        match named.get(at) {
            Some((index, _)) => *index,
            None => named.last().map_or(list.items.len(), |(index, _)| index + 1),
        }
    }

    /// Returns the list inside a declaration.
    fn list_inside(&self, decl: &Decl) -> Result<List> {
        let refuse = |message: String, hint: &str| Err(Failure::unsupported(message).hint(hint).at(decl.span));
        let what = format!("{} `{}`", decl.kind.label(), decl.name.resolve(self.text));
        let list = match decl.body {
            Some((body, inside)) if inside.is_braced() => list::list_between(self.parsed, self.text, body),
            Some((body, BodyKind::Value)) => list::list_of_value(self.parsed, self.text, body),
            Some((_, BodyKind::Returned)) => {
                return refuse(
                    format!("{what} returns an expression and has no statements"),
                    "use `replace_body` with a block",
                );
            }
            None if decl.kind == Kind::Namespace => {
                return refuse(
                    format!("{what} contains only a nested namespace"),
                    "insert into the nested namespace: `A.B`",
                );
            }
            _ => None,
        };
        match list {
            Some(list) => Ok(list),
            None => refuse(format!("{what} has no body to insert into"), "use `insert_before` or `insert_after`"),
        }
    }
}

/// Side of an item on which to insert.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Before,
    After,
}
