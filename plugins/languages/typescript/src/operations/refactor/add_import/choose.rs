//! Choosing the module from which to import a name.

use std::cell::{OnceCell, RefCell};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use marquetry_sdk::workspace::EntryKind;
use marquetry_sdk::{Destination, workspace};
use oxc_ast::ast::{Expression, Statement};
use oxc_span::GetSpan as _;

use super::habits::{mentions, passed_on};
use super::missing::Missing;
use crate::imports::exported::{self, Exported, Meaning};
use crate::imports::model::{self, Form, Import};
use crate::imports::packages::{self, Installed};
use crate::imports::preferences::{Preferences, Way};
use crate::imports::settings::{Resolution, Settings};
use crate::imports::specifier::Speller;
use crate::program::ids::{HERE, ModuleRef, Site};
use crate::program::resolution::{Resolver, code_extension, paths};
use crate::program::{Program, in_package};
use crate::syntax::tree::Parsed;

/// Maximum number of files to search for one name.
const MOST_FILES: usize = 200;

/// Kind of an export.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Named,
    Default,
    /// `export =` or `module.exports =`.
    Whole,
    /// The global name of a UMD module.
    Global,
}

/// A module from which a name can be imported.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    pub(super) specifier: String,
    pub(super) kind: Kind,
    /// The name to import.
    pub(super) imported: String,
    pub(super) meaning: Meaning,
    /// The file, if it belongs to the workspace or a package.
    path: Option<String>,
    /// True if the package is not listed in the project's dependencies.
    is_unlisted: bool,
    /// True if an existing import of the module can be extended.
    extends: bool,
    /// True if it re-exports a declaration of another module.
    passes_on: bool,
    /// True for the index of a folder that contains the importing file, which may import that file.
    may_be_circular: bool,
    rank: Rank,
}

/// TypeScript's criteria in this order; lower is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    is_new: bool,
    is_unlisted: bool,
    is_relative: bool,
    is_other_builtin: bool,
    may_be_circular: bool,
    slashes: usize,
}

impl Candidate {
    /// Returns whether a caller refers to this module: by specifier, path, or path without extension.
    pub(super) fn is_called(&self, module: &str) -> bool {
        let bare = |path: &str| code_extension(path).map_or(path.len(), |extension| path.len() - extension.len());
        let is_path = |path: &String| path == module || path[..bare(path)] == *module;
        self.specifier == module || self.path.as_ref().is_some_and(is_path)
    }

    /// Returns whether the choice between two candidates is ambiguous: different declarations of equal rank.
    pub(super) fn is_as_good_as(&self, best: &Candidate) -> bool {
        self.specifier == best.specifier && self.kind == best.kind
            || self.rank == best.rank && self.meaning.origin != best.meaning.origin
    }
}

/// Finds the modules that export a name.
pub(super) struct Finder<'f, 'w, 'a> {
    pub(super) parsed: &'f Parsed<'a>,
    pub(super) path: &'f str,
    pub(super) preferences: &'f Preferences,
    pub(super) settings: Settings,
    pub(super) imports: Vec<Import<'a>>,
    pub(super) resolver: Resolver<'f>,
    exported: Exported<'f, 'w>,
    installed: OnceCell<Vec<Installed>>,
    texts: RefCell<HashMap<String, Option<Rc<str>>>>,
    /// The files to which the imports of the file resolve.
    resolved: OnceCell<Vec<Option<String>>>,
}

impl<'f, 'w, 'a> Finder<'f, 'w, 'a> {
    pub(super) fn new(
        program: &'f Program<'w>,
        parsed: &'f Parsed<'a>,
        path: &'f str,
        preferences: &'f Preferences,
    ) -> Finder<'f, 'w, 'a> {
        let resolver = Resolver::new(program.workspace, path);
        let settings = Settings::of(&resolver, path);
        Finder {
            parsed,
            path,
            preferences,
            settings,
            imports: model::imports(parsed.program).collect(),
            resolver,
            exported: Exported::new(program),
            installed: OnceCell::new(),
            texts: RefCell::default(),
            resolved: OnceCell::new(),
        }
    }

    pub(super) fn program(&self) -> &'f Program<'w> {
        self.exported.program
    }

    fn speller(&self) -> Speller<'_, 'f> {
        let exports = self.parsed.program.body.iter().filter_map(|statement| match statement {
            Statement::ExportFromDeclaration(export) => export.source.value.as_str(),
            Statement::ExportAllDeclaration(export) => export.source.value.as_str(),
            _ => None,
        });
        let written = self.imports.iter().map(|import| import.specifier.as_ref()).chain(exports);
        Speller::new(&self.resolver, &self.settings, self.preferences, written)
    }

    /// Returns the modules that export the name, the best first.
    pub(super) fn candidates(&self, missing: &Missing) -> Vec<Candidate> {
        if let Some(imported) = self.imported_as_type(missing) {
            return vec![imported];
        }
        let mut found = self.in_workspace(missing);
        found.extend(self.in_packages(missing));
        for candidate in &mut found {
            candidate.rank = self.rank(candidate);
            candidate.imported = match candidate.kind {
                Kind::Named => missing.name.clone(),
                Kind::Default => "default".to_owned(),
                Kind::Whole | Kind::Global => "*".to_owned(),
            };
        }
        found.sort_by(|one, other| {
            let text = |it: &Candidate| (it.passes_on, it.specifier.len(), it.specifier.clone());
            one.rank.cmp(&other.rank).then_with(|| text(one).cmp(&text(other)))
        });
        let mut known = HashSet::new();
        found.retain(|candidate| known.insert(candidate.specifier.clone()));
        found
    }

    /// Returns the type-only import of the name in this file, if it is used as a value.
    fn imported_as_type(&self, missing: &Missing) -> Option<Candidate> {
        let bindings =
            self.imports.iter().flat_map(|import| import.bindings.iter().map(move |binding| (import, binding)));
        let mut same = bindings.filter(|(_, binding)| binding.local.name == missing.name.as_str() && binding.type_only);
        let (import, binding) = same.next().filter(|_| missing.as_value)?;
        let origin = Site { module: HERE, offset: binding.local.span.start };
        let meaning = Meaning { is_value: true, is_type: true, only_as_type: false, origin };
        let specifier = import.specifier.to_string();
        let found = self.candidate(specifier, None, Kind::Named, meaning, true, HERE);
        Some(Candidate { imported: binding.name.to_string(), ..found })
    }

    fn rank(&self, candidate: &Candidate) -> Rank {
        let specifier = candidate.specifier.as_str();
        let is_relative = paths::is_relative(specifier);
        Rank {
            is_new: !candidate.extends,
            is_unlisted: candidate.is_unlisted,
            is_relative: is_relative && matches!(self.preferences.way, Way::NonRelative | Way::ProjectRelative),
            is_other_builtin: candidate.path.is_none() && specifier.starts_with("node:") != self.writes_node_prefix(),
            may_be_circular: candidate.may_be_circular,
            slashes: specifier.matches('/').count(),
        }
    }

    fn in_workspace(&self, missing: &Missing) -> Vec<Candidate> {
        let mut files: Vec<String> = Vec::new();
        for name in exported::file_names(&missing.name) {
            files.extend(workspace::exporters(&name));
        }
        files.extend(self.declarations(missing));
        let indexes: Vec<String> = files.iter().flat_map(|file| self.indexes(file)).collect();
        files.extend(indexes);
        files.sort();
        files.dedup();
        files.retain(|file| file != self.path && !in_package(file) && !self.is_left_out(file));
        let mut found = Vec::new();
        let speller = self.speller();
        for file in files.iter().take(MOST_FILES) {
            let loaded = self.program().load(file);
            let module = loaded.unwrap_or(u32::MAX - found.len() as u32);
            let exported = match loaded {
                Some(module) => self.export(ModuleRef { module, block: None }, missing),
                None => self.in_text(file, module, missing),
            };
            if let Some((kind, meaning)) = exported {
                let known = self.import_of(file).map(|import| import.specifier.to_string());
                let extends = known.is_some() && self.can_extend(kind, known.as_deref());
                let specifier = known.unwrap_or_else(|| speller.spell(file));
                found.push(self.candidate(specifier, Some(file), kind, meaning, extends, module));
            }
            if let Some(module) = loaded {
                found.extend(self.in_blocks(module, missing));
            }
        }
        found
    }

    /// Returns the index files of the folders around a file, which may re-export its names.
    fn indexes(&self, file: &str) -> Vec<String> {
        let workspace = self.program().workspace;
        let mut found = Vec::new();
        for folder in paths::ancestors(paths::parent(file)) {
            let index = ["index.ts", "index.tsx", "index.js", "index.mts", "index.jsx"];
            let index = index.iter().map(|name| paths::in_folder(folder, name)).find(|path| workspace.is_file(path));
            found.extend(index);
            // Names of a package are exported by its own index.
            if workspace.is_file(&paths::in_folder(folder, "package.json")) {
                break;
            }
        }
        found
    }

    /// Returns nearby files that may declare modules or UMD globals, which are not in the index of exports. For names
    /// in JSDoc, also those that may define them in comments.
    fn declarations(&self, missing: &Missing) -> Vec<String> {
        let workspace = self.program().workspace;
        let is_own = |folder: &str| folder == self.resolver.folder;
        let wanted = |folder: &str, name: &str| {
            name.ends_with(".d.ts")
                || missing.in_docs && name.ends_with(".js")
                || is_own(folder) && name.ends_with(".ts") && self.declares_modules(&paths::in_folder(folder, name))
        };
        let mut folders: Vec<String> = paths::ancestors(&self.resolver.folder).map(str::to_owned).collect();
        for around in folders.clone() {
            folders.extend(["types", "typings", "@types", "src"].map(|name| paths::in_folder(&around, name)));
        }
        let mut found = Vec::new();
        for folder in folders.iter().filter(|folder| workspace.is_folder(folder)) {
            let entries = workspace.entries(folder);
            let files = entries.iter().filter(|entry| entry.kind == EntryKind::File).take(MOST_FILES);
            let files = files.filter(|entry| wanted(folder, &entry.name));
            let files = files.map(|entry| paths::in_folder(folder, &entry.name));
            found.extend(files.filter(|file| self.text(file).is_some_and(|text| mentions(&text, &missing.name))));
        }
        found
    }

    /// Returns an export of a file that cannot be parsed completely.
    fn in_text(&self, file: &str, number: u32, missing: &Missing) -> Option<(Kind, Meaning)> {
        let text = self.text(file)?;
        let meaning = exported::in_broken(file, &text, &missing.name, number)?;
        missing.can_be(&meaning).then_some((Kind::Named, meaning))
    }

    fn is_left_out(&self, file: &str) -> bool {
        let globs = &self.preferences.excluded;
        globs.iter().any(|glob| paths::glob_matches(glob.trim_start_matches(['.', '/']), file))
    }

    /// Returns ambient modules of a file that export the name.
    fn in_blocks(&self, module: u32, missing: &Missing) -> Vec<Candidate> {
        let mut found = Vec::new();
        for (name, of) in self.exported.blocks(module) {
            let is_name = !name.contains('*') && !paths::is_relative(&name);
            if let Some((kind, meaning)) = self.export(of, missing).filter(|_| is_name) {
                let extends = self.can_extend(kind, Some(&name));
                found.push(self.candidate(name, None, kind, meaning, extends, module));
            }
        }
        found
    }

    fn in_packages(&self, missing: &Missing) -> Vec<Candidate> {
        let workspace = self.program().workspace;
        let specifiers = || self.imports.iter().map(|import| import.specifier.as_ref());
        let installed = self.installed.get_or_init(|| packages::around(workspace, &self.resolver.folder, specifiers()));
        let speller = self.speller();
        let mut found = Vec::new();
        for package in installed {
            for offered in package.offers(&speller) {
                let mentioning = self.mentioning(&offered.path, &missing.name);
                for path in mentioning.iter().filter(|path| self.declares_modules(path)) {
                    if let Some(module) = self.program().load(path) {
                        found.extend(self.in_blocks(module, missing));
                    }
                }
                if mentioning.is_empty() && !is_called(&offered.path, &missing.name) {
                    continue;
                }
                let Some(module) = self.program().load(&offered.path) else { continue };
                let of = ModuleRef { module, block: None };
                let Some((kind, meaning)) = self.export(of, missing) else { continue };
                // Classic module resolution only finds packages of type declarations.
                let is_found = self.settings.resolution != Resolution::Classic || package.has_types_only;
                let specifier = if is_found { offered.specifier } else { speller.spell(&offered.path) };
                let extends = self.can_extend(kind, Some(&specifier));
                let mut candidate = self.candidate(specifier, Some(&offered.path), kind, meaning, extends, module);
                candidate.is_unlisted = !package.is_listed;
                found.push(candidate);
            }
        }
        found
    }

    fn declares_modules(&self, path: &str) -> bool {
        self.text(path).is_some_and(|text| text.contains("declare module"))
    }

    /// Returns the cached text of a file.
    pub(super) fn text(&self, path: &str) -> Option<Rc<str>> {
        let mut texts = self.texts.borrow_mut();
        let read = || self.program().workspace.read(path).map(Rc::from);
        texts.entry(path.to_owned()).or_insert_with(read).clone()
    }

    /// Returns the files that mention a name, among those that a file references or re-exports as a whole. Searches the
    /// text only: parsing the types of all packages would take too long.
    fn mentioning(&self, path: &str, name: &str) -> Vec<String> {
        let mut seen: HashSet<String> = HashSet::new();
        let mut next = vec![path.to_owned()];
        let mut found = Vec::new();
        while let Some(path) = next.pop() {
            if seen.len() >= MOST_FILES || !seen.insert(path.clone()) {
                continue;
            }
            let Some(text) = self.text(&path) else { continue };
            if mentions(&text, name) {
                found.push(path.clone());
            }
            for specifier in passed_on(&text) {
                let resolver = Resolver::new(self.program().workspace, &path);
                let kind = if specifier.1 { "reference" } else { "import" };
                if let Destination::Inside(to) = resolver.destination(kind, &specifier.0) {
                    next.push(to.path);
                }
            }
        }
        found
    }

    /// Returns how a module exports the name.
    fn export(&self, of: ModuleRef, missing: &Missing) -> Option<(Kind, Meaning)> {
        let fits = |meaning: &Meaning| missing.can_be(meaning);
        let held = self.program().module(of.module);
        if missing.in_docs
            && held.is_javascript()
            && let Some(offset) = exported::typedef(held.text(), &missing.name)
        {
            let origin = Site { module: of.module, offset };
            return Some((Kind::Named, Meaning { is_value: false, is_type: true, only_as_type: false, origin }));
        }
        if let Some(meaning) = self.exported.named(of, &missing.name).filter(fits)
            && missing.name != "default"
        {
            return Some((Kind::Named, meaning));
        }
        let is_named = |called: &str| {
            let names = self.exported.default_names(of, called);
            let capital = |name: &String| missing.as_tag && exported::capitalized(name) == missing.name;
            names.contains(&missing.name) || names.iter().any(capital)
        };
        if let Some(meaning) = self.exported.named(of, "default").filter(fits)
            && is_named("default")
        {
            return Some((Kind::Default, meaning));
        }
        let whole = Meaning {
            is_value: true,
            is_type: true,
            only_as_type: false,
            origin: Site { module: of.module, offset: of.block.map_or(0, |block| held.kind(block).span().start) },
        };
        let exports = self.program().exports(of);
        if exports.whole.is_some_and(|whole| !matches!(whole, Expression::ObjectExpression(_))) && is_named("default") {
            return Some((Kind::Whole, whole));
        }
        let global = held.program.body.iter().any(|statement| {
            matches!(statement, Statement::TSNamespaceExportDeclaration(it) if it.id.name == missing.name.as_str())
        });
        (global && of.block.is_none()).then_some((Kind::Global, whole))
    }

    fn candidate(
        &self,
        specifier: String,
        path: Option<&str>,
        kind: Kind,
        meaning: Meaning,
        extends: bool,
        module: u32,
    ) -> Candidate {
        let passes_on = meaning.origin.module != module;
        let is_index = path.is_some_and(|path| paths::file_name(path).starts_with("index."));
        let around = path.is_some_and(|path| paths::below(paths::parent(path), self.path).is_some());
        Candidate {
            specifier,
            kind,
            imported: String::new(),
            meaning,
            path: path.map(str::to_owned),
            is_unlisted: false,
            extends,
            passes_on,
            may_be_circular: passes_on && is_index && around,
            rank: Rank {
                is_new: true,
                is_unlisted: false,
                is_relative: false,
                is_other_builtin: false,
                may_be_circular: false,
                slashes: 0,
            },
        }
    }

    /// Returns the import of a file, whatever its specifier.
    fn import_of(&self, file: &str) -> Option<&Import<'a>> {
        let resolved = self.resolved.get_or_init(|| {
            self.imports.iter().map(|import| self.resolver.file("import", &import.specifier)).collect()
        });
        let at = resolved.iter().position(|resolved| resolved.as_deref() == Some(file))?;
        self.imports.get(at)
    }

    /// Returns whether an existing import of the module can be extended by a name.
    fn can_extend(&self, kind: Kind, specifier: Option<&str>) -> bool {
        let same = self.imports.iter().filter(|import| Some(import.specifier.as_ref()) == specifier);
        let mut takes = same.filter(|import| {
            let has = |name: &str| import.bindings.iter().any(|binding| binding.name == name);
            match (kind, import.form) {
                (Kind::Named, Form::Declaration) => !import.bindings.is_empty() && !has("*"),
                (Kind::Default, Form::Declaration) => !import.bindings.is_empty() && !has("default"),
                (Kind::Named | Kind::Default, Form::Require) => !import.bindings.is_empty() && !has("*"),
                _ => false,
            }
        });
        takes.next().is_some()
    }
}

/// Returns whether the file name gives this name to an anonymous default export.
fn is_called(path: &str, name: &str) -> bool {
    exported::capitalized(&exported::identifier_of(path)) == exported::capitalized(name)
}
