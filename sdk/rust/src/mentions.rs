//! Names of files in texts of any format: the functions that a pack implements.

use crate::{LanguagePack, Mention, SearchedText, TextName};

/// A pack whose files have names that texts of any format refer to, such as modules in settings and commands. The WIT
/// interface `mentions` describes each function.
///
/// # Examples
///
/// ```
/// # marquetry_sdk::__example_pack!(Notes);
/// use marquetry_sdk::{LanguagePack, Mention, Mentions, SearchedText, Span, TextName};
///
/// /// `@recipes` refers to `recipes.note`.
/// impl Mentions for Notes {
///     fn text_names(paths: &[String], _settings: &str) -> Vec<TextName> {
///         let name = |path: &String| {
///             let name = format!("@{}", path.strip_suffix(".note")?);
///             Some(TextName { name, path: path.clone(), kind: "note".to_owned() })
///         };
///         paths.iter().filter_map(name).collect()
///     }
///
///     fn find_mentions(names: &[TextName], source: &SearchedText) -> Vec<Mention> {
///         let places = names.iter().zip(0..).flat_map(|(name, index)| {
///             let found = source.text.match_indices(&name.name);
///             found.map(move |(at, word)| Mention { name: index, span: Span::new(at, at + word.len()), member: None })
///         });
///         places.collect()
///     }
/// }
///
/// let names = Notes::text_names(&["recipes.note".to_owned()], "{}");
/// let source = SearchedText { path: "Makefile".to_owned(), text: "print @recipes".to_owned(), is_code: false };
/// assert_eq!(Notes::find_mentions(&names, &source)[0].span, Span::new(6, 14));
/// ```
pub trait Mentions: LanguagePack {
    /// The names of files and folders. A path can have several names, or none.
    fn text_names(paths: &[String], settings: &str) -> Vec<TextName>;
    /// The occurrences in a text that certainly refer to a file by one of its names.
    fn find_mentions(names: &[TextName], source: &SearchedText) -> Vec<Mention>;
}

/// Returns whether an offset is in a string that starts and ends on its line.
///
/// # Examples
///
/// ```
/// use marquetry_sdk::is_in_quotes;
///
/// assert!(is_in_quotes("run(\"shop\")", 5));
/// assert!(!is_in_quotes("\"run\", shop, \"x\"", 7));
/// ```
pub fn is_in_quotes(text: &str, at: usize) -> bool {
    let before = &text[text[..at].rfind('\n').map_or(0, |end| end + 1)..at];
    let mut quote = None;
    for c in before.chars() {
        match quote {
            Some(open) if open == c => quote = None,
            None if matches!(c, '"' | '\'' | '`') => quote = Some(c),
            _ => {}
        }
    }
    let after = &text[at..text[at..].find('\n').map_or(text.len(), |end| at + end)];
    quote.is_some_and(|open| after.contains(open))
}
