//! An open document of a pack that is linked as a library.

use std::sync::Arc;

use marquetry_model::{Result, pack::Node};
use marquetry_sdk::{Document as _, LanguagePack, types as wit};

use crate::{
    bindings::Answer,
    checked_document::{AskDocument, HasIds},
    convert::AnswerValidator,
    ids::Ids,
    pack::NativePack,
    questions::{Fallible, Optional, RawDocument, with_questions},
};

/// A document, and the mapping of its node ids.
pub(crate) struct NativeDocument<P: LanguagePack> {
    pub(crate) pack: Arc<NativePack<P>>,
    pub(crate) path: String,
    pub(crate) text: Arc<str>,
    pub(crate) document: P::Document,
    pub(crate) ids: Ids,
}

impl<P: LanguagePack> AskDocument for NativeDocument<P> {
    fn ask<R, T>(
        &mut self,
        (doing, _): (&str, HasIds),
        mut run: impl FnMut(&mut dyn RawDocument) -> Answer<R>,
        check: impl FnOnce(&AnswerValidator<'_>, R) -> Result<T>,
    ) -> Result<T> {
        let pack = Arc::clone(&self.pack);
        let answer = pack.call(&format!("{doing} {}", self.path), || run(self))??;
        check(&pack.checked(&self.text), answer)
    }

    fn own_id(&self, id: u32) -> u32 {
        self.ids.own_id(id, &self.path)
    }

    fn with_ids(&mut self, nodes: Vec<Node>) -> Vec<Node> {
        self.ids.assign(nodes)
    }
}

macro_rules! optional {
    (
        document { $($how:ident $part:ident $call:ident $name:ident($($argument:ident: $type:ty),*) -> $answer:ty;)* }
        $($rest:tt)*
    ) => {
        $(fn $name(&mut self $(, $argument: $type)*) -> Optional<$answer> {
            Ok(self.pack.native.functions.$name.map(|function| function(&self.document $(, $argument)*)))
        })*
    };
}

impl<P: LanguagePack> RawDocument for NativeDocument<P> {
    fn diagnostics(&mut self) -> Answer<Vec<wit::Diagnostic>> {
        Ok(self.document.diagnostics())
    }

    fn parse_errors(&mut self) -> Answer<Vec<wit::Diagnostic>> {
        Ok(self.document.parse_errors())
    }

    fn outline(&mut self) -> Answer<Vec<wit::Node>> {
        Ok(self.document.outline())
    }

    fn find(&mut self, query: &wit::Query) -> Answer<Fallible<wit::FindResult>> {
        Ok(self.document.find(query))
    }

    fn view(&mut self, node: u32, form: wit::Form) -> Answer<Fallible<wit::View>> {
        Ok(self.document.view(node, form))
    }

    fn dependencies(&mut self, node: u32) -> Answer<Vec<wit::Dependency>> {
        Ok(self.document.dependencies(node))
    }

    fn edit(
        &mut self,
        nodes: &[u32],
        operation: &wit::Operation,
        options: wit::EditOptions,
    ) -> Answer<Fallible<Vec<wit::Edit>>> {
        Ok(self.document.edit(nodes, operation, options))
    }

    fn edit_ranges(&mut self, nodes: &[u32], operation: &wit::Operation) -> Answer<Vec<wit::Span>> {
        Ok(self.document.edit_ranges(nodes, operation))
    }

    fn insert_missing(&mut self, target: &wit::Target, content: &str) -> Answer<Fallible<Vec<wit::Edit>>> {
        Ok(self.document.insert_missing(target, content))
    }

    fn stays_well_formed(&mut self, edits: &[wit::Edit]) -> Answer<bool> {
        Ok(self.document.stays_well_formed(edits))
    }

    fn embedded(&mut self) -> Answer<Vec<wit::Embedded>> {
        Ok(self.document.embedded())
    }

    with_questions!(optional);
}
