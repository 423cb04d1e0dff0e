//! Finds words of a line that may be paths, and import specifiers.

/// Extensions that make a word without a slash a path.
const PATH_EXTENSIONS: [&str; 18] = [
    "ts", "tsx", "mts", "cts", "js", "jsx", "mjs", "cjs", "json", "vue", "svelte", "md", "yml", "yaml", "css", "scss",
    "html", "mdx",
];

/// Tokens before the quote of a specifier.
const IMPORT_TOKENS: [&str; 6] = ["from", "import", "import(", "require(", "resolve(", "mock("];

const MAX_WORD_LENGTH: usize = 300;

/// Returns every word of a line that may be a path, without duplicates: quoted texts, link targets, and words with a slash
/// or an extension.
pub(super) fn paths(line: &str) -> Vec<&str> {
    let mut found: Vec<&str> = quoted_texts(line).into_iter().map(|(_, text)| text).collect();
    for (at, _) in line.match_indices("](") {
        let target = line[at + 2..].trim_start_matches('<');
        found.push(target.split([')', '>', ' ']).next().unwrap_or_default());
    }
    let is_inside = |c: char| c.is_alphanumeric() || "_@.~#$-/*+[]".contains(c);
    for word in line.split(|c: char| !is_inside(c)) {
        let word = word.trim_end_matches(['.', '[', ']']);
        let has_extension = word.rsplit_once('.').is_some_and(|(_, end)| PATH_EXTENSIONS.contains(&end));
        if word.len() > 1 && (word.contains('/') || has_extension) {
            found.push(word);
        }
    }
    let mut once: Vec<&str> = Vec::new();
    for word in found {
        if !word.is_empty() && word.len() <= MAX_WORD_LENGTH && !once.contains(&word) {
            once.push(word);
        }
    }
    once
}

/// Returns the relative specifiers of imports, exports, `require` and mocks.
pub(super) fn specifiers(line: &str) -> Vec<&str> {
    let imports = |at: usize| {
        let before = line[..at].trim_end();
        IMPORT_TOKENS.iter().any(|word| {
            let rest = before.strip_suffix(word);
            rest.is_some_and(|rest| !rest.ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == '$'))
        })
    };
    let is_relative = |text: &str| text == "." || text == ".." || text.starts_with("./") || text.starts_with("../");
    let is_comment = line.trim_start().starts_with(['*', '/']);
    let all = quoted_texts(line).into_iter().filter(|(at, text)| !is_comment && is_relative(text) && imports(*at));
    all.map(|(_, text)| text).collect()
}

/// Returns quoted texts, each with the offset of its opening quote.
fn quoted_texts(line: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(start) = line[at..].find(['"', '\'', '`']).map(|start| at + start) {
        let quote = &line[start..=start];
        let Some(length) = line[start + 1..].find(quote) else {
            at = start + 1;
            continue;
        };
        found.push((start, &line[start + 1..start + 1 + length]));
        at = start + length + 2;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn path_like_words_are_found() {
        for (line, expected) in [
            ("import a from '../b/c'", &["../b/c"][..]),
            ("see [the guide](docs/guide.md#x) or `src/a.ts`.", &["src/a.ts", "docs/guide.md#x"]),
            ("    run: node scripts/build.mjs --all", &["scripts/build.mjs"]),
            ("it's a word", &[]),
            ("  - packages/*", &["packages/*"]),
            (r#"  "main": "index.js","#, &["main", "index.js"]),
        ] {
            let found: Vec<&str> = paths(line).into_iter().filter(|word| *word != "#x").collect();
            for path in expected {
                assert!(found.contains(path), "{line}: {found:?}");
            }
            assert!(expected.is_empty() == found.is_empty(), "{line}: {found:?}");
        }
    }

    #[test]
    fn specifiers_are_relative_and_imported() {
        for (line, expected) in [
            ("import a from '../b'", &["../b"][..]),
            ("export * from \"./b\"; import './c'", &["./b", "./c"]),
            ("const b = require('./b'), c = await import('../c')", &["./b", "../c"]),
            ("jest.mock('../b', () => './c')", &["../b"]),
            ("const b = './b'", &[]),
            ("reimport('./b')", &[]),
            ("import a from 'react'", &[]),
            (" * import a from './a'", &[]),
            ("// require('./a')", &[]),
        ] {
            assert_eq!(specifiers(line), expected, "{line}");
        }
    }
}
