//! Updates imports after files have moved: edits import statements and the code that names modules.

use marquetry_code::{CodeDocument, NodeIndex, scopes::FILE_SCOPE};
use marquetry_sdk::{Edit, Span, lines};

pub use crate::modules::Move;
use crate::{
    imports::{self, Import},
    meanings::{self, Meaning},
    memo,
    modules::{self, Found, Module},
    uses::{AttributeChain, attribute_chains, local_places},
};

/// The effect of moves on one document.
#[derive(Debug, Default, PartialEq)]
pub struct Relinked {
    /// The edits, in order.
    pub edits: Vec<Edit>,
    /// Occurrences that refer to a moved module and were not updated, each with the reason.
    pub unresolved: Vec<(Span, String)>,
}

/// A name in a `from` statement after the moves.
#[derive(Clone)]
struct Imported<'i> {
    import: &'i Import,
    /// The module from which the name is imported. Empty for a module that is in no package: it is imported by `import`.
    module: String,
    /// The name in that module.
    name: String,
}

struct Relink<'d> {
    document: &'d CodeDocument,
    moves: &'d [Move],
    /// The path of the document after the moves.
    path: String,
    imports: Vec<Import>,
    result: Relinked,
}

/// The edits that update a document for moves. The workspace still has the state before the moves.
pub fn relink(document: &CodeDocument, moves: &[Move]) -> Relinked {
    memo::call(|| relinked(document, moves))
}

fn relinked(document: &CodeDocument, moves: &[Move]) -> Relinked {
    let path = modules::moved_path(document.path(), moves);
    let imports = imports::imports(document);
    let mut relink = Relink { document, moves, path, imports, result: Relinked::default() };
    let imports = relink.imports.clone();
    imports.iter().for_each(|import| relink.submodules(import));
    for run in imports.chunk_by(|one, other| one.statement == other.statement) {
        match run[0].name {
            None => run.iter().for_each(|import| relink.module(import)),
            Some(_) => relink.names(run),
        }
    }
    let mut result = relink.result;
    result.edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
    result.edits.dedup();
    result.unresolved.sort_by_key(|(span, _)| span.start);
    result
}

impl Relink<'_> {
    fn find(&self, module: &str) -> Option<Module> {
        match modules::resolve(self.document.path(), module) {
            Found::Inside(module) => Some(module),
            Found::Missing(_) | Found::External => None,
        }
    }

    /// The name of a module after the moves, relative or absolute as before. Reports a module that cannot be imported.
    fn new_name(&mut self, written: &str, module: &Module, span: Span) -> Option<String> {
        let moved = modules::moved_module(module, self.moves);
        let is_relative = written.starts_with('.');
        if moved.path == module.path && (!is_relative || self.path == self.document.path()) {
            return Some(written.to_owned());
        }
        let name = modules::module_name(&self.path, &moved, is_relative);
        if name.is_none() {
            self.unresolved(span, format!("`{}` cannot be imported as a module", moved.path));
        }
        name
    }

    fn unresolved(&mut self, span: Span, reason: impl Into<String>) {
        self.result.unresolved.push((span, reason.into()));
    }

    fn edit(&mut self, span: Span, text: impl Into<String>) {
        self.result.edits.push(Edit::new(span, text));
    }

    /// Updates `import a.b` and the code that names `a.b`.
    fn module(&mut self, import: &Import) {
        let Some(module) = self.find(&import.module) else { return };
        let Some(name) = self.new_name(&import.module, &module, import.name_span) else { return };
        if name == import.module {
            return;
        }
        if import.is_aliased {
            return self.edit(import.name_span, name);
        }
        let first = |module: &str| module.split('.').next().unwrap_or_default().to_owned();
        let (old_first, new_first) = (first(&import.module), first(&name));
        let names = self.document.names();
        let is_taken = new_first != old_first
            && names.places.iter().any(|place| place.name == new_first)
            && !self.imports.iter().any(|other| other.name.is_none() && other.local.as_ref() == Some(&new_first));
        if is_taken {
            return self.unresolved(import.name_span, format!("`{new_first}` has another meaning in this file"));
        }
        self.edit(import.name_span, name.clone());
        self.uses(import, &name, old_first != new_first);
    }

    /// Updates the expressions that name the module of `import a.b`.
    fn uses(&mut self, import: &Import, name: &str, loses_first: bool) {
        let document = self.document;
        let chain = import.chain();
        for place in local_places(document, import) {
            if place.binding.is_some() {
                continue;
            }
            let attributes = imports::attributes(document, place.node);
            let word = |node: &NodeIndex| document.arena().slice(*node);
            let matches = attributes.len() + 1 >= chain.len()
                && attributes.iter().zip(&chain[1..]).all(|(own, part)| word(own) == part);
            if matches && !self.has_longer_import(&chain, &attributes) {
                let end = match chain.len() {
                    1 => place.span.end,
                    length => document.arena().node(attributes[length - 2]).span.end,
                };
                self.edit(Span { start: place.span.start, end }, name);
            } else if loses_first && !self.is_bound_otherwise(import) {
                self.unresolved(place.span, format!("`{}` is not imported any more", place.name));
            }
        }
    }

    /// Updates code that names a module through a package: `a.b.f` after `import a`.
    fn submodules(&mut self, import: &Import) {
        let bound = import.bound_module();
        if import.local.is_none() || (import.name.is_some() && !self.is_module(&bound)) {
            return;
        }
        let Some(package) = self.find(&bound) else { return };
        let is_relative = bound.starts_with('.');
        let new_name = |relink: &Self, module: &Module| {
            modules::module_name(&relink.path, &modules::moved_module(module, relink.moves), is_relative)
        };
        let new_package = new_name(self, &package);
        for chain in attribute_chains(self.document, import) {
            let Some((count, module)) = self.innermost_module(&bound, &chain) else { continue };
            let is_imported = !import.is_aliased && import.name.is_none();
            if is_imported && self.has_longer_import(std::slice::from_ref(&bound), &chain.attributes[..count]) {
                continue;
            }
            let arena = self.document.arena();
            let span = Span {
                start: arena.node(chain.attributes[0]).span.start,
                end: arena.node(chain.attributes[count - 1]).span.end,
            };
            let new = new_name(self, &module);
            let below = new.as_ref().zip(new_package.as_ref()).and_then(|(new, package)| {
                let rest = new.strip_prefix(package.as_str())?;
                if package.ends_with('.') { Some(rest) } else { rest.strip_prefix('.') }
            });
            match below {
                Some(below) if below == span.slice(&arena.text) => {}
                Some(below) if modules::moved_path(&package.path, self.moves) == package.path => self.edit(span, below),
                _ if modules::moved_path(&module.path, self.moves) == module.path => {}
                _ => {
                    let name = new.unwrap_or(modules::moved_path(&module.path, self.moves));
                    self.unresolved(span, format!("`{name}` is not imported"));
                }
            }
        }
    }

    /// Returns whether an imported name is a module.
    fn is_module(&self, submodule: &str) -> bool {
        let (package, name) = imports::split_submodule(submodule);
        meanings::meaning(self.document.path(), package, name) == Meaning::Module
    }

    /// The innermost module that an expression names, and the number of attributes in its name.
    fn innermost_module(&self, bound: &str, chain: &AttributeChain<'_>) -> Option<(usize, Module)> {
        let (mut name, mut found) = (bound.to_owned(), None);
        for (attribute, count) in chain.attributes.iter().zip(1..) {
            let inner = imports::join(&name, self.document.arena().slice(*attribute));
            let module = self.find(&inner).filter(|_| self.is_module(&inner));
            let Some(module) = module else { break };
            (name, found) = (inner, Some((count, module)));
        }
        found
    }

    /// Returns whether an expression refers to a submodule of the imported module that another `import` statement
    /// names.
    fn has_longer_import(&self, chain: &[String], attributes: &[NodeIndex]) -> bool {
        self.imports.iter().filter(|other| other.name.is_none() && !other.is_aliased).any(|other| {
            let longer = other.chain();
            longer.len() > chain.len()
                && longer.starts_with(chain)
                && attributes.len() + 1 >= longer.len()
                && attributes.iter().zip(&longer[1..]).all(|(own, part)| self.document.arena().slice(*own) == part)
        })
    }

    /// Returns whether another import, whose module does not move, binds the first part of this import's name.
    fn is_bound_otherwise(&self, import: &Import) -> bool {
        let others = self.imports.iter().filter(|other| other.alias != import.alias && other.local == import.local);
        others.into_iter().any(|other| {
            let path = self.find(&other.module).map(|module| module.path);
            path.is_none_or(|path| modules::moved_path(&path, self.moves) == path)
        })
    }

    /// Updates `from a import b, c`.
    fn names(&mut self, run: &[Import]) {
        let module = self.find(&run[0].module);
        let mut new: Vec<Imported<'_>> = Vec::new();
        for import in run {
            let (Some(own), Some(name)) = (self.imported(import, module.as_ref()), &import.name) else { return };
            let _ = name;
            new.push(own);
        }
        let first = new[0].module.clone();
        if new.iter().all(|own| own.module == first) {
            if first.is_empty() {
                return self.import_modules(run, &new);
            }
            if first != run[0].module {
                self.edit(run[0].module_span, first);
            }
            for own in &new {
                self.rename(own);
            }
            return;
        }
        self.split(run, &new);
    }

    /// The module and name of an import after the moves. `None` if the module is not in the workspace, or if it was
    /// reported as unresolved.
    fn imported<'i>(&mut self, import: &'i Import, package: Option<&Module>) -> Option<Imported<'i>> {
        let name = import.name.clone()?;
        if name != "*"
            && let Some(submodule) = self.find(&import.submodule())
            && package.is_none_or(|package| package.path != submodule.path)
            && let kind = meanings::meaning(self.document.path(), &import.module, &name)
            && kind != Meaning::Declared
        {
            if let Some(other) = kind.alternative()
                && modules::moved_path(&submodule.path, self.moves) != submodule.path
            {
                self.unresolved(import.name_span, format!("`{name}` may be {other}"));
                return None;
            }
            let whole = self.new_name(&import.submodule(), &submodule, import.name_span)?;
            let names = whole.trim_start_matches('.');
            let last = names.rsplit('.').next().unwrap_or(names).to_owned();
            let outer = &whole[..whole.len() - last.len()];
            let outer = if outer.trim_start_matches('.').is_empty() { outer } else { outer.trim_end_matches('.') };
            let can_be_imported = !outer.is_empty() || whole == last;
            if !can_be_imported || last.is_empty() {
                self.unresolved(import.name_span, format!("`{whole}` is not in a package any more"));
                return None;
            }
            return Some(Imported { import, module: outer.to_owned(), name: last });
        }
        let package = package?;
        let module = self.new_name(&import.module, package, import.module_span)?;
        Some(Imported { import, module, name })
    }

    /// Renames a module in its import statement. The uses keep the old name if the new name is taken, or if other files
    /// can import the name from this file.
    fn rename(&mut self, own: &Imported<'_>) {
        let import = own.import;
        if Some(&own.name) == import.name.as_ref() {
            return;
        }
        if import.is_aliased || self.rename_uses(own) {
            self.edit(import.name_span, own.name.clone());
        } else {
            let local = import.local.clone().unwrap_or_default();
            self.edit(import.name_span, format!("{} as {local}", own.name));
        }
    }

    /// Renames the uses of an imported module. Returns false if they must keep the old name.
    fn rename_uses(&mut self, own: &Imported<'_>) -> bool {
        let document = self.document;
        let is_package = marquetry_sdk::paths::file_name(document.path()).starts_with("__init__.");
        let Some(local) = &own.import.local else { return true };
        let names = document.names();
        let places: Vec<_> = local_places(document, own.import).collect();
        let owner = places.first().and_then(|place| names.owner_of(place)).unwrap_or(FILE_SCOPE);
        let is_shown = crate::name_strings::exported_strings(document).iter().any(|(name, _)| name == local);
        let binds_twice = places.iter().filter(|place| place.binding.is_some()).count() > 1;
        if is_package || is_shown || binds_twice || names.rename_conflict(local, owner, &own.name).is_some() {
            return false;
        }
        let spans: Vec<Span> = places.iter().filter(|place| place.binding.is_none()).map(|place| place.span).collect();
        for span in spans {
            self.edit(span, own.name.clone());
        }
        true
    }

    /// Writes `import a, b` instead of a statement whose names are modules that are in no package after the moves.
    fn import_modules(&mut self, run: &[Import], new: &[Imported<'_>]) {
        let statement = self.document.arena().node(run[0].statement).span;
        if statement.slice(&self.document.arena().text).contains('#') {
            return self.unresolved(statement, "the modules are not in a package any more");
        }
        let text = self.import_of(new);
        self.edit(statement, text);
    }

    /// The statement that imports names from one module.
    fn import_of(&mut self, names: &[Imported<'_>]) -> String {
        let list = names.iter().map(|own| self.written(own)).collect::<Vec<_>>().join(", ");
        match names[0].module.as_str() {
            "" => format!("import {list}"),
            module => format!("from {module} import {list}"),
        }
    }

    /// Splits a statement whose names come from several modules after the moves.
    fn split(&mut self, run: &[Import], new: &[Imported<'_>]) {
        let document = self.document;
        let arena = document.arena();
        let statement = arena.node(run[0].statement).span;
        let stays = |own: &&Imported<'_>| own.module == run[0].module;
        // The statement is kept for the first module that does not change. If every module changes, it is kept for the
        // package of the first name.
        let in_package = |own: &&Imported<'_>| !own.module.is_empty();
        let kept = new.iter().find(stays).or(new.iter().find(in_package)).unwrap_or(&new[0]).module.clone();
        let gone: Vec<Imported<'_>> = new.iter().filter(|own| own.module != kept).cloned().collect();
        let aliases: Vec<NodeIndex> = gone.iter().map(|own| own.import.alias).collect();
        match imports::remove(document, &aliases) {
            Ok(edits) => self.result.edits.extend(edits),
            Err(failure) => return self.unresolved(statement, failure.message),
        }
        if kept != run[0].module {
            self.edit(run[0].module_span, kept.clone());
        }
        for own in new.iter().filter(|own| own.module == kept) {
            self.rename(own);
        }
        let indent = lines::indent_at(&arena.text, statement.range().start).to_owned();
        let mut text = String::new();
        for run in gone.chunk_by(|one, other| one.module == other.module) {
            text += &format!("\n{indent}{}", self.import_of(run));
        }
        let end = document.end_of_line_tail(statement.range().end);
        if lines::ends_line(&arena.text, end) {
            self.result.edits.push(Edit::insert(end, text));
        } else {
            let text = text.replace(&format!("\n{indent}"), "; ");
            self.result.edits.push(Edit::insert(statement.range().end, text));
        }
    }

    /// The code of a name in a new import statement.
    fn written(&mut self, own: &Imported<'_>) -> String {
        let local = own.import.local.clone().unwrap_or_default();
        let keeps = own.import.is_aliased || (own.name != local && !self.rename_uses(own));
        if keeps && own.name != local { format!("{} as {local}", own.name) } else { own.name.clone() }
    }
}
