//! Calls on an open document: passes the arguments to the pack, and validates its answers. Packs in the sandbox and
//! packs that tests link as libraries share this code.

use marquetry_model::{
    Edit, EditSet, Interface, Result, Span,
    hover::{FileLocation, HoverInfo, Manifest, RelatedSymbol, SemanticDiagnostics},
    pack::{
        Dependency, EditOptions, Embedded, Facts, FindResult, Form, Link, Node, Operation, PackDiagnostic, Query,
        RenameResult, Resolution, Subject, Target, View,
    },
    ports::Document,
    refactor::{FileMoves, RefactorOffer, Rewrite, Selection},
    structural_search::StructureMatches,
};

use crate::{
    bindings::{Answer, marquetry::language::types as wit},
    convert::AnswerValidator,
    lower,
    questions::{Fallible, Optional, RawDocument},
};

/// An open document whose pack can be called.
pub(crate) trait AskDocument {
    /// Calls the pack with `run` and validates its answer with `check`. If the pack traps, `run` is repeated on a new
    /// instance, unless the call has node ids, which are valid only on the instance that returned them.
    fn ask<R, T>(
        &mut self,
        question: (&str, HasIds),
        run: impl FnMut(&mut dyn RawDocument) -> Answer<R>,
        check: impl FnOnce(&AnswerValidator<'_>, R) -> Result<T>,
    ) -> Result<T>;

    /// Maps the id that callers use for a node to the id that the pack uses.
    fn own_id(&self, id: u32) -> u32 {
        id
    }

    /// Replaces the ids of nodes that the pack returned by those that callers use.
    fn with_ids(&mut self, nodes: Vec<Node>) -> Vec<Node> {
        nodes
    }
}

/// True if a call has node ids.
pub(crate) type HasIds = bool;

/// A document whose answers are validated.
pub(crate) struct CheckedDocument<D>(pub(crate) D);

impl<D: AskDocument> CheckedDocument<D> {
    fn call<R, T>(
        &mut self,
        doing: &str,
        run: impl FnMut(&mut dyn RawDocument) -> Answer<R>,
        check: impl FnOnce(&AnswerValidator<'_>, R) -> Result<T>,
    ) -> Result<T> {
        self.0.ask((doing, false), run, check)
    }

    fn call_with_ids<R, T>(
        &mut self,
        doing: &str,
        run: impl FnMut(&mut dyn RawDocument) -> Answer<R>,
        check: impl FnOnce(&AnswerValidator<'_>, R) -> Result<T>,
    ) -> Result<T> {
        self.0.ask((doing, true), run, check)
    }

    /// Calls a function of an optional interface. Fails if the pack does not have it.
    fn call_optional<R, T>(
        &mut self,
        (interface, doing): (Interface, &str),
        run: impl FnMut(&mut dyn RawDocument) -> Optional<R>,
        check: impl FnOnce(&AnswerValidator<'_>, R) -> Result<T>,
    ) -> Result<T> {
        self.call(doing, run, |checked, answer| check(checked, checked.require_interface(interface, answer)?))
    }

    /// Calls a function of an optional interface that may fail.
    fn call_fallible<R, T>(
        &mut self,
        how: (Interface, &str),
        run: impl FnMut(&mut dyn RawDocument) -> Optional<Fallible<R>>,
        check: impl FnOnce(&AnswerValidator<'_>, R) -> Result<T>,
    ) -> Result<T> {
        self.call_optional(how, run, |checked, answer| check(checked, checked.outcome(answer)?))
    }

    fn own_ids(&self, ids: &[u32]) -> Vec<u32> {
        ids.iter().map(|id| self.0.own_id(*id)).collect()
    }
}

impl<D: AskDocument> Document for CheckedDocument<D> {
    fn diagnostics(&mut self) -> Result<Vec<PackDiagnostic>> {
        self.call("checking", |raw| raw.diagnostics(), |checked, found| checked.diagnostics(found))
    }

    fn parse_errors(&mut self) -> Result<Vec<PackDiagnostic>> {
        self.call("reading", |raw| raw.parse_errors(), |checked, found| checked.errors(found))
    }

    fn outline(&mut self) -> Result<Vec<Node>> {
        let nodes = self.call("outlining", |raw| raw.outline(), |checked, nodes| checked.outline(nodes))?;
        Ok(self.0.with_ids(nodes))
    }

    fn find(&mut self, query: &Query) -> Result<FindResult> {
        let wit_query = lower::query(query)?;
        let found = self.call(
            "searching",
            |raw| raw.find(&wit_query),
            |checked, found| checked.query_result(checked.outcome(found)?, query.limit),
        )?;
        Ok(match found {
            FindResult::Nodes(nodes, total) => FindResult::Nodes(self.0.with_ids(nodes), total),
            scalar @ FindResult::Scalar(_) => scalar,
        })
    }

    fn view(&mut self, node: u32, form: Form) -> Result<View> {
        let (node, form) = (self.0.own_id(node), lower::form(form));
        self.call_with_ids("reading", |raw| raw.view(node, form), |checked, view| checked.view(checked.outcome(view)?))
    }

    fn dependencies(&mut self, node: u32) -> Result<Vec<Dependency>> {
        let node = self.0.own_id(node);
        self.call_with_ids("reading", |raw| raw.dependencies(node), |checked, list| checked.dependencies(list))
    }

    fn edit(&mut self, nodes: &[u32], operation: &Operation, options: EditOptions) -> Result<EditSet> {
        let (nodes, operation) = (self.own_ids(nodes), lower::operation(operation));
        let options = wit::EditOptions { include_doc: options.include_doc, force: options.force };
        self.call_with_ids(
            "editing",
            |raw| raw.edit(&nodes, &operation, options),
            |checked, edits| checked.edits(checked.outcome(edits)?),
        )
    }

    fn edit_ranges(&mut self, nodes: &[u32], operation: &Operation) -> Result<Vec<Span>> {
        let (nodes, operation) = (self.own_ids(nodes), lower::operation(operation));
        self.call_with_ids(
            "editing",
            |raw| raw.edit_ranges(&nodes, &operation),
            |checked, spans| checked.edit_ranges(spans),
        )
    }

    fn insert_missing(&mut self, target: &Target, content: &str) -> Result<EditSet> {
        let target = lower::target(target)?;
        self.call(
            "editing",
            |raw| raw.insert_missing(&target, content),
            |checked, edits| checked.edits(checked.outcome(edits)?),
        )
    }

    fn stays_well_formed(&mut self, edits: &[Edit]) -> Result<bool> {
        let edits: Vec<_> = edits.iter().map(lower::edit).collect();
        self.call("checking an edit of", |raw| raw.stays_well_formed(&edits), |_, answer| Ok(answer))
    }

    fn embedded(&mut self) -> Result<Vec<Embedded>> {
        self.call("reading", |raw| raw.embedded(), |checked, parts| checked.embedded(parts))
    }

    fn links(&mut self) -> Result<Vec<Link>> {
        let how = (Interface::Links, "reading the links of");
        self.call_optional(how, |raw| raw.links(), |checked, links| checked.links(links))
    }

    fn relink(&mut self, moves: &FileMoves) -> Result<Rewrite> {
        let (moves, how) = (lower::file_moves(moves), (Interface::Links, "updating the links of"));
        self.call_fallible(how, |raw| raw.relink(&moves), |checked, rewrite| checked.rewrite(rewrite))
    }

    fn remove_links(&mut self, links: &[u32]) -> Result<Rewrite> {
        let how = (Interface::Links, "removing links of");
        self.call_fallible(how, |raw| raw.unlink(links), |checked, rewrite| checked.rewrite(rewrite))
    }

    fn exports_and_imports(&mut self) -> Result<Facts> {
        let how = (Interface::Symbols, "reading the names of");
        self.call_optional(how, |raw| raw.facts(), |checked, facts| checked.exports_and_imports(facts))
    }

    fn resolve_symbol(&mut self, subject: &Subject) -> Result<Resolution> {
        let (subject, how) = (lower::subject(subject), (Interface::Symbols, "resolving a name of"));
        self.call_fallible(how, |raw| raw.resolve_symbol(&subject), |checked, found| checked.resolution(found))
    }

    fn rename(&mut self, subject: &Subject, new_name: &str) -> Result<RenameResult> {
        let (subject, how) = (lower::subject(subject), (Interface::Symbols, "renaming in"));
        self.call_fallible(
            how,
            |raw| raw.rename(&subject, new_name),
            |checked, renaming| checked.rename_result(renaming),
        )
    }

    fn available_refactors(&mut self, at: Selection) -> Result<Vec<RefactorOffer>> {
        let (at, how) = (lower::selection(at), (Interface::Refactors, "looking for refactors in"));
        self.call_optional(how, |raw| raw.offers(at), |checked, offers| checked.offers(offers))
    }

    fn apply_refactor(&mut self, refactor: &str, at: Selection, arguments: &[(String, String)]) -> Result<Rewrite> {
        let (at, arguments, how) =
            (lower::selection(at), lower::arguments(arguments), (Interface::Refactors, "refactoring"));
        self.call_fallible(how, |raw| raw.apply(refactor, at, &arguments), |checked, rewrite| checked.rewrite(rewrite))
    }

    fn answer_question(&mut self, from: &str, payload: &str) -> Result<Rewrite> {
        let how = (Interface::Refactors, "refactoring");
        self.call_fallible(how, |raw| raw.answer(from, payload), |checked, rewrite| checked.rewrite(rewrite))
    }

    fn hover_info(&mut self, offset: usize) -> Result<Option<HoverInfo>> {
        let offset = lower::offset(offset)?;
        self.call_optional(
            (Interface::Hover, "reading"),
            |raw| raw.info(offset),
            |checked, info| info.map(|info| checked.hover_info(info)).transpose(),
        )
    }

    fn type_definitions(&mut self, offset: usize) -> Result<Vec<FileLocation>> {
        let (offset, how) = (lower::offset(offset)?, (Interface::Hover, "reading"));
        self.call_optional(how, |raw| raw.type_definitions(offset), |checked, list| checked.file_locations(list))
    }

    fn calls(&mut self, address: &str) -> Result<Option<Vec<RelatedSymbol>>> {
        self.call_optional(
            (Interface::Hover, "reading"),
            |raw| raw.calls(address),
            |checked, list| list.map(|list| checked.related_symbols(list)).transpose(),
        )
    }

    fn supertypes(&mut self, address: &str) -> Result<Option<Vec<RelatedSymbol>>> {
        self.call_optional(
            (Interface::Hover, "reading"),
            |raw| raw.supertypes(address),
            |checked, list| list.map(|list| checked.related_symbols(list)).transpose(),
        )
    }

    fn subtypes(&mut self, address: &str) -> Result<Option<Vec<RelatedSymbol>>> {
        self.call_optional(
            (Interface::Hover, "reading"),
            |raw| raw.subtypes(address),
            |checked, list| list.map(|list| checked.related_symbols(list)).transpose(),
        )
    }

    fn semantic_diagnostics(&mut self) -> Result<SemanticDiagnostics> {
        let how = (Interface::Hover, "checking");
        self.call_optional(how, |raw| raw.check(), |checked, list| checked.semantic_diagnostics(list))
    }

    fn read_manifest(&mut self) -> Result<Option<Manifest>> {
        self.call_optional(
            (Interface::Hover, "reading"),
            |raw| raw.read_manifest(),
            |checked, manifest| manifest.map(|manifest| checked.manifest(manifest)).transpose(),
        )
    }

    fn structural_matches(&mut self, pattern: &str, limit: usize) -> Result<StructureMatches> {
        let most = u32::try_from(limit).unwrap_or(u32::MAX);
        self.call_fallible(
            (Interface::Search, "searching"),
            |raw| raw.matches(pattern, most),
            |checked, found| checked.structure_matches(found, limit),
        )
    }
}
