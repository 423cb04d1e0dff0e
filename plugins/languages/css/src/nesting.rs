//! Resolved selectors of nested rules: `.card { &:hover { } }` is `.card:hover`.

use std::ops::Range;

use crate::{
    chars::Dialect,
    scanner::{Scanner, TokenKind},
    tree::{Item, Kind, Tree},
};

/// Maximum number of members in a resolved list. The limit is needed because nesting multiplies the number of members.
const MAX_MEMBERS: usize = 64;
/// Maximum size of a resolved list in bytes.
const MAX_BYTES: usize = 4096;
/// Maximum nesting of rules that is resolved.
const MAX_DEPTH: usize = 32;

/// The selectors that `&` stands for in an item.
#[derive(Debug)]
enum Parents {
    /// The item has no parent selector.
    None,
    Selectors(Vec<String>),
    /// The list is too long.
    TooMany,
}

/// Resolves the selectors of items, which must be visited in document order.
#[derive(Debug, Default)]
pub(crate) struct Resolver {
    /// For each open item: the index after its last descendant, and the selectors that `&` stands for in it.
    open: Vec<(u32, Parents)>,
}

impl Resolver {
    /// Returns the resolved selectors of an item. `None` if it is not a block inside another rule, or if the list is
    /// too long. Must be called for all items, in document order.
    pub(crate) fn enter(&mut self, tree: &Tree, index: u32) -> Option<&[String]> {
        while self.open.last().is_some_and(|(next, _)| *next <= index) {
            self.open.pop();
        }
        let item = tree.item(index);
        if !item.is_container() {
            return None;
        }
        let around = self.open.last().map_or(&Parents::None, |(_, parents)| parents);
        let (selector, takes_parents) = match item.kind {
            Kind::Rule => (tree.head(item), true),
            // Only `@at-root` and `@nest` have a selector. In other at-rules, such as `@media`, `&` stands for the same
            // selectors as outside.
            Kind::AtRule => at_root_selector(tree, item)?,
            Kind::Include | Kind::Call => return None,
            _ => ("", false),
        };
        let nothing: &[String] = &[];
        let resolved = match around {
            _ if selector.is_empty() => Some((Vec::new(), false)),
            Parents::TooMany if takes_parents => None,
            _ if self.open.len() >= MAX_DEPTH => None,
            Parents::Selectors(parents) if takes_parents => {
                resolve_nested(selector, parents, tree.dialect).map(|resolved| (resolved, true))
            }
            _ => resolve_nested(selector, nothing, tree.dialect).map(|resolved| (resolved, false)),
        };
        let (own, nested) = match resolved {
            Some((list, nested)) if !list.is_empty() => (Parents::Selectors(list), nested),
            Some(_) => (Parents::None, false),
            None => (Parents::TooMany, false),
        };
        self.open.push((item.next, own));
        match self.open.last() {
            Some((_, Parents::Selectors(list))) if nested => Some(list),
            _ => None,
        }
    }
}

/// Returns the selector of `@at-root` or `@nest`, and whether it contains `&`. The selector is empty if the at-rule has
/// none, or has a query instead. `None` for other at-rules.
fn at_root_selector<'t>(tree: &'t Tree, item: &Item) -> Option<(&'t str, bool)> {
    let name = tree.name(item);
    let nest = name.eq_ignore_ascii_case("@nest");
    if !nest && !name.eq_ignore_ascii_case("@at-root") {
        return None;
    }
    let prelude = tree.text[tree.prelude(item)].trim_ascii();
    let query = prelude.starts_with('(');
    Some((if query { "" } else { prelude }, prelude.contains('&')))
}

/// Combines a selector list with each of the parent selectors. `None` if the result is too long.
fn resolve_nested(selector: &str, parents: &[String], dialect: Dialect) -> Option<Vec<String>> {
    let mut out = Vec::new();
    let mut bytes = 0;
    for own in list_members(selector, dialect) {
        let places = ampersands(own, dialect);
        let wholes = parents.iter().map(|parent| match places.is_empty() {
            true => format!("{parent} {own}"),
            false => replace_ampersands(own, &places, parent),
        });
        let alone = parents.is_empty().then(|| own.to_owned());
        for whole in wholes.chain(alone) {
            bytes += whole.len();
            if out.len() == MAX_MEMBERS || bytes > MAX_BYTES {
                return None;
            }
            out.push(whole);
        }
    }
    Some(out)
}

/// Returns the members of a selector list, as written.
pub(crate) fn list_members(selector: &str, dialect: Dialect) -> Vec<&str> {
    let mut scan = Scanner::without_reports(selector, dialect);
    let (mut at, mut from) = (0, 0);
    let mut out = Vec::new();
    loop {
        let (part, end) = scan.token_at(at);
        if matches!(part, TokenKind::Comma | TokenKind::End) {
            out.push(selector[from..at].trim_ascii());
            from = end;
        }
        if part == TokenKind::End {
            return out;
        }
        at = end;
    }
}

/// Returns the ranges of the members of a selector list, without comments around them. A missing member has an empty
/// range.
pub(crate) fn member_ranges(selector: &str, dialect: Dialect) -> Vec<Range<usize>> {
    let mut scan = Scanner::without_reports(selector, dialect);
    let mut at = 0;
    let mut out = Vec::new();
    let mut member: Option<Range<usize>> = None;
    loop {
        let (part, end) = scan.token_at(at);
        match part {
            TokenKind::Comma | TokenKind::End => out.push(member.take().unwrap_or(at..at)),
            TokenKind::Space | TokenKind::Comment => {}
            _ => member = Some(member.map_or(at, |member| member.start)..end),
        }
        if part == TokenKind::End {
            return out;
        }
        at = end;
    }
}

/// Returns the offsets of `&`, including those within brackets, but not those in strings.
fn ampersands(selector: &str, dialect: Dialect) -> Vec<usize> {
    if !selector.contains('&') {
        return Vec::new();
    }
    let mut scan = Scanner::without_reports(selector, dialect);
    let mut places = Vec::new();
    let mut at = 0;
    while at < selector.len() {
        let (part, end) = scan.token_at(at);
        at = match part {
            TokenKind::Other if selector.as_bytes()[at] == b'&' => {
                places.push(at);
                end
            }
            TokenKind::Group => at + 1, // continue inside the brackets
            _ => end,
        };
    }
    places
}

fn replace_ampersands(selector: &str, places: &[usize], parent: &str) -> String {
    let mut out = String::with_capacity(selector.len() + parent.len() * places.len());
    let mut from = 0;
    for place in places {
        out.push_str(&selector[from..*place]);
        out.push_str(parent);
        from = place + 1;
    }
    out.push_str(&selector[from..]);
    out
}
