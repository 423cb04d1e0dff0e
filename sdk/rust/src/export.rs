//! The glue between the traits of this crate and the generated exports: one macro for each world.

include!(concat!(env!("OUT_DIR"), "/generate.rs"));

/// Export a type that is a [`LanguagePack`](crate::LanguagePack) as a component of the world `pack`.
#[macro_export]
macro_rules! export_pack {
    ($pack:ty) => {
        $crate::__component!(__generate_pack, $pack,);
    };
}

/// Export a type that is [`Linking`](crate::Linking) as a component of the world `linking-pack`.
#[macro_export]
macro_rules! export_linking_pack {
    ($pack:ty) => {
        $crate::__component!(__generate_linking, $pack, __links_guest);
    };
}

/// Export a type that is [`Linking`](crate::Linking) and has [`Refactors`](crate::refactor::Refactors) as a component of
/// the world `refactoring-pack`.
#[macro_export]
macro_rules! export_refactoring_pack {
    ($pack:ty) => {
        $crate::__component!(__generate_refactoring, $pack, __links_guest, __refactors_guest);
    };
}

/// Export a type that has [`Refactors`](crate::refactor::Refactors) and [`Insight`](crate::Insight) as a component of the
/// world `data-pack`.
#[macro_export]
macro_rules! export_data_pack {
    ($pack:ty) => {
        $crate::__component!(__generate_data, $pack, __links_guest, __refactors_guest, __insight_guest);
    };
}

/// Export a type that is [`Linking`](crate::Linking) and has [`Insight`](crate::Insight) as a component of the world
/// `describing-pack`.
#[macro_export]
macro_rules! export_describing_pack {
    ($pack:ty) => {
        $crate::__component!(__generate_describing, $pack, __links_guest, __insight_guest);
    };
}

/// Export a type that has [`Symbols`](crate::Symbols) and [`Refactors`](crate::refactor::Refactors) as a component of the
/// world `naming-pack`.
#[macro_export]
macro_rules! export_naming_pack {
    ($pack:ty) => {
        $crate::__component!(__generate_naming, $pack, __links_guest, __symbols_guest, __refactors_guest);
    };
}

/// Export a type that has [`Symbols`](crate::Symbols), [`Refactors`](crate::refactor::Refactors),
/// [`Insight`](crate::Insight) as a component of the world `semantic-pack`.
#[macro_export]
macro_rules! export_semantic_pack {
    ($pack:ty) => {
        $crate::__component!(
            __generate_semantic,
            $pack,
            __links_guest,
            __symbols_guest,
            __refactors_guest,
            __insight_guest
        );
    };
}

/// Export a type that has all of that and [`Search`](crate::Search) as a component of the world `code-pack`.
#[macro_export]
macro_rules! export_code_pack {
    ($pack:ty) => {
        $crate::__component!(
            __generate_code,
            $pack,
            __links_guest,
            __symbols_guest,
            __refactors_guest,
            __insight_guest,
            __search_guest
        );
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __component {
    ($generate:ident, $pack:ty, $($more:ident),*) => {
        #[cfg(target_arch = "wasm32")]
        #[allow(unsafe_code, missing_docs, unreachable_pub, clippy::all, reason = "generated code")]
        mod __component {
            use super::*;
            $crate::$generate!();
            struct Component;
            $crate::__language_guest!($pack);
            $($crate::$more!($pack);)*
            export!(Component);
        }
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __language_guest {
    ($pack:ty) => {
        use exports::marquetry::language::language;

        struct Held($crate::Held<$pack>);

        impl language::Guest for Component {
            type Document = Held;
            fn describe() -> $crate::Description {
                $crate::operate::describe::<$pack>()
            }
        }

        impl language::GuestDocument for Held {
            fn new(path: String, text: String, settings: String) -> Self {
                Held($crate::Held::open(&path, text, &settings))
            }
            fn problems(&self) -> Vec<$crate::Problem> {
                $crate::Document::problems(&self.0.document)
            }
            fn outline(&self) -> Vec<$crate::Node> {
                $crate::Document::outline(&self.0.document)
            }
            fn find(&self, query: $crate::Query) -> $crate::Result<$crate::Found> {
                self.0.find(&query)
            }
            fn view(&self, node: $crate::NodeId, form: $crate::Form) -> $crate::Result<$crate::View> {
                self.0.view(node, form)
            }
            fn dependencies(&self, node: $crate::NodeId) -> Vec<$crate::Dependency> {
                $crate::Document::dependencies(&self.0.document, node)
            }
            fn edit(
                &self,
                nodes: Vec<$crate::NodeId>,
                operation: $crate::Operation,
                options: $crate::EditOptions,
            ) -> $crate::Result<Vec<$crate::Edit>> {
                self.0.edit(&nodes, &operation, options)
            }
            fn insert_missing(&self, target: $crate::Target, content: String) -> $crate::Result<Vec<$crate::Edit>> {
                $crate::Document::insert_missing(&self.0.document, &target, &content)
            }
            fn stays_well_formed(&self, edits: Vec<$crate::Edit>) -> bool {
                $crate::Document::stays_well_formed(&self.0.document, &edits)
            }
            fn embedded(&self) -> Vec<$crate::Embedded> {
                $crate::Document::embedded(&self.0.document)
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
                <$pack as $crate::Linking>::links(&document.get::<Held>().0.document)
            }
            fn resolve(from: String, requests: Vec<$crate::Request>) -> Vec<$crate::Destination> {
                <$pack as $crate::Linking>::resolve(&from, &requests)
            }
            fn spell(requests: Vec<$crate::Respelling>) -> Vec<$crate::Result<String>> {
                <$pack as $crate::Linking>::spell(&requests)
            }
            fn cover(
                document: links::DocumentBorrow<'_>,
                relocations: Vec<$crate::Relocation>,
            ) -> $crate::Result<Vec<$crate::Edit>> {
                <$pack as $crate::Linking>::cover(&document.get::<Held>().0.document, &relocations)
            }
            fn unlink(document: links::DocumentBorrow<'_>, links: Vec<u32>) -> $crate::Result<Vec<$crate::Edit>> {
                <$pack as $crate::Linking>::unlink(&document.get::<Held>().0.document, &links)
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
                <$pack as $crate::Symbols>::facts(&document.get::<Held>().0.document)
            }
            fn resolve_symbol(
                document: symbols::DocumentBorrow<'_>,
                subject: $crate::Subject,
            ) -> $crate::Result<$crate::Resolution> {
                <$pack as $crate::Symbols>::resolve_symbol(&document.get::<Held>().0.document, subject)
            }
            fn rename(
                document: symbols::DocumentBorrow<'_>,
                subject: $crate::Subject,
                new_name: String,
            ) -> $crate::Result<$crate::Renaming> {
                <$pack as $crate::Symbols>::rename(&document.get::<Held>().0.document, subject, &new_name)
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
                $crate::refactor::offers::<$pack>(&document.get::<Held>().0.document, at)
            }
            fn apply(
                document: refactors::DocumentBorrow<'_>,
                id: String,
                at: $crate::Selection,
                arguments: Vec<$crate::Argument>,
            ) -> $crate::Result<$crate::Rewrite> {
                $crate::refactor::apply::<$pack>(&document.get::<Held>().0.document, &id, at, arguments)
            }
            fn answer(
                document: refactors::DocumentBorrow<'_>,
                from: String,
                payload: String,
            ) -> $crate::Result<$crate::Rewrite> {
                <$pack as $crate::refactor::Refactors>::answer(&document.get::<Held>().0.document, &from, &payload)
            }
        }
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __insight_guest {
    ($pack:ty) => {
        use exports::marquetry::language::insight;

        impl insight::Guest for Component {
            fn describe_place(document: insight::DocumentBorrow<'_>, offset: u32) -> Option<$crate::Card> {
                <$pack as $crate::Insight>::describe_place(&document.get::<Held>().0.document, offset)
            }
            fn type_definitions(document: insight::DocumentBorrow<'_>, offset: u32) -> Vec<$crate::Place> {
                <$pack as $crate::Insight>::type_definitions(&document.get::<Held>().0.document, offset)
            }
            fn calls(document: insight::DocumentBorrow<'_>, address: String) -> Option<Vec<$crate::Related>> {
                <$pack as $crate::Insight>::calls(&document.get::<Held>().0.document, &address)
            }
            fn supertypes(document: insight::DocumentBorrow<'_>, address: String) -> Option<Vec<$crate::Related>> {
                <$pack as $crate::Insight>::supertypes(&document.get::<Held>().0.document, &address)
            }
            fn checks(document: insight::DocumentBorrow<'_>) -> $crate::Inspection {
                <$pack as $crate::Insight>::checks(&document.get::<Held>().0.document)
            }
            fn manifest_names() -> Vec<String> {
                <$pack as $crate::Insight>::MANIFESTS.iter().map(|name| (*name).to_owned()).collect()
            }
            fn read_manifest(document: insight::DocumentBorrow<'_>) -> Option<$crate::Manifest> {
                <$pack as $crate::Insight>::read_manifest(&document.get::<Held>().0.document)
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
            fn read_pattern(path: String, pattern: String) -> $crate::Result<$crate::PatternHelp> {
                <$pack as $crate::Search>::read_pattern(&path, &pattern)
            }
            fn matches(
                document: search::DocumentBorrow<'_>,
                pattern: String,
                limit: u32,
            ) -> $crate::Result<$crate::StructureMatches> {
                <$pack as $crate::Search>::matches(&document.get::<Held>().0.document, &pattern, limit)
            }
        }
    };
}
