//! An open document: the port's calls on one instance, which stays with it for the time of a tool call.

use std::sync::Arc;

use marquetry_model::{
    Edit, EditSet, Relocation, Result,
    insight::{Card, FilePlace, Findings, Manifest, Related},
    pack::{
        Dependency, EditOptions, Embedded, Facts, Form, Found, Link, Node, Operation, Problem, Query, Renaming,
        Resolution, Subject as Named, Target, View,
    },
    ports::Document,
    refactor::{Offer, Rewrite, Selection},
    structure::StructureMatches,
};

use crate::{
    bindings::marquetry::language::types as wit,
    convert::Checked,
    guest::Handle,
    instance::Instance,
    lower,
    pack::{Subject, WasmPack},
};

/// A document and the instance that holds it.
pub(crate) struct OpenDocument {
    pack: Arc<WasmPack>,
    path: String,
    text: Arc<str>,
    instance: Option<Instance>,
}

impl OpenDocument {
    pub(crate) fn new(pack: Arc<WasmPack>, path: &str, text: &Arc<str>) -> OpenDocument {
        OpenDocument {
            instance: pack.plugin.pool.take(path, text),
            pack,
            path: path.to_owned(),
            text: Arc::clone(text),
        }
    }

    /// One call to the guest; `run` is repeated on a fresh instance if the guest trapped.
    fn call<R>(&mut self, doing: &str, run: impl FnMut(&mut Instance, Handle) -> wasmtime::Result<R>) -> Result<R> {
        self.run(doing, false, run)
    }

    /// One call that carries ids of nodes: on the instance that gave them, or not at all.
    fn call_with_ids<R>(
        &mut self,
        doing: &str,
        run: impl FnMut(&mut Instance, Handle) -> wasmtime::Result<R>,
    ) -> Result<R> {
        self.run(doing, true, run)
    }

    fn run<R>(
        &mut self,
        doing: &str,
        has_ids: bool,
        mut run: impl FnMut(&mut Instance, Handle) -> wasmtime::Result<R>,
    ) -> Result<R> {
        let doing = format!("{doing} {}", self.path);
        let document = Some((self.path.as_str(), &self.text));
        let subject = Subject { document, files: Some(&self.pack.files), doing: &doing, has_ids };
        self.pack.plugin.call(subject, &mut self.instance, &mut |instance, document| match document {
            Some(document) => run(instance, document),
            None => Err(wasmtime::format_err!("no document")),
        })
    }

    fn checked(&self) -> Checked<'_> {
        Checked::new(&self.pack.plugin.id, &self.text)
    }

    fn fallible<R>(&self, answer: std::result::Result<R, wit::Failure>) -> Result<R> {
        answer.map_err(|failure| self.checked().failure(failure))
    }

    fn optional<R>(&self, interface: &str, answer: Option<R>) -> Result<R> {
        answer.ok_or_else(|| self.pack.missing(interface))
    }

    /// What fails validation is the plugin's fault, and its instance is not trusted again.
    fn validated<R>(&mut self, answer: impl FnOnce(&Self) -> Result<R>) -> Result<R> {
        let answer = answer(self);
        if let Err(error) = &answer
            && error.kind() == marquetry_model::Kind::PluginFailed
        {
            self.instance = None;
            self.pack.plugin.pool.failed(error);
        }
        answer
    }
}

impl Drop for OpenDocument {
    fn drop(&mut self) {
        if let Some(instance) = self.instance.take() {
            self.pack.plugin.pool.give(instance);
        }
    }
}

impl Document for OpenDocument {
    fn problems(&mut self) -> Result<Vec<Problem>> {
        let found = self.call("checking", |i, document| i.problems(document))?;
        self.validated(|this| this.checked().problems(found))
    }

    fn outline(&mut self) -> Result<Vec<Node>> {
        let nodes = self.call("outlining", |i, document| i.outline(document))?;
        self.validated(|this| this.checked().outline(nodes))
    }

    fn find(&mut self, query: &Query) -> Result<Found> {
        let asked = lower::query(query)?;
        let found = self.call("searching", |i, document| i.find(document, &asked))?;
        let found = self.fallible(found)?;
        self.validated(|this| this.checked().found(found, query.limit))
    }

    fn view(&mut self, node: u32, form: Form) -> Result<View> {
        let form = lower::form(form);
        let view = self.call_with_ids("reading", |i, document| i.view(document, node, form))?;
        let view = self.fallible(view)?;
        self.validated(|this| this.checked().view(view))
    }

    fn dependencies(&mut self, node: u32) -> Result<Vec<Dependency>> {
        let list = self.call_with_ids("reading", |i, document| i.dependencies(document, node))?;
        self.validated(|this| this.checked().dependencies(list))
    }

    fn edit(&mut self, nodes: &[u32], operation: &Operation, options: EditOptions) -> Result<EditSet> {
        let operation = lower::operation(operation);
        let options = wit::EditOptions { include_doc: options.include_doc, force: options.force };
        let edits = self.call_with_ids("editing", |i, document| i.edit(document, nodes, &operation, options))?;
        let edits = self.fallible(edits)?;
        self.validated(|this| this.checked().edits(edits))
    }

    fn insert_missing(&mut self, target: &Target, content: &str) -> Result<EditSet> {
        let target = lower::target(target)?;
        let edits = self.call("editing", |i, document| i.insert_missing(document, &target, content))?;
        let edits = self.fallible(edits)?;
        self.validated(|this| this.checked().edits(edits))
    }

    fn stays_well_formed(&mut self, edits: &[Edit]) -> Result<bool> {
        let edits: Vec<_> = edits.iter().map(lower::edit).collect();
        self.call("checking an edit of", |i, document| i.stays_well_formed(document, &edits))
    }

    fn embedded(&mut self) -> Result<Vec<Embedded>> {
        let parts = self.call("reading", |i, document| i.embedded(document))?;
        self.validated(|this| this.checked().embedded(parts))
    }

    fn links(&mut self) -> Result<Vec<Link>> {
        let links = self.call("reading the links of", |i, document| i.links(document))?;
        let links = self.optional("links", links)?;
        self.validated(|this| this.checked().links(links))
    }

    fn cover(&mut self, relocations: &[Relocation]) -> Result<EditSet> {
        let relocations: Vec<_> = relocations.iter().map(lower::relocation).collect();
        let edits = self.call("covering what moves in", |i, document| i.cover(document, &relocations))?;
        let edits = self.fallible(self.optional("links", edits)?)?;
        self.validated(|this| this.checked().edits(edits))
    }

    fn unlink(&mut self, links: &[u32]) -> Result<EditSet> {
        let edits = self.call("removing links of", |i, document| i.unlink(document, links))?;
        let edits = self.fallible(self.optional("links", edits)?)?;
        self.validated(|this| this.checked().edits(edits))
    }

    fn facts(&mut self) -> Result<Facts> {
        let facts = self.call("reading the names of", |i, document| i.facts(document))?;
        let facts = self.optional("symbols", facts)?;
        self.validated(|this| this.checked().facts(facts))
    }

    fn resolve_symbol(&mut self, subject: &Named) -> Result<Resolution> {
        let subject = lower::subject(subject);
        let found = self.call("resolving a name of", |i, document| i.resolve_symbol(document, &subject))?;
        let found = self.fallible(self.optional("symbols", found)?)?;
        self.validated(|this| this.checked().resolution(found))
    }

    fn rename(&mut self, subject: &Named, new_name: &str) -> Result<Renaming> {
        let subject = lower::subject(subject);
        let renaming = self.call("renaming in", |i, document| i.rename(document, &subject, new_name))?;
        let renaming = self.fallible(self.optional("symbols", renaming)?)?;
        self.validated(|this| this.checked().renaming(renaming))
    }

    fn offers(&mut self, at: Selection) -> Result<Vec<Offer>> {
        let at = lower::selection(at);
        let offers = self.call("looking for refactors in", |i, document| i.offers(document, at))?;
        let offers = self.optional("refactors", offers)?;
        self.validated(|this| this.checked().offers(offers))
    }

    fn apply(&mut self, refactor: &str, at: Selection, arguments: &[(String, String)]) -> Result<Rewrite> {
        let (at, arguments) = (lower::selection(at), lower::arguments(arguments));
        let rewrite = self.call("refactoring", |i, document| i.apply(document, refactor, at, &arguments))?;
        let rewrite = self.fallible(self.optional("refactors", rewrite)?)?;
        self.validated(|this| this.checked().rewrite(rewrite))
    }

    fn answer(&mut self, from: &str, payload: &str) -> Result<Rewrite> {
        let rewrite = self.call("refactoring", |i, document| i.answer(document, from, payload))?;
        let rewrite = self.fallible(self.optional("refactors", rewrite)?)?;
        self.validated(|this| this.checked().rewrite(rewrite))
    }

    fn describe_place(&mut self, offset: usize) -> Result<Option<Card>> {
        let offset = lower::offset(offset)?;
        let card = self.call("reading", |i, document| i.describe_place(document, offset))?;
        let card = self.optional("insight", card)?;
        self.validated(|this| card.map(|card| this.checked().card(card)).transpose())
    }

    fn type_definitions(&mut self, offset: usize) -> Result<Vec<FilePlace>> {
        let offset = lower::offset(offset)?;
        let list = self.call("reading", |i, document| i.type_definitions(document, offset))?;
        let list = self.optional("insight", list)?;
        self.validated(|this| this.checked().places(list))
    }

    fn calls(&mut self, address: &str) -> Result<Option<Vec<Related>>> {
        let list = self.call("reading", |i, document| i.calls(document, address))?;
        let list = self.optional("insight", list)?;
        self.validated(|this| list.map(|list| this.checked().related(list)).transpose())
    }

    fn supertypes(&mut self, address: &str) -> Result<Option<Vec<Related>>> {
        let list = self.call("reading", |i, document| i.supertypes(document, address))?;
        let list = self.optional("insight", list)?;
        self.validated(|this| list.map(|list| this.checked().related(list)).transpose())
    }

    fn checks(&mut self) -> Result<Findings> {
        let list = self.call("checking", |i, document| i.checks(document))?;
        let list = self.optional("insight", list)?;
        self.validated(|this| this.checked().findings(list))
    }

    fn read_manifest(&mut self) -> Result<Option<Manifest>> {
        let manifest = self.call("reading", |i, document| i.read_manifest(document))?;
        let manifest = self.optional("insight", manifest)?;
        self.validated(|this| manifest.map(|manifest| this.checked().manifest(manifest)).transpose())
    }

    fn matches(&mut self, pattern: &str, limit: usize) -> Result<StructureMatches> {
        let most = u32::try_from(limit).unwrap_or(u32::MAX);
        let found = self.call("searching", |i, document| i.matches(document, pattern, most))?;
        let found = self.fallible(self.optional("search", found)?)?;
        self.validated(|this| this.checked().structure_matches(found, limit))
    }
}
