//! Choosing the module from which to import a name.

use std::cell::{OnceCell, RefCell};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use marquetry_sdk::workspace::EntryKind;
use marquetry_sdk::{Destination, workspace};
use oxc_ast::ast::{Expression, Statement};
use oxc_span::GetSpan as _;

use crate::imports::compiler_settings::{CompilerSettings, Resolution};
use crate::imports::export_resolver::{self, ExportMeaning, ExportResolver};
use crate::imports::import_style::{mentions_word, reexported_specifiers};
use crate::imports::missing_names::MissingName;
use crate::imports::model::{self, Form, Import};
use crate::imports::packages::{self, InstalledPackage};
use crate::imports::preferences::{Preferences, SpecifierForm};
use crate::imports::specifier::SpecifierFormatter;
use crate::program::ids::{ModuleRef, OPEN_DOCUMENT, Site};
use crate::program::resolution::{Resolver, code_extension, paths};
use crate::program::{Program, is_in_package};
use crate::syntax::tree::Parsed;

/// Maximum number of files to search for one name.
const MAX_FILES: usize = 200;

/// Kind of an export.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ExportKind {
    Named,
    Default,
    /// `export =` or `module.exports =`.
    ModuleExports,
    /// The global name of a UMD module.
    UmdGlobal,
}

/// A module from which a name can be imported.
#[derive(Clone, Debug)]
pub(crate) struct Candidate {
    pub(crate) specifier: String,
    pub(crate) kind: ExportKind,
    /// The name to import.
    pub(crate) imported: String,
    pub(crate) meaning: ExportMeaning,
    /// The file, if it belongs to the workspace or a package.
    path: Option<String>,
    /// True if the package is not listed in the project's dependencies.
    is_unlisted: bool,
    /// True if an existing import of the module can be extended.
    extends: bool,
    /// True if the module re-exports a declaration of another module.
    is_reexport: bool,
    /// True if the module is the index file of a folder that contains the importing file. The index may import that
    /// file, so that the import would be circular.
    may_be_circular: bool,
    rank: Rank,
}

/// The criteria by which TypeScript ranks candidates, the most important one first. Lower values are better.
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
    pub(crate) fn matches_module(&self, module: &str) -> bool {
        let bare = |path: &str| code_extension(path).map_or(path.len(), |extension| path.len() - extension.len());
        let is_path = |path: &String| path == module || path[..bare(path)] == *module;
        self.specifier == module || self.path.as_ref().is_some_and(is_path)
    }

    /// Returns whether this candidate and the best one leave an ambiguous choice, because they are of equal rank and
    /// import different declarations. The best candidate itself also counts.
    pub(crate) fn is_ambiguous_with(&self, best: &Candidate) -> bool {
        self.specifier == best.specifier && self.kind == best.kind
            || self.rank == best.rank && self.meaning.origin != best.meaning.origin
    }
}

/// Finds the modules that export a name.
pub(crate) struct CandidateFinder<'f, 'w, 'a> {
    pub(crate) parsed: &'f Parsed<'a>,
    pub(crate) path: &'f str,
    pub(crate) preferences: &'f Preferences,
    pub(crate) settings: CompilerSettings,
    pub(crate) imports: Vec<Import<'a>>,
    pub(crate) resolver: Resolver<'f>,
    exported: ExportResolver<'f, 'w>,
    installed: OnceCell<Vec<InstalledPackage>>,
    texts: RefCell<HashMap<String, Option<Rc<str>>>>,
    /// The files to which the imports of the file resolve.
    resolved: OnceCell<Vec<Option<String>>>,
}

impl<'f, 'w, 'a> CandidateFinder<'f, 'w, 'a> {
    pub(crate) fn new(
        program: &'f Program<'w>,
        parsed: &'f Parsed<'a>,
        path: &'f str,
        preferences: &'f Preferences,
    ) -> CandidateFinder<'f, 'w, 'a> {
        let resolver = Resolver::new(program.workspace, path);
        let settings = CompilerSettings::for_file(&resolver, path);
        CandidateFinder {
            parsed,
            path,
            preferences,
            settings,
            imports: model::imports(parsed.program).collect(),
            resolver,
            exported: ExportResolver::new(program),
            installed: OnceCell::new(),
            texts: RefCell::default(),
            resolved: OnceCell::new(),
        }
    }

    pub(crate) fn program(&self) -> &'f Program<'w> {
        self.exported.program
    }

    fn speller(&self) -> SpecifierFormatter<'_, 'f> {
        let exports = self.parsed.program.body.iter().filter_map(|statement| match statement {
            Statement::ExportFromDeclaration(export) => export.source.value.as_str(),
            Statement::ExportAllDeclaration(export) => export.source.value.as_str(),
            _ => None,
        });
        let written = self.imports.iter().map(|import| import.specifier.as_ref()).chain(exports);
        SpecifierFormatter::new(&self.resolver, &self.settings, self.preferences, written)
    }

    /// Returns the modules that export the name, the best first.
    pub(crate) fn candidates(&self, missing: &MissingName) -> Vec<Candidate> {
        if let Some(imported) = self.imported_as_type(missing) {
            return vec![imported];
        }
        let mut found = self.workspace_candidates(missing);
        found.extend(self.package_candidates(missing));
        for candidate in &mut found {
            candidate.rank = self.rank(candidate);
            candidate.imported = match candidate.kind {
                ExportKind::Named => missing.name.clone(),
                ExportKind::Default => "default".to_owned(),
                ExportKind::ModuleExports | ExportKind::UmdGlobal => "*".to_owned(),
            };
        }
        found.sort_by(|one, other| {
            let text = |it: &Candidate| (it.is_reexport, it.specifier.len(), it.specifier.clone());
            one.rank.cmp(&other.rank).then_with(|| text(one).cmp(&text(other)))
        });
        let mut known = HashSet::new();
        found.retain(|candidate| known.insert(candidate.specifier.clone()));
        found
    }

    /// Returns the type-only import of the name in this file, if it is used as a value.
    fn imported_as_type(&self, missing: &MissingName) -> Option<Candidate> {
        let bindings =
            self.imports.iter().flat_map(|import| import.bindings.iter().map(move |binding| (import, binding)));
        let mut same = bindings.filter(|(_, binding)| binding.local.name == missing.name.as_str() && binding.type_only);
        let (import, binding) = same.next().filter(|_| missing.as_value)?;
        let origin = Site { module: OPEN_DOCUMENT, offset: binding.local.span.start };
        let meaning = ExportMeaning { is_value: true, is_type: true, only_as_type: false, origin };
        let specifier = import.specifier.to_string();
        let found = self.candidate(specifier, None, ExportKind::Named, meaning, true, OPEN_DOCUMENT);
        Some(Candidate { imported: binding.name.to_string(), ..found })
    }

    fn rank(&self, candidate: &Candidate) -> Rank {
        let specifier = candidate.specifier.as_str();
        let is_relative = paths::is_relative(specifier);
        Rank {
            is_new: !candidate.extends,
            is_unlisted: candidate.is_unlisted,
            is_relative: is_relative
                && matches!(
                    self.preferences.specifier_form,
                    SpecifierForm::NonRelative | SpecifierForm::ProjectRelative
                ),
            is_other_builtin: candidate.path.is_none() && specifier.starts_with("node:") != self.uses_node_prefix(),
            may_be_circular: candidate.may_be_circular,
            slashes: specifier.matches('/').count(),
        }
    }

    fn workspace_candidates(&self, missing: &MissingName) -> Vec<Candidate> {
        let mut files: Vec<String> = Vec::new();
        for name in export_resolver::file_names(&missing.name) {
            files.extend(workspace::exporters(&name));
        }
        files.extend(self.declarations(missing));
        let indexes: Vec<String> = files.iter().flat_map(|file| self.index_files(file)).collect();
        files.extend(indexes);
        files.sort();
        files.dedup();
        files.retain(|file| file != self.path && !is_in_package(file) && !self.is_excluded(file));
        let mut found = Vec::new();
        let speller = self.speller();
        for file in files.iter().take(MAX_FILES) {
            let loaded = self.program().load(file);
            let module = loaded.unwrap_or(u32::MAX - found.len() as u32);
            let exported = match loaded {
                Some(module) => self.export_of(ModuleRef { module, block: None }, missing),
                None => self.export_in_broken_file(file, module, missing),
            };
            if let Some((kind, meaning)) = exported {
                let known = self.existing_import_of(file).map(|import| import.specifier.to_string());
                let extends = known.is_some() && self.can_extend(kind, known.as_deref());
                let specifier = known.unwrap_or_else(|| speller.format_specifier(file));
                found.push(self.candidate(specifier, Some(file), kind, meaning, extends, module));
            }
            if let Some(module) = loaded {
                found.extend(self.ambient_candidates(module, missing));
            }
        }
        found
    }

    /// Returns the index files of the folders around a file, which may re-export its names.
    fn index_files(&self, file: &str) -> Vec<String> {
        let workspace = self.program().workspace;
        let mut found = Vec::new();
        for folder in paths::ancestors(paths::parent(file)) {
            let index = ["index.ts", "index.tsx", "index.js", "index.mts", "index.jsx"];
            let index = index.iter().map(|name| paths::join_path(folder, name)).find(|path| workspace.is_file(path));
            found.extend(index);
            // Stop at the root folder of a package, because its own index exports its names.
            if workspace.is_file(&paths::join_path(folder, "package.json")) {
                break;
            }
        }
        found
    }

    /// Returns nearby files that may declare modules or UMD globals, which are not in the index of exports. For names
    /// in JSDoc, also those that may define them in comments.
    fn declarations(&self, missing: &MissingName) -> Vec<String> {
        let workspace = self.program().workspace;
        let is_own = |folder: &str| folder == self.resolver.folder;
        let wanted = |folder: &str, name: &str| {
            name.ends_with(".d.ts")
                || missing.only_in_jsdoc && name.ends_with(".js")
                || is_own(folder) && name.ends_with(".ts") && self.declares_modules(&paths::join_path(folder, name))
        };
        let mut folders: Vec<String> = paths::ancestors(&self.resolver.folder).map(str::to_owned).collect();
        for around in folders.clone() {
            folders.extend(["types", "typings", "@types", "src"].map(|name| paths::join_path(&around, name)));
        }
        let mut found = Vec::new();
        for folder in folders.iter().filter(|folder| workspace.is_folder(folder)) {
            let entries = workspace.entries(folder);
            let files = entries.iter().filter(|entry| entry.kind == EntryKind::File).take(MAX_FILES);
            let files = files.filter(|entry| wanted(folder, &entry.name));
            let files = files.map(|entry| paths::join_path(folder, &entry.name));
            found.extend(files.filter(|file| self.text(file).is_some_and(|text| mentions_word(&text, &missing.name))));
        }
        found
    }

    /// Returns an export of a file that cannot be parsed completely.
    fn export_in_broken_file(
        &self,
        file: &str,
        number: u32,
        missing: &MissingName,
    ) -> Option<(ExportKind, ExportMeaning)> {
        let text = self.text(file)?;
        let meaning = export_resolver::meaning_in_broken_text(file, &text, &missing.name, number)?;
        missing.accepts(&meaning).then_some((ExportKind::Named, meaning))
    }

    fn is_excluded(&self, file: &str) -> bool {
        let globs = &self.preferences.excluded;
        globs.iter().any(|glob| paths::glob_matches(glob.trim_start_matches(['.', '/']), file))
    }

    /// Returns ambient modules of a file that export the name.
    fn ambient_candidates(&self, module: u32, missing: &MissingName) -> Vec<Candidate> {
        let mut found = Vec::new();
        for (name, of) in self.exported.ambient_blocks(module) {
            let is_name = !name.contains('*') && !paths::is_relative(&name);
            if let Some((kind, meaning)) = self.export_of(of, missing).filter(|_| is_name) {
                let extends = self.can_extend(kind, Some(&name));
                found.push(self.candidate(name, None, kind, meaning, extends, module));
            }
        }
        found
    }

    fn package_candidates(&self, missing: &MissingName) -> Vec<Candidate> {
        let workspace = self.program().workspace;
        let specifiers = || self.imports.iter().map(|import| import.specifier.as_ref());
        let installed = self
            .installed
            .get_or_init(|| packages::importable_packages(workspace, &self.resolver.folder, specifiers()));
        let speller = self.speller();
        let mut found = Vec::new();
        for package in installed {
            for offered in package.offered_modules(&speller) {
                let mentioning = self.files_mentioning(&offered.path, &missing.name);
                for path in mentioning.iter().filter(|path| self.declares_modules(path)) {
                    if let Some(module) = self.program().load(path) {
                        found.extend(self.ambient_candidates(module, missing));
                    }
                }
                if mentioning.is_empty() && !file_name_matches(&offered.path, &missing.name) {
                    continue;
                }
                let Some(module) = self.program().load(&offered.path) else { continue };
                let of = ModuleRef { module, block: None };
                let Some((kind, meaning)) = self.export_of(of, missing) else { continue };
                // Classic module resolution only finds packages of type declarations.
                let is_found = self.settings.resolution != Resolution::Classic || package.has_types_only;
                let specifier = if is_found { offered.specifier } else { speller.format_specifier(&offered.path) };
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
    pub(crate) fn text(&self, path: &str) -> Option<Rc<str>> {
        let mut texts = self.texts.borrow_mut();
        let read = || self.program().workspace.read(path).map(Rc::from);
        texts.entry(path.to_owned()).or_insert_with(read).clone()
    }

    /// Returns the files that mention a name, among those that a file references or re-exports as a whole. Searches
    /// only the text, because parsing the types of all packages would take too long.
    fn files_mentioning(&self, path: &str, name: &str) -> Vec<String> {
        let mut seen: HashSet<String> = HashSet::new();
        let mut next = vec![path.to_owned()];
        let mut found = Vec::new();
        while let Some(path) = next.pop() {
            if seen.len() >= MAX_FILES || !seen.insert(path.clone()) {
                continue;
            }
            let Some(text) = self.text(&path) else { continue };
            if mentions_word(&text, name) {
                found.push(path.clone());
            }
            for specifier in reexported_specifiers(&text) {
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
    fn export_of(&self, of: ModuleRef, missing: &MissingName) -> Option<(ExportKind, ExportMeaning)> {
        let fits = |meaning: &ExportMeaning| missing.accepts(meaning);
        let module = self.program().module(of.module);
        if missing.only_in_jsdoc
            && module.is_javascript()
            && let Some(offset) = export_resolver::typedef_offset(module.text(), &missing.name)
        {
            let origin = Site { module: of.module, offset };
            return Some((
                ExportKind::Named,
                ExportMeaning { is_value: false, is_type: true, only_as_type: false, origin },
            ));
        }
        if let Some(meaning) = self.exported.resolve_name(of, &missing.name).filter(fits)
            && missing.name != "default"
        {
            return Some((ExportKind::Named, meaning));
        }
        let is_named = |called: &str| {
            let names = self.exported.default_names(of, called);
            let capital = |name: &String| missing.only_as_tag && export_resolver::capitalized(name) == missing.name;
            names.contains(&missing.name) || names.iter().any(capital)
        };
        if let Some(meaning) = self.exported.resolve_name(of, "default").filter(fits)
            && is_named("default")
        {
            return Some((ExportKind::Default, meaning));
        }
        let whole = ExportMeaning {
            is_value: true,
            is_type: true,
            only_as_type: false,
            origin: Site { module: of.module, offset: of.block.map_or(0, |block| module.kind(block).span().start) },
        };
        let exports = self.program().exports(of);
        if exports.export_equals.is_some_and(|whole| !matches!(whole, Expression::ObjectExpression(_)))
            && is_named("default")
        {
            return Some((ExportKind::ModuleExports, whole));
        }
        let global = module.program.body.iter().any(|statement| {
            matches!(statement, Statement::TSNamespaceExportDeclaration(it) if it.id.name == missing.name.as_str())
        });
        (global && of.block.is_none()).then_some((ExportKind::UmdGlobal, whole))
    }

    fn candidate(
        &self,
        specifier: String,
        path: Option<&str>,
        kind: ExportKind,
        meaning: ExportMeaning,
        extends: bool,
        module: u32,
    ) -> Candidate {
        let passes_on = meaning.origin.module != module;
        let is_index = path.is_some_and(|path| paths::file_name(path).starts_with("index."));
        let around = path.is_some_and(|path| paths::relative_to(paths::parent(path), self.path).is_some());
        Candidate {
            specifier,
            kind,
            imported: String::new(),
            meaning,
            path: path.map(str::to_owned),
            is_unlisted: false,
            extends,
            is_reexport: passes_on,
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
    fn existing_import_of(&self, file: &str) -> Option<&Import<'a>> {
        let resolved = self.resolved.get_or_init(|| {
            self.imports.iter().map(|import| self.resolver.resolved_file("import", &import.specifier)).collect()
        });
        let at = resolved.iter().position(|resolved| resolved.as_deref() == Some(file))?;
        self.imports.get(at)
    }

    /// Returns whether an existing import of the module can be extended by a name.
    fn can_extend(&self, kind: ExportKind, specifier: Option<&str>) -> bool {
        let same = self.imports.iter().filter(|import| Some(import.specifier.as_ref()) == specifier);
        let mut takes = same.filter(|import| {
            let has = |name: &str| import.bindings.iter().any(|binding| binding.name == name);
            match (kind, import.form) {
                (ExportKind::Named, Form::Declaration) => !import.bindings.is_empty() && !has("*"),
                (ExportKind::Default, Form::Declaration) => !import.bindings.is_empty() && !has("default"),
                (ExportKind::Named | ExportKind::Default, Form::Require) => !import.bindings.is_empty() && !has("*"),
                _ => false,
            }
        });
        takes.next().is_some()
    }
}

/// Returns whether the file name gives this name to an anonymous default export.
fn file_name_matches(path: &str, name: &str) -> bool {
    export_resolver::capitalized(&export_resolver::identifier_for_path(path)) == export_resolver::capitalized(name)
}
