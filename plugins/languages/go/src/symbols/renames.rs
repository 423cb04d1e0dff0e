//! Renames of a name in one document.

use marquetry_sdk::{DeclaredKey, Edit, FailureKind, FileLocation, RenameResult, Result, Span, Usage, fail, shared};

use super::{
    Symbol, Target,
    groups::{may_be_implemented_elsewhere, may_be_required},
    uses::{Declared, Use},
};
use crate::{
    imports::Import,
    kinds::{K, child, has_kind},
    names::{BindingIndex, BindingKind},
    packages::{Found, MemberKind, files_of, outline_of, resolve},
    types::Resolver,
};

impl Symbol<'_> {
    pub(super) fn rename(&self, target: Target, new_name: &str) -> Result<RenameResult> {
        if let Some(key) = self.key_of(&target) {
            let mut result = shared::empty_renaming(&key.name);
            if let Some(elsewhere) = self.elsewhere(&key) {
                result.elsewhere = Some(elsewhere);
                return Ok(result);
            }
            if key.name == new_name {
                return Ok(result);
            }
            self.check_declaration(&key, new_name)?;
            let mut result = self.rename_declared(&key, new_name)?;
            result.declared.get_or_insert(key);
            return Ok(result);
        }
        match target {
            Target::Local(binding) => self.rename_local(binding, new_name),
            Target::Import(import) => self.rename_import(import, new_name),
            Target::Top(..) | Target::Member(..) => Ok(shared::empty_renaming(new_name)),
        }
    }

    fn rename_local(&self, binding: BindingIndex, new_name: &str) -> Result<RenameResult> {
        let names = &self.file.names;
        let own = &names.bindings[binding];
        let mut result = shared::empty_renaming(&own.name);
        if own.name == new_name {
            return Ok(result);
        }
        self.check_local(binding, new_name)?;
        for place in names.references(binding) {
            match place.is_key.then(|| Resolver::default().is_field_key(&self.file, place.node)) {
                Some(Some(true)) => {}
                Some(None) => result.unresolved.push(place.span),
                Some(Some(false)) | None => result.edits.push(Edit::new(place.span, new_name)),
            }
        }
        if own.kind == BindingKind::Import
            && let Some(import) = self.imports.iter().position(|(import, _)| {
                import.alias.as_ref().is_some_and(|(_, span)| *span == self.file.arena().node(own.node).span)
            })
        {
            result.edits.extend(self.import_places(import).into_iter().map(|span| Edit::new(span, new_name)));
        }
        finish(&mut result);
        Ok(result)
    }

    /// Renames an import in this file by its alias. The package keeps its name.
    fn rename_import(&self, import: usize, new_name: &str) -> Result<RenameResult> {
        let (own, name) = &self.imports[import];
        let mut result = shared::empty_renaming(name);
        let places = self.import_places(import);
        self.check_import_name(&places, new_name)?;
        result.edits = places.into_iter().map(|span| Edit::new(span, new_name)).collect();
        let start = own.span.start as usize - 1;
        result.edits.push(match &own.alias {
            Some((_, span)) => Edit::new(*span, new_name),
            None => Edit::insert(start, format!("{new_name} ")),
        });
        finish(&mut result);
        Ok(result)
    }

    pub(super) fn rename_declared(&self, key: &DeclaredKey, new_name: &str) -> Result<RenameResult> {
        let declared = Declared::new(key);
        let uses = self.uses(key, &declared);
        let mut result = shared::empty_renaming(&key.name);
        let mut embeddings = Vec::new();
        for one in &uses {
            if !one.is_certain {
                result.unresolved.push(one.span);
                continue;
            }
            self.check_use(one, &declared, key, new_name)?;
            if one.usage == Usage::Declaration && declared.top.is_none() {
                self.check_member(Some(one.span), new_name).map_err(|failure| failure.at(one.span))?;
            }
            result.edits.push(Edit::new(one.span, new_name));
            if one.embeds {
                embeddings.push(self.location(one.span.start));
            }
        }
        self.list_related(key, &declared, (new_name, &mut result));
        result.declared = self.extended(key, embeddings);
        finish(&mut result);
        Ok(result)
    }

    /// The key, extended by the positions at which the type is embedded, because an embedded field has the name of its
    /// type.
    fn extended(&self, key: &DeclaredKey, embeddings: Vec<FileLocation>) -> Option<DeclaredKey> {
        let mut locations = key.locations.clone();
        for one in embeddings {
            if !locations.iter().any(|known| known.path == one.path && known.offset == one.offset) {
                locations.push(one);
            }
        }
        let is_here = locations.iter().any(|known| known.path == self.document.path());
        is_here.then(|| DeclaredKey { locations, ..key.clone() })
    }

    /// Adds related occurrences: edits the name in doc comments, and lists names in directives and declarations that
    /// other code may depend on.
    fn list_related(&self, key: &DeclaredKey, declared: &Declared, (new_name, result): (&str, &mut RenameResult)) {
        let own = self.document.path();
        let is_method = declared.kinds.iter().any(|kind| matches!(kind, MemberKind::Method | MemberKind::Abstract));
        for known in key.locations.iter().filter(|known| known.path == own) {
            let span = span_of(known.offset, &key.name);
            let is_required = is_method && self.may_be_required(&key.name, Some(known.offset));
            if is_required || self.has_examples(key) || self.is_open(span) || self.is_open_interface(span) {
                result.unresolved.push(span);
            }
            result.edits.extend(self.doc_edit(span, new_name));
        }
        result.unresolved.extend(self.directives(&key.name));
    }

    /// Returns whether an interface of the standard library, or of another package outside of the workspace, may
    /// require a method. `offset` is that of its declaration in this file.
    pub(super) fn may_be_required(&self, name: &str, offset: Option<u32>) -> bool {
        let is_foreign = |import: &(Import, String)| {
            let has_domain = import.0.path.split('/').next().unwrap_or_default().contains('.');
            has_domain && resolve(self.document.path(), &import.0.path) == Found::Elsewhere
        };
        let is_of_type = |offset: u32| may_be_required(&self.file, offset, name);
        let is_possible = || UNNAMED.contains(&name) || offset.is_none_or(is_of_type);
        is_required_elsewhere(name) && is_possible() || super::is_exported(name) && self.imports.iter().any(is_foreign)
    }

    /// Returns whether code outside of Go source may depend on a name: the declaration is a function without a body, or
    /// a field of an unnamed struct type, which is identical to every other struct type with the same fields.
    fn is_open(&self, span: Span) -> bool {
        let arena = self.file.arena();
        let declared = arena.node(arena.innermost(span)).parent;
        let is = |kind: K| has_kind(arena, declared, kind);
        let around = arena.node(arena.node(declared).parent).parent;
        (is(K::Func) || is(K::Method)) && child(arena, declared, K::Block).is_none()
            || is(K::Field) && !has_kind(arena, around, K::Type)
    }

    /// Returns whether a declaration is an interface method that types from outside of the workspace may implement.
    fn is_open_interface(&self, span: Span) -> bool {
        let arena = self.file.arena();
        let method = arena.node(arena.innermost(span)).parent;
        has_kind(arena, method, K::ElemMethod)
            && super::is_exported(self.text(span))
            && may_be_implemented_elsewhere(&self.file, method)
    }

    /// The edit of the first word of a doc comment, if that word is the name of the declaration.
    fn doc_edit(&self, span: Span, new_name: &str) -> Option<Edit> {
        let symbols = &self.document.symbols().symbols;
        let doc = symbols.iter().find(|symbol| symbol.selection == span)?.doc?;
        let (text, name) = (doc.slice(self.document.text_str()), self.text(span));
        let rest = text.strip_prefix("//")?.trim_start_matches(' ');
        let after = rest.strip_prefix(name)?;
        let at = doc.start + (text.len() - rest.len()) as u32;
        let is_word = !after.starts_with(|c: char| c.is_alphanumeric() || c == '_' || c == '.');
        is_word.then(|| Edit::new(span_of(at, name), new_name))
    }

    /// Names in the directives `//go:linkname` and `//export`.
    fn directives(&self, name: &str) -> Vec<Span> {
        let text = self.document.text_str();
        let comments = self.file.arena().tokens.iter().filter(|token| token.kind == marquetry_code::TokenKind::Comment);
        let is_directive = |span: Span| {
            let comment = span.slice(text);
            comment.starts_with("//go:linkname ") || comment.starts_with("//export ")
        };
        let read = comments.map(|token| token.span).filter(|span| is_directive(*span));
        let words = read.flat_map(|span| {
            let is_part = |c: char| c.is_alphanumeric() || c == '_';
            let comment = span.slice(text);
            comment
                .match_indices(name)
                .filter(move |(at, _)| {
                    !comment[..*at].ends_with(is_part) && !comment[at + name.len()..].starts_with(is_part)
                })
                .map(move |(at, _)| span_of(span.start + at as u32, name))
        });
        words.collect()
    }

    /// Returns whether tests of the folder have example functions that are named after the declaration: `ExampleCart`,
    /// `ExampleCart_Add`. `go vet` checks that these names match.
    fn has_examples(&self, key: &DeclaredKey) -> bool {
        let is_example = |declared: &String| {
            let rest = declared.strip_prefix("Example");
            rest.is_some_and(|rest| rest.split('_').any(|part| part == key.name))
        };
        let tests = files_of(marquetry_sdk::paths::folder(self.document.path())).into_iter();
        let mut tests = tests.filter(|file| file.ends_with("_test.go"));
        let is_here = key.locations.iter().any(|known| known.path == self.document.path());
        is_here && super::is_exported(&key.name) && tests.any(|file| outline_of(&file).declared.keys().any(is_example))
    }

    fn check_use(&self, one: &Use, declared: &Declared, key: &DeclaredKey, new_name: &str) -> Result<()> {
        let own = self.package();
        let owner = declared.top.as_ref().or(declared.owners.first());
        if owner.is_some_and(|package| *package != own)
            && super::is_exported(&key.name)
            && !super::is_exported(new_name)
        {
            let message = format!("`{new_name}` is not visible in {}, which uses `{}`", self.document.path(), key.name);
            return Err(fail(FailureKind::RefactorFailed, message)
                .hint("choose a name that starts with a capital")
                .at(one.span));
        }
        match one.member {
            Some(node) => self.check_member_use(node, new_name),
            None if one.is_plain => self.check_plain_use(one.span, new_name),
            None => Ok(()),
        }
    }
}

/// The span of a name at an offset.
fn span_of(offset: u32, name: &str) -> Span {
    Span { start: offset, end: offset + name.len() as u32 }
}

/// Names of the exported methods in interfaces of the standard library, and of the methods that `errors` looks for.
const REQUIRED: &str = include_str!("required.txt");

/// Names of methods of the predeclared interface `error`, and of those that the standard library looks for without a
/// named interface.
const UNNAMED: [&str; 6] = ["As", "Error", "Is", "IsBoolFlag", "Timeout", "Unwrap"];

/// Returns whether an interface of the standard library has a method of this name.
fn is_required_elsewhere(name: &str) -> bool {
    REQUIRED.split_whitespace().any(|known| known == name)
}

fn finish(result: &mut RenameResult) {
    result.edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
    result.edits.dedup_by_key(|edit| edit.span);
    result.unresolved.sort_by_key(|span| span.start);
    result.unresolved.dedup();
}
