//! An open document. All its calls in one tool call run on the same instance.

use std::sync::Arc;

use marquetry_model::{
    Edit, EditSet, Error, Interface, Result, Span,
    hover::{FileLocation, HoverInfo, Manifest, RelatedSymbol, SemanticDiagnostics},
    pack::{
        Dependency, EditOptions, Embedded, Facts, FindResult, Form, Link, Node, Operation, PackDiagnostic, Query,
        RenameResult, Resolution, Subject as Named, Target, View,
    },
    ports::Document,
    refactor::{FileMoves, RefactorOffer, Rewrite, Selection},
    structural_search::StructureMatches,
};

use crate::{
    bindings::marquetry::language::types as wit,
    convert::AnswerValidator,
    guest::Handle,
    instance::Instance,
    lower,
    pack::{CallSubject, WasmPack},
};

/// A document and the instance that has it open.
pub(crate) struct OpenDocument {
    pack: Arc<WasmPack>,
    path: String,
    text: Arc<str>,
    instance: Option<Instance>,
    /// Error that ended the instance.
    lost_error: Option<Error>,
}

impl OpenDocument {
    pub(crate) fn new(pack: Arc<WasmPack>, path: &str, text: &Arc<str>) -> OpenDocument {
        OpenDocument {
            instance: pack.plugin.pool.take(path, text),
            pack,
            path: path.to_owned(),
            text: Arc::clone(text),
            lost_error: None,
        }
    }

    /// Calls the guest with `run` and validates its answer with `believe`. If the guest traps, `run` is repeated on a
    /// new instance.
    fn call<R, T>(
        &mut self,
        doing: &str,
        run: impl FnMut(&mut Instance, Handle) -> wasmtime::Result<R>,
        believe: impl FnOnce(&AnswerValidator<'_>, R) -> Result<T>,
    ) -> Result<T> {
        self.run((doing, false), run, believe)
    }

    /// Calls the guest with node ids, which are valid only on the instance that returned them. Such a call is not
    /// repeated.
    fn call_with_ids<R, T>(
        &mut self,
        doing: &str,
        run: impl FnMut(&mut Instance, Handle) -> wasmtime::Result<R>,
        believe: impl FnOnce(&AnswerValidator<'_>, R) -> Result<T>,
    ) -> Result<T> {
        self.run((doing, true), run, believe)
    }

    fn run<R, T>(
        &mut self,
        (doing, has_ids): (&str, bool),
        mut run: impl FnMut(&mut Instance, Handle) -> wasmtime::Result<R>,
        believe: impl FnOnce(&AnswerValidator<'_>, R) -> Result<T>,
    ) -> Result<T> {
        // The ids were valid only in the lost instance. If the caller ignored the error that ended it, the call fails
        // with this error again.
        if let Some(error) = self.lost_error.as_ref().filter(|_| has_ids && self.instance.is_none()) {
            return Err(error.clone());
        }
        let doing = format!("{doing} {}", self.path);
        let document = Some((self.path.as_str(), &self.text));
        let subject = CallSubject { document, files: Some(&self.pack.files), doing: &doing, has_ids };
        let mut run = |instance: &mut Instance, document| match document {
            Some(document) => run(instance, document),
            None => Err(wasmtime::format_err!("no document")),
        };
        let (plugin, text) = (&self.pack.plugin, &self.text);
        let answer = plugin.call(subject, &mut self.instance, &mut run, |answer, goes_on| {
            believe(&AnswerValidator::new(&plugin.id, text).with_continue_check(goes_on), answer)
        });
        if self.instance.is_none() {
            self.lost_error = answer.as_ref().err().cloned();
        }
        answer
    }
}

impl Drop for OpenDocument {
    fn drop(&mut self) {
        if let Some(instance) = self.instance.take() {
            self.pack.plugin.pool.put_back(instance);
        }
    }
}

impl Document for OpenDocument {
    fn diagnostics(&mut self) -> Result<Vec<PackDiagnostic>> {
        self.call("checking", |i, document| i.diagnostics(document), |checked, found| checked.diagnostics(found))
    }

    fn parse_errors(&mut self) -> Result<Vec<PackDiagnostic>> {
        self.call("reading", |i, document| i.parse_errors(document), |checked, found| checked.errors(found))
    }

    fn outline(&mut self) -> Result<Vec<Node>> {
        self.call("outlining", |i, document| i.outline(document), |checked, nodes| checked.outline(nodes))
    }

    fn find(&mut self, query: &Query) -> Result<FindResult> {
        let wit_query = lower::query(query)?;
        self.call(
            "searching",
            |i, document| i.find(document, &wit_query),
            |checked, found| checked.query_result(checked.outcome(found)?, query.limit),
        )
    }

    fn view(&mut self, node: u32, form: Form) -> Result<View> {
        let form = lower::form(form);
        self.call_with_ids(
            "reading",
            |i, document| i.view(document, node, form),
            |checked, view| checked.view(checked.outcome(view)?),
        )
    }

    fn dependencies(&mut self, node: u32) -> Result<Vec<Dependency>> {
        self.call_with_ids(
            "reading",
            |i, document| i.dependencies(document, node),
            |checked, list| checked.dependencies(list),
        )
    }

    fn edit(&mut self, nodes: &[u32], operation: &Operation, options: EditOptions) -> Result<EditSet> {
        let operation = lower::operation(operation);
        let options = wit::EditOptions { include_doc: options.include_doc, force: options.force };
        self.call_with_ids(
            "editing",
            |i, document| i.edit(document, nodes, &operation, options),
            |checked, edits| checked.edits(checked.outcome(edits)?),
        )
    }

    fn edit_ranges(&mut self, nodes: &[u32], operation: &Operation) -> Result<Vec<Span>> {
        let operation = lower::operation(operation);
        self.call_with_ids(
            "editing",
            |i, document| i.edit_ranges(document, nodes, &operation),
            |checked, spans| checked.edit_ranges(spans),
        )
    }

    fn insert_missing(&mut self, target: &Target, content: &str) -> Result<EditSet> {
        let target = lower::target(target)?;
        self.call(
            "editing",
            |i, document| i.insert_missing(document, &target, content),
            |checked, edits| checked.edits(checked.outcome(edits)?),
        )
    }

    fn stays_well_formed(&mut self, edits: &[Edit]) -> Result<bool> {
        let edits: Vec<_> = edits.iter().map(lower::edit).collect();
        self.call("checking an edit of", |i, document| i.stays_well_formed(document, &edits), |_, answer| Ok(answer))
    }

    fn embedded(&mut self) -> Result<Vec<Embedded>> {
        self.call("reading", |i, document| i.embedded(document), |checked, parts| checked.embedded(parts))
    }

    fn links(&mut self) -> Result<Vec<Link>> {
        self.call(
            "reading the links of",
            |i, document| i.links(document),
            |checked, links| checked.links(checked.require_interface(Interface::Links, links)?),
        )
    }

    fn relink(&mut self, moves: &FileMoves) -> Result<Rewrite> {
        let moves = lower::file_moves(moves);
        self.call(
            "updating the links of",
            |i, document| i.relink(document, &moves),
            |checked, rewrite| checked.rewrite(checked.outcome(checked.require_interface(Interface::Links, rewrite)?)?),
        )
    }

    fn remove_links(&mut self, links: &[u32]) -> Result<Rewrite> {
        self.call(
            "removing links of",
            |i, document| i.unlink(document, links),
            |checked, rewrite| checked.rewrite(checked.outcome(checked.require_interface(Interface::Links, rewrite)?)?),
        )
    }

    fn exports_and_imports(&mut self) -> Result<Facts> {
        self.call(
            "reading the names of",
            |i, document| i.facts(document),
            |checked, facts| checked.exports_and_imports(checked.require_interface(Interface::Symbols, facts)?),
        )
    }

    fn resolve_symbol(&mut self, subject: &Named) -> Result<Resolution> {
        let subject = lower::subject(subject);
        self.call(
            "resolving a name of",
            |i, document| i.resolve_symbol(document, &subject),
            |checked, found| {
                checked.resolution(checked.outcome(checked.require_interface(Interface::Symbols, found)?)?)
            },
        )
    }

    fn rename(&mut self, subject: &Named, new_name: &str) -> Result<RenameResult> {
        let subject = lower::subject(subject);
        self.call(
            "renaming in",
            |i, document| i.rename(document, &subject, new_name),
            |checked, renaming| {
                checked.rename_result(checked.outcome(checked.require_interface(Interface::Symbols, renaming)?)?)
            },
        )
    }

    fn available_refactors(&mut self, at: Selection) -> Result<Vec<RefactorOffer>> {
        let at = lower::selection(at);
        self.call(
            "looking for refactors in",
            |i, document| i.offers(document, at),
            |checked, offers| checked.offers(checked.require_interface(Interface::Refactors, offers)?),
        )
    }

    fn apply_refactor(&mut self, refactor: &str, at: Selection, arguments: &[(String, String)]) -> Result<Rewrite> {
        let (at, arguments) = (lower::selection(at), lower::arguments(arguments));
        self.call(
            "refactoring",
            |i, document| i.apply(document, refactor, at, &arguments),
            |checked, rewrite| {
                checked.rewrite(checked.outcome(checked.require_interface(Interface::Refactors, rewrite)?)?)
            },
        )
    }

    fn answer_question(&mut self, from: &str, payload: &str) -> Result<Rewrite> {
        self.call(
            "refactoring",
            |i, document| i.answer(document, from, payload),
            |checked, rewrite| {
                checked.rewrite(checked.outcome(checked.require_interface(Interface::Refactors, rewrite)?)?)
            },
        )
    }

    fn hover_info(&mut self, offset: usize) -> Result<Option<HoverInfo>> {
        let offset = lower::offset(offset)?;
        self.call(
            "reading",
            |i, document| i.info(document, offset),
            |checked, info| {
                checked.require_interface(Interface::Hover, info)?.map(|info| checked.hover_info(info)).transpose()
            },
        )
    }

    fn type_definitions(&mut self, offset: usize) -> Result<Vec<FileLocation>> {
        let offset = lower::offset(offset)?;
        self.call(
            "reading",
            |i, document| i.type_definitions(document, offset),
            |checked, list| checked.file_locations(checked.require_interface(Interface::Hover, list)?),
        )
    }

    fn calls(&mut self, address: &str) -> Result<Option<Vec<RelatedSymbol>>> {
        self.call(
            "reading",
            |i, document| i.calls(document, address),
            |checked, list| {
                checked.require_interface(Interface::Hover, list)?.map(|list| checked.related_symbols(list)).transpose()
            },
        )
    }

    fn supertypes(&mut self, address: &str) -> Result<Option<Vec<RelatedSymbol>>> {
        self.call(
            "reading",
            |i, document| i.supertypes(document, address),
            |checked, list| {
                checked.require_interface(Interface::Hover, list)?.map(|list| checked.related_symbols(list)).transpose()
            },
        )
    }

    fn semantic_diagnostics(&mut self) -> Result<SemanticDiagnostics> {
        self.call(
            "checking",
            |i, document| i.check(document),
            |checked, list| checked.semantic_diagnostics(checked.require_interface(Interface::Hover, list)?),
        )
    }

    fn read_manifest(&mut self) -> Result<Option<Manifest>> {
        self.call(
            "reading",
            |i, document| i.read_manifest(document),
            |checked, manifest| {
                checked
                    .require_interface(Interface::Hover, manifest)?
                    .map(|manifest| checked.manifest(manifest))
                    .transpose()
            },
        )
    }

    fn structural_matches(&mut self, pattern: &str, limit: usize) -> Result<StructureMatches> {
        let most = u32::try_from(limit).unwrap_or(u32::MAX);
        self.call(
            "searching",
            |i, document| i.matches(document, pattern, most),
            |checked, found| {
                checked.structure_matches(checked.outcome(checked.require_interface(Interface::Search, found)?)?, limit)
            },
        )
    }
}
