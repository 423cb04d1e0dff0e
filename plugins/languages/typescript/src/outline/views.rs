//! Readable views of declarations: signatures and summaries.

use marquetry_sdk::{Span, indent, lines};
use oxc_ast::ast::Comment;

use crate::outline::declarations::{BodyKind, Decl, DeclId, DeclTable, Kind};
use crate::syntax::comments;

/// A document and the data for its views.
pub(crate) struct Viewer<'d> {
    pub(crate) table: &'d DeclTable,
    pub(crate) text: &'d str,
    pub(crate) comments: &'d [Comment],
}

/// Longer values are omitted from signatures.
const LONGEST_VALUE: usize = 100;

impl Viewer<'_> {
    /// Returns the head of a declaration on one line, without `export`, decorators and body.
    pub(crate) fn signature(&self, decl: &Decl) -> String {
        let head = decl.head;
        let whole = Span { start: head, end: decl.span.end };
        let prefix = match decl.kind {
            Kind::Const | Kind::Let | Kind::Var if !decl.in_pattern && head == decl.selection.start => {
                format!("{} ", decl.kind.label())
            }
            _ => String::new(),
        };
        let own = match (decl.kind, decl.body) {
            (Kind::Suite | Kind::Test, _) => {
                format!("{})", self.on_one_line(Span { start: head, end: decl.selection.end }))
            }
            (Kind::Hook, _) => format!("{}()", self.on_one_line(decl.selection)),
            (
                _,
                Some((
                    body,
                    BodyKind::Statements | BodyKind::ClassMembers | BodyKind::EnumMembers | BodyKind::Returned,
                )),
            ) => {
                let end = body.start - u32::from(self.text[..body.range().start].ends_with('{'));
                let line = self.on_one_line(Span { start: head, end: end.max(head) });
                line.trim_end_matches("=>").trim_end().to_owned()
            }
            (Kind::Interface, Some((body, _))) => {
                self.on_one_line(Span { start: head, end: (body.start - 1).max(head) })
            }
            (_, Some((body, BodyKind::TypeMembers | BodyKind::Properties))) => {
                let (before, after) = (Span { start: head, end: body.start }, Span { start: body.end, end: whole.end });
                let inside = if body.slice(self.text).trim().is_empty() { "" } else { " … " };
                format!("{}{inside}{}", self.on_one_line(before), self.on_one_line(after))
            }
            (_, Some((body, BodyKind::Value))) if body.len() > LONGEST_VALUE => {
                format!("{} …", self.on_one_line(Span { start: head, end: body.start }))
            }
            _ => self.on_one_line(whole),
        };
        format!("{prefix}{}", own.trim_end_matches([';', ',']).trim_end())
    }

    /// Returns the body of a declaration without surrounding white space, except for the indentation of its first line.
    pub(crate) fn body(&self, body: Span) -> Span {
        let inside = body.slice(self.text);
        let content = inside.trim();
        if content.is_empty() {
            return Span::at(body.range().start);
        }
        let start = body.range().start + (inside.len() - inside.trim_start().len());
        let line = lines::line_start(self.text, start);
        let from = if line >= body.range().start { line } else { start };
        Span::new(from, start + content.len())
    }

    /// Returns the signatures of all members, or the comment and signature of a declaration without members.
    pub(crate) fn summary(&self, id: DeclId, decl: &Decl) -> String {
        let separator = match decl.body {
            Some((_, BodyKind::EnumMembers | BodyKind::Properties)) => ",",
            Some((_, BodyKind::ClassMembers | BodyKind::TypeMembers)) => ";",
            Some((_, BodyKind::Statements)) if matches!(decl.kind, Kind::Namespace | Kind::Suite) => ";",
            _ => return self.comment_and_signature(decl),
        };
        let head = self.signature(decl);
        let head = head.strip_suffix("{ … }").or(head.strip_suffix("{}")).unwrap_or(&head).trim_end();
        let mut out = format!("{head} {{\n");
        for (_, member) in self.members(id) {
            out.push_str("  ");
            out.push_str(&self.signature(member));
            let has_block = matches!(member.body, Some((_, inside)) if inside.is_braced())
                && !matches!(member.body, Some((_, BodyKind::Properties | BodyKind::TypeMembers)) if member.kind != Kind::Interface);
            out.push_str(if has_block { " { … }" } else { "" });
            out.push_str(if has_block && separator == ";" { "" } else { separator });
            out.push('\n');
        }
        out.push('}');
        out
    }

    /// Yields the direct members, except for parameter properties, which the constructor shows.
    fn members(&self, id: DeclId) -> impl Iterator<Item = (DeclId, &Decl)> {
        let constructors: Vec<Span> = self
            .table
            .children(Some(id))
            .filter(|(_, it)| it.kind == Kind::Constructor)
            .map(|(_, it)| it.span)
            .collect();
        self.table.children(Some(id)).filter(move |(_, member)| {
            member.kind == Kind::Constructor || !constructors.iter().any(|span| span.contains(member.span))
        })
    }

    fn comment_and_signature(&self, decl: &Decl) -> String {
        let signature = self.signature(decl);
        match comments::attached_comment(self.comments, self.text, decl.span.range().start) {
            Some(doc) => format!("{}\n{signature}", indent::reindent(doc.slice(self.text), "", |_| false)),
            None => signature,
        }
    }

    /// Returns a piece of the text on one line, without comments. Quoted text is not changed.
    fn on_one_line(&self, span: Span) -> String {
        let mut out = String::new();
        let mut at = span.range().start;
        let first = self.comments.partition_point(|comment| (comment.span.end as usize) <= at);
        let inner = self.comments[first..].iter().take_while(|comment| comment.span.end <= span.end);
        for comment in inner {
            collapse_whitespace(&self.text[at..(comment.span.start as usize).max(at)], &mut out);
            at = (comment.span.end as usize).max(at);
        }
        collapse_whitespace(&self.text[at..span.range().end.max(at)], &mut out);
        out.trim_end().to_owned()
    }
}

/// Appends a text. Outside of quotes, each run of white space becomes one space; at the start and after a bracket it is
/// removed.
fn collapse_whitespace(text: &str, out: &mut String) {
    let mut quote = None;
    let mut escaped = false;
    let mut space = !text.starts_with(|c: char| !c.is_whitespace());
    for c in text.chars() {
        if let Some(open) = quote {
            out.push(c);
            match c {
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                c if c == open => quote = None,
                _ => {}
            }
            continue;
        }
        if c.is_whitespace() {
            space = true;
            continue;
        }
        let tight = out.is_empty() || out.ends_with(['(', '[', ' ']) || matches!(c, ')' | ']' | ',' | ';');
        if std::mem::take(&mut space) && !tight {
            out.push(' ');
        }
        if matches!(c, ')' | ']') && out.ends_with(',') {
            out.pop(); // trailing comma of a multi-line list
        }
        if matches!(c, '"' | '\'' | '`') {
            quote = Some(c);
        }
        out.push(c);
    }
    if space && !out.is_empty() && !out.ends_with(' ') {
        out.push(' ');
    }
}
