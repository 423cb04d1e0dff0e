//! Arguments of the tools, as sent by clients.

use marquetry_model::{Error, Result};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::Value;

/// Arguments of `openFile`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct OpenFile {
    pub(super) file_path: String,
    #[serde(default)]
    pub(super) preview: bool,
    pub(super) start_text: Option<String>,
    pub(super) end_text: Option<String>,
    /// The first line, from 1.
    pub(super) start_line: Option<u32>,
    pub(super) end_line: Option<u32>,
    #[serde(default)]
    pub(super) select_to_end_of_line: bool,
    #[serde(default = "yes")]
    pub(super) make_frontmost: bool,
}

fn yes() -> bool {
    true
}

/// Arguments of `openDiff`.
#[derive(Deserialize)]
pub(super) struct OpenDiff {
    pub(super) old_file_path: String,
    pub(super) new_file_path: String,
    pub(super) new_file_contents: String,
    pub(super) tab_name: String,
}

/// Arguments of `close_tab`.
#[derive(Deserialize)]
pub(super) struct CloseTab {
    pub(super) tab_name: String,
}

/// Arguments of `checkDocumentDirty` and `saveDocument`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct OneFile {
    #[serde(alias = "documentUri")]
    pub(super) file_path: String,
}

/// Arguments of `getDiagnostics`.
#[derive(Deserialize)]
pub(super) struct Diagnostics {
    #[serde(default, alias = "filePath")]
    pub(super) uri: Option<String>,
}

/// Deserializes the arguments of a tool.
pub(super) fn parse<T: DeserializeOwned>(tool: &str, given: Value) -> Result<T> {
    let given = match given {
        Value::Null => serde_json::Map::new(),
        // `null` is the same as leaving the argument out.
        Value::Object(given) => given.into_iter().filter(|(_, value)| !value.is_null()).collect(),
        other => {
            let message = format!("{tool}: the arguments are not an object");
            return Err(Error::argument(message).hint(format!("pass them by name, as an object; this is {other}")));
        }
    };
    serde_json::from_value(Value::Object(given)).map_err(|error| Error::argument(format!("{tool}: {error}")))
}
