//! Indentation unit of a file: as used in the file, or else as configured in the project.

use marquetry_sdk::indent;

use crate::imports::project_settings;
use crate::program::resolution::json::Json;
use crate::program::resolution::paths;
use crate::program::resolution::workspace::Workspace;
use crate::syntax::tree::Tree;

/// Default of TypeScript and most editors.
const DEFAULT_SIZE: usize = 4;
/// Maximum size; larger values are treated as mistakes.
const MAX_SIZE: usize = 16;

/// Returns the indentation unit of a file.
pub(crate) fn unit(tree: &Tree) -> String {
    unit_of(tree.path(), tree.text())
}

/// Returns the indentation unit of a file with this text.
pub(crate) fn unit_of(path: &str, text: &str) -> String {
    detected_unit(path, text).unwrap_or_else(|| IndentationSettings::default().unit())
}

/// Like [`unit_of`]; `None` if neither the text nor the project determines it.
pub(crate) fn detected_unit(path: &str, text: &str) -> Option<String> {
    indent::detected_unit(text).or_else(|| {
        let said = project_settings(&Workspace::current(), path);
        (said.tabs.is_some() || said.size.is_some()).then(|| said.unit())
    })
}

/// Indentation settings. A setting that is not configured is `None`.
#[derive(Clone, Copy, Default)]
struct IndentationSettings {
    tabs: Option<bool>,
    size: Option<usize>,
}

impl IndentationSettings {
    fn or(self, weaker: IndentationSettings) -> IndentationSettings {
        IndentationSettings { tabs: self.tabs.or(weaker.tabs), size: self.size.or(weaker.size) }
    }

    fn unit(self) -> String {
        if self.tabs == Some(true) {
            "\t".to_owned()
        } else {
            " ".repeat(self.size.unwrap_or(DEFAULT_SIZE).clamp(1, MAX_SIZE))
        }
    }
}

/// Returns the project's settings. The settings of its formatter take precedence, then `.editorconfig`, then an
/// editor's settings.
fn project_settings(workspace: &Workspace, path: &str) -> IndentationSettings {
    let mut said = IndentationSettings::default();
    let prettier = project_settings::prettier_settings(workspace, path);
    if let Some(prettier) = &prettier {
        said = said.or(from_json(prettier, "useTabs", "tabWidth"));
    }
    let biome = project_settings::nearest_json(workspace, path, project_settings::BIOME_FILES);
    let own = |biome: &Json| {
        let formatter = |json: &Json| json.get("formatter").map_or(IndentationSettings::default(), from_biome);
        biome.get("javascript").map_or(IndentationSettings::default(), formatter).or(formatter(biome))
    };
    said = said.or(biome.as_ref().map_or(IndentationSettings::default(), |biome| own(biome)));
    said = said.or(from_editorconfig(workspace, path));
    // Defaults of the formatters.
    if biome.is_some() {
        return said.or(IndentationSettings { tabs: Some(true), size: Some(2) });
    }
    if prettier.is_some() {
        return said.or(IndentationSettings { tabs: Some(false), size: Some(2) });
    }
    match project_settings::nearest_json(workspace, path, project_settings::EDITOR_FILES) {
        Some(editor) => {
            let spaces = from_json(&editor, "editor.insertSpaces", "editor.tabSize");
            said.or(IndentationSettings { tabs: spaces.tabs.map(|spaces| !spaces), size: spaces.size })
        }
        None => said,
    }
}

fn from_json(json: &Json, tabs: &str, size: &str) -> IndentationSettings {
    let tabs = match json.get(tabs) {
        Some(Json::Bool(tabs)) => Some(*tabs),
        _ => None,
    };
    IndentationSettings { tabs, size: json.get(size).and_then(number) }
}

fn from_biome(formatter: &Json) -> IndentationSettings {
    let tabs = formatter.text_of("indentStyle").map(|style| style == "tab");
    IndentationSettings { tabs, size: formatter.get("indentWidth").and_then(number) }
}

fn number(json: &Json) -> Option<usize> {
    match json {
        Json::Count(count) => Some(*count),
        _ => None,
    }
}

/// Returns the settings for a file in all `.editorconfig` files above it, up to the one with `root = true`.
fn from_editorconfig(workspace: &Workspace, path: &str) -> IndentationSettings {
    let mut said = IndentationSettings::default();
    for folder in paths::ancestors(paths::parent(path)) {
        let file = paths::join_path(folder, ".editorconfig");
        let Some(text) = workspace.is_file(&file).then(|| workspace.read(&file)).flatten() else { continue };
        let (own, is_root) = from_sections(&text, paths::relative_to(folder, path).unwrap_or(path));
        said = said.or(own);
        if is_root {
            break;
        }
    }
    said
}

/// Returns the settings for a file in the text of an `.editorconfig`, and whether it is the root.
fn from_sections(text: &str, path: &str) -> (IndentationSettings, bool) {
    let (mut said, mut is_root, mut width) = (IndentationSettings::default(), false, None);
    // `None` before the first section; afterwards, true if the current section applies to the file.
    let mut section: Option<bool> = None;
    for line in text.lines().map(str::trim).filter(|line| !line.starts_with(['#', ';'])) {
        if let Some(pattern) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            section = Some(pattern_matches(pattern, path));
            continue;
        }
        let Some((key, value)) = line.split_once('=') else { continue };
        let (key, value) = (key.trim().to_ascii_lowercase(), value.trim().to_ascii_lowercase());
        match (section, key.as_str()) {
            (None, "root") => is_root = value == "true",
            (Some(true), "indent_style") => said.tabs = Some(value == "tab"),
            // With the value `tab`, the size is that of `tab_width`.
            (Some(true), "indent_size") => said.size = value.parse().ok(),
            (Some(true), "tab_width") => width = value.parse().ok(),
            _ => {}
        }
    }
    said.size = said.size.or(width);
    (said, is_root)
}

/// Returns whether a pattern matches a file. A pattern without a slash is matched against the file name.
fn pattern_matches(pattern: &str, path: &str) -> bool {
    match pattern.strip_prefix('/') {
        Some(rooted) => fast_glob::glob_match(rooted, path),
        None if pattern.contains('/') => fast_glob::glob_match(pattern, path),
        None => fast_glob::glob_match(pattern, paths::file_name(path)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(files: &[(&str, &str)], unit: &str) {
        let files = files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned()));
        marquetry_sdk::workspace::set_files(files);
        assert_eq!(unit_of("src/a.ts", "f();\n"), unit);
    }

    #[test]
    fn file_without_indentation_uses_project_setting() {
        check(&[], "    ");
        check(&[(".editorconfig", "root = true\n[*]\nindent_style = tab\n")], "\t");
        check(&[(".editorconfig", "[*]\nindent_size = 3\n[*.py]\nindent_size = 8\n")], "   ");
        check(&[(".editorconfig", "[*.{js,ts}]\nindent_style = space\nindent_size = 2\n")], "  ");
        check(
            &[(".editorconfig", "[*]\nindent_size = 2\n"), ("src/.editorconfig", "[*.ts]\nindent_size = 3\n")],
            "   ",
        );
        let root = "root = true\n[*.js]\nindent_size = 3\n";
        check(&[(".editorconfig", "[*]\nindent_size = 2\n"), ("src/.editorconfig", root)], "    ");
        check(
            &[(".editorconfig", "[/src/*.ts]\nindent_size = tab\ntab_width = 3\n[lib/**]\nindent_size = 8\n")],
            "   ",
        );
        check(&[(".prettierrc", "{}"), (".editorconfig", "[*]\nindent_size = 3\n")], "   ");
        check(&[(".prettierrc", "{}")], "  ");
        check(&[("package.json", "{ \"prettier\": { \"useTabs\": true } }")], "\t");
        check(&[("biome.json", "{}")], "\t");
        check(&[("biome.json", "{ \"formatter\": { \"indentStyle\": \"space\" } }")], "  ");
        check(&[(".vscode/settings.json", "{ \"editor.insertSpaces\": false }")], "\t");
        check(&[(".vscode/settings.json", "{ \"editor.tabSize\": 2 }")], "  ");
    }

    #[test]
    fn indentation_is_unknown_without_settings() {
        marquetry_sdk::workspace::set_files(Vec::new());
        assert_eq!(detected_unit("a.ts", "f();\n"), None);
    }

    #[test]
    fn file_keeps_its_own_indentation() {
        marquetry_sdk::workspace::set_files([(".prettierrc".to_owned(), "{}".to_owned())]);
        assert_eq!(unit_of("a.ts", "f(() => {\n   g();\n});\n"), "   ");
    }
}
