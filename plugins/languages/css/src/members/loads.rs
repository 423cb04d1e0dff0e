//! Statements that load other stylesheets (`@use`, `@forward`, `@import`), and the names that members have after
//! loading.

use std::ops::Range;

use crate::{
    chars::Dialect,
    links::find::FoundLink,
    members::normalize_name,
    modules,
    scanner::TokenKind,
    tree::{Item, NONE, Tree},
};

/// The way in which a file is loaded.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum LoadKind {
    /// `@use`. Members get this namespace. `None` for `as *`, which adds no namespace.
    Use(Option<String>),
    /// `@forward`. Members are re-exported.
    Forward(Forward),
    /// `@import`. Both files share one scope.
    Import,
}

/// The prefix and the filter of an `@forward`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Forward {
    pub(crate) prefix: String,
    /// True if there is a `show` list, false if there is a `hide` list or none.
    pub(crate) is_allow_list: bool,
    /// Names in the `show` or `hide` list: the normalized name including the prefix, true for variables, and the range.
    pub(crate) listed: Vec<(String, bool, Range<usize>)>,
}

/// A statement that loads a file.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Load {
    pub(crate) kind: LoadKind,
    /// Kind of the link in the statement.
    pub(crate) link: &'static str,
    pub(crate) specifier: String,
    /// Position of the specifier.
    pub(crate) span: marquetry_sdk::Span,
    /// Range of the brackets in `with (…)`, which set variables of the module.
    pub(crate) with: Option<Range<usize>>,
    pub(crate) item: u32,
}

impl Forward {
    /// Returns whether a name, including the prefix, is re-exported.
    pub(crate) fn re_exports(&self, name: &str, is_variable: bool) -> bool {
        let is_listed = self.listed.iter().any(|(known, variable, _)| known == name && *variable == is_variable);
        // Without a `show` or `hide` list, everything is re-exported.
        is_listed == self.is_allow_list || (!self.is_allow_list && self.listed.is_empty())
    }
}

/// Returns all loads of a stylesheet, at the top level and in blocks.
pub(super) fn find_loads(tree: &Tree) -> Vec<Load> {
    let links = crate::links::find::find_links(tree);
    let of_members = |link: &&FoundLink| {
        matches!((link.kind, tree.dialect), ("use" | "forward" | "import", Dialect::Scss) | ("import", Dialect::Less))
    };
    links.iter().filter(of_members).filter_map(|link| parse_load(tree, link)).collect()
}

fn parse_load(tree: &Tree, link: &FoundLink) -> Option<Load> {
    let item = tree.item(link.item);
    let mut load = Load {
        kind: LoadKind::Import,
        link: link.kind,
        specifier: link.specifier.clone(),
        span: link.span,
        with: None,
        item: link.item,
    };
    match link.kind {
        // `meta.load-css` has the same kind of link, but does not load members.
        "use" if item.parent != NONE || tree.name(item) != "@use" => return None,
        "use" => load.kind = LoadKind::Use(modules::parse_use(tree, item).map(|(namespace, _)| namespace)),
        "forward" => load.kind = LoadKind::Forward(Forward::default()),
        _ => return Some(load),
    }
    parse_clauses(tree, item, link.span.end as usize + 1, &mut load);
    Some(load)
}

/// Reads the clauses after the URL: `as prefix-*`, `show a, $b`, `hide a`, `with (…)`.
fn parse_clauses(tree: &Tree, item: &Item, from: usize, load: &mut Load) {
    let text = &tree.text;
    let mut scan = tree.scan();
    let (mut at, end) = (from, item.head as usize);
    let mut word = "";
    while at < end {
        let (part, next) = scan.token_at(at);
        match part {
            TokenKind::Word => match (word, &mut load.kind) {
                ("as", LoadKind::Forward(forward)) if forward.prefix.is_empty() => {
                    forward.prefix = normalize_name(&text[at..next], tree.dialect);
                }
                ("as", _) => {}
                _ if matches!(&text[at..next], "as" | "with") || starts_name_list(&text[at..next], word) => {
                    word = &text[at..next]
                }
                ("show" | "hide", LoadKind::Forward(forward)) => {
                    let is_variable = text.as_bytes()[at - 1] == b'$';
                    forward.is_allow_list = word == "show";
                    forward.listed.push((normalize_name(&text[at..next], tree.dialect), is_variable, at..next));
                }
                _ => {}
            },
            TokenKind::Group if word == "with" => load.with = Some(at..next),
            _ => {}
        }
        if word == "as" && part != TokenKind::Space && part != TokenKind::Comment && &text[at..next] != "as" {
            word = "";
        }
        at = next;
    }
}

/// Returns whether a word starts a list of names. Within such a list, `show` and `hide` are names.
fn starts_name_list(word: &str, current: &str) -> bool {
    matches!(word, "show" | "hide") && !matches!(current, "show" | "hide")
}

/// Returns the request that resolves the specifier of a load.
pub(crate) fn resolution_request(load: &Load) -> marquetry_sdk::Request {
    marquetry_sdk::Request { kind: load.link.to_owned(), specifier: load.specifier.clone() }
}
