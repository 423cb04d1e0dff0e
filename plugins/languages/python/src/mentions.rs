//! Dotted names of modules in texts of any format: `shop.views`, `shop.views:main`, `python -m shop.views`.
//!
//! A text is a mention only if it is exactly the name of a module of the workspace, relative to a folder from which
//! imports can be resolved. A name without a dot is a mention only after `-m`, or before a name that the module
//! contains: `main:app`, `"main.app"`.

use std::cell::OnceCell;

use marquetry_code::{CodeDocument, TokenKind};
use marquetry_sdk::{
    Mention, Mentions, SearchedText, Span, TextName, is_in_quotes,
    paths::{file_name, folder},
    workspace::{self, EntryKind},
};

use crate::{
    Python,
    origins::contains_word,
    table::{PYTHON, check_name},
};

/// File extensions of modules.
const EXTENSIONS: [&str; 2] = [".py", ".pyi"];

/// An occurrence of a module name in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct NamedModule<'t> {
    at: usize,
    /// The module name and the attributes after it.
    text: &'t str,
    /// Offset and text of the first attribute.
    attribute: Option<(usize, &'t str)>,
    /// True if the text is called: `shop.views.render()`.
    is_called: bool,
}

impl Mentions for Python {
    fn text_names(paths: &[String], _settings: &str) -> Vec<TextName> {
        let names = |path: &String| {
            let module = if is_module(path) { module_path(path)? } else { path };
            let to_name = |name| TextName { name, path: path.clone(), kind: "module".to_owned() };
            Some(names_of(module, is_package).into_iter().map(to_name).collect::<Vec<_>>())
        };
        paths.iter().filter_map(names).flatten().collect()
    }

    fn find_mentions(names: &[TextName], source: &SearchedText) -> Vec<Mention> {
        let (text, only_quoted) = (source.text.as_str(), source.is_code || is_module(&source.path));
        let document = is_module(&source.path).then(OnceCell::<CodeDocument>::new);
        let is_in_text = |at: usize| {
            is_in_quotes(text, at)
                || document.as_ref().is_some_and(|document| {
                    is_in_string(document.get_or_init(|| CodeDocument::open(&PYTHON, &source.path, text.into())), at)
                })
        };
        let mut found = Vec::new();
        for (module, index) in names.iter().zip(0..) {
            let all = text.match_indices(&module.name).filter_map(|(at, name)| named_module(text, at, name.len()));
            let is_mention = |place: &NamedModule<'_>| {
                (!only_quoted || is_in_text(place.at))
                    && names_certainly(text, *place, (&module.name, !is_module(&module.path)), |name| {
                        contains(&module.path, name)
                    })
            };
            found.extend(all.filter(is_mention).map(|place| Mention {
                name: index,
                span: Span::new(place.at, place.at + place.text.len()),
                member: place.attribute.map(|(at, name)| Span::new(at, at + name.len())),
            }));
        }
        found
    }
}

/// Returns whether an offset is in a string, which may have several lines.
fn is_in_string(document: &CodeDocument, at: usize) -> bool {
    let tokens = &document.arena().tokens;
    let next = tokens.partition_point(|token| token.span.start as usize <= at);
    let token = next.checked_sub(1).map(|index| &tokens[index]);
    token.is_some_and(|token| token.kind == TokenKind::Text && at < token.span.end as usize)
}

fn is_module(path: &str) -> bool {
    EXTENSIONS.iter().any(|ending| path.ends_with(ending))
}

fn is_package(folder: &str) -> bool {
    EXTENSIONS.iter().any(|ending| is_file(&format!("{folder}/__init__{ending}")))
}

fn is_file(path: &str) -> bool {
    workspace::stat(path) == Some(EntryKind::File)
}

/// Returns whether a module contains a word, or a folder contains a module or package with that name, or its package
/// file contains the word.
fn contains(path: &str, name: &str) -> bool {
    let has_word = |file: &str| workspace::read(file).is_ok_and(|text| contains_word(&text, name));
    if is_module(path) {
        return has_word(path);
    }
    let inside = format!("{path}/{name}");
    let is_package_name = || EXTENSIONS.iter().any(|ending| has_word(&format!("{path}/__init__{ending}")));
    workspace::stat(&inside) == Some(EntryKind::Directory)
        || is_package_name()
        || EXTENSIONS.iter().any(|ending| is_file(&format!("{inside}{ending}")))
}

/// The path of a module without its extension. For the file of a package, the folder of the package.
fn module_path(path: &str) -> Option<&str> {
    let module = EXTENSIONS.iter().find_map(|ending| path.strip_suffix(ending))?;
    match file_name(module) {
        "__init__" => Some(folder(module)).filter(|package| !package.is_empty()),
        _ => Some(module),
    }
}

/// The possible dotted names of a module, relative to the folders from which imports can be resolved: folders around it
/// that are not packages.
fn names_of(module: &str, is_package: impl Fn(&str) -> bool) -> Vec<String> {
    let starts = std::iter::once(0).chain(module.match_indices('/').map(|(at, _)| at + 1));
    let is_root = |start: &usize| *start == 0 || !is_package(&module[..start - 1]);
    let names = starts.filter(is_root).map(|start| module[start..].replace('/', "."));
    names.filter(|name| name.split('.').all(is_identifier)).collect()
}

fn is_identifier(word: &str) -> bool {
    check_name(word).is_ok()
}

fn is_name_part(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The identifier at the start of a text; empty if the text does not start with an identifier.
fn leading_name(text: &str) -> &str {
    let word = &text[..text.find(|c| !is_name_part(c)).unwrap_or(text.len())];
    if is_identifier(word) { word } else { "" }
}

/// The occurrence at an offset. Returns `None` if the name there is only a part of a longer name, path, address or
/// call.
fn named_module(text: &str, at: usize, length: usize) -> Option<NamedModule<'_>> {
    if text[..at].ends_with(|c: char| is_name_part(c) || matches!(c, '.' | '/' | '\\' | '-' | '@' | '$' | '~')) {
        return None;
    }
    let (mut end, mut attribute) = (at + length, None);
    while let Some(rest) = text[end..].strip_prefix('.').or_else(|| text[end..].strip_prefix(':')) {
        let name = leading_name(rest);
        if name.is_empty() {
            break;
        }
        attribute = attribute.or(Some((end + 1, name)));
        end += 1 + name.len();
    }
    let is_file = attribute.is_some_and(|(_, name)| EXTENSIONS.iter().any(|ending| ending[1..] == *name));
    let ends = !text[end..].starts_with(|c: char| is_name_part(c) || matches!(c, '/' | '\\' | '-' | '@'));
    let is_called = text[end..].starts_with('(');
    (ends && !is_file).then(|| NamedModule { at, text: &text[at..end], attribute, is_called })
}

/// Returns whether an occurrence certainly names the module. A call does only if the module or folder contains the
/// called attribute. Another name with a dot always does. A name without a dot does only after the option `-m`, or if
/// the module or folder contains the attribute after the name and one more condition is met: the occurrence is in
/// quotes, the attribute follows a colon, or the name is the name of a folder.
fn names_certainly(
    text: &str,
    place: NamedModule<'_>,
    (name, is_folder): (&str, bool),
    contains: impl Fn(&str) -> bool,
) -> bool {
    if place.is_called && !place.attribute.is_some_and(|(_, attribute)| contains(attribute)) {
        return false;
    }
    if name.contains('.') {
        return true;
    }
    if follows_module_option(&text[..place.at]) {
        return true;
    }
    let Some((at, attribute)) = place.attribute else { return false };
    let after = &text[place.at + place.text.len()..];
    let is_quoted = ['"', '\''].iter().any(|quote| text[..place.at].ends_with(*quote) && after.starts_with(*quote));
    (is_quoted || is_folder || text[..at].ends_with(':')) && contains(attribute)
}

/// Returns whether a text ends with the option `-m` and a separator: white space, quotes, commas, or the start of the
/// next item of a YAML list.
fn follows_module_option(before: &str) -> bool {
    let is_separator = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | ',');
    let option = before.trim_end_matches(is_separator);
    let option = option.strip_suffix('-').filter(|item| item.ends_with('\n') || item.ends_with(' ')).unwrap_or(option);
    let option = option.trim_end_matches(is_separator);
    let word = option.strip_suffix("-m").filter(|_| option.len() < before.len());
    word.is_some_and(|word| !word.ends_with(|c: char| is_name_part(c) || c == '-'))
}
