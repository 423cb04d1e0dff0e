//! Table of the functions of the optional interfaces of the contract (the WIT interface), one line each. Macros
//! generate four things from each line: the call of a component, the call of an Extism module, the names that such a
//! module exports, and the call of a pack that tests link as a library.

use crate::bindings::{Answer, marquetry::language::types as wit};

pub(crate) type Fallible<T> = Result<T, wit::Failure>;
/// The answer of a function of an optional interface; `None` if the plugin does not have the interface.
pub(crate) type Optional<T> = Answer<Option<T>>;

/// Calls a macro with all functions: those of a document, and those without one. A line names the function that reads the
/// JSON of an Extism module (`call_value` for a value, `call_list` for a list that may be long, `call_fallible` for a
/// function that may fail, `call_outcomes` for a list of such results), the interface, the function in the bindings, and
/// the function in the contract.
macro_rules! with_questions {
    ($do:ident) => {
        $do! {
            document {
                call_list links call_links links() -> Vec<wit::Link>;
                call_fallible links call_relink relink(moves: &wit::FileMoves) -> Fallible<wit::Rewrite>;
                call_fallible links call_unlink unlink(links: &[u32]) -> Fallible<wit::Rewrite>;
                call_value symbols call_facts facts() -> wit::InterfaceFacts;
                call_fallible symbols call_resolve_symbol resolve_symbol(subject: &wit::Subject) -> Fallible<wit::Resolution>;
                call_fallible symbols call_rename rename(subject: &wit::Subject, new_name: &str) -> Fallible<wit::RenameResult>;
                call_value refactors call_offers offers(at: wit::Selection) -> Vec<wit::Offer>;
                call_fallible refactors call_apply apply(id: &str, at: wit::Selection, arguments: &[wit::Argument]) -> Fallible<wit::Rewrite>;
                call_fallible refactors call_answer answer(from: &str, payload: &str) -> Fallible<wit::Rewrite>;
                call_value hover call_info info(offset: u32) -> Option<wit::HoverInfo>;
                call_value hover call_type_definitions type_definitions(offset: u32) -> Vec<wit::FileLocation>;
                call_value hover call_calls calls(address: &str) -> Option<Vec<wit::RelatedSymbol>>;
                call_value hover call_supertypes supertypes(address: &str) -> Option<Vec<wit::RelatedSymbol>>;
                call_value hover call_subtypes subtypes(address: &str) -> Option<Vec<wit::RelatedSymbol>>;
                call_value hover call_check check() -> wit::SemanticDiagnostics;
                call_value hover call_read_manifest read_manifest() -> Option<wit::Manifest>;
                call_fallible search call_matches matches(pattern: &str, limit: u32) -> Fallible<wit::StructureMatches>;
            }
            without_document {
                call_value links call_resolve resolve(context: &wit::Context, requests: &[wit::Request]) -> Vec<wit::Destination>;
                call_value links call_additional_moves additional_moves(context: &wit::Context, relocation: &wit::Relocation) -> Vec<wit::Relocation>;
                call_outcomes links call_format_specifiers format_specifiers(context: &wit::Context, requests: &[wit::SpecifierRequest]) -> Vec<Fallible<String>>;
                call_value refactors call_refactors refactors() -> Vec<wit::Refactor>;
                call_value hover call_manifest_names manifest_names() -> Vec<String>;
                call_fallible search call_read_pattern read_pattern(context: &wit::Context, pattern: &str) -> Fallible<wit::PatternInfo>;
                call_value mentions call_text_names text_names(paths: &[String], settings: &str) -> Vec<wit::TextName>;
                call_value mentions call_find_mentions find_mentions(names: &[wit::TextName], source: &wit::SearchedText) -> Vec<wit::Mention>;
            }
        }
    };
}
pub(crate) use with_questions;

macro_rules! raw_document {
    (
        document { $($how:ident $part:ident $call:ident $name:ident($($argument:ident: $type:ty),*) -> $answer:ty;)* }
        $($rest:tt)*
    ) => {
        /// An open document, with answers as the pack gives them.
        pub(crate) trait RawDocument {
            fn diagnostics(&mut self) -> Answer<Vec<wit::Diagnostic>>;
            fn parse_errors(&mut self) -> Answer<Vec<wit::Diagnostic>>;
            fn outline(&mut self) -> Answer<Vec<wit::Node>>;
            fn find(&mut self, query: &wit::Query) -> Answer<Fallible<wit::FindResult>>;
            fn view(&mut self, node: u32, form: wit::Form) -> Answer<Fallible<wit::View>>;
            fn dependencies(&mut self, node: u32) -> Answer<Vec<wit::Dependency>>;
            fn edit(
                &mut self,
                nodes: &[u32],
                operation: &wit::Operation,
                options: wit::EditOptions,
            ) -> Answer<Fallible<Vec<wit::Edit>>>;
            fn edit_ranges(&mut self, nodes: &[u32], operation: &wit::Operation) -> Answer<Vec<wit::Span>>;
            fn insert_missing(&mut self, target: &wit::Target, content: &str) -> Answer<Fallible<Vec<wit::Edit>>>;
            fn stays_well_formed(&mut self, edits: &[wit::Edit]) -> Answer<bool>;
            fn embedded(&mut self) -> Answer<Vec<wit::Embedded>>;
            $(fn $name(&mut self $(, $argument: $type)*) -> Optional<$answer>;)*
        }
    };
}
with_questions!(raw_document);
