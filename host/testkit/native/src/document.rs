//! An open document of a pack that is linked as a library.

use std::sync::Arc;

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
use marquetry_sdk::{Document as _, LanguagePack, types as wit};

use crate::{
    convert::AnswerValidator,
    ids::Ids,
    lower,
    pack::{Answer, NativePack},
};

/// A document, and the mapping of its node ids.
pub(crate) struct NativeDocument<P: LanguagePack> {
    pub(crate) pack: Arc<NativePack<P>>,
    pub(crate) path: String,
    pub(crate) text: Arc<str>,
    pub(crate) document: P::Document,
    pub(crate) ids: Ids,
}

impl<P: LanguagePack> NativeDocument<P> {
    fn call<R>(&self, doing: &str, run: impl FnOnce(&P::Document) -> R) -> Result<R> {
        self.pack.call(&format!("{doing} {}", self.path), || run(&self.document))
    }

    fn call_fallible<R>(&self, doing: &str, run: impl FnOnce(&P::Document) -> Answer<R>) -> Result<R> {
        self.checked().outcome(self.call(doing, run)?)
    }

    fn checked(&self) -> AnswerValidator<'_> {
        self.pack.checked(&self.text)
    }

    fn own_ids(&self, ids: &[u32]) -> Vec<u32> {
        ids.iter().map(|id| self.ids.own_id(*id, &self.path)).collect()
    }
}

impl<P: LanguagePack> Document for NativeDocument<P> {
    fn diagnostics(&mut self) -> Result<Vec<PackDiagnostic>> {
        let found = self.call("checking", |document| document.diagnostics())?;
        self.checked().diagnostics(found)
    }

    fn parse_errors(&mut self) -> Result<Vec<PackDiagnostic>> {
        let errors = self.call("reading", |document| document.parse_errors())?;
        self.checked().errors(errors)
    }

    fn outline(&mut self) -> Result<Vec<Node>> {
        let nodes = self.call("outlining", |document| document.outline())?;
        let nodes = self.checked().outline(nodes)?;
        Ok(self.ids.assign(nodes))
    }

    fn find(&mut self, query: &Query) -> Result<FindResult> {
        let asked = lower::query(query)?;
        let found = self.call_fallible("searching", |document| document.find(&asked))?;
        Ok(match self.checked().query_result(found, query.limit)? {
            FindResult::Nodes(nodes, total) => FindResult::Nodes(self.ids.assign(nodes), total),
            scalar @ FindResult::Scalar(_) => scalar,
        })
    }

    fn view(&mut self, node: u32, form: Form) -> Result<View> {
        let node = self.ids.own_id(node, &self.path);
        let view = self.call_fallible("reading", |document| document.view(node, lower::form(form)))?;
        self.checked().view(view)
    }

    fn dependencies(&mut self, node: u32) -> Result<Vec<Dependency>> {
        let node = self.ids.own_id(node, &self.path);
        let list = self.call("reading", |document| document.dependencies(node))?;
        self.checked().dependencies(list)
    }

    fn edit(&mut self, nodes: &[u32], operation: &Operation, options: EditOptions) -> Result<EditSet> {
        let nodes = self.own_ids(nodes);
        let operation = lower::operation(operation);
        let options = wit::EditOptions { include_doc: options.include_doc, force: options.force };
        let edits = self.call_fallible("editing", |document| document.edit(&nodes, &operation, options))?;
        self.checked().edits(edits)
    }

    fn edit_ranges(&mut self, nodes: &[u32], operation: &Operation) -> Result<Vec<Span>> {
        let nodes = self.own_ids(nodes);
        let operation = lower::operation(operation);
        let spans = self.call("editing", |document| document.edit_ranges(&nodes, &operation))?;
        self.checked().edit_ranges(spans)
    }

    fn insert_missing(&mut self, target: &Target, content: &str) -> Result<EditSet> {
        let target = lower::target(target)?;
        let edits = self.call_fallible("editing", |document| document.insert_missing(&target, content))?;
        self.checked().edits(edits)
    }

    fn stays_well_formed(&mut self, edits: &[Edit]) -> Result<bool> {
        let edits: Vec<_> = edits.iter().map(lower::edit).collect();
        self.call("checking an edit of", |document| document.stays_well_formed(&edits))
    }

    fn embedded(&mut self) -> Result<Vec<Embedded>> {
        let parts = self.call("reading", |document| document.embedded())?;
        self.checked().embedded(parts)
    }

    fn links(&mut self) -> Result<Vec<Link>> {
        let part = self.pack.optional(Interface::Links, &self.pack.native.links)?;
        let links = self.call("reading the links of", |document| (part.links)(document))?;
        self.checked().links(links)
    }

    fn relink(&mut self, moves: &FileMoves) -> Result<Rewrite> {
        let part = self.pack.optional(Interface::Links, &self.pack.native.links)?;
        let moves = lower::file_moves(moves);
        let rewrite = self.call_fallible("updating the links of", |document| (part.relink)(document, &moves))?;
        self.checked().rewrite(rewrite)
    }

    fn remove_links(&mut self, links: &[u32]) -> Result<Rewrite> {
        let part = self.pack.optional(Interface::Links, &self.pack.native.links)?;
        let rewrite = self.call_fallible("removing links of", |document| (part.unlink)(document, links))?;
        self.checked().rewrite(rewrite)
    }

    fn exports_and_imports(&mut self) -> Result<Facts> {
        let part = self.pack.optional(Interface::Symbols, &self.pack.native.symbols)?;
        let facts = self.call("reading the names of", |document| (part.facts)(document))?;
        self.checked().exports_and_imports(facts)
    }

    fn resolve_symbol(&mut self, subject: &Subject) -> Result<Resolution> {
        let part = self.pack.optional(Interface::Symbols, &self.pack.native.symbols)?;
        let asked = lower::subject(subject);
        let found = self.call_fallible("resolving a name of", |document| (part.resolve)(document, asked))?;
        self.checked().resolution(found)
    }

    fn rename(&mut self, subject: &Subject, new_name: &str) -> Result<RenameResult> {
        let part = self.pack.optional(Interface::Symbols, &self.pack.native.symbols)?;
        let asked = lower::subject(subject);
        let renaming = self.call_fallible("renaming in", |document| (part.rename)(document, asked, new_name))?;
        self.checked().rename_result(renaming)
    }

    fn available_refactors(&mut self, at: Selection) -> Result<Vec<RefactorOffer>> {
        let part = self.pack.optional(Interface::Refactors, &self.pack.native.refactors)?;
        let at = lower::selection(at);
        let offers = self.call("looking for refactors in", |document| (part.offers)(document, at))?;
        self.checked().offers(offers)
    }

    fn apply_refactor(&mut self, refactor: &str, at: Selection, arguments: &[(String, String)]) -> Result<Rewrite> {
        let part = self.pack.optional(Interface::Refactors, &self.pack.native.refactors)?;
        let (at, arguments) = (lower::selection(at), lower::arguments(arguments));
        let rewrite = self.call_fallible("refactoring", |document| (part.apply)(document, refactor, at, arguments))?;
        self.checked().rewrite(rewrite)
    }

    fn answer_question(&mut self, from: &str, payload: &str) -> Result<Rewrite> {
        let part = self.pack.optional(Interface::Refactors, &self.pack.native.refactors)?;
        let rewrite = self.call_fallible("refactoring", |document| (part.answer)(document, from, payload))?;
        self.checked().rewrite(rewrite)
    }

    fn hover_info(&mut self, offset: usize) -> Result<Option<HoverInfo>> {
        let part = self.pack.optional(Interface::Hover, &self.pack.native.hover)?;
        let offset = lower::offset(offset)?;
        let info = self.call("reading", |document| (part.hover_info)(document, offset))?;
        info.map(|info| self.checked().hover_info(info)).transpose()
    }

    fn type_definitions(&mut self, offset: usize) -> Result<Vec<FileLocation>> {
        let part = self.pack.optional(Interface::Hover, &self.pack.native.hover)?;
        let offset = lower::offset(offset)?;
        let list = self.call("reading", |document| (part.type_definitions)(document, offset))?;
        self.checked().file_locations(list)
    }

    fn calls(&mut self, address: &str) -> Result<Option<Vec<RelatedSymbol>>> {
        let part = self.pack.optional(Interface::Hover, &self.pack.native.hover)?;
        let list = self.call("reading", |document| (part.calls)(document, address))?;
        list.map(|list| self.checked().related_symbols(list)).transpose()
    }

    fn supertypes(&mut self, address: &str) -> Result<Option<Vec<RelatedSymbol>>> {
        let part = self.pack.optional(Interface::Hover, &self.pack.native.hover)?;
        let list = self.call("reading", |document| (part.supertypes)(document, address))?;
        list.map(|list| self.checked().related_symbols(list)).transpose()
    }

    fn semantic_diagnostics(&mut self) -> Result<SemanticDiagnostics> {
        let part = self.pack.optional(Interface::Hover, &self.pack.native.hover)?;
        let list = self.call("checking", |document| (part.checks)(document))?;
        self.checked().semantic_diagnostics(list)
    }

    fn read_manifest(&mut self) -> Result<Option<Manifest>> {
        let part = self.pack.optional(Interface::Hover, &self.pack.native.hover)?;
        let manifest = self.call("reading", |document| (part.read_manifest)(document))?;
        manifest.map(|manifest| self.checked().manifest(manifest)).transpose()
    }

    fn structural_matches(&mut self, pattern: &str, limit: usize) -> Result<StructureMatches> {
        let part = self.pack.optional(Interface::Search, &self.pack.native.search)?;
        let most = u32::try_from(limit).unwrap_or(u32::MAX);
        let found = self.call_fallible("searching", |document| (part.matches)(document, pattern, most))?;
        self.checked().structure_matches(found, limit)
    }
}
