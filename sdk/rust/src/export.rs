//! Macros that connect the traits of this crate with the generated exports.

include!(concat!(env!("OUT_DIR"), "/generate.rs"));

/// Exports a [`LanguagePack`](crate::LanguagePack) as a component, together with the optional interfaces it
/// implements:
///
/// ```text
/// export_pack!(Text);
/// export_pack!(Json: links, symbols, refactors, hover);
/// ```
///
/// The interfaces must be given in this order: `links` ([`Linking`](crate::Linking)), `symbols`
/// ([`Symbols`](crate::Symbols)), `refactors` ([`Refactors`](crate::refactor::Refactors)), `hover`
/// ([`Hover`](crate::Hover)), `search` ([`Search`](crate::Search)), `mentions` ([`Mentions`](crate::Mentions)).
#[macro_export]
macro_rules! export_pack {
    ($pack:ty $(: $($interface:ident),+)?) => {
        #[cfg(target_arch = "wasm32")]
        #[allow(unsafe_code, missing_docs, unreachable_pub, clippy::all, reason = "generated code")]
        mod __component {
            use super::*;
            $crate::__generate!($($($interface)+)?);
            struct Component;
            $crate::__language_guest!($pack);
            $crate::__files_section!($pack);
            $($($crate::__guest!($interface $pack);)+)?
            export!(Component);
        }
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __guest {
    (links $pack:ty) => {
        $crate::__links_guest!($pack);
    };
    (symbols $pack:ty) => {
        $crate::__symbols_guest!($pack);
    };
    (refactors $pack:ty) => {
        $crate::__refactors_guest!($pack);
    };
    (hover $pack:ty) => {
        $crate::__hover_guest!($pack);
    };
    (search $pack:ty) => {
        $crate::__search_guest!($pack);
    };
    (mentions $pack:ty) => {
        $crate::__mentions_guest!($pack);
    };
}

/// Writes the custom section `marquetry:files`: the file patterns of a pack, one per line.
#[doc(hidden)]
#[macro_export]
macro_rules! __files_section {
    ($pack:ty) => {
        const PATTERNS: &[&str] = <$pack as $crate::LanguagePack>::FILES;
        #[used]
        #[unsafe(link_section = "marquetry:files")]
        static FILES: [u8; $crate::__lines_len(PATTERNS)] = $crate::__lines(PATTERNS);
    };
}

/// Length in bytes of the list when joined with line breaks.
#[doc(hidden)]
pub const fn __lines_len(list: &[&str]) -> usize {
    let (mut len, mut at) = (0, 0);
    while at < list.len() {
        len += list[at].len() + (at > 0) as usize;
        at += 1;
    }
    len
}

/// Joins a list with line breaks at compile time.
#[doc(hidden)]
pub const fn __lines<const LEN: usize>(list: &[&str]) -> [u8; LEN] {
    let mut lines = [b'\n'; LEN];
    let (mut end, mut at) = (0, 0);
    while at < list.len() {
        end += (at > 0) as usize;
        let (item, mut byte) = (list[at].as_bytes(), 0);
        while byte < item.len() {
            lines[end] = item[byte];
            end += 1;
            byte += 1;
        }
        at += 1;
    }
    lines
}

#[doc(hidden)]
#[macro_export]
macro_rules! __language_guest {
    ($pack:ty) => {
        use exports::marquetry::language::language;

        /// A document with its diagnostics, which are computed on first use.
        struct Opened {
            document: <$pack as $crate::LanguagePack>::Document,
            diagnostics: std::cell::OnceCell<Vec<$crate::Diagnostic>>,
            parse_errors: std::cell::OnceCell<Vec<$crate::Diagnostic>>,
        }

        impl language::Guest for Component {
            type Document = Opened;
            fn describe() -> $crate::Description {
                <$pack as $crate::LanguagePack>::describe()
            }
        }

        impl language::GuestDocument for Opened {
            fn new(path: String, text: String, settings: String) -> Self {
                Opened {
                    document: <$pack as $crate::LanguagePack>::open(&path, text, &settings),
                    diagnostics: std::cell::OnceCell::new(),
                    parse_errors: std::cell::OnceCell::new(),
                }
            }
            fn diagnostics(&self) -> Vec<$crate::Diagnostic> {
                self.diagnostics.get_or_init(|| $crate::Document::diagnostics(&self.document)).clone()
            }
            fn parse_errors(&self) -> Vec<$crate::Diagnostic> {
                self.parse_errors.get_or_init(|| $crate::Document::parse_errors(&self.document)).clone()
            }
            fn outline(&self) -> Vec<$crate::Node> {
                $crate::Document::outline(&self.document)
            }
            fn find(&self, query: $crate::Query) -> $crate::Result<$crate::FindResult> {
                $crate::Document::find(&self.document, &query)
            }
            fn view(&self, node: $crate::NodeId, form: $crate::Form) -> $crate::Result<$crate::View> {
                $crate::Document::view(&self.document, node, form)
            }
            fn dependencies(&self, node: $crate::NodeId) -> Vec<$crate::Dependency> {
                $crate::Document::dependencies(&self.document, node)
            }
            fn edit(
                &self,
                nodes: Vec<$crate::NodeId>,
                operation: $crate::Operation,
                options: $crate::EditOptions,
            ) -> $crate::Result<Vec<$crate::Edit>> {
                $crate::Document::edit(&self.document, &nodes, &operation, options)
            }
            fn edit_ranges(&self, nodes: Vec<$crate::NodeId>, operation: $crate::Operation) -> Vec<$crate::Span> {
                $crate::Document::edit_ranges(&self.document, &nodes, &operation)
            }
            fn insert_missing(&self, target: $crate::Target, content: String) -> $crate::Result<Vec<$crate::Edit>> {
                $crate::Document::insert_missing(&self.document, &target, &content)
            }
            fn stays_well_formed(&self, edits: Vec<$crate::Edit>) -> bool {
                $crate::Document::stays_well_formed(&self.document, &edits)
            }
            fn embedded(&self) -> Vec<$crate::Embedded> {
                $crate::Document::embedded(&self.document)
            }
        }
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __links_guest {
    ($pack:ty) => {
        use exports::marquetry::language::links;

        impl links::Guest for Component {
            fn links(document: links::DocumentBorrow<'_>) -> Vec<$crate::Link> {
                <$pack as $crate::Linking>::links(&document.get::<Opened>().document)
            }
            fn resolve(context: $crate::Context, requests: Vec<$crate::Request>) -> Vec<$crate::Destination> {
                <$pack as $crate::Linking>::resolve(&context, &requests)
            }
            fn additional_moves(context: $crate::Context, relocation: $crate::Relocation) -> Vec<$crate::Relocation> {
                <$pack as $crate::Linking>::additional_moves(&context, &relocation)
            }
            fn format_specifiers(
                context: $crate::Context,
                requests: Vec<$crate::SpecifierRequest>,
            ) -> Vec<$crate::Result<String>> {
                <$pack as $crate::Linking>::format_specifiers(&context, &requests)
            }
            fn relink(
                document: links::DocumentBorrow<'_>,
                moves: $crate::FileMoves,
            ) -> $crate::Result<$crate::Rewrite> {
                <$pack as $crate::Linking>::relink(&document.get::<Opened>().document, &moves)
            }
            fn unlink(document: links::DocumentBorrow<'_>, links: Vec<u32>) -> $crate::Result<$crate::Rewrite> {
                <$pack as $crate::Linking>::unlink(&document.get::<Opened>().document, &links)
            }
        }
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __symbols_guest {
    ($pack:ty) => {
        use exports::marquetry::language::symbols;

        impl symbols::Guest for Component {
            fn facts(document: symbols::DocumentBorrow<'_>) -> $crate::InterfaceFacts {
                <$pack as $crate::Symbols>::facts(&document.get::<Opened>().document)
            }
            fn resolve_symbol(
                document: symbols::DocumentBorrow<'_>,
                subject: $crate::Subject,
            ) -> $crate::Result<$crate::Resolution> {
                <$pack as $crate::Symbols>::resolve_symbol(&document.get::<Opened>().document, subject)
            }
            fn rename(
                document: symbols::DocumentBorrow<'_>,
                subject: $crate::Subject,
                new_name: String,
            ) -> $crate::Result<$crate::RenameResult> {
                <$pack as $crate::Symbols>::rename(&document.get::<Opened>().document, subject, &new_name)
            }
        }
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __refactors_guest {
    ($pack:ty) => {
        use exports::marquetry::language::refactors;

        impl refactors::Guest for Component {
            fn refactors() -> Vec<$crate::Refactor> {
                $crate::refactor::refactors::<$pack>()
            }
            fn offers(document: refactors::DocumentBorrow<'_>, at: $crate::Selection) -> Vec<$crate::Offer> {
                $crate::refactor::offers::<$pack>(&document.get::<Opened>().document, at)
            }
            fn apply(
                document: refactors::DocumentBorrow<'_>,
                id: String,
                at: $crate::Selection,
                arguments: Vec<$crate::Argument>,
            ) -> $crate::Result<$crate::Rewrite> {
                $crate::refactor::apply::<$pack>(&document.get::<Opened>().document, &id, at, arguments)
            }
            fn answer(
                document: refactors::DocumentBorrow<'_>,
                from: String,
                payload: String,
            ) -> $crate::Result<$crate::Rewrite> {
                <$pack as $crate::refactor::Refactors>::answer(&document.get::<Opened>().document, &from, &payload)
            }
        }
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __hover_guest {
    ($pack:ty) => {
        use exports::marquetry::language::hover;

        impl hover::Guest for Component {
            fn info(document: hover::DocumentBorrow<'_>, offset: u32) -> Option<$crate::HoverInfo> {
                <$pack as $crate::Hover>::hover(&document.get::<Opened>().document, offset)
            }
            fn type_definitions(document: hover::DocumentBorrow<'_>, offset: u32) -> Vec<$crate::FileLocation> {
                <$pack as $crate::Hover>::type_definitions(&document.get::<Opened>().document, offset)
            }
            fn calls(document: hover::DocumentBorrow<'_>, address: String) -> Option<Vec<$crate::RelatedSymbol>> {
                <$pack as $crate::Hover>::calls(&document.get::<Opened>().document, &address)
            }
            fn supertypes(document: hover::DocumentBorrow<'_>, address: String) -> Option<Vec<$crate::RelatedSymbol>> {
                <$pack as $crate::Hover>::supertypes(&document.get::<Opened>().document, &address)
            }
            fn subtypes(document: hover::DocumentBorrow<'_>, address: String) -> Option<Vec<$crate::RelatedSymbol>> {
                <$pack as $crate::Hover>::subtypes(&document.get::<Opened>().document, &address)
            }
            fn check(document: hover::DocumentBorrow<'_>) -> $crate::SemanticDiagnostics {
                <$pack as $crate::Hover>::check(&document.get::<Opened>().document)
            }
            fn manifest_names() -> Vec<String> {
                <$pack as $crate::Hover>::MANIFESTS.iter().map(|name| (*name).to_owned()).collect()
            }
            fn read_manifest(document: hover::DocumentBorrow<'_>) -> Option<$crate::Manifest> {
                <$pack as $crate::Hover>::read_manifest(&document.get::<Opened>().document)
            }
        }
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __search_guest {
    ($pack:ty) => {
        use exports::marquetry::language::search;

        impl search::Guest for Component {
            fn read_pattern(context: $crate::Context, pattern: String) -> $crate::Result<$crate::PatternInfo> {
                <$pack as $crate::Search>::read_pattern(&context, &pattern)
            }
            fn matches(
                document: search::DocumentBorrow<'_>,
                pattern: String,
                limit: u32,
            ) -> $crate::Result<$crate::StructureMatches> {
                <$pack as $crate::Search>::matches(&document.get::<Opened>().document, &pattern, limit)
            }
        }
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __mentions_guest {
    ($pack:ty) => {
        use exports::marquetry::language::mentions;

        impl mentions::Guest for Component {
            fn text_names(paths: Vec<String>, settings: String) -> Vec<$crate::TextName> {
                <$pack as $crate::Mentions>::text_names(&paths, &settings)
            }
            fn find_mentions(names: Vec<$crate::TextName>, source: $crate::SearchedText) -> Vec<$crate::Mention> {
                <$pack as $crate::Mentions>::find_mentions(&names, &source)
            }
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn list_is_formatted_line_by_line() {
        const LIST: &[&str] = &["*.ini", "", ".env"];
        const LINES: [u8; __lines_len(LIST)] = __lines(LIST);
        assert_eq!(LINES, *b"*.ini\n\n.env");
        assert_eq!((__lines_len(&[]), __lines(&[])), (0, []));
    }
}
