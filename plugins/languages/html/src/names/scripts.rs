//! Imports of the scripts in a page.

use marquetry_sdk::{Edit, ImportKey, ImportedName, Span};

use crate::{
    embedded,
    links::script::{self, Binding, Import},
    syntax::{Name, Tree},
};

/// A script and its offset in the page.
struct Script<'t> {
    code: &'t str,
    start: usize,
}

fn scripts(tree: &Tree) -> impl Iterator<Item = Script<'_>> {
    let all = (0..tree.element_count()).filter(|id| tree.element(*id).name == Name::SCRIPT);
    let of_code = all.filter(|id| embedded::code_language(tree, *id).is_some_and(|language| language != "json"));
    of_code.map(|id| {
        let inner = tree.element(id).inner();
        Script { code: inner.slice(&tree.text), start: inner.range().start }
    })
}

/// Returns the name that a binding has in its module.
fn exported_name<'t>(code: &'t str, binding: &Binding) -> &'t str {
    match &binding.name {
        Some(name) => &code[name.clone()],
        None if binding.is_whole => "*",
        None => "default",
    }
}

/// Returns all imports of the scripts.
pub(super) fn imported_names(tree: &Tree) -> Vec<ImportedName> {
    let mut found = Vec::new();
    for Script { code, .. } in scripts(tree) {
        for Import { specifier, bindings, is_dynamic } in script::imports_with_bindings(code) {
            let named = |name: &str, local: Option<&str>| ImportedName {
                specifier: code[specifier.clone()].to_owned(),
                name: name.to_owned(),
                local: local.map(str::to_owned),
                exported: None,
                type_only: false,
            };
            found.extend(bindings.iter().map(|it| named(exported_name(code, it), Some(&code[it.local.clone()]))));
            found.extend(is_dynamic.then(|| named("*", None)));
        }
    }
    found
}

/// Occurrences of an export. The modules that export it are given by their specifiers.
#[derive(Debug, Default)]
pub(super) struct ExportOccurrences {
    /// Names in imports. The flag is true if the name is also the local name.
    pub(super) imports: Vec<(Span, bool)>,
    /// Words that may be a use of the export as a property of the module.
    pub(super) uncertain: Vec<Span>,
}

impl ExportOccurrences {
    pub(super) fn find(tree: &Tree, key: &ImportKey) -> ExportOccurrences {
        let mut found = ExportOccurrences::default();
        for Script { code, start } in scripts(tree).filter(|script| script.code.contains(&key.name)) {
            let span = |range: &std::ops::Range<usize>| Span::new(start + range.start, start + range.end);
            let (mut has_whole, mut is_loaded) = (false, false);
            let imports = script::imports_with_bindings(code);
            let of_key = |import: &&Import| key.specifiers.iter().any(|known| *known == code[import.specifier.clone()]);
            for import in imports.iter().filter(of_key) {
                is_loaded |= import.is_dynamic;
                has_whole |= import.bindings.iter().any(|it| it.is_whole);
                let named = import.bindings.iter().filter_map(|it| Some((it.name.as_ref()?, it.local.clone())));
                let named = named.filter(|(name, _)| code[(*name).clone()] == key.name);
                found.imports.extend(named.map(|(name, local)| (span(name), *name == local)));
            }
            if has_whole || is_loaded {
                // The result of a dynamic import is often destructured immediately, so every equal word may be a use.
                let words = script::word_occurrences(code, &key.name)
                    .into_iter()
                    .filter(|(_, is_member)| *is_member || is_loaded);
                let words = words.map(|(range, _)| span(&range));
                let imports = &found.imports;
                found.uncertain.extend(words.filter(|word| imports.iter().all(|(known, _)| known != word)));
            }
        }
        found
    }

    /// Returns the edits that rename the export in imports. The local name is kept.
    pub(super) fn rename_edits(&self, old: &str, new: &str) -> Vec<Edit> {
        let text = |is_local: bool| if is_local { format!("{new} as {old}") } else { new.to_owned() };
        self.imports.iter().map(|(span, is_local)| Edit::new(*span, text(*is_local))).collect()
    }
}
