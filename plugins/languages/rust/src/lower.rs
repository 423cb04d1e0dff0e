//! Converts the events of the parser to the arena of `marquetry_code`.

use marquetry_code::{Arena, Builder, Flags, ParseContext};
use marquetry_sdk::Span;

use crate::{
    events::{self, Events, Raw},
    kinds::{F, K, KINDS, is_expression, is_type},
    nesting::too_deep,
};

/// The code that is put before the content of a block or list so that it can be parsed, and the kind of that block or
/// list.
fn wrapper(context: ParseContext) -> Option<(&'static str, K)> {
    let ParseContext::Inside(kind) = context else { return None };
    Some(match kind {
        "STMT_LIST" => ("fn x() {\n", K::STMT_LIST),
        "ASSOC_ITEM_LIST" => ("impl x {\n", K::ASSOC_ITEM_LIST),
        "EXTERN_ITEM_LIST" => ("extern {\n", K::EXTERN_ITEM_LIST),
        "VARIANT_LIST" => ("enum x {\n", K::VARIANT_LIST),
        "RECORD_FIELD_LIST" => ("struct x {\n", K::RECORD_FIELD_LIST),
        _ => ("mod x {\n", K::ITEM_LIST),
    })
}

/// Parses a text.
pub(crate) fn parse(_path: &str, text: String, context: ParseContext) -> Arena {
    parse_with(text, context, events::parse)
}

/// Parses a text for a structural search, with the arguments of all macros that are expressions as such.
pub(crate) fn parse_expanded(_path: &str, text: String, context: ParseContext) -> Arena {
    parse_with(text, context, |text| events::parse_expanded(text).unwrap_or_else(|| events::parse(text)))
}

fn parse_with(text: String, context: ParseContext, parse: impl Fn(&str) -> Events) -> Arena {
    if let Some(at) = too_deep(&text) {
        let error = events::error(Span::at(at), "the code is nested too deeply to be parsed");
        return Builder::new(text, K::SOURCE_FILE.into()).finish(Vec::new(), Vec::new(), vec![error]);
    }
    match wrapper(context) {
        None => lower(text.clone(), parse(&text), 0, K::ITEM_LIST),
        Some((before, kind)) => {
            let mut parsed = parse(&format!("{before}{text}\n}}"));
            let whole = before.len() + text.len() + 2;
            let root = parsed.nodes.iter().position(|node| node.kind == kind).unwrap_or(0);
            let closes_early = parsed.nodes.get(root).is_none_or(|node| node.span.range().end != whole);
            if closes_early && parsed.errors.is_empty() {
                parsed.errors.push(events::error(Span::at(whole), "unmatched closing bracket"));
            }
            shift(&mut parsed, before.len(), text.len());
            lower(text, parsed, root, kind)
        }
    }
}

/// Converts all offsets in the wrapped text to offsets in the original text.
fn shift(events: &mut Events, before: usize, length: usize) {
    let moved = |offset: u32| offset.saturating_sub(before as u32).min(length as u32);
    let moved = |span: Span| Span { start: moved(span.start), end: moved(span.end) };
    let inside = before as u32..(before + length) as u32;
    events.tokens.retain(|token| inside.contains(&token.span.start) && token.span.end <= inside.end);
    events.tokens.iter_mut().for_each(|token| token.span = moved(token.span));
    events.nodes.iter_mut().for_each(|node| node.span = moved(node.span));
    events.errors.iter_mut().for_each(|error| error.span = moved(error.span));
}

/// Builds the arena from the descendants of the node `root`. Its children become the statements of a block.
fn lower(text: String, events: Events, root: usize, block: K) -> Arena {
    let nodes = &events.nodes;
    let mut builder = Builder::new(text, K::SOURCE_FILE.into());
    let inside = || nodes.iter().enumerate().skip(root + 1).take_while(|(_, node)| node.parent >= root);
    let top: Vec<Span> = inside().filter(|(_, node)| node.parent == root).map(|(_, node)| node.span).collect();
    if let (Some(first), Some(last)) = (top.first(), top.last()) {
        let span = Span { start: first.start, end: last.end.max(first.start) };
        builder.open(block.into(), F::Body.into(), span, Flags::default());
        // The open nodes, each with the number of arena nodes that were opened for it.
        let mut open: Vec<(usize, usize)> = vec![(root, 1)];
        for (index, node) in inside() {
            while let Some((_, count)) = open.pop_if(|(above, _)| *above != node.parent) {
                (0..count).for_each(|_| builder.close());
            }
            let count = open_node(&mut builder, nodes, node, block);
            open.push((index, count));
        }
    }
    builder.finish(events.tokens, Vec::new(), events.errors)
}

/// Opens a node. Returns the number of arena nodes that were opened for it.
fn open_node(builder: &mut Builder, nodes: &[Raw], node: &Raw, block: K) -> usize {
    let parent = &nodes[node.parent];
    if node.kind == K::BLOCK_EXPR && parent.kind == K::FN {
        // The statement list becomes the body of the function directly, without this node.
        return 0;
    }
    let around = if parent.kind == K::SOURCE_FILE { block } else { parent.kind };
    let mut count = 1;
    if around == K::STMT_LIST && is_expression(node.kind) {
        // An expression directly in a statement list is the value of the block.
        builder.open(K::EXPR_STMT.into(), F::None.into(), node.span, Flags::default());
        count += 1;
    }
    builder.open(node.kind.into(), field(nodes, node).into(), node.span, Flags::default());
    count
}

/// The role of a node in its parent.
fn field(nodes: &[Raw], node: &Raw) -> F {
    let parent = &nodes[node.parent];
    let name = KINDS.get(node.kind as usize).copied().unwrap_or_default();
    match (parent.kind, node.kind) {
        (_, K::NAME) => F::Name,
        (_, K::ATTR) => F::Attribute,
        (_, K::ITEM_LIST | K::ASSOC_ITEM_LIST | K::EXTERN_ITEM_LIST | K::VARIANT_LIST | K::RECORD_FIELD_LIST) => {
            F::Body
        }
        (K::BLOCK_EXPR, K::STMT_LIST) if nodes[parent.parent].kind == K::FN => F::Body,
        (K::MACRO_RULES | K::MACRO_DEF, K::TOKEN_TREE) => F::Body,
        (K::CONST | K::STATIC, kind) if is_expression(kind) => F::Value,
        (K::TYPE_ALIAS, _) if is_type(name) => F::Value,
        _ => F::None,
    }
}
