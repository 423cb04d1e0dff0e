//! The statements that load other stylesheets: `@use`, `@forward`, `@import`, with what they do to names.

use std::ops::Range;

use crate::{
    chars::Dialect,
    links::find::Found,
    members::folded,
    modules,
    scan::Part,
    tree::{Item, NONE, Tree},
};

/// How a file is loaded.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum LoadKind {
    /// Its members have this namespace; none with `as *`.
    Use(Option<String>),
    /// Its members are passed on.
    Forward(Forward),
    /// Both files are one scope.
    Import,
}

/// What `@forward` says of the names that it passes on.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Forward {
    pub(crate) prefix: String,
    /// Whether the names that are listed are those that are passed on, or those that are not.
    pub(crate) shows: bool,
    /// The names of `show` or `hide`, with the prefix: folded, whether it is a variable, and where the name stands.
    pub(crate) listed: Vec<(String, bool, Range<usize>)>,
}

/// A statement that loads a file.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Load {
    pub(crate) kind: LoadKind,
    /// The kind of the link that it is.
    pub(crate) link: &'static str,
    pub(crate) specifier: String,
    /// Where the specifier stands.
    pub(crate) span: marquetry_sdk::Span,
    /// The variables that `with (…)` sets: the bracket.
    pub(crate) with: Option<Range<usize>>,
    pub(crate) item: u32,
}

impl Forward {
    /// Whether a name, prefix included, leaves the file.
    pub(crate) fn passes(&self, name: &str, is_variable: bool) -> bool {
        let is_listed = self.listed.iter().any(|(known, variable, _)| known == name && *variable == is_variable);
        // Nothing is listed where neither word stands.
        is_listed == self.shows || (!self.shows && self.listed.is_empty())
    }
}

/// All loads at the top of a stylesheet and in its blocks.
pub(super) fn loads(tree: &Tree) -> Vec<Load> {
    let links = crate::links::find::links(tree);
    let of_members = |link: &&Found| {
        matches!((link.kind, tree.dialect), ("use" | "forward" | "import", Dialect::Scss) | ("import", Dialect::Less))
    };
    links.iter().filter(of_members).filter_map(|link| load(tree, link)).collect()
}

fn load(tree: &Tree, link: &Found) -> Option<Load> {
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
        // `meta.load-css` brings in no names.
        "use" if item.parent != NONE || tree.name(item) != "@use" => return None,
        "use" => load.kind = LoadKind::Use(modules::module(tree, item).map(|(namespace, _)| namespace)),
        "forward" => load.kind = LoadKind::Forward(Forward::default()),
        _ => return Some(load),
    }
    clauses(tree, item, link.span.end as usize + 1, &mut load);
    Some(load)
}

/// What stands behind the address: `as prefix-*`, `show a, $b`, `hide a`, `with (…)`.
fn clauses(tree: &Tree, item: &Item, from: usize, load: &mut Load) {
    let text = &tree.text;
    let mut scan = tree.scan();
    let (mut at, end) = (from, item.head as usize);
    let mut word = "";
    while at < end {
        let (part, next) = scan.part(at);
        match part {
            Part::Word => match (word, &mut load.kind) {
                ("as", LoadKind::Forward(forward)) if forward.prefix.is_empty() => {
                    forward.prefix = folded(&text[at..next], tree.dialect);
                }
                ("as", _) => {}
                _ if matches!(&text[at..next], "as" | "with") || is_list(&text[at..next], word) => {
                    word = &text[at..next]
                }
                ("show" | "hide", LoadKind::Forward(forward)) => {
                    let is_variable = text.as_bytes()[at - 1] == b'$';
                    forward.shows = word == "show";
                    forward.listed.push((folded(&text[at..next], tree.dialect), is_variable, at..next));
                }
                _ => {}
            },
            Part::Group if word == "with" => load.with = Some(at..next),
            _ => {}
        }
        if word == "as" && part != Part::Space && part != Part::Comment && &text[at..next] != "as" {
            word = "";
        }
        at = next;
    }
}

/// Whether a word begins a list of names; in a list it may be a name itself.
fn is_list(word: &str, current: &str) -> bool {
    matches!(word, "show" | "hide") && !matches!(current, "show" | "hide")
}

/// What an address leads to, as `links` follow it.
pub(crate) fn request(load: &Load) -> marquetry_sdk::Request {
    marquetry_sdk::Request { kind: load.link.to_owned(), specifier: load.specifier.clone() }
}
