//! What the settings of a project say of its imports: those of its editor, formatter and linter, as far as they are JSON.
//! They are read as TypeScript's own preferences.

use crate::program::resolution::json::Json;
use crate::program::resolution::paths;
use crate::program::resolution::workspace::Workspace;

/// TypeScript's preferences for a file, the strongest last.
pub(crate) fn preferences(workspace: &Workspace, path: &str) -> Vec<(String, Json)> {
    let nearest = |names: &[&str]| {
        paths::ancestors(paths::parent(path)).find_map(|folder| {
            let mut files = names.iter().map(|name| paths::in_folder(folder, name));
            files.find_map(|file| workspace.json(&file).filter(|json| matches!(**json, Json::Object(_))))
        })
    };
    let manifest = nearest(&["package.json"]);
    let of_manifest = |key: &str| manifest.as_ref().and_then(|manifest| manifest.get(key)).cloned();
    let mut found = Vec::new();
    let linter = nearest(&[".eslintrc.json", ".eslintrc"]).map(|json| (*json).clone());
    found.extend(linter.or_else(|| of_manifest("eslintConfig")).as_ref().and_then(of_linter));
    let formatter = nearest(&[".prettierrc", ".prettierrc.json"]).map(|json| (*json).clone());
    found.extend(formatter.or_else(|| of_manifest("prettier")).as_ref().and_then(of_formatter));
    if let Some(editor) = nearest(&[".vscode/settings.json"]) {
        let is_js = [".js", ".jsx", ".mjs", ".cjs"].iter().any(|extension| path.ends_with(extension));
        found.extend(of_editor(&editor, if is_js { "javascript" } else { "typescript" }));
    }
    found
}

/// ESLint's `sort-imports`, where it is on.
fn of_linter(json: &Json) -> Option<(String, Json)> {
    let rule = json.get("rules")?.get("sort-imports")?;
    let is_on = matches!(rule.items().first()?.as_text()?, "error" | "warn");
    let ignores = rule.items().get(1).and_then(|options| options.get("ignoreCase")) == Some(&Json::Bool(true));
    is_on.then(|| ("organizeImportsIgnoreCase".to_owned(), Json::Bool(ignores)))
}

/// Prettier's quotes.
fn of_formatter(json: &Json) -> Option<(String, Json)> {
    let Json::Bool(single) = json.get("singleQuote")? else { return None };
    let quote = if *single { "single" } else { "double" };
    Some(("quotePreference".to_owned(), Json::Text(quote.to_owned())))
}

/// The settings of Visual Studio Code for a language.
fn of_editor(json: &Json, language: &str) -> Vec<(String, Json)> {
    const NAMES: [(&str, &str); 5] = [
        ("quoteStyle", "quotePreference"),
        ("importModuleSpecifier", "importModuleSpecifierPreference"),
        ("importModuleSpecifierEnding", "importModuleSpecifierEnding"),
        ("preferTypeOnlyAutoImports", "preferTypeOnlyAutoImports"),
        ("autoImportFileExcludePatterns", "autoImportFileExcludePatterns"),
    ];
    const ORDERS: [(&str, &str); 5] = [
        ("typeOrder", "organizeImportsTypeOrder"),
        ("unicodeCollation", "organizeImportsCollation"),
        ("numericCollation", "organizeImportsNumericCollation"),
        ("accentCollation", "organizeImportsAccentCollation"),
        ("caseFirst", "organizeImportsCaseFirst"),
    ];
    let setting = |name: &str| json.get(&format!("{language}.preferences.{name}"));
    let named = |to: &str, value: Option<&Json>| Some((to.to_owned(), value?.clone()));
    let mut found: Vec<(String, Json)> = NAMES.iter().filter_map(|(from, to)| named(to, setting(from))).collect();
    if let Some(order) = setting("organizeImports") {
        found.extend(ORDERS.iter().filter_map(|(from, to)| named(to, order.get(from))));
        let ignores = match order.text("caseSensitivity") {
            Some("caseInsensitive") => Some(true),
            Some("caseSensitive") => Some(false),
            _ => None,
        };
        found.extend(ignores.map(|ignores| ("organizeImportsIgnoreCase".to_owned(), Json::Bool(ignores))));
    }
    found
}
