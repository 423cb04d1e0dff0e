//! The required interface of a language pack. Functions that a pack lacks because it is older than them get a default
//! answer.

use wasmtime::{
    Store,
    component::{
        Component, ComponentExportIndex, ComponentNamedList, Func, Instance, InstancePre, Lift, Lower, ResourceAny,
    },
};

use crate::{bindings::marquetry::language::types as wit, state::InstanceState};

/// Name of the interface with its newest version. Looking it up also finds older compatible versions.
const INTERFACE: &str = "marquetry:language/language@0.1.0";

/// Indices of the functions in a component.
pub(crate) struct Indices(Functions<ComponentExportIndex>);

/// The functions of a running instance.
pub(crate) struct Language(Functions<Func>);

/// All functions. Optional functions were not in the first version of the contract (the WIT interface).
struct Functions<F> {
    describe: F,
    open: F,
    diagnostics: F,
    outline: F,
    find: F,
    view: F,
    edit: F,
    parse_errors: Option<F>,
    dependencies: Option<F>,
    edit_ranges: Option<F>,
    insert_missing: Option<F>,
    stays_well_formed: Option<F>,
    embedded: Option<F>,
}

impl Indices {
    /// # Errors
    /// Fails if the interface is missing, or lacks a required function.
    pub(crate) fn new(pre: &InstancePre<InstanceState>) -> wasmtime::Result<Indices> {
        let component: &Component = pre.component();
        let interface = component
            .get_export_index(None, INTERFACE)
            .ok_or_else(|| wasmtime::format_err!("it does not export `{INTERFACE}`"))?;
        let optional = |name: &str| component.get_export_index(Some(&interface), name);
        let required =
            |name: &str| optional(name).ok_or_else(|| wasmtime::format_err!("`{INTERFACE}` has no function `{name}`"));
        Ok(Indices(Functions {
            describe: required("describe")?,
            open: required("[constructor]document")?,
            diagnostics: required("[method]document.diagnostics")?,
            outline: required("[method]document.outline")?,
            find: required("[method]document.find")?,
            view: required("[method]document.view")?,
            edit: required("[method]document.edit")?,
            parse_errors: optional("[method]document.parse-errors"),
            dependencies: optional("[method]document.dependencies"),
            edit_ranges: optional("[method]document.edit-ranges"),
            insert_missing: optional("[method]document.insert-missing"),
            stays_well_formed: optional("[method]document.stays-well-formed"),
            embedded: optional("[method]document.embedded"),
        }))
    }

    /// # Errors
    /// Fails if an export is not a function.
    pub(crate) fn load(&self, store: &mut Store<InstanceState>, instance: &Instance) -> wasmtime::Result<Language> {
        let Indices(all) = self;
        let mut func = |index: &ComponentExportIndex| {
            let func = instance.get_func(&mut *store, index);
            func.ok_or_else(|| wasmtime::format_err!("`{INTERFACE}` exports something other than functions"))
        };
        Ok(Language(Functions {
            describe: func(&all.describe)?,
            open: func(&all.open)?,
            diagnostics: func(&all.diagnostics)?,
            outline: func(&all.outline)?,
            find: func(&all.find)?,
            view: func(&all.view)?,
            edit: func(&all.edit)?,
            parse_errors: all.parse_errors.as_ref().map(&mut func).transpose()?,
            dependencies: all.dependencies.as_ref().map(&mut func).transpose()?,
            edit_ranges: all.edit_ranges.as_ref().map(&mut func).transpose()?,
            insert_missing: all.insert_missing.as_ref().map(&mut func).transpose()?,
            stays_well_formed: all.stays_well_formed.as_ref().map(&mut func).transpose()?,
            embedded: all.embedded.as_ref().map(&mut func).transpose()?,
        }))
    }
}

/// Returns the failure for a pack that cannot create missing targets.
pub(crate) fn cannot_create_failure(target: &wit::Target) -> wit::Failure {
    wit::Failure {
        kind: wit::FailureKind::Unsupported,
        message: format!("`{}` does not exist, and the plugin cannot create it", target.value),
        hint: Some("use `insert_into`, `insert_before` or `insert_after` with an existing target".to_owned()),
        candidates: Vec::new(),
        span: None,
    }
}

type Answer<T> = wasmtime::Result<Result<T, wit::Failure>>;

/// Calls a function. If its type differs from the contract, this fails before anything runs.
fn call<P, R>(func: &Func, store: &mut Store<InstanceState>, params: P) -> wasmtime::Result<R>
where
    P: ComponentNamedList + Lower,
    (R,): ComponentNamedList + Lift,
{
    let typed = func.typed::<P, (R,)>(&*store);
    let typed = typed.map_err(|error| wasmtime::format_err!("its functions do not match the contract: {error:#}"))?;
    let (answer,) = typed.call(store, params)?;
    Ok(answer)
}

impl Language {
    pub(crate) fn describe(&self, store: &mut Store<InstanceState>) -> wasmtime::Result<wit::Description> {
        call(&self.0.describe, store, ())
    }

    pub(crate) fn open(
        &self,
        store: &mut Store<InstanceState>,
        path: &str,
        text: &str,
        settings: &str,
    ) -> wasmtime::Result<ResourceAny> {
        call(&self.0.open, store, (path, text, settings))
    }

    pub(crate) fn diagnostics(
        &self,
        store: &mut Store<InstanceState>,
        document: ResourceAny,
    ) -> wasmtime::Result<Vec<wit::Diagnostic>> {
        call(&self.0.diagnostics, store, (document,))
    }

    /// A pack without this function returns all diagnostics instead.
    pub(crate) fn parse_errors(
        &self,
        store: &mut Store<InstanceState>,
        document: ResourceAny,
    ) -> wasmtime::Result<Vec<wit::Diagnostic>> {
        call(self.0.parse_errors.as_ref().unwrap_or(&self.0.diagnostics), store, (document,))
    }

    pub(crate) fn outline(
        &self,
        store: &mut Store<InstanceState>,
        document: ResourceAny,
    ) -> wasmtime::Result<Vec<wit::Node>> {
        call(&self.0.outline, store, (document,))
    }

    pub(crate) fn find(
        &self,
        store: &mut Store<InstanceState>,
        document: ResourceAny,
        query: &wit::Query,
    ) -> Answer<wit::FindResult> {
        call(&self.0.find, store, (document, query))
    }

    pub(crate) fn view(
        &self,
        store: &mut Store<InstanceState>,
        document: ResourceAny,
        node: u32,
        form: wit::Form,
    ) -> Answer<wit::View> {
        call(&self.0.view, store, (document, node, form))
    }

    pub(crate) fn edit(
        &self,
        store: &mut Store<InstanceState>,
        document: ResourceAny,
        nodes: &[u32],
        operation: &wit::Operation,
        options: wit::EditOptions,
    ) -> Answer<Vec<wit::Edit>> {
        call(&self.0.edit, store, (document, nodes, operation, options))
    }

    /// A pack without this function has no dependencies.
    pub(crate) fn dependencies(
        &self,
        store: &mut Store<InstanceState>,
        document: ResourceAny,
        node: u32,
    ) -> wasmtime::Result<Vec<wit::Dependency>> {
        self.0.dependencies.as_ref().map_or(Ok(Vec::new()), |func| call(func, store, (document, node)))
    }

    /// A pack without this function has no ranges. Its edits must then be between the neighboring nodes.
    pub(crate) fn edit_ranges(
        &self,
        store: &mut Store<InstanceState>,
        document: ResourceAny,
        nodes: &[u32],
        operation: &wit::Operation,
    ) -> wasmtime::Result<Vec<wit::Span>> {
        self.0.edit_ranges.as_ref().map_or(Ok(Vec::new()), |func| call(func, store, (document, nodes, operation)))
    }

    /// A pack without this function fails with `Unsupported`.
    pub(crate) fn insert_missing(
        &self,
        store: &mut Store<InstanceState>,
        document: ResourceAny,
        target: &wit::Target,
        content: &str,
    ) -> Answer<Vec<wit::Edit>> {
        if let Some(func) = &self.0.insert_missing {
            return call(func, store, (document, target, content));
        }
        Ok(Err(cannot_create_failure(target)))
    }

    /// For a pack without this function, false, which means unknown. The host then opens the new text to check it.
    pub(crate) fn stays_well_formed(
        &self,
        store: &mut Store<InstanceState>,
        document: ResourceAny,
        edits: &[wit::Edit],
    ) -> wasmtime::Result<bool> {
        self.0.stays_well_formed.as_ref().map_or(Ok(false), |func| call(func, store, (document, edits)))
    }

    /// A pack without this function has no embedded parts.
    pub(crate) fn embedded(
        &self,
        store: &mut Store<InstanceState>,
        document: ResourceAny,
    ) -> wasmtime::Result<Vec<wit::Embedded>> {
        self.0.embedded.as_ref().map_or(Ok(Vec::new()), |func| call(func, store, (document,)))
    }
}
