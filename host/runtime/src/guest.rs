//! Code running in an instance, and calls of the functions of the contract (the WIT interface). Functions of a
//! component take the contract's types; those of an Extism module take the same values as JSON.
//!
//! This module does not validate answers.

use serde_json::json;
use wasmtime::{
    Store,
    component::{self, InstancePre, ResourceAny},
};

use crate::{
    bindings::{exports::marquetry::language as exports, marquetry::language::types as wit},
    extism,
    instance::Instance,
    questions::{Fallible, Optional, RawDocument, with_questions},
    state::InstanceState,
    versions::{self, Indices, Language},
};

/// The kind of guest.
pub(crate) enum Guest {
    Component(Box<Parts>),
    Extism(extism::Module),
}

/// A document that is open in an instance.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Handle {
    Resource(ResourceAny),
    Number(u32),
}

/// An open document of an instance.
pub(crate) struct OpenGuest<'i> {
    pub(crate) instance: &'i mut Instance,
    pub(crate) document: Handle,
}

impl Handle {
    fn resource(self) -> wasmtime::Result<ResourceAny> {
        match self {
            Handle::Resource(resource) => Ok(resource),
            Handle::Number(_) => Err(of_another()),
        }
    }

    fn number(self) -> wasmtime::Result<u32> {
        match self {
            Handle::Number(number) => Ok(number),
            Handle::Resource(_) => Err(of_another()),
        }
    }
}

fn of_another() -> wasmtime::Error {
    wasmtime::format_err!("the document belongs to another plugin instance")
}

fn lacking(name: &str) -> wasmtime::Error {
    wasmtime::format_err!("it has no function `{name}`")
}

/// Functions of `language`, with the answer for Extism modules that lack them.
macro_rules! language {
    ($($how:ident $name:ident($($argument:ident: $type:ty),*) -> $answer:ty, or $lacking:expr;)*) => {
        $(fn $name(&mut self $(, $argument: $type)*) -> wasmtime::Result<$answer> {
            let store = &mut self.instance.store;
            match &self.instance.guest {
                Guest::Component(parts) => parts.language.$name(store, self.document.resource()? $(, $argument)*),
                Guest::Extism(module) => {
                    let body = json!({"document": self.document.number()? $(, (stringify!($argument)): $argument)*});
                    module.$how(store, stringify!($name), &body)?.map_or_else(|| $lacking, Ok)
                }
            }
        })*
    };
}

macro_rules! optional {
    (
        document { $($how:ident $part:ident $call:ident $name:ident($($argument:ident: $type:ty),*) -> $answer:ty;)* }
        $($rest:tt)*
    ) => {
        $(fn $name(&mut self $(, $argument: $type)*) -> Optional<$answer> {
            let store = &mut self.instance.store;
            match &self.instance.guest {
                Guest::Component(parts) => match &parts.$part {
                    Some(part) => part.$call(store, self.document.resource()? $(, $argument)*).map(Some),
                    None => Ok(None),
                },
                Guest::Extism(module) => {
                    let body = json!({"document": self.document.number()? $(, (stringify!($argument)): $argument)*});
                    module.$how(store, stringify!($name), &body)
                }
            }
        })*
    };
}

impl RawDocument for OpenGuest<'_> {
    language! {
        call_list diagnostics() -> Vec<wit::Diagnostic>, or Err(lacking("diagnostics"));
        call_list outline() -> Vec<wit::Node>, or Err(lacking("outline"));
        call_fallible find(query: &wit::Query) -> Fallible<wit::FindResult>, or Err(lacking("find"));
        call_fallible view(node: u32, form: wit::Form) -> Fallible<wit::View>, or Err(lacking("view"));
        call_fallible edit(nodes: &[u32], operation: &wit::Operation, options: wit::EditOptions) -> Fallible<Vec<wit::Edit>>, or Err(lacking("edit"));
        call_value dependencies(node: u32) -> Vec<wit::Dependency>, or Ok(Vec::new());
        call_value edit_ranges(nodes: &[u32], operation: &wit::Operation) -> Vec<wit::Span>, or Ok(Vec::new());
        call_fallible insert_missing(target: &wit::Target, content: &str) -> Fallible<Vec<wit::Edit>>, or Ok(Err(versions::cannot_create_failure(target)));
        call_value stays_well_formed(edits: &[wit::Edit]) -> bool, or Ok(false);
        call_value embedded() -> Vec<wit::Embedded>, or Ok(Vec::new());
    }

    with_questions!(optional);

    /// Returns the errors among all diagnostics for a module without this function.
    fn parse_errors(&mut self) -> wasmtime::Result<Vec<wit::Diagnostic>> {
        let store = &mut self.instance.store;
        let errors = match &self.instance.guest {
            Guest::Component(parts) => return parts.language.parse_errors(store, self.document.resource()?),
            Guest::Extism(module) => {
                module.call_value(store, "parse_errors", &json!({"document": self.document.number()?}))?
            }
        };
        if let Some(errors) = errors {
            return Ok(errors);
        }
        let mut errors = self.diagnostics()?;
        errors.retain(|problem| problem.severity == wit::Severity::Error);
        Ok(errors)
    }
}

macro_rules! without_document {
    (
        document { $($_document:tt)* }
        without_document { $($how:ident $part:ident $call:ident $name:ident($($argument:ident: $type:ty),*) -> $answer:ty;)* }
    ) => {
        impl Instance {
            $(pub(crate) fn $name(&mut self $(, $argument: $type)*) -> Optional<$answer> {
                match &self.guest {
                    Guest::Component(parts) => match &parts.$part {
                        Some(part) => part.$call(&mut self.store $(, $argument)*).map(Some),
                        None => Ok(None),
                    },
                    Guest::Extism(module) => {
                        let body = json!({$((stringify!($argument)): $argument),*});
                        module.$how(&mut self.store, stringify!($name), &body)
                    }
                }
            })*
        }
    };
}
with_questions!(without_document);

/// The optional interfaces of a component.
macro_rules! interfaces {
    ($($part:ident),*) => {
        /// The interfaces of a component.
        pub(crate) struct Parts {
            pub(crate) language: Language,
            $(pub(crate) $part: Option<exports::$part::Guest>,)*
        }

        /// The positions of the interfaces in a linked component.
        pub(crate) struct PartIndices {
            language: Indices,
            $($part: Option<exports::$part::GuestIndices>,)*
        }

        impl PartIndices {
            /// # Errors
            /// Fails if the component lacks a required function.
            pub(crate) fn new(pre: &InstancePre<InstanceState>) -> wasmtime::Result<PartIndices> {
                let language = Indices::new(pre)?;
                Ok(PartIndices { language, $($part: exports::$part::GuestIndices::new(pre).ok(),)* })
            }

            pub(crate) fn load(
                &self,
                store: &mut Store<InstanceState>,
                instance: &component::Instance,
            ) -> wasmtime::Result<Parts> {
                Ok(Parts {
                    $($part: self.$part.as_ref().map(|indices| indices.load(&mut *store, instance)).transpose()?,)*
                    language: self.language.load(store, instance)?,
                })
            }
        }
    };
}
interfaces!(links, symbols, refactors, hover, search, mentions);

impl Instance {
    pub(crate) fn describe(&mut self) -> wasmtime::Result<wit::Description> {
        match &self.guest {
            Guest::Component(parts) => parts.language.describe(&mut self.store),
            Guest::Extism(module) => {
                module.call_value(&mut self.store, "describe", &json!({}))?.ok_or_else(|| lacking("describe"))
            }
        }
    }

    pub(crate) fn open(&mut self, path: &str, text: &str, settings: &str) -> wasmtime::Result<Handle> {
        match &self.guest {
            Guest::Component(parts) => parts.language.open(&mut self.store, path, text, settings).map(Handle::Resource),
            Guest::Extism(module) => module.open(&mut self.store, path, text, settings).map(Handle::Number),
        }
    }

    pub(crate) fn close(&mut self, document: Handle) -> wasmtime::Result<()> {
        match (&self.guest, document) {
            (_, Handle::Resource(resource)) => resource.resource_drop(&mut self.store),
            (Guest::Extism(module), Handle::Number(number)) => module.close(&mut self.store, number),
            (Guest::Component(_), Handle::Number(_)) => Err(of_another()),
        }
    }
}
