//! Extracts statements to a function, or to a method if they use the receiver.

mod control;
mod effects;
mod ending;
mod escape;
mod flow;
mod later;
mod sharing;
mod text;

use std::rc::Rc;

use marquetry_code::{CodeDocument, NodeIndex, ParseContext, TokenKind, blocks::Statements, layout::Content};
use marquetry_sdk::{
    Edit, Failure, Result, Rewrite, Span, lines,
    refactor::{Place, RefactorInput, Refactoring, refactor_failure},
};

use super::add_import::import_paths;
use crate::{
    kinds::{F, K, child, children, has_kind, with_role},
    memo,
    names::{function_around, is_universal},
    symbols::{Symbol, declaring_files},
    table::check_name,
    types::File,
    typing::{Found, Typing},
};
use control::Exit;
use flow::Flow;

pub(super) const EXTRACT_FUNCTION: Refactoring<crate::GoDocument> = Refactoring {
    id: "extract_function",
    title: "Extract to a function",
    place: Place::Selection,
    arguments: &[marquetry_code::extraction::FUNCTION_NAME],
    asks_exporters: false,
    apply: |document, input| memo::call(|| apply(document, input)),
};

fn refused(why: impl Into<String>, hint: &str) -> Failure {
    refactor_failure(why).hint(hint)
}

/// The selected statements.
struct Selected {
    file: Rc<File>,
    /// The block that contains the statements.
    block: NodeIndex,
    statements: Vec<NodeIndex>,
    /// From the start of the first statement to the end of the last one.
    code: Span,
    /// The code with the selected comments around it.
    whole: Span,
    /// The innermost function around the statements.
    function: NodeIndex,
    /// The declaration at the top level around the statements.
    top: NodeIndex,
}

impl Selected {
    /// The nodes of the statements.
    fn nodes(&self) -> impl Iterator<Item = NodeIndex> + '_ {
        let arena = self.file.arena();
        self.statements.iter().flat_map(|own| std::iter::once(*own).chain(arena.descendants(*own)))
    }

    /// The nodes of the statements that are not in function literals inside of them.
    fn own_nodes(&self) -> Vec<NodeIndex> {
        let arena = self.file.arena();
        let is_nested = |node: NodeIndex| {
            let around = arena.ancestors(node).skip(1).take_while(|above| *above != self.block);
            around.into_iter().any(|above| has_kind(arena, above, K::FuncLit))
        };
        self.nodes().filter(|node| !is_nested(*node)).collect()
    }

    fn has(&self, node: NodeIndex, kind: K) -> bool {
        has_kind(self.file.arena(), node, kind)
    }

    fn span(&self, node: NodeIndex) -> Span {
        self.file.arena().node(node).span
    }

    /// The node of the parameter that is the receiver of the method around the statements.
    fn receiver(&self) -> Option<NodeIndex> {
        let arena = self.file.arena();
        children(arena, child(arena, self.top, K::Receiver)?, K::Param).next()
    }
}

fn apply(document: &CodeDocument, input: &RefactorInput) -> Result<Rewrite> {
    super::check_syntax(document)?;
    let name = input.argument("extractedName").unwrap_or("extracted");
    check_name(name)?;
    let symbol = Symbol::new(document);
    let selected = selected(document, &symbol.file, input.at.span.trimmed(document.text_str()))?;
    control::check(&selected)?;
    let exit = Exit::new(&selected)?;
    let flow = Flow::new(&selected, &exit)?;
    check_free(&symbol, &selected, &flow, name)?;
    let parts = text::Parts::new(&selected, &flow, &exit, name)?;
    let mut edits = vec![Edit::new(selected.whole, parts.call.clone())];
    let file = child(document.arena(), 0, K::File).unwrap_or(0);
    let content = Content::new(document.language(), document.path(), &parts.function, ParseContext::Items);
    let statements = Statements::new(document, file);
    let at = statements.position(selected.top).map_or(statements.len(), |at| at + 1);
    edits.extend(statements.insert(at, &content)?);
    edits.extend(import_paths(document, &parts.needed)?);
    edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
    let incomplete = flow.doubt.map(|call| {
        format!(
            "a method that is not known may keep the address of a variable: `{}`",
            call.slice(&document.arena().text)
        )
    });
    Ok(Rewrite { incomplete, ..Rewrite::from(edits) })
}

/// The statements at a selection.
fn selected(document: &CodeDocument, file: &Rc<File>, span: Span) -> Result<Selected> {
    let arena = document.arena();
    let unclear = || refused("the selection is not whole statements", "select whole statements of one block").at(span);
    let is_code = |kind: TokenKind| !matches!(kind, TokenKind::Comment | TokenKind::Break);
    let tokens = arena.tokens_in(span);
    let mut code = tokens.iter().filter(|token| is_code(token.kind));
    let first = code.next().ok_or_else(unclear)?.span;
    let last = code.next_back().map_or(first, |last| last.span);
    let own = Span { start: first.start, end: last.end };
    let is_block = |node: &NodeIndex| has_kind(arena, *node, K::Block) || has_kind(arena, *node, K::CaseBody);
    let around = arena.ancestors(arena.innermost(own)).find(is_block).ok_or_else(unclear)?;
    // A selected block is a statement of the block around it.
    let block = match has_kind(arena, around, K::Block) && arena.node(around).span == own {
        true => arena.ancestors(around).skip(1).find(is_block).filter(|outer| arena.node(around).parent == *outer),
        false => Some(around),
    };
    let block = block.ok_or_else(unclear)?;
    let statements: Vec<NodeIndex> =
        arena.children(block).filter(|statement| own.contains(arena.node(*statement).span)).collect();
    let whole = match (statements.first(), statements.last()) {
        (Some(first), Some(last)) => Span { start: arena.node(*first).span.start, end: arena.node(*last).span.end },
        _ => return Err(unclear()),
    };
    let tail = document.end_of_line_tail(own.range().end);
    let start = tokens.first().map_or(own.start, |token| token.span.start.min(own.start));
    let has_lines = lines::starts_line(&arena.text, start as usize) && lines::ends_line(&arena.text, tail);
    if whole != own || !has_lines {
        return Err(unclear());
    }
    let function = function_around(arena, block);
    let top = arena.ancestors(block).find(|node| has_kind(arena, arena.node(*node).parent, K::File));
    let top = top.ok_or_else(unclear)?;
    let whole = Span { start, end: tail as u32 };
    Ok(Selected { file: Rc::clone(file), block, statements, code: own, whole, function, top })
}

/// Refuses a name that is already taken in the package, at the call or in the type of the receiver.
fn check_free(symbol: &Symbol<'_>, selected: &Selected, flow: &Flow, name: &str) -> Result<()> {
    let taken = |place: &str| {
        Err(refused(format!("{place} already has the name `{name}`"), "give another `extractedName`").at(selected.code))
    };
    if flow.receiver.is_some() {
        let arena = selected.file.arena();
        let own = selected.receiver().and_then(|param| arena.child(param, F::Type.into()));
        let own = own.and_then(|own| Typing::default().written(&selected.file, own));
        let is_free = own.is_some_and(|own| matches!(Typing::default().member(&own, name), Found::Absent));
        return if is_free { Ok(()) } else { taken("the type of the receiver") };
    }
    if selected.file.names.local(name, selected.code.start).is_some() || symbol.import_path_of(name).is_some() {
        return taken("the file");
    }
    if !declaring_files(&symbol.package(), name).is_empty() || is_universal(name) || name == "init" || name == "main" {
        return taken("the package");
    }
    Ok(())
}

/// The types of the results of the function around the selection.
fn result_nodes(selected: &Selected) -> Vec<(NodeIndex, usize)> {
    let arena = selected.file.arena();
    match arena.child(selected.function, F::Result.into()) {
        Some(list) if has_kind(arena, list, K::Results) => children(arena, list, K::Param)
            .filter_map(|param| {
                Some((arena.child(param, F::Type.into())?, with_role(arena, param, F::Name).count().max(1)))
            })
            .collect(),
        Some(only) => vec![(only, 1)],
        None => Vec::new(),
    }
}
