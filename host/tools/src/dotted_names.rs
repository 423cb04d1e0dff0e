//! Dotted names of Python modules in strings, settings and commands: `"shop.views"`, `shop.views:main`, `python -m
//! shop.views`. Programs import such modules by their names, and no pack proves that a text is such a name, so these
//! places are listed.
//!
//! A text counts only if it names exactly a module of the workspace, from a folder that imports can start at. A name
//! without a dot counts only after `-m`, and before a name that the module contains: `main:app`, `"main.app"`.

use std::borrow::Cow;

use marquetry_graph::{Entry, Workspace, parallel_map_with};
use marquetry_model::{Error, Interface, Kind, Result, is_below, text::Lines};

use crate::{
    generated_files::is_generated,
    mentioned_names::{MAX_SEARCHED_SIZE, is_in_quotes},
    mentioned_paths::{MentionedPath, RelocatedPaths, folder},
    result_types::Location,
    session::Session,
    undecodable::undecodable_text,
};

/// Reason for a dotted name that is not updated.
const NAMES_MODULE: &str = "not updated: the text names the module";
/// Extensions of the files of modules.
const EXTENSIONS: [&str; 2] = [".py", ".pyi"];

/// The names of some modules and packages.
pub(crate) struct DottedNames<'a> {
    workspace: &'a Workspace,
    names: Vec<ModuleName<'a>>,
}

/// A name of a module or package.
#[derive(Debug, PartialEq, Eq)]
struct ModuleName<'a> {
    name: String,
    /// The file; the folder of a package whose files are all meant.
    path: &'a str,
}

/// A place of a text that names a module.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct NamedModule<'t> {
    at: usize,
    /// The name with the attributes that follow.
    text: &'t str,
    /// Offset and text of the first attribute.
    attribute: Option<(usize, &'t str)>,
}

impl<'a> DottedNames<'a> {
    /// The names of these files and folders.
    pub(crate) fn new(workspace: &'a Workspace, paths: &[&'a str]) -> DottedNames<'a> {
        let is_package = |folder: &str| {
            EXTENSIONS.iter().any(|ending| workspace.file(&format!("{folder}/__init__{ending}")).is_some())
        };
        let has_modules = |folder: &str| {
            let mut inside = workspace.files_from(folder).take_while(|entry| entry.path.starts_with(folder));
            inside.any(|entry| is_below(&entry.path, folder) && module_path(&entry.path).is_some())
        };
        let mut names = Vec::new();
        for path in paths.iter().copied() {
            let module = module_path(path).or_else(|| has_modules(path).then_some(path));
            let own = module.map(|module| names_of(module, is_package)).unwrap_or_default();
            names.extend(own.into_iter().map(|name| ModuleName { name, path }));
        }
        DottedNames { workspace, names }
    }

    fn may_be_in(&self, entry: &Entry) -> bool {
        self.names.iter().any(|module| module.name.split('.').all(|part| entry.may_hold(part)))
    }

    fn is_folder(&self, module: &ModuleName<'_>) -> bool {
        self.workspace.file(module.path).is_none()
    }

    /// Returns whether a module or package may contain a name.
    fn contains(&self, path: &str, name: &str) -> bool {
        if let Some(file) = self.workspace.file(path) {
            return file.may_hold(name);
        }
        let inside = format!("{path}/{name}");
        let mut below = self.workspace.files_from(&inside).take_while(|entry| entry.path.starts_with(&inside));
        below.any(|entry| is_below(&entry.path, &inside) || module_path(&entry.path) == Some(inside.as_str()))
    }

    /// The places of a text that name a module, in order.
    fn places<'t>(&self, text: &'t str, only_quoted: bool) -> Vec<NamedModule<'t>> {
        let mut found = Vec::new();
        for module in &self.names {
            let all = text.match_indices(&module.name).filter_map(|(at, name)| named_module(text, at, name.len()));
            found.extend(all.filter(|place| {
                (!only_quoted || is_in_quotes(text, place.at))
                    && names_certainly(text, *place, (&module.name, self.is_folder(module)), |name| {
                        self.contains(module.path, name)
                    })
            }));
        }
        found.sort_by_key(|place| (place.at, place.text.len()));
        found.dedup_by_key(|place| place.at);
        found
    }
}

impl Session {
    /// Finds dotted names of modules that are moved or deleted.
    pub(crate) fn dotted_mentions(&self, going: &RelocatedPaths<'_>) -> Result<Vec<MentionedPath>> {
        let names = DottedNames::new(going.workspace, &going.paths);
        let is_searched = |entry: &Entry| going.moves.is_some() || !going.is_relocated(&entry.path);
        self.search_dotted(&names, is_searched, |entry, text, place| MentionedPath {
            file: entry.path.clone(),
            line: Lines::new(text).position(place.at).line,
            path: place.text.to_owned(),
            why: NAMES_MODULE,
        })
    }

    /// Finds dotted names of something in a module: `"shop.views.index"`, `shop.views:index`. Returns the offset and
    /// place of the name itself.
    pub(crate) fn dotted_uses(
        &self,
        workspace: &Workspace,
        exporters: &[&str],
        name: &str,
    ) -> Result<Vec<(usize, Location)>> {
        let names = DottedNames::new(workspace, exporters);
        let found = self.search_dotted(
            &names,
            |entry| entry.may_hold(name),
            |entry, text, place| {
                let (at, _) = place.attribute.filter(|(_, attribute)| *attribute == name)?;
                Some((at, Location::new(&entry.path, Lines::new(text).position(at))))
            },
        )?;
        Ok(found.into_iter().flatten().collect())
    }

    fn search_dotted<T: Send>(
        &self,
        names: &DottedNames<'_>,
        is_searched: impl Fn(&Entry) -> bool,
        shown: impl Fn(&Entry, &str, NamedModule<'_>) -> T + Sync,
    ) -> Result<Vec<T>> {
        if names.names.is_empty() {
            return Ok(Vec::new());
        }
        let mut read: Vec<(&Entry, bool)> = Vec::new();
        for entry in names.workspace.files() {
            if names.may_be_in(entry) && !is_generated(&entry.path) && is_searched(entry) {
                read.push((entry, self.is_code(entry)?));
            }
        }
        let stage = self.work.stage("looking for dotted names", read.len());
        let found = parallel_map_with(
            &read,
            || self.files.reader(),
            |reader, (entry, is_code): &(&Entry, bool)| {
                stage.step()?;
                let text = match reader.text(&entry.path, MAX_SEARCHED_SIZE) {
                    Err(error) if error.kind() == Kind::Unsupported => {
                        undecodable_text(self.files.as_ref(), &entry.path, entry.size).map(Cow::Owned)
                    }
                    text => text?,
                };
                let places = text.as_deref().map_or_else(Vec::new, |text| {
                    let places = names.places(text, *is_code).into_iter();
                    places.map(|place| shown(entry, text, place)).collect()
                });
                Ok::<_, Error>(places)
            },
        );
        let mut all = Vec::new();
        for found in found {
            match found {
                Ok(found) => all.extend(found),
                // A file that was deleted meanwhile contains no names.
                Err(error) if error.kind() == Kind::FileNotFound => {}
                Err(error) => return Err(error),
            }
        }
        Ok(all)
    }

    /// Returns whether a file is code, in which a dotted name outside of quotes is an expression of its language.
    fn is_code(&self, entry: &Entry) -> Result<bool> {
        if module_path(&entry.path).is_some() {
            return Ok(true);
        }
        if entry.engine.is_empty() {
            return Ok(false);
        }
        let pack = self.packs.for_path(&self.files, &entry.path)?;
        Ok(pack.has_interface(Interface::Search))
    }
}

/// The path of a module without its extension; the folder of a package.
fn module_path(path: &str) -> Option<&str> {
    let module = EXTENSIONS.iter().find_map(|ending| path.strip_suffix(ending))?;
    match module.rsplit('/').next() {
        Some("__init__") => Some(folder(module)).filter(|package| !package.is_empty()),
        _ => Some(module),
    }
}

/// The names of a module from the folders that imports can start at: those around it that are not packages.
fn names_of(module: &str, is_package: impl Fn(&str) -> bool) -> Vec<String> {
    let starts = std::iter::once(0).chain(module.match_indices('/').map(|(at, _)| at + 1));
    let is_root = |start: &usize| *start == 0 || !is_package(&module[..start - 1]);
    let names = starts.filter(is_root).map(|start| module[start..].replace('/', "."));
    names.filter(|name| name.split('.').all(is_identifier)).collect()
}

fn is_identifier(word: &str) -> bool {
    !word.starts_with(|c: char| c.is_ascii_digit()) && !word.is_empty() && word.chars().all(is_name_part)
}

fn is_name_part(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The name at the start of a text; empty if the text starts with something else.
fn leading_name(text: &str) -> &str {
    let word = &text[..text.find(|c| !is_name_part(c)).unwrap_or(text.len())];
    if is_identifier(word) { word } else { "" }
}

/// The place at an offset, if the name there is a whole name and not a part of a path, address or call.
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
    let ends = !text[end..].starts_with(|c: char| is_name_part(c) || matches!(c, '/' | '\\' | '-' | '(' | '@'));
    (ends && !is_file).then(|| NamedModule { at, text: &text[at..end], attribute })
}

/// Returns whether a place certainly names the module: a name with a dot does, another one only in some positions, or
/// if the module that follows exists in the folder.
fn names_certainly(
    text: &str,
    place: NamedModule<'_>,
    (name, is_folder): (&str, bool),
    contains: impl Fn(&str) -> bool,
) -> bool {
    if name.contains('.') {
        return true;
    }
    let before = text[..place.at].trim_end_matches([' ', '"', '\'', ',']);
    if before.ends_with("-m") && before.len() < place.at {
        return true;
    }
    let Some((at, attribute)) = place.attribute else { return false };
    let after = &text[place.at + place.text.len()..];
    let is_quoted = ['"', '\''].iter().any(|quote| text[..place.at].ends_with(*quote) && after.starts_with(*quote));
    (is_quoted || is_folder || text[..at].ends_with(':')) && contains(attribute)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The named places of a text that certainly name a module, which contains `app` and `v`.
    fn named<'t>(text: &'t str, name: &str) -> Vec<&'t str> {
        named_in(text, name, false)
    }

    fn named_in<'t>(text: &'t str, name: &str, is_folder: bool) -> Vec<&'t str> {
        let places = text.match_indices(name).filter_map(|(at, name)| named_module(text, at, name.len()));
        let is_certain = |place: &NamedModule<'_>| {
            names_certainly(text, *place, (name, is_folder), |name| ["app", "v"].contains(&name))
        };
        places.filter(is_certain).map(|place| place.text).collect()
    }

    #[test]
    fn dotted_names_start_at_folders_that_are_not_packages() {
        let is_package = |folder: &str| folder == "src/shop";
        assert_eq!(names_of("src/shop/views", is_package), ["src.shop.views", "shop.views"]);
        assert_eq!(names_of("shop/views", |folder: &str| folder == "shop"), ["shop.views"]);
        assert_eq!(names_of("manage", |_: &str| false), ["manage"]);
        assert_eq!(names_of("my-app/shop/views", |folder: &str| folder.ends_with("shop")), ["shop.views"]);
        assert_eq!(module_path("shop/__init__.py"), Some("shop"));
        assert_eq!(module_path("shop/views.pyi"), Some("shop/views"));
        assert_eq!((module_path("__init__.py"), module_path("shop/views.js")), (None, None));
    }

    #[test]
    fn dotted_names_are_found_in_settings_and_commands() {
        for (text, expected) in [
            ("x = \"shop.views:v\"", "shop.views:v"),
            ("mock.patch('shop.views.v')", "shop.views.v"),
            ("\tpython -m shop.views", "shop.views"),
            ("CMD [\"python\", \"-m\", \"shop.views\"]", "shop.views"),
            ("DJANGO_SETTINGS_MODULE = shop.views", "shop.views"),
            ("--settings=shop.views --x", "shop.views"),
            ("handlers: shop.views.Handler.make", "shop.views.Handler.make"),
            ("See shop.views.", "shop.views"),
        ] {
            assert_eq!(named(text, "shop.views"), [expected], "{text}");
        }
    }

    #[test]
    fn dotted_parts_of_paths_calls_and_longer_names_do_not_count() {
        for text in [
            "shop.views_old",
            "my.shop.views",
            "my_shop.views",
            "https://a.b/shop.views",
            "shop.views/x",
            "shop.views.py",
            "shop.views()",
            "shop.views-2",
            "a@shop.views",
            "shop views",
        ] {
            assert_eq!(named(text, "shop.views"), [""; 0], "{text}");
        }
    }

    #[test]
    fn dotted_names_of_one_part_need_a_certain_position() {
        for (text, expected) in [
            ("python -m main", "main"),
            ("[\"-m\", \"main\"]", "main"),
            ("uvicorn main:app", "main:app"),
            ("mock.patch(\"main.v\")", "main.v"),
        ] {
            assert_eq!(named(text, "main"), [expected], "{text}");
        }
        for text in ["branches: [main]", "main: x", "image: main:latest", "main.v", "\"main.other\"", "xm main"] {
            assert_eq!(named(text, "main"), [""; 0], "{text}");
        }
    }

    #[test]
    fn dotted_names_of_packages_need_a_module_that_exists() {
        assert_eq!(named_in("DJANGO_SETTINGS_MODULE = proj.app", "proj", true), ["proj.app"]);
        assert_eq!(named_in("[\"proj.app.Config\"]", "proj", true), ["proj.app.Config"]);
        assert_eq!(named_in("[\"proj\"]\nproj.other", "proj", true), [""; 0]);
    }

    #[test]
    fn dotted_name_has_the_offset_of_its_first_attribute() {
        let text = "x = 'shop.views.v.w'";
        let place = named_module(text, 5, "shop.views".len());
        assert_eq!(place.and_then(|place| place.attribute), Some((16, "v")));
        assert_eq!(named_module("shop.views", 0, 10).and_then(|place| place.attribute), None);
    }
}
