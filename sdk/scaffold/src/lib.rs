//! Templates for new language packs. A new pack builds at once, satisfies the laws (properties required of every pack),
//! and contains the SDK and the WIT interface.

mod sdks {
    include!(concat!(env!("OUT_DIR"), "/sdks.rs"));
}

/// The implementation language of a pack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    /// Rust, for `wasm32-wasip2`.
    Rust,
    /// Rust, for a programming language with a grammar of tree-sitter.
    Grammar,
    /// JavaScript or TypeScript, with the QuickJS engine.
    JavaScript,
    /// Python, with a bundled interpreter.
    Python,
    /// AssemblyScript, as an Extism plug-in.
    Extism,
}

/// Files of a Rust pack: path and template. `NAME` and `PASCAL` stand for the pack's name.
pub const RUST: [(&str, &str); 3] = [
    ("help.md", include_str!("../templates/rust/help.md")),
    ("src/lib.rs", include_str!("../templates/rust/lib.rs")),
    ("src/tests.rs", include_str!("../templates/rust/tests.rs")),
];

/// Additional files of a Rust pack outside of a larger workspace.
const RUST_STANDALONE: [(&str, &str); 6] = [
    ("Cargo.toml", include_str!("../templates/rust/alone.toml")),
    (".cargo/config.toml", include_str!("../templates/rust/config.toml")),
    ("rust-toolchain.toml", include_str!("../templates/rust/rust-toolchain.toml")),
    (".gitignore", "/target\n/NAME.wasm\n"),
    ("README.md", include_str!("../templates/rust/README.md")),
    ("NAME.spec.md", SPEC),
];

/// Files of a pack with a grammar.
const GRAMMAR: [(&str, &str); 11] = [
    ("help.md", include_str!("../templates/grammar/help.md")),
    ("src/lib.rs", include_str!("../templates/grammar/lib.rs")),
    ("src/table.rs", include_str!("../templates/grammar/table.rs")),
    ("src/tests.rs", include_str!("../templates/grammar/tests.rs")),
    ("src/example.NAME", include_str!("../templates/grammar/example.txt")),
    ("Cargo.toml", include_str!("../templates/grammar/alone.toml")),
    (".cargo/config.toml", include_str!("../templates/grammar/config.toml")),
    ("rust-toolchain.toml", include_str!("../templates/rust/rust-toolchain.toml")),
    (".gitignore", "/target\n/NAME.wasm\n"),
    ("README.md", include_str!("../templates/grammar/README.md")),
    ("NAME.spec.md", include_str!("../templates/grammar/pack.spec.md")),
];

/// Files of a JavaScript pack.
const JAVASCRIPT: [(&str, &str); 6] = [
    ("package.json", include_str!("../templates/js/package.json")),
    ("pack.js", include_str!("../templates/js/pack.js")),
    ("pack.test.js", include_str!("../templates/js/pack.test.js")),
    (".gitignore", "/node_modules\n/NAME.wasm\n"),
    ("README.md", include_str!("../templates/js/README.md")),
    ("NAME.spec.md", SPEC),
];

/// Files of a Python pack.
const PYTHON: [(&str, &str); 6] = [
    ("pyproject.toml", include_str!("../templates/python/pyproject.toml")),
    ("pack.py", include_str!("../templates/python/pack.py")),
    ("test_pack.py", include_str!("../templates/python/test_pack.py")),
    (".gitignore", "/.venv\n__pycache__\n/NAME.wasm\n"),
    ("README.md", include_str!("../templates/python/README.md")),
    ("NAME.spec.md", SPEC),
];

/// Files of an Extism pack.
const EXTISM: [(&str, &str); 9] = [
    ("package.json", include_str!("../templates/extism/package.json")),
    ("tsconfig.json", include_str!("../templates/extism/tsconfig.json")),
    ("assembly/index.ts", include_str!("../templates/extism/index.ts")),
    ("assembly/document.ts", include_str!("../templates/extism/document.ts")),
    ("assembly/edit.ts", include_str!("../templates/extism/edit.ts")),
    ("pack.test.mjs", include_str!("../templates/extism/pack.test.mjs")),
    (".gitignore", "/node_modules\n/NAME.wasm\n"),
    ("README.md", include_str!("../templates/extism/README.md")),
    ("NAME.spec.md", SPEC),
];

/// Library files of an Extism pack: the parts of the example pack that are independent of its format.
const EXTISM_LIBRARY: &[(&str, &str)] = &[
    ("sdk/failure.ts", include_str!("../../../examples/packs/properties-extism/assembly/failure.ts")),
    ("sdk/json.ts", include_str!("../../../examples/packs/properties-extism/assembly/json.ts")),
    ("sdk/nearest.ts", include_str!("../../../examples/packs/properties-extism/assembly/nearest.ts")),
    ("sdk/operation.ts", include_str!("../../../examples/packs/properties-extism/assembly/operation.ts")),
    ("sdk/section.mjs", include_str!("../../../examples/packs/properties-extism/section.mjs")),
    ("sdk/text.ts", include_str!("../../../examples/packs/properties-extism/assembly/text.ts")),
    ("sdk/writer.ts", include_str!("../../../examples/packs/properties-extism/assembly/writer.ts")),
];

/// The spec file, which is the same for all languages.
const SPEC: &str = include_str!("../templates/pack.spec.md");

/// The files of a new pack: paths relative to its folder, and texts.
pub fn files(language: Language, name: &str) -> Vec<(String, String)> {
    let (own, sdk) = match language {
        Language::Rust => ([&RUST[..], &RUST_STANDALONE].concat(), sdks::RUST),
        Language::Grammar => (GRAMMAR.to_vec(), sdks::GRAMMAR),
        Language::JavaScript => (JAVASCRIPT.to_vec(), sdks::JAVASCRIPT),
        Language::Python => (PYTHON.to_vec(), sdks::PYTHON),
        Language::Extism => (EXTISM.to_vec(), EXTISM_LIBRARY),
    };
    let own = own.into_iter().map(|(path, text)| (fill_template(path, name), fill_template(text, name)));
    let sdk = sdk.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned()));
    let rust: &[(&str, &str)] = if language == Language::Grammar { sdks::RUST } else { &[] };
    let rust = rust.iter().map(|(path, text)| (path.replacen("sdk/", "sdk/rust/", 1), (*text).to_owned()));
    own.chain(sdk).chain(rust).collect()
}

/// Inserts the name of a pack into a template.
pub fn fill_template(template: &str, name: &str) -> String {
    template.replace("PASCAL", &pascal(name)).replace("SNAKE", &name.replace('-', "_")).replace("NAME", name)
}

/// Returns whether a name is valid for a pack: lower-case letters, digits and dashes, starting with a letter.
pub fn is_name(name: &str) -> bool {
    let letters = name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-');
    letters && name.starts_with(|c: char| c.is_ascii_lowercase()) && !name.ends_with('-')
}

/// Converts `git-config` to `GitConfig`.
pub fn pascal(name: &str) -> String {
    let word = |word: &str| word.chars().take(1).map(|c| c.to_ascii_uppercase()).chain(word.chars().skip(1)).collect();
    name.split('-').map(word).collect::<Vec<String>>().concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scaffold_contains_the_sdk() {
        let files = files(Language::Rust, "git-notes");
        let text = |path: &str| files.iter().find(|(known, _)| known == path).map(|(_, text)| text.as_str());
        assert!(text("src/lib.rs").is_some_and(|text| text.contains("struct GitNotes;")));
        assert!(text("git-notes.spec.md").is_some_and(|text| text.contains("file=a.git-notes")));
        assert!(text("sdk/wit/language.wit").is_some_and(|text| text.contains("package marquetry:language@")));
        let manifest = text("sdk/Cargo.toml").expect("the SDK");
        assert!(manifest.contains("edition = \"2024\"") && !manifest.contains("workspace = true"), "{manifest}");
    }

    #[test]
    fn scaffold_has_all_files_per_language() {
        for (language, wanted) in [
            (Language::Rust, "sdk/src/lib.rs"),
            (Language::Grammar, "sdk/rust/src/lib.rs"),
            (Language::Grammar, "sdk/code/src/lib.rs"),
            (Language::Grammar, "sdk/grammar/src/lib.rs"),
            (Language::JavaScript, "sdk/build/main.js"),
            (Language::Python, "sdk/marquetry_sdk/wit/language.wit"),
            (Language::Extism, "sdk/json.ts"),
        ] {
            let files = files(language, "a");
            assert!(files.iter().any(|(path, _)| path == wanted), "{language:?}: no {wanted}");
            assert!(files.iter().any(|(path, _)| path == "a.spec.md"), "{language:?}");
            let own = files.iter().filter(|(path, _)| !path.starts_with("sdk/"));
            let left = own.filter(|(path, text)| [path, text].iter().any(|text| text.contains("NAME")));
            assert_eq!(left.count(), 0, "{language:?}: a file still contains the placeholder `NAME`");
        }
    }

    #[test]
    fn grammars_are_compiled_in_a_new_pack() {
        let files = files(Language::Grammar, "c-sharp");
        let text = |path: &str| files.iter().find(|(known, _)| known == path).map(|(_, text)| text.as_str());
        assert!(text("Cargo.toml").is_some_and(|text| text.contains("tree-sitter-c-sharp = \"*\"")));
        assert!(text("src/table.rs").is_some_and(|text| text.contains("grammar!(GRAMMAR, tree_sitter_c_sharp, ")));
        let manifest = text("sdk/grammar/Cargo.toml").expect("the bridge");
        let (_, native) = manifest.split_once("[target.'cfg(all())'.dependencies]").expect("a table for all targets");
        assert!(native.contains("\ntree-sitter = "), "{manifest}");
        assert!(files.iter().all(|(path, _)| !path.contains("archives")));
    }

    #[test]
    fn names_use_lower_case_and_dashes() {
        for name in ["toml", "git-config", "a1"] {
            assert!(is_name(name), "{name}");
        }
        for name in ["", "A", "1a", "a_b", "a-", "../a", "a b"] {
            assert!(!is_name(name), "{name}");
        }
    }
}
