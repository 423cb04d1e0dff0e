//! Resolved selectors of nested rules: `.card { &:hover { } }` is `.card:hover`.

use std::ops::Range;

use crate::{
    chars::Dialect,
    scanner::{Scanner, TokenKind},
    tree::{Item, Kind, Tree},
};

/// Maximum number of members in a resolved list; nested lists multiply them.
const MAX_MEMBERS: usize = 64;
/// Maximum size of a resolved list in bytes.
const MAX_BYTES: usize = 4096;
/// Maximum nesting of rules that is resolved.
const MAX_DEPTH: usize = 32;

/// Meaning of `&` in an item.
#[derive(Debug)]
enum Parents {
    /// The item has no parent selector.
    None,
    Selectors(Vec<String>),
    /// The list is too long.
    TooMany,
}

/// Walks the items in order and keeps the resolved selectors of open items.
#[derive(Debug, Default)]
pub(crate) struct Resolver {
    /// Index after an open item, and the meaning of `&` in it.
    open: Vec<(u32, Parents)>,
}

impl Resolver {
    /// Resolved selectors of an item within another rule. Must be called for items in document order.
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
            // The at-rule is a query; its content still belongs to the enclosing rule.
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

/// Selector of `@at-root` or `@nest`, and whether it contains `&`. The selector is empty if a block or a query follows.
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

/// Substitutes the parents in a selector; `None` if the result is too long.
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

/// Members of a list as written.
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

/// Ranges of the members of a list, without surrounding comments. A missing member has an empty range.
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

/// Offsets of `&`, also within brackets, but not in strings.
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
            TokenKind::Group => at + 1, // its content is read as well
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
