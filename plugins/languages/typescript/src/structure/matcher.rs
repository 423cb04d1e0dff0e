//! Structural search: finds the nodes of a program that match a pattern.

use marquetry_sdk::{FailureKind, Result, fail};
use oxc_ast::AstType;

use super::pattern::{Hole, Pattern, Reading};
use super::tokens::{Item, Part, items};
use super::tree::{Flat, canonical, is_atom};

/// A match of the pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Match {
    pub(crate) part: Part,
    /// Parts matched by metavariables, by the index of the name.
    pub(crate) captures: Vec<(usize, Part)>,
    /// Comments, modifiers and decorators in the match that the pattern omits.
    pub(crate) unsaid: Vec<Part>,
}

/// Maximum number of comparisons per document: several `$$$` in one list can be matched in very many ways.
const MOST_STEPS: usize = 50_000_000;

/// Returns all matches by start offset, outer ones before the ones they contain. Fails with `LimitExceeded` if there
/// are too many comparisons.
pub(crate) fn find(pattern: &Pattern, code: &Flat<&str>) -> Result<Vec<Match>> {
    let mut found = Vec::new();
    let mut steps = 0;
    for reading in &pattern.readings {
        let mut matcher = Matcher { reading, code, bound: Vec::new(), unsaid: Vec::new(), steps };
        for index in 0..code.nodes.len() {
            match reading.roots.as_slice() {
                [root] => found.extend(matcher.at(*root, index)),
                roots => matcher.runs(roots, index, &mut found),
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
struct Bound {
    name: usize,
    part: Part,
    /// The nodes, to compare them with other occurrences of the same metavariable.
    nodes: Vec<usize>,
}

struct Matcher<'m> {
    reading: &'m Reading,
    code: &'m Flat<&'m str>,
    bound: Vec<Bound>,
    unsaid: Vec<Part>,
    steps: usize,
}

impl Matcher<'_> {
    /// Matches a single node.
    fn at(&mut self, root: usize, index: usize) -> Option<Match> {
        if canonical(self.reading.tree.nodes[root].kind) != canonical(self.code.nodes[index].kind) {
            return None;
        }
        self.begin();
        let node = self.code.nodes[index];
        self.node(root, index).then(|| self.found((node.start, self.end(root, index))))
    }

    /// Returns the end of a match: excludes the trailing `;` if the pattern has none.
    fn end(&self, root: usize, index: usize) -> u32 {
        use AstType::{ExportDeclaration, ExportDefaultDeclaration};
        // The `;` belongs to the exported declaration.
        let exports = matches!(self.code.nodes[index].kind, ExportDeclaration | ExportDefaultDeclaration);
        if let Some(inner) = self.code.children(index).last().filter(|_| exports)
            && self.code.nodes[inner].end == self.code.nodes[index].end
        {
            return self.end(root, inner);
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
    fn runs(&mut self, roots: &[usize], parent: usize, found: &mut Vec<Match>) {
        use AstType as T;
        if !matches!(
            self.code.nodes[parent].kind,
            T::Program | T::BlockStatement | T::FunctionBody | T::SwitchCase | T::StaticBlock | T::TSModuleBlock
        ) {
            return;
        }
        let children: Vec<usize> = items(self.code, parent).0.into_iter().filter_map(child).collect();
        for first in 0..children.len() {
            self.begin();
            if let Some(end) = self.run(roots, &children, first) {
                let start = self.code.nodes[children[first]].start;
                found.push(self.found((start, end)));
            }
        }
    }

    /// Returns the end of a sequence of nodes that starts at child `at`. A `$$$` at the end of the pattern takes the
    /// rest of the list.
    fn run(&mut self, roots: &[usize], children: &[usize], at: usize) -> Option<u32> {
        self.steps += 1;
        let code = self.code;
        let end = |at: usize| at.checked_sub(1).and_then(|last| children.get(last)).map(|last| code.nodes[*last].end);
        let Some((root, rest)) = roots.split_first() else { return end(at) };
        let mark = self.mark();
        if let Some(hole) = self.reading.hole(*root).filter(|hole| hole.many) {
            let most = children.len() - at;
            for count in if rest.is_empty() { most..=most } else { 0..=most } {
                let from = end(at).unwrap_or(code.nodes[children[0]].start);
                if self.bind(hole, &children[at..at + count], from)
                    && let Some(end) = self.run(rest, children, at + count)
                {
                    return Some(end);
                }
                self.back(mark);
            }
            return None;
        }
        let index = *children.get(at)?;
        let fits = self.node(*root, index);
        let end = match fits {
            true if rest.is_empty() => Some(self.end(*root, index)),
            true => self.run(rest, children, at + 1),
            false => None,
        };
        if end.is_none() {
            self.back(mark);
        }
        end
    }

    fn begin(&mut self) {
        self.bound.clear();
        self.unsaid.clear();
    }

    fn found(&self, part: Part) -> Match {
        let mut captures: Vec<(usize, Part)> = Vec::new();
        for bound in &self.bound {
            if !captures.iter().any(|(name, _)| *name == bound.name) {
                captures.push((bound.name, bound.part));
            }
        }
        let mut unsaid = self.unsaid.clone();
        unsaid.sort_unstable();
        unsaid.dedup();
        Match { part, captures, unsaid }
    }

    fn mark(&self) -> (usize, usize) {
        (self.bound.len(), self.unsaid.len())
    }

    fn back(&mut self, (bound, unsaid): (usize, usize)) {
        self.bound.truncate(bound);
        self.unsaid.truncate(unsaid);
    }

    /// Returns whether a node of the code matches a node of the pattern.
    fn node(&mut self, wanted: usize, index: usize) -> bool {
        self.steps += 1;
        if let Some(hole) = self.reading.hole(wanted) {
            if hole.quoted && self.code.nodes[self.code.bare(index)].kind != AstType::StringLiteral {
                return false;
            }
            let place = self.code.nodes[index].start;
            return self.bind(hole, &[index], place);
        }
        let (wanted, index) = (self.reading.tree.bare(wanted), self.code.bare(index));
        if self.reading.hole(wanted).is_some() {
            return self.node(wanted, index);
        }
        let (pattern, code) = (self.reading.tree.nodes[wanted], self.code.nodes[index]);
        if canonical(pattern.kind) != canonical(code.kind) {
            return false;
        }
        if is_atom(pattern.kind) {
            return is_same_atom(pattern.kind, self.reading.tree.text_of(wanted), self.code.text_of(index));
        }
        let (pattern, (code, comments)) = (items(&self.reading.tree, wanted).0, items(self.code, index));
        let mark = self.mark();
        let end = self.code.nodes[index].end;
        if self.pieces(&pattern, &code, end) {
            self.unsaid.extend(comments);
            return true;
        }
        self.back(mark);
        false
    }

    /// Returns whether the pieces of a node match those of the pattern.
    fn pieces(&mut self, pattern: &[Item<'_>], code: &[Item<'_>], end: u32) -> bool {
        let (mut p, mut c) = (0, 0);
        while self.steps <= MOST_STEPS {
            self.steps += 1;
            match (pattern.get(p), code.get(c)) {
                (None, None) => return true,
                (Some(Item::Child(wanted)), _) if self.reading.hole(*wanted).is_some_and(|hole| hole.many) => {
                    return self.many(*wanted, &pattern[p + 1..], &code[c..], end);
                }
                (Some(Item::Token(wanted, _)), Some(Item::Token(there, _))) if wanted == there => {
                    (p, c) = (p + 1, c + 1);
                }
                (Some(Item::Child(wanted)), Some(Item::Child(there))) if self.fits(*wanted, *there) => {
                    (p, c) = (p + 1, c + 1);
                }
                (_, Some(there)) if self.may_stay_unsaid(there) => {
                    self.unsaid.push(self.part(there));
                    c += 1;
                }
                _ => return false,
            }
        }
        false
    }

    fn fits(&mut self, wanted: usize, index: usize) -> bool {
        // A metavariable in a list does not match a decorator.
        if self.reading.hole(wanted).is_some() && self.code.nodes[index].kind == AstType::Decorator {
            return false;
        }
        self.node(wanted, index)
    }

    /// Matches a `$$$` metavariable: takes as few children as possible for the rest to match.
    fn many(&mut self, wanted: usize, rest: &[Item<'_>], code: &[Item<'_>], end: u32) -> bool {
        let Some(hole) = self.reading.hole(wanted) else { return false };
        let most = code.iter().take_while(|item| matches!(item, Item::Child(_))).count();
        let children: Vec<usize> = code[..most].iter().copied().filter_map(child).collect();
        let place = code.first().map_or(end, |item| self.part(item).0);
        let mark = self.mark();
        for count in 0..=most {
            if self.bind(hole, &children[..count], place) && self.pieces(rest, &code[count..], end) {
                return true;
            }
            self.back(mark);
        }
        false
    }

    fn bind(&mut self, hole: Hole, nodes: &[usize], place: u32) -> bool {
        let Some(name) = hole.name else { return true };
        let part = match (nodes.first(), nodes.last()) {
            (Some(first), Some(last)) => (self.code.nodes[*first].start, self.code.nodes[*last].end),
            _ => (place, place),
        };
        if let Some(known) = self.bound.iter().find(|bound| bound.name == name).map(|bound| bound.nodes.clone()) {
            return known.len() == nodes.len() && known.iter().zip(nodes).all(|(a, b)| self.is_same(*a, *b));
        }
        let part = if hole.quoted { (part.0 + 1, part.1 - 1) } else { part };
        self.bound.push(Bound { name, part, nodes: nodes.to_vec() });
        true
    }

    /// Returns whether two nodes contain the same code, regardless of layout.
    fn is_same(&mut self, a: usize, b: usize) -> bool {
        self.steps += 1;
        if self.steps > MOST_STEPS {
            return false;
        }
        let (a, b) = (self.code.bare(a), self.code.bare(b));
        let (first, second) = (self.code.nodes[a], self.code.nodes[b]);
        if is_name(first.kind) && is_name(second.kind) {
            return self.code.text_of(a) == self.code.text_of(b);
        }
        if canonical(first.kind) != canonical(second.kind) {
            return false;
        }
        if is_atom(first.kind) {
            return is_same_atom(first.kind, self.code.text_of(a), self.code.text_of(b));
        }
        let (a, b) = (items(self.code, a).0, items(self.code, b).0);
        a.len() == b.len()
            && a.iter().zip(&b).all(|pair| match pair {
                (Item::Token(a, _), Item::Token(b, _)) => a == b,
                (Item::Child(a), Item::Child(b)) => self.is_same(*a, *b),
                _ => false,
            })
    }

    /// Returns whether a pattern may omit this item: a decorator, or a modifier that changes how something is declared,
    /// not what it is.
    fn may_stay_unsaid(&self, item: &Item<'_>) -> bool {
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

    fn part(&self, item: &Item<'_>) -> Part {
        match item {
            Item::Token(text, at) => (*at, *at + u32::try_from(text.len()).unwrap_or(0)),
            Item::Child(child) => (self.code.nodes[*child].start, self.code.nodes[*child].end),
        }
    }
}

fn child(item: Item<'_>) -> Option<usize> {
    if let Item::Child(index) = item { Some(index) } else { None }
}

/// Returns whether the kind is a name of any kind. One may be a declaration and the other a member.
fn is_name(kind: AstType) -> bool {
    canonical(kind) == AstType::IdentifierReference || kind == AstType::IdentifierName
}

fn is_same_atom(kind: AstType, a: &str, b: &str) -> bool {
    match kind {
        // Ignore the kind of quotes.
        AstType::StringLiteral => a.get(1..a.len() - 1) == b.get(1..b.len() - 1),
        AstType::JSXText => a.split_whitespace().eq(b.split_whitespace()),
        _ => a == b,
    }
}
