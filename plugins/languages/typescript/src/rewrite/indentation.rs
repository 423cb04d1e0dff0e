//! Indentation unit of a file: as used in the file, or else as configured in the project.

use marquetry_sdk::indent;

use crate::imports::project;
use crate::program::resolution::json::Json;
use crate::program::resolution::paths;
use crate::program::resolution::workspace::Workspace;
use crate::syntax::tree::Tree;

/// Default of TypeScript and most editors.
const UNSAID: usize = 4;
/// Maximum size; larger values are treated as mistakes.
const WIDEST: usize = 16;

/// Returns the indentation unit of a file.
pub(crate) fn unit(tree: &Tree) -> String {
    unit_of(tree.path(), tree.text())
}

/// Returns the indentation unit of a file with this text.
pub(crate) fn unit_of(path: &str, text: &str) -> String {
    told_unit(path, text).unwrap_or_else(|| Said::default().unit())
}

/// Like [`unit_of`]; `None` if neither the text nor the project determines it.
pub(crate) fn told_unit(path: &str, text: &str) -> Option<String> {
    indent::shown_unit(text).or_else(|| {
        let said = configured(&Workspace::now(), path);
        (said.tabs.is_some() || said.size.is_some()).then(|| said.unit())
    })
}

/// Indentation settings; each of them may be missing.
#[derive(Clone, Copy, Default)]
struct Said {
    tabs: Option<bool>,
    size: Option<usize>,
}

impl Said {
    fn or(self, weaker: Said) -> Said {
        Said { tabs: self.tabs.or(weaker.tabs), size: self.size.or(weaker.size) }
    }

    fn unit(self) -> String {
        if self.tabs == Some(true) { "\t".to_owned() } else { " ".repeat(self.size.unwrap_or(UNSAID).clamp(1, WIDEST)) }
    }
}

/// Returns the project's settings: those of its formatter first, then `.editorconfig`, then an editor's settings.
fn configured(workspace: &Workspace, path: &str) -> Said {
    let mut said = Said::default();
    let prettier = project::prettier(workspace, path);
    if let Some(prettier) = &prettier {
        said = said.or(of_json(prettier, "useTabs", "tabWidth"));
    }
    let biome = project::nearest(workspace, path, project::BIOME);
    let own = |biome: &Json| {
        let formatter = |json: &Json| json.get("formatter").map_or(Said::default(), of_biome);
        biome.get("javascript").map_or(Said::default(), formatter).or(formatter(biome))
    };
    said = said.or(biome.as_ref().map_or(Said::default(), |biome| own(biome)));
    said = said.or(of_editorconfig(workspace, path));
    // Defaults of the formatters.
    if biome.is_some() {
        return said.or(Said { tabs: Some(true), size: Some(2) });
    }
    if prettier.is_some() {
        return said.or(Said { tabs: Some(false), size: Some(2) });
    }
    match project::nearest(workspace, path, project::EDITOR) {
        Some(editor) => {
            let spaces = of_json(&editor, "editor.insertSpaces", "editor.tabSize");
            said.or(Said { tabs: spaces.tabs.map(|spaces| !spaces), size: spaces.size })
        }
        None => said,
    }
}

fn of_json(json: &Json, tabs: &str, size: &str) -> Said {
    let tabs = match json.get(tabs) {
        Some(Json::Bool(tabs)) => Some(*tabs),
        _ => None,
    };
    Said { tabs, size: json.get(size).and_then(number) }
}

fn of_biome(formatter: &Json) -> Said {
    let tabs = formatter.text("indentStyle").map(|style| style == "tab");
    Said { tabs, size: formatter.get("indentWidth").and_then(number) }
}

fn number(json: &Json) -> Option<usize> {
    match json {
        Json::Count(count) => Some(*count),
        _ => None,
    }
}

/// Returns the settings for a file in all `.editorconfig` files above it, up to the one with `root = true`.
fn of_editorconfig(workspace: &Workspace, path: &str) -> Said {
    let mut said = Said::default();
    for folder in paths::ancestors(paths::parent(path)) {
        let file = paths::in_folder(folder, ".editorconfig");
        let Some(text) = workspace.is_file(&file).then(|| workspace.read(&file)).flatten() else { continue };
        let (own, is_root) = of_sections(&text, paths::below(folder, path).unwrap_or(path));
        said = said.or(own);
        if is_root {
            break;
        }
    }
    said
}

/// Returns the settings for a file in the text of an `.editorconfig`, and whether it is the root.
fn of_sections(text: &str, path: &str) -> (Said, bool) {
    let (mut said, mut is_root, mut width) = (Said::default(), false, None);
    // `None` before the first section; then whether the section applies to the file.
    let mut section: Option<bool> = None;
    for line in text.lines().map(str::trim).filter(|line| !line.starts_with(['#', ';'])) {
        if let Some(pattern) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            section = Some(is_about(pattern, path));
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
fn is_about(pattern: &str, path: &str) -> bool {
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
        assert_eq!(told_unit("a.ts", "f();\n"), None);
    }

    #[test]
    fn file_keeps_its_own_indentation() {
        marquetry_sdk::workspace::set_files([(".prettierrc".to_owned(), "{}".to_owned())]);
        assert_eq!(unit_of("a.ts", "f(() => {\n   g();\n});\n"), "   ");
    }
}
