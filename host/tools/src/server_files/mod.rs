//! Files without a language pack whose language server is approved. The ranges that the server reports provide their
//! outline, symbol targets and edits.

mod document;
mod edits;
mod layout;

use std::sync::Arc;

use marquetry_model::{
    Interface, Result, Work,
    pack::{Description, Destination, SpecifierRequest, TargetHelp, TargetKind},
    ports::{Document, Files, Pack},
    servers::Server,
};

use crate::{query::engine_name, session::Session, target::supports_only_lines};
use document::ServerDocument;

/// A pack for the files of one server. The pack for plain text provides everything that the server does not provide.
pub(crate) struct ServerPack {
    plain: Arc<dyn Pack>,
    server: Arc<dyn Server>,
    files: Arc<dyn Files>,
    work: Work,
    description: Arc<Description>,
}

impl Session {
    /// Returns a pack that asks the language server of a file, if no pack reads the format and the server is approved.
    /// Otherwise, returns the given pack.
    pub(crate) fn pack_with_server(&self, plain: Arc<dyn Pack>, path: &str) -> Arc<dyn Pack> {
        if !supports_only_lines(plain.description()) {
            return plain;
        }
        // Without approval, the file is treated as plain text.
        let Ok(Some(server)) = self.optional_server(path) else { return plain };
        let description = Arc::new(Description {
            id: engine_name(server.id()),
            name: format!("{} (language server)", server.id()),
            targets: vec![TargetHelp {
                kind: TargetKind::Symbol,
                syntax: "a name, or names from the outside in with dots; `name#2` for the second of equal names"
                    .to_owned(),
                examples: vec!["run".to_owned(), "Store.find".to_owned()],
            }],
            ..plain.description().as_ref().clone()
        });
        Arc::new(ServerPack { plain, server, files: Arc::clone(&self.files), work: self.work.clone(), description })
    }
}

impl Pack for ServerPack {
    fn description(&self) -> &Arc<Description> {
        &self.description
    }

    fn has_interface(&self, interface: Interface) -> bool {
        self.plain.has_interface(interface)
    }

    fn may_receive(&self, path: &str) -> bool {
        self.plain.may_receive(path)
    }

    fn open(self: Arc<Self>, path: &str, text: &Arc<str>) -> Result<Box<dyn Document>> {
        let plain = Arc::clone(&self.plain).open(path, text)?;
        Ok(Box::new(ServerDocument::new(self, plain, path, text)))
    }

    fn resolve(&self, from: &str, requests: &[(String, String)]) -> Result<Vec<Destination>> {
        self.plain.resolve(from, requests)
    }

    fn format_specifiers(&self, requests: &[SpecifierRequest]) -> Result<Vec<Result<String>>> {
        self.plain.format_specifiers(requests)
    }
}
