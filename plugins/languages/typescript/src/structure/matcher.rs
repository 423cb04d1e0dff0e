//! Structural search: finds the nodes of a program that match a pattern.

use marquetry_sdk::{FailureKind, Result, fail};
use oxc_ast::AstType;

use super::pattern::{Metavariable, Pattern, Reading};
use super::tokens::{Item, Part, items};
use super::tree::{FlatTree, canonical_kind, is_atom};

/// A match of the pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Match {
    pub(crate) part: Part,
    /// Parts matched by metavariables, by the index of the name.
    pub(crate) captures: Vec<(usize, Part)>,
    /// Comments, modifiers and decorators in the match that the pattern omits.
    pub(crate) omitted: Vec<Part>,
}

/// Maximum number of comparisons per document: several `$$$` in one list can be matched in very many ways.
const MOST_STEPS: usize = 50_000_000;

/// Returns all matches by start offset, outer ones before the ones they contain. Fails with `LimitExceeded` if there
/// are too many comparisons.
pub(crate) fn find_matches(pattern: &Pattern, code: &FlatTree<&str>) -> Result<Vec<Match>> {
    let mut found = Vec::new();
    let mut steps = 0;
    for reading in &pattern.readings {
        let mut matcher = Matcher { reading, code, bindings: Vec::new(), omitted: Vec::new(), steps };
        for index in 0..code.nodes.len() {
            match reading.roots.as_slice() {
                [root] => found.extend(matcher.match_node(*root, index)),
                roots => matcher.match_sequences(roots, index, &mut found),
            }
            if matcher.steps > MOST_STEPS {
                return Err(fail(FailureKind::LimitExceeded, "the pattern can match in too many ways")
                    .hint("use fewer `$$$` in one list, or write more code between them"));
            }
        }
        steps = matcher.steps;
    }
    found.sort_by_key(|found: &Match| (found.part.0, std::cmp::Reverse(found.part.1)));
    found.dedup_by_key(|found| found.part);
    Ok(found)
}

/// Binding of a metavariable.
#[derive(Debug, Clone)]
struct Binding {
    name: usize,
    part: Part,
    /// The nodes, to compare them with other occurrences of the same metavariable.
    nodes: Vec<usize>,
}

struct Matcher<'m> {
    reading: &'m Reading,
    code: &'m FlatTree<&'m str>,
    bindings: Vec<Binding>,
    omitted: Vec<Part>,
    steps: usize,
}

impl Matcher<'_> {
    /// Matches a single node.
    fn match_node(&mut self, root: usize, index: usize) -> Option<Match> {
        if canonical_kind(self.reading.tree.nodes[root].kind) != canonical_kind(self.code.nodes[index].kind) {
            return None;
        }
        self.reset();
        let node = self.code.nodes[index];
        self.node_matches(root, index).then(|| self.build_match((node.start, self.match_end(root, index))))
    }

    /// Returns the end of a match: excludes the trailing `;` if the pattern has none.
    fn match_end(&self, root: usize, index: usize) -> u32 {
        use AstType::{ExportDeclaration, ExportDefaultDeclaration};
        // The `;` belongs to the exported declaration.
        let exports = matches!(self.code.nodes[index].kind, ExportDeclaration | ExportDefaultDeclaration);
        if let Some(inner) = self.code.children(index).last().filter(|_| exports)
            && self.code.nodes[inner].end == self.code.nodes[index].end
        {
            return self.match_end(root, inner);
        }
        let (start, end) = (self.code.nodes[index].start, self.code.nodes[index].end);
        let inner = self.code.children(index).last().map_or(start, |last| self.code.nodes[last].end);
        let has = |text: &str| text.ends_with(';');
        if inner == end || !has(self.code.text_of(index)) || has(self.reading.tree.text_of(root)) {
            return end;
        }
        let bare = self.code.text[..end as usize - 1].trim_end().len();
        u32::try_from(bare).map_or(end, |bare| bare.max(inner))
    }

    /// Matches several consecutive children of a node.
    fn match_sequences(&mut self, roots: &[usize], parent: usize, found: &mut Vec<Match>) {
        use AstType as T;
        if !matches!(
            self.code.nodes[parent].kind,
            T::Program | T::BlockStatement | T::FunctionBody | T::SwitchCase | T::StaticBlock | T::TSModuleBlock
        ) {
            return;
        }
        let children: Vec<usize> = items(self.code, parent).0.into_iter().filter_map(child_index).collect();
        for first in 0..children.len() {
            self.reset();
            if let Some(end) = self.match_sequence(roots, &children, first) {
                let start = self.code.nodes[children[first]].start;
                found.push(self.build_match((start, end)));
            }
        }
    }

    /// Returns the end of a sequence of nodes that starts at child `at`. A `$$$` at the end of the pattern takes the
    /// rest of the list.
    fn match_sequence(&mut self, roots: &[usize], children: &[usize], at: usize) -> Option<u32> {
        self.steps += 1;
        let code = self.code;
        let end = |at: usize| at.checked_sub(1).and_then(|last| children.get(last)).map(|last| code.nodes[*last].end);
        let Some((root, rest)) = roots.split_first() else { return end(at) };
        let mark = self.checkpoint();
        if let Some(metavariable) = self.reading.metavariable(*root).filter(|metavariable| metavariable.is_list) {
            let most = children.len() - at;
            for count in if rest.is_empty() { most..=most } else { 0..=most } {
                let from = end(at).unwrap_or(code.nodes[children[0]].start);
                if self.bind(metavariable, &children[at..at + count], from)
                    && let Some(end) = self.match_sequence(rest, children, at + count)
                {
                    return Some(end);
                }
                self.rollback(mark);
            }
            return None;
        }
        let index = *children.get(at)?;
        let fits = self.node_matches(*root, index);
        let end = match fits {
            true if rest.is_empty() => Some(self.match_end(*root, index)),
            true => self.match_sequence(rest, children, at + 1),
            false => None,
        };
        if end.is_none() {
            self.rollback(mark);
        }
        end
    }

    fn reset(&mut self) {
        self.bindings.clear();
        self.omitted.clear();
    }

    fn build_match(&self, part: Part) -> Match {
        let mut captures: Vec<(usize, Part)> = Vec::new();
        for bound in &self.bindings {
            if !captures.iter().any(|(name, _)| *name == bound.name) {
                captures.push((bound.name, bound.part));
            }
        }
        let mut unsaid = self.omitted.clone();
        unsaid.sort_unstable();
        unsaid.dedup();
        Match { part, captures, omitted: unsaid }
    }

    fn checkpoint(&self) -> (usize, usize) {
        (self.bindings.len(), self.omitted.len())
    }

    fn rollback(&mut self, (bound, unsaid): (usize, usize)) {
        self.bindings.truncate(bound);
        self.omitted.truncate(unsaid);
    }

    /// Returns whether a node of the code matches a node of the pattern.
    fn node_matches(&mut self, wanted: usize, index: usize) -> bool {
        self.steps += 1;
        if let Some(metavariable) = self.reading.metavariable(wanted) {
            if metavariable.is_quoted && self.code.nodes[self.code.unwrapped(index)].kind != AstType::StringLiteral {
                return false;
            }
            let place = self.code.nodes[index].start;
            return self.bind(metavariable, &[index], place);
        }
        let (wanted, index) = (self.reading.tree.unwrapped(wanted), self.code.unwrapped(index));
        if self.reading.metavariable(wanted).is_some() {
            return self.node_matches(wanted, index);
        }
        let (pattern, code) = (self.reading.tree.nodes[wanted], self.code.nodes[index]);
        if canonical_kind(pattern.kind) != canonical_kind(code.kind) {
            return false;
        }
        if is_atom(pattern.kind) {
            return is_same_atom(pattern.kind, self.reading.tree.text_of(wanted), self.code.text_of(index));
        }
        let (pattern, (code, comments)) = (items(&self.reading.tree, wanted).0, items(self.code, index));
        let mark = self.checkpoint();
        let end = self.code.nodes[index].end;
        if self.pieces_match(&pattern, &code, end) {
            self.omitted.extend(comments);
            return true;
        }
        self.rollback(mark);
        false
    }

    /// Returns whether the pieces of a node match those of the pattern.
    fn pieces_match(&mut self, pattern: &[Item<'_>], code: &[Item<'_>], end: u32) -> bool {
        let (mut p, mut c) = (0, 0);
        while self.steps <= MOST_STEPS {
            self.steps += 1;
            match (pattern.get(p), code.get(c)) {
                (None, None) => return true,
                (Some(Item::Child(wanted)), _)
                    if self.reading.metavariable(*wanted).is_some_and(|metavariable| metavariable.is_list) =>
                {
                    return self.match_list(*wanted, &pattern[p + 1..], &code[c..], end);
                }
                (Some(Item::Token(wanted, _)), Some(Item::Token(there, _))) if wanted == there => {
                    (p, c) = (p + 1, c + 1);
                }
                (Some(Item::Child(wanted)), Some(Item::Child(there))) if self.child_matches(*wanted, *there) => {
                    (p, c) = (p + 1, c + 1);
                }
                (_, Some(there)) if self.may_be_omitted(there) => {
                    self.omitted.push(self.item_part(there));
                    c += 1;
                }
                _ => return false,
            }
        }
        false
    }

    fn child_matches(&mut self, wanted: usize, index: usize) -> bool {
        // A metavariable in a list does not match a decorator.
        if self.reading.metavariable(wanted).is_some() && self.code.nodes[index].kind == AstType::Decorator {
            return false;
        }
        self.node_matches(wanted, index)
    }

    /// Matches a `$$$` metavariable: takes as few children as possible for the rest to match.
    fn match_list(&mut self, wanted: usize, rest: &[Item<'_>], code: &[Item<'_>], end: u32) -> bool {
        let Some(metavariable) = self.reading.metavariable(wanted) else { return false };
        let most = code.iter().take_while(|item| matches!(item, Item::Child(_))).count();
        let children: Vec<usize> = code[..most].iter().copied().filter_map(child_index).collect();
        let place = code.first().map_or(end, |item| self.item_part(item).0);
        let mark = self.checkpoint();
        for count in 0..=most {
            if self.bind(metavariable, &children[..count], place) && self.pieces_match(rest, &code[count..], end) {
                return true;
            }
            self.rollback(mark);
        }
        false
    }

    fn bind(&mut self, metavariable: Metavariable, nodes: &[usize], place: u32) -> bool {
        let Some(name) = metavariable.name else { return true };
        let part = match (nodes.first(), nodes.last()) {
            (Some(first), Some(last)) => (self.code.nodes[*first].start, self.code.nodes[*last].end),
            _ => (place, place),
        };
        if let Some(known) = self.bindings.iter().find(|bound| bound.name == name).map(|bound| bound.nodes.clone()) {
            return known.len() == nodes.len() && known.iter().zip(nodes).all(|(a, b)| self.is_same_code(*a, *b));
        }
        let part = if metavariable.is_quoted { (part.0 + 1, part.1 - 1) } else { part };
        self.bindings.push(Binding { name, part, nodes: nodes.to_vec() });
        true
    }

    /// Returns whether two nodes contain the same code, regardless of layout.
    fn is_same_code(&mut self, a: usize, b: usize) -> bool {
        self.steps += 1;
        if self.steps > MOST_STEPS {
            return false;
        }
        let (a, b) = (self.code.unwrapped(a), self.code.unwrapped(b));
        let (first, second) = (self.code.nodes[a], self.code.nodes[b]);
        if is_name(first.kind) && is_name(second.kind) {
            return self.code.text_of(a) == self.code.text_of(b);
        }
        if canonical_kind(first.kind) != canonical_kind(second.kind) {
            return false;
        }
        if is_atom(first.kind) {
            return is_same_atom(first.kind, self.code.text_of(a), self.code.text_of(b));
        }
        let (a, b) = (items(self.code, a).0, items(self.code, b).0);
        a.len() == b.len()
            && a.iter().zip(&b).all(|pair| match pair {
                (Item::Token(a, _), Item::Token(b, _)) => a == b,
                (Item::Child(a), Item::Child(b)) => self.is_same_code(*a, *b),
                _ => false,
            })
    }

    /// Returns whether a pattern may omit this item: a decorator, or a modifier that changes how something is declared,
    /// not what it is.
    fn may_be_omitted(&self, item: &Item<'_>) -> bool {
        match item {
            Item::Token(word, _) => matches!(
                *word,
                "async"
                    | "static"
                    | "public"
                    | "private"
                    | "protected"
                    | "readonly"
                    | "override"
                    | "abstract"
                    | "declare"
            ),
            Item::Child(child) => self.code.nodes[*child].kind == AstType::Decorator,
        }
    }

    fn item_part(&self, item: &Item<'_>) -> Part {
        match item {
            Item::Token(text, at) => (*at, *at + u32::try_from(text.len()).unwrap_or(0)),
            Item::Child(child) => (self.code.nodes[*child].start, self.code.nodes[*child].end),
        }
    }
}

fn child_index(item: Item<'_>) -> Option<usize> {
    if let Item::Child(index) = item { Some(index) } else { None }
}

/// Returns whether nodes of this kind are names. Two names can match although one is a declaration and the other a
/// member.
fn is_name(kind: AstType) -> bool {
    canonical_kind(kind) == AstType::IdentifierReference || kind == AstType::IdentifierName
}

fn is_same_atom(kind: AstType, a: &str, b: &str) -> bool {
    match kind {
        // Ignore the kind of quotes.
        AstType::StringLiteral => a.get(1..a.len() - 1) == b.get(1..b.len() - 1),
        AstType::JSXText => a.split_whitespace().eq(b.split_whitespace()),
        _ => a == b,
    }
}
