//! Import settings of a project: those of its editor, formatter and linter, if they are JSON files. They are converted
//! to TypeScript's preferences.

use std::rc::Rc;

use crate::program::resolution::json::Json;
use crate::program::resolution::paths;
use crate::program::resolution::workspace::Workspace;

/// Returns TypeScript's preferences for a file, those with the highest priority last.
pub(crate) fn project_preferences(workspace: &Workspace, path: &str) -> Vec<(String, Json)> {
    let mut found = Vec::new();
    if let Some(biome) = nearest_json(workspace, path, BIOME_FILES) {
        found.extend(from_biome(&biome));
    }
    let linter = own_or_of_manifest(workspace, path, &[".eslintrc.json", ".eslintrc"], "eslintConfig");
    found.extend(linter.iter().flat_map(from_eslint));
    found.extend(prettier_settings(workspace, path).as_ref().and_then(from_prettier));
    if let Some(editor) = nearest_json(workspace, path, EDITOR_FILES) {
        let is_js = [".js", ".jsx", ".mjs", ".cjs"].iter().any(|extension| path.ends_with(extension));
        found.extend(from_editor(&editor, if is_js { "javascript" } else { "typescript" }));
    }
    found
}

/// Names of Biome's settings files.
pub(crate) const BIOME_FILES: &[&str] = &["biome.json", "biome.jsonc", ".biome.json", ".biome.jsonc"];
/// Settings file of Visual Studio Code.
pub(crate) const EDITOR_FILES: &[&str] = &[".vscode/settings.json"];

/// Returns the settings of Prettier for a file.
pub(crate) fn prettier_settings(workspace: &Workspace, path: &str) -> Option<Json> {
    own_or_of_manifest(workspace, path, &[".prettierrc", ".prettierrc.json"], "prettier")
}

/// Returns the first of these JSON files in the nearest folder that has one.
pub(crate) fn nearest_json(workspace: &Workspace, path: &str, names: &[&str]) -> Option<Rc<Json>> {
    paths::ancestors(paths::parent(path)).find_map(|folder| {
        let mut files = names.iter().map(|name| paths::join_path(folder, name));
        files.find_map(|file| workspace.json(&file).filter(|json| matches!(**json, Json::Object(_))))
    })
}

/// Returns the contents of a settings file, or else the value of a key in `package.json`.
fn own_or_of_manifest(workspace: &Workspace, path: &str, names: &[&str], key: &str) -> Option<Json> {
    let own = nearest_json(workspace, path, names).map(|json| (*json).clone());
    own.or_else(|| nearest_json(workspace, path, &["package.json"])?.get(key).cloned())
}

/// Returns the settings for the ESLint rules `sort-imports` and `simple-import-sort`, if they are enabled.
fn from_eslint(json: &Json) -> Vec<(String, Json)> {
    let rule = |name: &str| {
        let rule = json.get("rules")?.get(name)?;
        let is_on = matches!(rule.array_items().first()?.as_text()?, "error" | "warn");
        is_on.then(|| rule.array_items().get(1))
    };
    if let Some(options) = rule("simple-import-sort/imports") {
        // Custom groups are regular expressions, which are not supported: blank lines stay where they are.
        let has_own = options.is_some_and(|options| options.get("groups").is_some());
        return vec![
            text_preference("organizeImportsModules", if has_own { "folders" } else { "groups" }),
            ("organizeImportsIgnoreCase".to_owned(), Json::Bool(false)),
            text_preference("organizeImportsCollation", "unicode"),
            ("organizeImportsNumericCollation".to_owned(), Json::Bool(true)),
            text_preference("organizeImportsCaseFirst", "upper"),
            text_preference("organizeImportsTypeOrder", "inline"),
        ];
    }
    let own = rule("sort-imports").map(|options| {
        let ignores = options.and_then(|options| options.get("ignoreCase")) == Some(&Json::Bool(true));
        ("organizeImportsIgnoreCase".to_owned(), Json::Bool(ignores))
    });
    own.into_iter().collect()
}

/// Returns the settings for Biome's order of imports, which is enabled by default, and its quotes.
fn from_biome(json: &Json) -> Vec<(String, Json)> {
    let at = |path: &[&str]| path.iter().try_fold(json, |json, key| json.get(key));
    let action = at(&["assist", "actions", "source", "organizeImports"]);
    let level = action.and_then(|action| action.as_text().or(action.text_of("level")));
    let switches: [&[&str]; 2] = [&["assist", "enabled"], &["organizeImports", "enabled"]];
    let is_off = level == Some("off") || switches.iter().any(|path| at(path) == Some(&Json::Bool(false)));
    let mut found = Vec::new();
    if !is_off {
        found.push(text_preference("organizeImportsCollation", "natural"));
        found.push(text_preference("organizeImportsTypeOrder", "inline"));
        let has_own = action.and_then(|action| action.get("options")?.get("groups")).is_some();
        found.extend((!has_own).then(|| text_preference("organizeImportsModules", "distance")));
    }
    let quotes = at(&["javascript", "formatter", "quoteStyle"]).and_then(Json::as_text);
    found.extend(quotes.map(|quotes| text_preference("quotePreference", quotes)));
    found
}

fn text_preference(key: &str, value: &str) -> (String, Json) {
    (key.to_owned(), Json::String(value.to_owned()))
}

/// Returns Prettier's quotes.
fn from_prettier(json: &Json) -> Option<(String, Json)> {
    let Json::Bool(single) = json.get("singleQuote")? else { return None };
    Some(text_preference("quotePreference", if *single { "single" } else { "double" }))
}

/// Returns the settings of Visual Studio Code for a language.
fn from_editor(json: &Json, language: &str) -> Vec<(String, Json)> {
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
        let ignores = match order.text_of("caseSensitivity") {
            Some("caseInsensitive") => Some(true),
            Some("caseSensitive") => Some(false),
            _ => None,
        };
        found.extend(ignores.map(|ignores| ("organizeImportsIgnoreCase".to_owned(), Json::Bool(ignores))));
    }
    found
}
