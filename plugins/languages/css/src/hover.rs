//! Hover information for properties and custom properties, and a check for custom properties that are not declared.

use marquetry_sdk::{
    Area, Condition, Diagnostic, FileLocation, Hover, HoverInfo, Note, SemanticDiagnostic, SemanticDiagnostics,
    Severity, SharedName, Span, Usage,
    shared::{CUSTOM_PROPERTY, Certainty, Mention},
};

use crate::{
    Css, Stylesheet, names,
    refactor::{item_at, overrides},
    tree::{Item, Kind, NONE, Tree},
};

/// Maximum number of declarations that are compared with the one for which hover information is requested.
const MAX_COMPARED: usize = 20_000;
/// Maximum number of notes in the hover information of one property.
const MAX_NOTES: usize = 40;

impl Hover for Css {
    fn hover(document: &Stylesheet, offset: u32) -> Option<HoverInfo> {
        let tree = &document.tree;
        let mentions = names::collect_mentions(document);
        if let Ok(mention) = mentions.at(offset) {
            let declared = || mentions.referring_to(CUSTOM_PROPERTY, &mention.name).any(|known| known.declares);
            return (mention.namespace == CUSTOM_PROPERTY && declared())
                .then(|| custom_property_hover(document, mention, mentions.mentions()));
        }
        let index = item_at(tree, Span::at(offset as usize))?;
        let item = tree.item(index);
        let name = Span::new(item.start as usize, item.start as usize + tree.name(item).len());
        (item.kind == Kind::Declaration && !item.block && name.touches(offset as usize))
            .then(|| property_hover(document, index, name))
    }

    /// Reports custom properties that are used without a fallback and not declared in this stylesheet. The host reports
    /// them only if no other file declares them.
    fn check(document: &Stylesheet) -> SemanticDiagnostics {
        let mentions = names::collect_mentions(document);
        let all =
            mentions.mentions().iter().filter(|known| known.namespace == CUSTOM_PROPERTY && known.usage == Usage::Read);
        let is_certain = |known: &&Mention| known.certainty == Certainty::Certain && !known.declares;
        let unknown = all.filter(is_certain).filter(|known| {
            let declared = || mentions.referring_to(CUSTOM_PROPERTY, &known.name).any(|other| other.declares);
            is_alone_in_var(&document.tree.text, known.span) && !declared()
        });
        SemanticDiagnostics { checked: vec![Area::Names], diagnostics: unknown.map(undeclared_property).collect() }
    }
}

fn undeclared_property(known: &Mention) -> SemanticDiagnostic {
    let problem = Diagnostic {
        severity: Severity::Warning,
        span: known.span,
        message: format!("no file declares `{}`", known.name),
        code: Some("unknown-variable".to_owned()),
    };
    let shared = SharedName { namespace: CUSTOM_PROPERTY.to_owned(), name: known.name.clone() };
    SemanticDiagnostic {
        only_if: vec![Condition::DeclaredNowhere(shared)],
        ..SemanticDiagnostic::certain(Area::Names, problem)
    }
}

/// Returns whether the name is the only argument of `var(…)`, so that the call has no fallback.
fn is_alone_in_var(text: &str, span: Span) -> bool {
    let (before, after) = (&text[..span.range().start], &text[span.range().end..]);
    let inside = before.trim_end().strip_suffix('(').map(str::trim_end);
    let is_var = inside.is_some_and(|before| {
        before.len() >= 3 && before.get(before.len() - 3..).is_some_and(|word| word.eq_ignore_ascii_case("var"))
    });
    is_var && after.trim_start().starts_with(')')
}

/// Returns the hover information of a custom property that the stylesheet declares: its values, and the rules that set
/// them.
fn custom_property_hover(document: &Stylesheet, mention: &Mention, all: &[Mention]) -> HoverInfo {
    let tree = &document.tree;
    let mut info = HoverInfo::plain(&mention.name, "custom-property", mention.span);
    let own =
        all.iter().filter(|known| known.namespace == CUSTOM_PROPERTY && known.name == mention.name && known.declares);
    for known in own.filter(|known| known.usage == Usage::Declaration).take(MAX_NOTES) {
        let place = FileLocation { path: document.path.clone(), offset: known.span.start };
        info.declared.get_or_insert_with(|| place.clone());
        let Some(index) = item_at(tree, known.span) else { continue };
        let item = tree.item(index);
        if item.kind != Kind::Declaration || !item.has_body {
            continue;
        }
        let value = item.body().map_or("", |body| body.slice(&tree.text)).trim();
        info.type_.get_or_insert_with(|| value.to_owned());
        info.code.get_or_insert_with(|| item.span().slice(&tree.text).to_owned());
        let place = Some(place);
        info.notes.push(Note {
            label: "value".to_owned(),
            text: format!("{value} in {}", enclosing_rule(tree, item)),
            location: place,
        });
        info.documentation =
            info.documentation.or_else(|| tree.doc(item).map(|doc| comment_text(doc.slice(&tree.text))));
    }
    info
}

/// Returns the text of a comment without its delimiters.
fn comment_text(text: &str) -> String {
    let lines = text.lines().map(|line| {
        let line = line.trim().trim_start_matches("/*").trim_start_matches("//").trim_end_matches("*/");
        line.trim().trim_start_matches('*').trim()
    });
    lines.filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
}

/// Returns the hover information of a property: the declarations in this file that it overrides, and those that
/// override it.
fn property_hover(document: &Stylesheet, index: u32, name: Span) -> HoverInfo {
    let tree = &document.tree;
    let item = tree.item(index);
    let mut info = HoverInfo::plain(tree.name(item), "declaration", name);
    info.code = Some(item.span().slice(&tree.text).to_owned());
    info.type_ = item.body().map(|body| body.slice(&tree.text).trim().to_owned());
    info.documentation = tree.doc(item).map(|doc| comment_text(doc.slice(&tree.text)));
    info = info.note("in", enclosing_rule(tree, item));
    let place = declaration_context(tree, item);
    let is_important = is_important(tree, item);
    let declarations = (0..tree.items.len() as u32).filter(|other| {
        let other = tree.item(*other);
        other.kind == Kind::Declaration && !other.block && other.has_body
    });
    for other_index in declarations.take(MAX_COMPARED).filter(|other| *other != index) {
        let other = tree.item(other_index);
        if !overrides::is_overriding(tree.name(item), tree.name(other))
            || !declaration_context(tree, other).overlaps(&place)
        {
            continue;
        }
        let wins = match (is_important, self::is_important(tree, other)) {
            (true, false) => false,
            (false, true) => true,
            _ => other.start > item.start,
        };
        let label = if wins { "overridden by" } else { "overrides" };
        let text = format!("{} in {}", other.span().slice(&tree.text), enclosing_rule(tree, other));
        let place = FileLocation { path: document.path.clone(), offset: other.start };
        info.notes.push(Note { label: label.to_owned(), text, location: Some(place) });
        if info.notes.len() == MAX_NOTES {
            break;
        }
    }
    info
}

fn is_important(tree: &Tree, item: &Item) -> bool {
    let value = item.body().map_or("", |body| body.slice(&tree.text)).trim_end();
    value.len() >= 10 && value.get(value.len() - 9..).is_some_and(|end| end.eq_ignore_ascii_case("important"))
}

/// Context of a declaration: the heads of the items around its rule, from the inside out, and the selectors of the
/// rule.
#[derive(Debug, PartialEq)]
struct Context {
    outer: Vec<String>,
    selectors: Vec<String>,
}

impl Context {
    /// Returns whether the contexts have a selector in common, so that both declarations apply to the same elements.
    fn overlaps(&self, other: &Context) -> bool {
        self.outer == other.outer && self.selectors.iter().any(|selector| other.selectors.contains(selector))
    }
}

fn declaration_context(tree: &Tree, item: &Item) -> Context {
    let parents = std::iter::successors(tree.items.get(item.parent as usize), |item| {
        (item.parent != NONE).then(|| tree.item(item.parent))
    });
    let mut heads: Vec<String> = parents.map(|around| collapse_white_space(tree.head(around))).collect();
    let own = if heads.is_empty() { String::new() } else { heads.remove(0) };
    Context { outer: heads, selectors: split_selector_list(&own) }
}

/// Returns the heads of the items around a declaration, from the outside in: `@media print > .a`.
fn enclosing_rule(tree: &Tree, item: &Item) -> String {
    let context = declaration_context(tree, item);
    let mut parts: Vec<String> = context.outer;
    parts.reverse();
    parts.push(context.selectors.join(", "));
    parts.retain(|part| !part.is_empty());
    if parts.is_empty() { "the file".to_owned() } else { parts.join(" > ") }
}

fn collapse_white_space(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Splits a selector list.
fn split_selector_list(head: &str) -> Vec<String> {
    let (mut depth, mut start, mut found) = (0_i32, 0, Vec::new());
    for (at, c) in head.char_indices() {
        depth += i32::from(matches!(c, '(' | '[')) - i32::from(matches!(c, ')' | ']'));
        if c == ',' && depth == 0 {
            found.push(head[start..at].trim().to_owned());
            start = at + 1;
        }
    }
    found.push(head[start..].trim().to_owned());
    found
}
