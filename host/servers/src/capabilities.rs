//! Capabilities that the host announces as a client of language servers.

use serde_json::{Value, json};

/// Returns the capabilities that the host announces as a client.
pub(crate) fn client_capabilities() -> Value {
    json!({
        "workspace": {
            "configuration": true,
            "workspaceFolders": true,
            "didChangeConfiguration": { "dynamicRegistration": false },
            "didChangeWatchedFiles": { "dynamicRegistration": true },
            "workspaceEdit": { "documentChanges": true },
        },
        "window": { "workDoneProgress": true },
        "general": { "positionEncodings": ["utf-16"] },
        "textDocument": {
            "synchronization": { "didSave": false },
            "hover": { "contentFormat": ["markdown", "plaintext"] },
            "references": {},
            "definition": { "linkSupport": true },
            "documentSymbol": { "hierarchicalDocumentSymbolSupport": true },
            "rename": { "prepareSupport": false },
            "publishDiagnostics": { "versionSupport": true, "relatedInformation": false },
            "diagnostic": { "dynamicRegistration": false },
        },
    })
}
