//! Replaces expressions and types, adding parentheses where needed.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use marquetry_sdk::span::apply_within;
use marquetry_sdk::{Edit, Span};
use oxc_ast::{AstKind, AstType};
use oxc_span::GetSpan as _;
use oxc_syntax::identifier::is_identifier_name;

use crate::syntax::tree::{Parsed, Tree};

/// Maximum number of times a statement is parsed to find out which of the new texts need parentheses. Texts that were
/// not checked by then keep their parentheses.
const MAX_PARSES: usize = 24;

/// Returns the text to write in place of an expression or type: the new one, in parentheses if needed.
pub(crate) fn replacement_text(parsed: &Parsed<'_>, tree: &Tree, place: Span, new: &str) -> String {
    replacement_texts(parsed, tree, &[(place, new)]).pop().unwrap_or_default()
}

/// Like [`replacement_text`], for several places that are in order and do not overlap.
///
/// This uses the parser rather than a table of precedences: without parentheses, the new text must be parsed as a
/// single node again, with ancestors of the same kinds as the replaced node. A top-level statement is parsed a few
/// times for all places in it.
pub(crate) fn replacement_texts(parsed: &Parsed<'_>, tree: &Tree, places: &[(Span, &str)]) -> Vec<String> {
    let mut written = Vec::with_capacity(places.len());
    let mut rest = places;
    while let Some((first, _)) = rest.first() {
        let range = statement_range(parsed, tree, *first);
        let count = rest.iter().take_while(|(place, _)| place.range().end <= range.end).count().max(1);
        let (here, others) = rest.split_at(count);
        let is_plain = here.iter().all(|(place, new)| never_needs_parentheses(tree.text(), *place, new));
        let part = ReplacedPart { tree, range, places: here };
        match if is_plain { None } else { part.needs_parentheses() } {
            Some(enclosed) => written.extend(
                here.iter().zip(enclosed).map(
                    |((_, new), enclosed)| {
                        if enclosed { format!("({new})") } else { (*new).to_owned() }
                    },
                ),
            ),
            None => written.extend(here.iter().map(|(_, new)| (*new).to_owned())),
        }
        rest = others;
    }
    written
}

/// Returns whether the new text is a name, or a string in a position where no statement can start.
fn never_needs_parentheses(text: &str, place: Span, new: &str) -> bool {
    let before = text[..place.range().start].trim_end();
    is_identifier_name(new) || is_atomic(new) && before.ends_with(['(', ',', '=', '[', ':', '?', '&', '|', '+'])
}

/// Returns whether a text is a name or a string: it never needs parentheses, except at the start of a statement.
pub(crate) fn is_atomic(text: &str) -> bool {
    let quote = text.chars().next().filter(|c| ['"', '\''].contains(c));
    let is_string =
        |quote: char| text.len() > 1 && text.ends_with(quote) && !text[1..text.len() - 1].contains([quote, '\\']);
    is_identifier_name(text) || quote.is_some_and(is_string)
}

/// Returns the range of the top-level statement around a place.
fn statement_range(parsed: &Parsed<'_>, tree: &Tree, place: Span) -> Range<usize> {
    let body = &parsed.program.body;
    let index = body.partition_point(|statement| statement.span().end < place.end);
    let around = body.get(index).map(|statement| statement.span());
    let around = around.filter(|around| around.start <= place.start && (around.end as usize) <= tree.text().len());
    around.map_or(0..tree.text().len(), |around| around.start as usize..around.end as usize)
}

/// Kinds of the ancestors of nodes, from the inside out.
type Surroundings = Vec<Option<Vec<AstType>>>;

/// A part of the text that contains the places.
struct ReplacedPart<'p> {
    tree: &'p Tree,
    range: Range<usize>,
    places: &'p [(Span, &'p str)],
}

impl ReplacedPart<'_> {
    /// Returns which of the new texts need parentheses; `None` if the part cannot be parsed.
    fn needs_parentheses(&self) -> Option<Vec<bool>> {
        let old: Vec<String> = self.places.iter().map(|(place, _)| place.slice(self.tree.text()).to_owned()).collect();
        let (errors, wanted) = self.parse_with(&old, &vec![false; old.len()])?;
        let new: Vec<String> = self.places.iter().map(|(_, new)| (*new).to_owned()).collect();
        let wrong = |enclosed: &[bool]| -> Option<Vec<usize>> {
            let (found_errors, found) = self.parse_with(&new, enclosed)?;
            let differs = |index: &usize| wanted[*index].is_some() && found[*index] != wanted[*index];
            (found_errors <= errors)
                .then(|| (0..new.len()).filter(|index| !enclosed[*index] && differs(index)).collect())
        };
        let mut enclosed = vec![false; new.len()];
        for _ in 0..3 {
            match wrong(&enclosed) {
                Some(wrong) if wrong.is_empty() => return Some(enclosed),
                Some(wrong) => wrong.into_iter().for_each(|index| enclosed[index] = true),
                None => break,
            }
        }
        // Adding parentheses step by step did not succeed. Enclose all texts, and try to remove the parentheses one by
        // one.
        let mut enclosed = vec![true; new.len()];
        if self.parse_with(&new, &enclosed).is_none_or(|(found, _)| found > errors) {
            // There are errors even if all texts are enclosed, so parentheses do not help.
            return None;
        }
        for index in 0..new.len().min(MAX_PARSES) {
            enclosed[index] = false;
            if wrong(&enclosed).is_none_or(|wrong| wrong.contains(&index)) {
                enclosed[index] = true;
            }
        }
        Some(enclosed)
    }

    /// Parses the part with these texts in the places. Returns the number of errors and the ancestors of the texts.
    fn parse_with(&self, texts: &[String], enclosed: &[bool]) -> Option<(usize, Surroundings)> {
        let mut edits = Vec::with_capacity(texts.len());
        let mut spans = Vec::with_capacity(texts.len());
        let mut shift = -(self.range.start as i64);
        for (((place, _), text), enclosed) in self.places.iter().zip(texts).zip(enclosed) {
            let text = if *enclosed { format!("({text})") } else { text.clone() };
            let start = i64::from(place.start) + shift;
            let margin = i64::from(*enclosed);
            spans.push(((start + margin) as u32, (start + text.len() as i64 - margin) as u32));
            shift += text.len() as i64 - place.len() as i64;
            edits.push(Edit::new(*place, text));
        }
        let text = apply_within(self.tree.text(), self.range.clone(), &edits);
        let tree = Tree::parse(self.tree.path(), text);
        tree.with(|parsed| parsed.is_exact(tree.text()).then(|| (parsed.errors.len(), surroundings(parsed, &spans))))
    }
}

/// Returns the ancestors of the outermost nodes with exactly these spans.
fn surroundings(parsed: &Parsed<'_>, spans: &[(u32, u32)]) -> Surroundings {
    let is_statement = |kind: &AstKind<'_>| {
        matches!(
            kind,
            AstKind::Program(_)
                | AstKind::FunctionBody(_)
                | AstKind::BlockStatement(_)
                | AstKind::ExpressionStatement(_)
        )
    };
    let mut found: HashMap<(u32, u32), Vec<AstType>> = HashMap::new();
    let wanted: HashSet<(u32, u32)> = spans.iter().copied().collect();
    let nodes = parsed.semantic().nodes();
    for node in nodes.iter() {
        let place = (node.kind().span().start, node.kind().span().end);
        if wanted.contains(&place) && !is_statement(&node.kind()) && !found.contains_key(&place) {
            found.insert(place, nodes.ancestor_kinds(node.id()).map(|kind| kind.ty()).collect());
        }
    }
    spans.iter().map(|span| found.get(span).cloned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the text after replacing the part between `«` and `»`.
    #[track_caller]
    fn check(marked: &str, new: &str, after: &str) {
        let start = marked.find('«').expect("«");
        let end = marked.find('»').expect("»") - '«'.len_utf8();
        let text = marked.replace(['«', '»'], "");
        let tree = Tree::parse("a.ts", text.clone());
        let place = Span::new(start, end);
        let written = tree.with(|parsed| replacement_text(parsed, &tree, place, new));
        assert_eq!(format!("{}{written}{}", &text[..start], &text[end..]), after, "{marked}");
    }

    #[test]
    fn parentheses_are_added_if_needed() {
        check("a * «b»;", "c + d", "a * (c + d);");
        check("a + «b»;", "c * d", "a + c * d;");
        check("a - «b»;", "c - d", "a - (c - d);");
        check("«a» - b;", "c - d", "c - d - b;");
        check("a ** «b»;", "c ** d", "a ** c ** d;");
        check("«a» ** b;", "c ** d", "(c ** d) ** b;");
        check("«a» ** b;", "-c", "(-c) ** b;");
        check("a ?? «b»;", "c || d", "a ?? (c || d);");
        check("«a».b;", "c + d", "(c + d).b;");
        check("«a».b;", "await c", "(await c).b;");
        check("«a».b;", "new C", "(new C).b;");
        check("«a».b;", "c?.d", "(c?.d).b;");
        check("«a».b;", "1", "(1).b;");
        check("new «a»();", "f()", "new (f())();");
        check("f(«a»);", "b, c", "f((b, c));");
        check("f(«a»);", "x => x", "f(x => x);");
        check("«a»();", "x => x", "(x => x)();");
        check("const a = «b»;", "c, d", "const a = (c, d);");
        check("const a = «b»;", "c = d", "const a = c = d;");
        check("() => «a»;", "{ b: 1 }", "() => ({ b: 1 });");
        check("«a»;", "{ b: 1 }", "({ b: 1 });");
        check("«a»;", "function () {}", "(function () {});");
        check("a ? «b» : c;", "d, e", "a ? (d, e) : c;");
        check("«a» ? b : c;", "d = e", "(d = e) ? b : c;");
        check("`${«a»}`;", "b, c", "`${b, c}`;");
        check("class A extends «B» {}", "c || d", "class A extends (c || d) {}");
        check("type T = «A»[];", "B | C", "type T = (B | C)[];");
        check("type T = «A» | B;", "() => C", "type T = (() => C) | B;");
        check("type T = «A»;", "B | C", "type T = B | C;");
        check("f(); x = a * «b»; g();", "c + d", "f(); x = a * (c + d); g();");
    }

    #[test]
    fn parentheses_are_found_for_many_spans() {
        let text = "f(a); a.b(); a || c; a * 2; (() => a * 3)();".to_owned();
        let tree = Tree::parse("a.ts", text.clone());
        let places: Vec<(Span, &str)> =
            text.match_indices('a').map(|(at, _)| (Span::new(at, at + 1), "d + e")).collect();
        let written = tree.with(|parsed| replacement_texts(parsed, &tree, &places));
        assert_eq!(written, ["d + e", "(d + e)", "d + e", "(d + e)", "(d + e)"]);
        let places: Vec<(Span, &str)> = places.iter().map(|(place, _)| (*place, "() => {}")).collect();
        let written = tree.with(|parsed| replacement_texts(parsed, &tree, &places));
        assert_eq!(written, ["() => {}", "(() => {})", "(() => {})", "(() => {})", "(() => {})"]);
    }
}
