//! Views of declarations: `full`, `signature`, `body` and `summary`.

use marquetry_sdk::{Form, Span, View, lines};

use crate::{
    arena::{Token, TokenKind},
    document::CodeDocument,
    language::Block,
    outline::Symbol,
};

/// The view of a symbol.
pub(crate) fn view(document: &CodeDocument, index: usize, form: Form) -> View {
    let symbol = &document.symbols().symbols[index];
    match form {
        Form::Full => View::Span(symbol.span),
        Form::Body => View::Span(symbol.body.unwrap_or(symbol.span)),
        Form::Signature => View::Text(signature(document, symbol)),
        Form::Summary => View::Text(summary(document, index)),
    }
}

/// The header of a declaration on one line, without decorators.
pub fn signature(document: &CodeDocument, symbol: &Symbol) -> String {
    let (arena, language) = (document.arena(), document.language());
    let statement = arena.node(symbol.node).span;
    let is_attached = |child: &u32| language.attached.contains(&language.field_name(arena.node(*child).field));
    let attached = arena.children(symbol.node).take_while(is_attached).last();
    let start = attached.map_or(statement.start, |last| {
        let after = arena.token_at(arena.node(last).span.end);
        let first = arena.tokens[after..].iter().find(|token| is_code(token));
        first.map_or(statement.start, |token| token.span.start)
    });
    let opener = language.form.opener();
    match (symbol.inner, symbol.body) {
        (Some(inner), _) => {
            let head = Span { start, end: arena.node(inner).span.start.max(start) };
            let line = one_line(document, head);
            line.strip_suffix(opener).unwrap_or(&line).trim_end().to_owned()
        }
        (None, Some(value)) if statement.slice(&arena.text).contains('\n') => {
            format!("{} …", one_line(document, Span { start, end: value.start.max(start) }))
        }
        _ => {
            let line = one_line(document, Span { start, end: statement.end.max(start) });
            match language.form {
                Block::Indentation { .. } => line,
                Block::Delimited { .. } => line.trim_end_matches(';').trim_end().to_owned(),
            }
        }
    }
}

fn is_code(token: &Token) -> bool {
    !matches!(token.kind, TokenKind::Comment | TokenKind::Break)
}

/// Formats code on one line, without comments.
fn one_line(document: &CodeDocument, span: Span) -> String {
    let text = document.text_str();
    let tokens: Vec<&Token> = document.arena().tokens_in(span).iter().filter(|token| is_code(token)).collect();
    let mut out = String::new();
    let mut before: Option<&Token> = None;
    for (index, token) in tokens.iter().enumerate() {
        let own = Span { start: token.span.start, end: token.span.end.min(span.end) }.slice(text);
        let next = tokens.get(index + 1).map_or("", |next| next.span.slice(text));
        let gap = before.map_or("", |before| {
            &text[before.span.range().end.min(token.span.range().start)..token.span.range().start]
        });
        if gap.contains(['\n', '\r']) || !gap.trim().is_empty() {
            let follows_bracket = out.ends_with(['(', '[', '{']);
            let closes = matches!(own, ")" | "]" | "}");
            out.push_str(if follows_bracket || closes { "" } else { " " });
        } else {
            out.push_str(gap);
        }
        before = Some(token);
        // A trailing comma of a list with several lines is omitted.
        let is_last = own == "," && matches!(next, ")" | "]" | "}");
        let breaks = tokens
            .get(index + 1)
            .is_some_and(|next| text[token.span.range().end..next.span.range().start].contains('\n'));
        if !(is_last && breaks) {
            out.push_str(own);
        }
    }
    out
}

/// The comment, decorators, header and documentation of a symbol, and the headers of its members.
fn summary(document: &CodeDocument, index: usize) -> String {
    let symbol = &document.symbols().symbols[index];
    let mut out = String::new();
    if let Some(doc) = symbol.doc {
        let comment = doc.slice(document.text_str()).lines().map(str::trim);
        out += &format!("{}\n", comment.collect::<Vec<_>>().join("\n"));
    }
    push_head(document, symbol, "", &mut out);
    let unit = document.unit();
    push_documentation(document, symbol, unit, &mut out);
    let inside = document.symbols().symbols.iter().filter(|inner| inner.is_listed && inner.parent == Some(index));
    for inner in inside.filter(|_| symbol.inner.is_some()) {
        push_head(document, inner, unit, &mut out);
    }
    out.trim_end().to_owned()
}

fn push_head(document: &CodeDocument, symbol: &Symbol, indent: &str, out: &mut String) {
    let (arena, language) = (document.arena(), document.language());
    for child in arena.children(symbol.node) {
        if language.attached.contains(&language.field_name(arena.node(child).field)) {
            *out += &format!("{indent}{}\n", one_line(document, arena.node(child).span));
        }
    }
    let end = if symbol.inner.is_some() { language.form.summary() } else { String::new() };
    *out += &format!("{indent}{}{end}\n", signature(document, symbol));
}

fn push_documentation(document: &CodeDocument, symbol: &Symbol, indent: &str, out: &mut String) {
    let find = document.language().hooks.documentation;
    let Some(doc) = symbol.inner.and_then(|inner| find(document.arena(), inner)) else { return };
    let (text, span) = (document.text_str(), document.arena().node(doc).span);
    let outer = lines::indent_at(text, span.range().start);
    for line in span.slice(text).lines() {
        let line = line.strip_prefix(outer).unwrap_or(line.trim_start());
        *out += if line.trim().is_empty() { String::new() } else { format!("{indent}{}", line.trim_end()) }.as_str();
        out.push('\n');
    }
}
