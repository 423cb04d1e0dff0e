//! Finds the files that scripts refer to: imported modules, workers, and the paths in import maps.

use std::ops::Range;

use crate::js_lexer::{JsLexer, JsToken};

/// A reference to a file in a script: the kind of the link, and the range of the specifier without quotes.
pub(super) type ScriptLink = (&'static str, Range<usize>);

/// Kinds of links whose specifier is a package name unless it starts with `/`, `./` or `../`.
pub(super) const MODULE_KINDS: [&str; 4] = ["import", "export-from", "dynamic-import", "import-map"];

/// Returns the references to modules, workers and other files in a script.
pub(super) fn script_links(code: &str) -> Vec<ScriptLink> {
    if !["import", "export", "Worker"].iter().any(|word| code.contains(word)) {
        return Vec::new();
    }
    let parts = Tokens::new(code);
    let mut found: Vec<ScriptLink> = Vec::new();
    for at in 0..parts.tokens.len() {
        let after_dot = at > 0 && parts.is_punctuation(at - 1, b'.');
        if parts.tokens[at].0 != JsToken::Word || after_dot {
            continue;
        }
        let named = match parts.token_text(at) {
            "import" if parts.is_punctuation(at + 1, b'(') => {
                parts.string_argument(at + 2).map(|text| ("dynamic-import", text))
            }
            "import" => parts.import_specifier(at + 1).map(|text| ("import", text)),
            "export" if parts.is_punctuation(at + 1, b'*') || parts.is_punctuation(at + 1, b'{') => {
                parts.re_export_specifier(at + 1).map(|text| ("export-from", text))
            }
            "new" => parts.constructor_specifier(at + 1),
            _ => None,
        };
        found.extend(named.and_then(|(kind, text)| Some((kind, parts.string_content(text)?))));
    }
    found
}

/// An import of a module.
#[derive(Debug, PartialEq)]
pub(crate) struct Import {
    /// Specifier without quotes.
    pub(crate) specifier: Range<usize>,
    /// Empty for dynamic imports, and for imports that only run the module.
    pub(crate) bindings: Vec<Binding>,
    pub(crate) is_dynamic: bool,
}

/// A name that an import binds.
#[derive(Debug, PartialEq)]
pub(crate) struct Binding {
    /// Range of the name in the module. `None` for a default import or a namespace import, which do not contain this
    /// name.
    pub(crate) name: Option<Range<usize>>,
    pub(crate) is_whole: bool,
    /// Range of the name that the script uses.
    pub(crate) local: Range<usize>,
}

/// Returns the imports of a script, with their bindings.
pub(crate) fn imports_with_bindings(code: &str) -> Vec<Import> {
    if !code.contains("import") {
        return Vec::new();
    }
    let parts = Tokens::new(code);
    let starts = (0..parts.tokens.len()).filter(|at| {
        parts.tokens[*at].0 == JsToken::Word
            && parts.token_text(*at) == "import"
            && !(*at > 0 && parts.is_punctuation(at - 1, b'.'))
    });
    let import = |at: usize| {
        let is_dynamic = parts.is_punctuation(at + 1, b'(');
        let end = if is_dynamic { parts.string_argument(at + 2)? } else { parts.import_specifier(at + 1)? };
        let bindings = if is_dynamic { Vec::new() } else { parts.bindings(at + 1, end) };
        Some(Import { specifier: parts.string_content(end)?, bindings, is_dynamic })
    };
    starts.filter_map(import).collect()
}

/// Returns the occurrences of a word in a script. The flag is true if the word follows a dot, so that it is the name of
/// a property.
pub(crate) fn word_occurrences(code: &str, wanted: &str) -> Vec<(Range<usize>, bool)> {
    let parts = Tokens::new(code);
    let is_it = |at: &usize| parts.tokens[*at].0 == JsToken::Word && parts.token_text(*at) == wanted;
    let found = (0..parts.tokens.len()).filter(is_it);
    found.map(|at| (parts.tokens[at].1.clone(), at > 0 && parts.is_punctuation(at - 1, b'.'))).collect()
}

/// Returns the references in an import map: the paths to which names are mapped, and the paths that are keys.
pub(super) fn import_map_links(json: &str) -> Vec<ScriptLink> {
    import_map_entries(json).into_iter().map(|entry| ("import-map", entry.value.unwrap_or(entry.key))).collect()
}

/// Returns the keys in an import map that end with `/`. Such a key maps all specifiers that start with it.
pub(super) fn import_map_prefixes(json: &str) -> Vec<&str> {
    let keys = import_map_entries(json).into_iter().filter(|entry| entry.value.is_some()).map(|entry| &json[entry.key]);
    keys.filter(|key| key.ends_with('/')).collect()
}

/// An entry under `imports`, `scopes` or `integrity` of an import map.
struct ImportMapEntry {
    key: Range<usize>,
    /// Path to which the key is mapped. `None` if the key itself is a path, as under `scopes`.
    value: Option<Range<usize>>,
}

fn import_map_entries(json: &str) -> Vec<ImportMapEntry> {
    let parts = Tokens::new(json);
    let mut found = Vec::new();
    // Keys of the enclosing objects, from the outside in.
    let mut path: Vec<&str> = Vec::new();
    for at in 0..parts.tokens.len() {
        match parts.tokens[at].0 {
            JsToken::Punctuation(b'{') => {
                let key = at.checked_sub(2).filter(|_| parts.is_punctuation(at - 1, b':'));
                path.push(key.and_then(|key| parts.string_content(key)).map_or("", |key| &json[key]));
            }
            JsToken::Punctuation(b'}') => drop(path.pop()),
            JsToken::Text if parts.is_punctuation(at + 1, b':') => {
                let Some(key) = parts.string_content(at) else { continue };
                let value = parts.tokens.get(at + 2).filter(|(piece, _)| *piece == JsToken::Text);
                let value = value.and_then(|_| parts.string_content(at + 2));
                let is_mapping = matches!(path[..], ["", "imports"] | ["", "scopes", _]);
                let is_scope = path[..] == ["", "scopes"] && parts.is_punctuation(at + 2, b'{');
                let is_hashed = path[..] == ["", "integrity"] && value.is_some();
                if is_scope || is_hashed {
                    found.push(ImportMapEntry { key, value: None });
                } else if is_mapping && value.is_some() {
                    found.push(ImportMapEntry { key, value });
                }
            }
            _ => {}
        }
    }
    found
}

/// Tokens of some code, without comments.
struct Tokens<'t> {
    code: &'t str,
    tokens: Vec<(JsToken, Range<usize>)>,
}

impl<'t> Tokens<'t> {
    fn new(code: &'t str) -> Tokens<'t> {
        let mut scanner = JsLexer::new(code);
        let parts = std::iter::from_fn(|| scanner.next()).filter(|(piece, _)| *piece != JsToken::Comment);
        Tokens { code, tokens: parts.collect() }
    }

    fn token_text(&self, at: usize) -> &'t str {
        self.tokens.get(at).map_or("", |(_, range)| &self.code[range.clone()])
    }

    fn is_punctuation(&self, at: usize, sign: u8) -> bool {
        self.tokens.get(at).is_some_and(|(piece, _)| *piece == JsToken::Punctuation(sign))
    }

    fn is_string(&self, at: usize) -> bool {
        self.tokens.get(at).is_some_and(|(piece, _)| *piece == JsToken::Text)
    }

    /// Returns the content of a string token. `None` if it contains escapes.
    fn string_content(&self, at: usize) -> Option<Range<usize>> {
        let range = self.tokens.get(at).filter(|(piece, _)| *piece == JsToken::Text)?.1.clone();
        let inner = range.start + 1..range.end.checked_sub(1)?;
        let text = self.code.get(inner.clone())?;
        let closed = range.len() > 1 && self.code.as_bytes()[range.start] == self.code.as_bytes()[range.end - 1];
        (closed && !text.is_empty() && !text.contains('\\')).then_some(inner)
    }

    /// Returns the index if the token there is a string and a complete argument: a comma or a closing parenthesis
    /// follows.
    fn string_argument(&self, at: usize) -> Option<usize> {
        (self.is_string(at) && (self.is_punctuation(at + 1, b')') || self.is_punctuation(at + 1, b','))).then_some(at)
    }

    /// Finds the specifier after `import`: `"a"`, or `x, { y } from "a"`.
    fn import_specifier(&self, from: usize) -> Option<usize> {
        if self.is_string(from) {
            return Some(from);
        }
        let mut at = from;
        loop {
            match self.tokens.get(at)?.0 {
                JsToken::Word if at > from && self.token_text(at) == "from" && self.is_string(at + 1) => {
                    return Some(at + 1);
                }
                // Export names can also be strings: `import { "a b" as c } from "x"`.
                JsToken::Word | JsToken::Text | JsToken::Punctuation(b'{' | b'}' | b',' | b'*') => at += 1,
                _ => return None,
            }
        }
    }

    /// Reads the bindings between `import` and `from`, such as `x, { y as z }` or `* as n`.
    fn bindings(&self, from: usize, end: usize) -> Vec<Binding> {
        let mut found = Vec::new();
        let mut in_braces = false;
        let mut at = from;
        while at < end {
            let range = || self.tokens[at].1.clone();
            let renamed = (self.token_text(at + 1) == "as").then(|| self.tokens.get(at + 2)).flatten();
            let local = renamed.filter(|(piece, _)| *piece == JsToken::Word).map(|(_, range)| range.clone());
            let step = if local.is_some() { 3 } else { 1 };
            match self.tokens[at].0 {
                JsToken::Punctuation(b'{') => in_braces = true,
                JsToken::Punctuation(b'}') => in_braces = false,
                JsToken::Punctuation(b'*') => {
                    found.extend(local.map(|local| Binding { name: None, is_whole: true, local }));
                }
                JsToken::Word if in_braces => {
                    let local = local.unwrap_or_else(range);
                    found.push(Binding { name: Some(range()), is_whole: false, local });
                }
                JsToken::Word if self.token_text(at) != "from" => {
                    found.push(Binding { name: None, is_whole: false, local: range() });
                }
                _ => {}
            }
            at += step;
        }
        found
    }

    /// Finds the specifier of `* as x from "a"` or `{ y } from "a"`.
    fn re_export_specifier(&self, from: usize) -> Option<usize> {
        let mut at = from + 1;
        if self.is_punctuation(from, b'{') {
            while !self.is_punctuation(at, b'}') {
                self.tokens.get(at)?;
                at += 1;
            }
            at += 1;
        } else if self.token_text(at) == "as" {
            at += 2;
        }
        (self.token_text(at) == "from" && self.is_string(at + 1)).then_some(at + 1)
    }

    /// Finds the specifier of `URL("a", import.meta.url)` or `Worker("a")`.
    fn constructor_specifier(&self, at: usize) -> Option<(&'static str, usize)> {
        let argument = self.string_argument(at + 2).filter(|_| self.is_punctuation(at + 1, b'('))?;
        match self.token_text(at) {
            "Worker" | "SharedWorker" => Some(("worker", argument)),
            "URL" => {
                let base: String = (argument + 2..argument + 8).map(|part| self.token_text(part)).collect();
                base.starts_with("import.meta.url)").then_some(("new-url", argument))
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(code: &str, found: Vec<ScriptLink>) -> Vec<String> {
        found.into_iter().map(|(kind, range)| format!("{kind} {}", &code[range])).collect()
    }

    #[test]
    fn imports_of_scripts() {
        let code = "import './a.js';\nimport b, { c as d } from \"./b.js\"; // import './no.js'\nexport * as e from './e.js';\n\
            export { f, g }\nimport { from } from './h.js'; x.import('./no.js'); const i = await import('./i.js');\n\
            export { j } from './j.js'; new Worker('k.js', { type: 'module' }); new URL('./l.png', import.meta.url);\n\
            `import './no.js'`; import.meta.env; new URL('./no', x); import(`./no.js`); import(m)";
        let expected = [
            "import ./a.js",
            "import ./b.js",
            "export-from ./e.js",
            "import ./h.js",
            "dynamic-import ./i.js",
            "export-from ./j.js",
            "worker k.js",
            "new-url ./l.png",
        ];
        assert_eq!(shown(code, script_links(code)), expected);
    }

    #[test]
    fn targets_of_import_maps() {
        let json = r#"{ "imports": { "a": "./a.js", "lib/": "/lib/" }, "scopes": { "./x/": { "a": "./x/a.js" } },
            "integrity": { "./a.js": "sha384" } }"#;
        let expected =
            ["import-map ./a.js", "import-map /lib/", "import-map ./x/", "import-map ./x/a.js", "import-map ./a.js"];
        assert_eq!(shown(json, import_map_links(json)), expected);
        assert_eq!(import_map_prefixes(json), ["lib/"]);
    }
}
