//! An open document. All its calls in one tool call run on the same instance.

use std::sync::Arc;

use marquetry_model::{Error, Result};

use crate::{
    checked_document::AskDocument,
    convert::AnswerValidator,
    guest::{Handle, OpenGuest},
    instance::Instance,
    pack::{CallSubject, WasmPack},
    questions::RawDocument,
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
}

impl AskDocument for OpenDocument {
    fn ask<R, T>(
        &mut self,
        (doing, has_ids): (&str, bool),
        mut run: impl FnMut(&mut dyn RawDocument) -> wasmtime::Result<R>,
        check: impl FnOnce(&AnswerValidator<'_>, R) -> Result<T>,
    ) -> Result<T> {
        // The ids were valid only in the lost instance. If the caller ignored the error that ended it, the call fails
        // with this error again.
        if let Some(error) = self.lost_error.as_ref().filter(|_| has_ids && self.instance.is_none()) {
            return Err(error.clone());
        }
        let doing = format!("{doing} {}", self.path);
        let document = Some((self.path.as_str(), &self.text));
        let subject = CallSubject { document, files: Some(&self.pack.files), doing: &doing, has_ids };
        let mut run = |instance: &mut Instance, document: Option<Handle>| match document {
            Some(document) => run(&mut OpenGuest { instance, document }),
            None => Err(wasmtime::format_err!("no document")),
        };
        let (plugin, text) = (&self.pack.plugin, &self.text);
        let answer = plugin.call(subject, &mut self.instance, &mut run, |answer, goes_on| {
            check(&AnswerValidator::new(&plugin.id, text).with_continue_check(goes_on), answer)
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
