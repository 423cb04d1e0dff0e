//! Parses the imports in the content of an edit: declarations, or only their paths.

use marquetry_code::{Arena, CodeDocument, NodeIndex, ParseContext, layout::Content};
use marquetry_sdk::{FailureKind, Result, fail, lines};

use super::Spec;
use crate::{
    kinds::{F, K, has_kind},
    table::unquoted,
};

/// Returns whether a text is an import path without quotes.
pub(super) fn is_path(text: &str) -> bool {
    let is_part = |part: &str| {
        !part.is_empty() && !part.contains(|c: char| c.is_whitespace() || "\"`\\()'*<>?:|;{}=,".contains(c))
    };
    text.split('/').all(is_part)
}

/// The imports in a content. The keyword `import` may be missing, and the quotes of a path that is alone on its line.
///
/// # Errors
///
/// Fails if the content has other code.
pub(super) fn read(document: &CodeDocument, content: &str) -> Result<Vec<Spec>> {
    let parse =
        |content: &str, context: ParseContext| Content::new(document.language(), document.path(), content, context);
    let parsed = parse(content, ParseContext::Items);
    let is_import =
        |node: &NodeIndex| has_kind(&parsed.arena, *node, K::Import) || has_kind(&parsed.arena, *node, K::ImportGroup);
    if parsed.arena.errors.is_empty() && parsed.statements().iter().all(is_import) && !parsed.is_comment() {
        return Ok(specs(&parsed.arena));
    }
    let parsed = parse(&with_quotes(content), ParseContext::Inside("IMPORT_SPECS"));
    if parsed.arena.errors.is_empty() && !parsed.is_comment() {
        return Ok(specs(&parsed.arena));
    }
    Err(fail(FailureKind::InvalidArgument, "the content has code that is not an import").hint(
        "give one import on each line: `\"net/http\"` or `name \"net/http\"`; `insert_before` and `insert_after` take \
         other code",
    ))
}

/// The content with quotes around paths that are alone on their lines.
fn with_quotes(content: &str) -> String {
    let quoted = |line: &str| {
        let word = line.trim();
        if is_path(word) && !word.starts_with("//") { format!("\"{word}\"") } else { line.to_owned() }
    };
    content.lines().map(quoted).collect::<Vec<_>>().join("\n")
}

/// The imports of a parsed content, each with the comments above it and on its line.
fn specs(arena: &Arena) -> Vec<Spec> {
    let nodes: Vec<NodeIndex> =
        arena.nodes().filter(|(_, node)| node.kind == K::Import.into()).map(|(index, _)| index).collect();
    let spec = |(at, node): (usize, &NodeIndex)| {
        let path = arena.child(*node, F::Path.into())?;
        let alias = arena.child(*node, F::Name.into());
        let start = alias.unwrap_or(path);
        let span = arena.node(start).span.start as usize..arena.node(path).span.end as usize;
        let before = at.checked_sub(1).map_or(0, |before| arena.node(nodes[before]).span.end as usize);
        let next = nodes.get(at + 1).map_or(arena.text.len(), |next| arena.node(*next).span.start as usize);
        let above = comment_lines(&arena.text[before..arena.node(*node).span.start as usize], before > 0);
        let line = lines::line_end(&arena.text, span.end).min(next);
        let beside = arena.text[span.end..line].trim_end();
        let beside = if beside.trim_start().starts_with('/') { beside } else { "" };
        Some(Spec {
            path: unquoted(arena.slice(path)).to_owned(),
            alias: alias.map(|alias| arena.slice(alias).to_owned()),
            text: format!("{above}{}{beside}", &arena.text[span]),
        })
    };
    nodes.iter().enumerate().filter_map(spec).collect()
}

/// The lines of a text between two imports that are comments, without the comment on the line of the first import.
fn comment_lines(between: &str, has_before: bool) -> String {
    let lines = between.lines().skip(usize::from(has_before)).map(str::trim);
    lines.filter(|line| line.starts_with("//")).map(|line| format!("{line}\n")).collect()
}
