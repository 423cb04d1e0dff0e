//! The selectors that nested rules stand for: `.card { &:hover { } }` is `.card:hover`.

use crate::{
    chars::Dialect,
    scan::{Part, Scan},
    tree::{Item, Kind, Tree},
};

/// Members of one resolved list at most: nesting lists in lists multiplies them.
const MOST_MEMBERS: usize = 64;
/// Bytes of one resolved list at most.
const MOST_BYTES: usize = 8192;

/// Walks the items in order and keeps the resolved selectors of those that are open.
#[derive(Debug, Default)]
pub(crate) struct Resolver {
    /// The index behind an open item, and what `&` means in it.
    open: Vec<(u32, Vec<String>)>,
}

impl Resolver {
    /// The selectors that this item stands for, if it stands in another rule; items are asked for in order.
    pub(crate) fn enter(&mut self, tree: &Tree, index: u32) -> Option<&[String]> {
        while self.open.last().is_some_and(|(next, _)| *next <= index) {
            self.open.pop();
        }
        let item = tree.item(index);
        if !item.is_container() {
            return None;
        }
        let parents = self.open.last().map_or(&[][..], |(_, parents)| parents);
        let nested = !parents.is_empty();
        let own = match item.kind {
            Kind::Rule => resolve(tree.head(item), parents, tree.dialect),
            Kind::AtRule => match at_root(tree, item) {
                Some("") => Vec::new(),
                Some(selector) => {
                    let parents = if selector.contains('&') { parents } else { &[] };
                    resolve(selector, parents, tree.dialect)
                }
                None => return None, // a query: what is in it is still in the rule outside
            },
            Kind::Include | Kind::Call => return None,
            _ => Vec::new(),
        };
        self.open.push((item.next, own));
        nested.then(|| self.open.last().map_or(&[][..], |(_, own)| own))
    }
}

/// The selector of `@at-root`; empty where it takes its rules out one by one.
fn at_root<'t>(tree: &'t Tree, item: &Item) -> Option<&'t str> {
    let nest = tree.name(item).eq_ignore_ascii_case("@nest");
    if !nest && !tree.name(item).eq_ignore_ascii_case("@at-root") {
        return None;
    }
    let prelude = tree.text[tree.prelude(item)].trim();
    Some(if prelude.starts_with('(') { "" } else { prelude })
}

fn resolve(selector: &str, parents: &[String], dialect: Dialect) -> Vec<String> {
    let mut out = Vec::new();
    let mut bytes = 0;
    for own in members(selector, dialect) {
        if parents.is_empty() {
            out.push(own.to_owned());
            continue;
        }
        let places = ampersands(own, dialect);
        for parent in parents {
            let whole = if places.is_empty() { format!("{parent} {own}") } else { replace(own, &places, parent) };
            bytes += whole.len();
            if out.len() == MOST_MEMBERS || bytes > MOST_BYTES {
                return out;
            }
            out.push(whole);
        }
    }
    out
}

/// The members of a list as they are written.
pub(crate) fn members(selector: &str, dialect: Dialect) -> Vec<&str> {
    let mut scan = Scan::quiet(selector, dialect);
    let (mut at, mut from) = (0, 0);
    let mut out = Vec::new();
    loop {
        let (part, end) = scan.part(at);
        if matches!(part, Part::Comma | Part::End) {
            out.push(selector[from..at].trim());
            from = end;
        }
        if part == Part::End {
            return out;
        }
        at = end;
    }
}

/// Where `&` stands, within brackets too, but not in strings.
fn ampersands(selector: &str, dialect: Dialect) -> Vec<usize> {
    if !selector.contains('&') {
        return Vec::new();
    }
    let mut scan = Scan::quiet(selector, dialect);
    let mut places = Vec::new();
    let mut at = 0;
    while at < selector.len() {
        let (part, end) = scan.part(at);
        at = match part {
            Part::Other if selector.as_bytes()[at] == b'&' => {
                places.push(at);
                end
            }
            Part::Group => at + 1, // what is in it is read as well
            _ => end,
        };
    }
    places
}

fn replace(selector: &str, places: &[usize], parent: &str) -> String {
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
