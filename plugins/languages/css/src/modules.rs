//! Modules that a stylesheet loads with `@use`, and their namespaces.

use crate::{
    chars::unescape,
    scanner::TokenKind,
    tree::{Item, Kind, NONE, Tree},
};

/// Returns the namespaces in a file, with the URLs of their modules.
pub(crate) fn used_modules(tree: &Tree) -> Vec<(String, String)> {
    let uses = tree.children(NONE).map(|index| tree.item(index)).filter(|item| item.kind == Kind::Import);
    uses.filter(|item| tree.name(item) == "@use").filter_map(|item| parse_use(tree, item)).collect()
}

/// Returns the namespace and the URL of `@use "path/name" as alias`. `None` for `as *`.
pub(crate) fn parse_use(tree: &Tree, item: &Item) -> Option<(String, String)> {
    let mut scan = tree.scan();
    let (part, start, end) = scan.next_token(tree.prelude(item).start);
    let inner = scan.between_quotes(start, end).filter(|_| part == TokenKind::Text)?;
    let address = unescape(&tree.text[inner]).into_owned();
    let (word, from, to) = scan.next_token(end);
    let alias = (word == TokenKind::Word && &tree.text[from..to] == "as").then(|| scan.next_token(to));
    let name = match alias {
        Some((TokenKind::Word, from, to)) => tree.text[from..to].to_owned(),
        Some(_) => return None, // `as *`
        None => default_namespace(&address).to_owned(),
    };
    (!name.is_empty()).then_some((name, address))
}

/// Returns the namespace that `@use` derives from a URL: the last part, without extension and underscore.
pub(crate) fn default_namespace(address: &str) -> &str {
    let last = address.rsplit(['/', ':']).next().unwrap_or_default();
    last.split('.').next().unwrap_or_default().trim_start_matches('_')
}

/// Returns the namespace of an `@use` without `as`.
pub(crate) fn implied_namespace(tree: &Tree, item: &Item) -> Option<String> {
    if tree.name(item) != "@use" {
        return None;
    }
    let (namespace, address) = parse_use(tree, item)?;
    let mut scan = tree.scan();
    let (_, _, end) = scan.next_token(tree.prelude(item).start);
    let (word, from, to) = scan.next_token(end);
    let has_alias = word == TokenKind::Word && &tree.text[from..to] == "as";
    (!has_alias && namespace == default_namespace(&address)).then_some(namespace)
}
