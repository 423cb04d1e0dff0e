//! Code running in an instance, and calls of the functions of the contract (the WIT interface). Functions of a
//! component take the contract's types; those of an Extism module take the same values as JSON.
//!
//! This module does not validate answers.

use serde_json::json;
use wasmtime::component::ResourceAny;

use crate::{
    bindings::{exports::marquetry::language as exports, marquetry::language::types as wit},
    extism::{self, Outcome},
    instance::Instance,
    versions::{self, Language},
};

/// The kind of guest.
pub(crate) enum Guest {
    Component(Box<Parts>),
    Extism(extism::Module),
}

/// The interfaces of a component.
pub(crate) struct Parts {
    pub(crate) language: Language,
    pub(crate) links: Option<exports::links::Guest>,
    pub(crate) symbols: Option<exports::symbols::Guest>,
    pub(crate) refactors: Option<exports::refactors::Guest>,
    pub(crate) hover: Option<exports::hover::Guest>,
    pub(crate) search: Option<exports::search::Guest>,
    pub(crate) mentions: Option<exports::mentions::Guest>,
}

/// A document that is open in an instance.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Handle {
    Resource(ResourceAny),
    Number(u32),
}

type Fallible<T> = std::result::Result<T, wit::Failure>;
/// The answer of a function of an optional interface; `None` if the plugin does not have the interface.
type Optional<T> = wasmtime::Result<Option<T>>;

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

/// Document functions of `language` that every plugin has. For an Extism module, the first word of each line selects
/// how the answer is read: `call_value` for a value, `call_list` for a list that may be long, `call_fallible` for a
/// function that may fail.
macro_rules! required {
    ($($how:ident $name:ident($($argument:ident: $type:ty),*) -> $answer:ty;)*) => {
        impl Instance {
            $(pub(crate) fn $name(&mut self, document: Handle $(, $argument: $type)*) -> wasmtime::Result<$answer> {
                match &self.guest {
                    Guest::Component(parts) => {
                        parts.language.$name(&mut self.store, document.resource()? $(, $argument)*)
                    }
                    Guest::Extism(module) => {
                        let body = json!({"document": document.number()? $(, (stringify!($argument)): $argument)*});
                        let answer = module.$how(&mut self.store, stringify!($name), &body)?;
                        answer.ok_or_else(|| lacking(stringify!($name)))
                    }
                }
            })*
        }
    };
}

/// Document functions of optional interfaces. Each line names the interface, the function in the bindings, and the
/// method to create.
macro_rules! optional {
    ($($how:ident $part:ident.$call:ident is $name:ident($($argument:ident: $type:ty),*) -> $answer:ty;)*) => {
        impl Instance {
            $(pub(crate) fn $name(&mut self, document: Handle $(, $argument: $type)*) -> Optional<$answer> {
                match &self.guest {
                    Guest::Component(parts) => match &parts.$part {
                        Some(part) => part.$call(&mut self.store, document.resource()? $(, $argument)*).map(Some),
                        None => Ok(None),
                    },
                    Guest::Extism(module) => {
                        let body = json!({"document": document.number()? $(, (stringify!($argument)): $argument)*});
                        module.$how(&mut self.store, stringify!($name), &body)
                    }
                }
            })*
        }
    };
}

/// Functions of optional interfaces that take no document.
macro_rules! without_document {
    ($($how:ident $part:ident.$call:ident is $name:ident($($argument:ident: $type:ty),*) -> $answer:ty;)*) => {
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

required! {
    call_list diagnostics() -> Vec<wit::Diagnostic>;
    call_list outline() -> Vec<wit::Node>;
    call_fallible find(query: &wit::Query) -> Fallible<wit::FindResult>;
    call_fallible view(node: u32, form: wit::Form) -> Fallible<wit::View>;
    call_fallible edit(nodes: &[u32], operation: &wit::Operation, options: wit::EditOptions) -> Fallible<Vec<wit::Edit>>;
}

optional! {
    call_list links.call_links is links() -> Vec<wit::Link>;
    call_fallible links.call_relink is relink(moves: &wit::FileMoves) -> Fallible<wit::Rewrite>;
    call_fallible links.call_unlink is unlink(links: &[u32]) -> Fallible<wit::Rewrite>;
    call_value symbols.call_facts is facts() -> wit::InterfaceFacts;
    call_fallible symbols.call_resolve_symbol is resolve_symbol(subject: &wit::Subject) -> Fallible<wit::Resolution>;
    call_fallible symbols.call_rename is rename(subject: &wit::Subject, new_name: &str) -> Fallible<wit::RenameResult>;
    call_value refactors.call_offers is offers(at: wit::Selection) -> Vec<wit::Offer>;
    call_fallible refactors.call_apply is apply(id: &str, at: wit::Selection, arguments: &[wit::Argument]) -> Fallible<wit::Rewrite>;
    call_fallible refactors.call_answer is answer(from: &str, payload: &str) -> Fallible<wit::Rewrite>;
    call_value hover.call_info is info(offset: u32) -> Option<wit::HoverInfo>;
    call_value hover.call_type_definitions is type_definitions(offset: u32) -> Vec<wit::FileLocation>;
    call_value hover.call_calls is calls(address: &str) -> Option<Vec<wit::RelatedSymbol>>;
    call_value hover.call_supertypes is supertypes(address: &str) -> Option<Vec<wit::RelatedSymbol>>;
    call_value hover.call_check is check() -> wit::SemanticDiagnostics;
    call_value hover.call_read_manifest is read_manifest() -> Option<wit::Manifest>;
    call_fallible search.call_matches is matches(pattern: &str, limit: u32) -> Fallible<wit::StructureMatches>;
}

without_document! {
    call_value links.call_resolve is resolve(context: &wit::Context, requests: &[wit::Request]) -> Vec<wit::Destination>;
    call_value refactors.call_refactors is refactors() -> Vec<wit::Refactor>;
    call_value hover.call_manifest_names is manifest_names() -> Vec<String>;
    call_fallible search.call_read_pattern is read_pattern(context: &wit::Context, pattern: &str) -> Fallible<wit::PatternInfo>;
    call_value mentions.call_text_names is text_names(paths: &[String], settings: &str) -> Vec<wit::TextName>;
    call_value mentions.call_find_mentions is find_mentions(names: &[wit::TextName], source: &wit::SearchedText) -> Vec<wit::Mention>;
}

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

    pub(crate) fn parse_errors(&mut self, document: Handle) -> wasmtime::Result<Vec<wit::Diagnostic>> {
        match &self.guest {
            Guest::Component(parts) => parts.language.parse_errors(&mut self.store, document.resource()?),
            Guest::Extism(module) => {
                let body = json!({"document": document.number()?});
                match module.call_value(&mut self.store, "parse_errors", &body)? {
                    Some(errors) => Ok(errors),
                    None => {
                        let mut errors = self.diagnostics(document)?;
                        errors.retain(|problem| problem.severity == wit::Severity::Error);
                        Ok(errors)
                    }
                }
            }
        }
    }

    pub(crate) fn dependencies(&mut self, document: Handle, node: u32) -> wasmtime::Result<Vec<wit::Dependency>> {
        match &self.guest {
            Guest::Component(parts) => parts.language.dependencies(&mut self.store, document.resource()?, node),
            Guest::Extism(module) => {
                let body = json!({"document": document.number()?, "node": node});
                Ok(module.call_value(&mut self.store, "dependencies", &body)?.unwrap_or_default())
            }
        }
    }

    pub(crate) fn edit_ranges(
        &mut self,
        document: Handle,
        nodes: &[u32],
        operation: &wit::Operation,
    ) -> wasmtime::Result<Vec<wit::Span>> {
        match &self.guest {
            Guest::Component(parts) => {
                parts.language.edit_ranges(&mut self.store, document.resource()?, nodes, operation)
            }
            Guest::Extism(module) => {
                let body = json!({"document": document.number()?, "nodes": nodes, "operation": operation});
                Ok(module.call_value(&mut self.store, "edit_ranges", &body)?.unwrap_or_default())
            }
        }
    }

    pub(crate) fn insert_missing(
        &mut self,
        document: Handle,
        target: &wit::Target,
        content: &str,
    ) -> wasmtime::Result<Fallible<Vec<wit::Edit>>> {
        match &self.guest {
            Guest::Component(parts) => {
                parts.language.insert_missing(&mut self.store, document.resource()?, target, content)
            }
            Guest::Extism(module) => {
                let body = json!({"document": document.number()?, "target": target, "content": content});
                let made = module.call_fallible(&mut self.store, "insert_missing", &body)?;
                Ok(made.unwrap_or_else(|| Err(versions::cannot_create_failure(target))))
            }
        }
    }

    pub(crate) fn stays_well_formed(&mut self, document: Handle, edits: &[wit::Edit]) -> wasmtime::Result<bool> {
        match &self.guest {
            Guest::Component(parts) => parts.language.stays_well_formed(&mut self.store, document.resource()?, edits),
            Guest::Extism(module) => {
                let body = json!({"document": document.number()?, "edits": edits});
                Ok(module.call_value(&mut self.store, "stays_well_formed", &body)?.unwrap_or_default())
            }
        }
    }

    pub(crate) fn embedded(&mut self, document: Handle) -> wasmtime::Result<Vec<wit::Embedded>> {
        match &self.guest {
            Guest::Component(parts) => parts.language.embedded(&mut self.store, document.resource()?),
            Guest::Extism(module) => {
                let body = json!({"document": document.number()?});
                Ok(module.call_value(&mut self.store, "embedded", &body)?.unwrap_or_default())
            }
        }
    }

    pub(crate) fn format_specifiers(
        &mut self,
        context: &wit::Context,
        requests: &[wit::SpecifierRequest],
    ) -> Optional<Vec<Fallible<String>>> {
        match &self.guest {
            Guest::Component(parts) => match &parts.links {
                Some(links) => links.call_format_specifiers(&mut self.store, context, requests).map(Some),
                None => Ok(None),
            },
            Guest::Extism(module) => {
                let body = json!({"context": context, "requests": requests});
                let specifiers: Option<Vec<Outcome<String>>> =
                    module.call_value(&mut self.store, "format_specifiers", &body)?;
                Ok(specifiers.map(|specifiers| specifiers.into_iter().map(Into::into).collect()))
            }
        }
    }
}
