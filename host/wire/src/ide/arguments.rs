//! The arguments of the tools as clients write them, and the paths in them.

use std::path::Path;

use marquetry_model::{Error, Kind, Result};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::Value;

use super::session::Session;

/// `openFile`
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct OpenFile {
    pub(super) file_path: String,
    #[serde(default)]
    pub(super) preview: bool,
    pub(super) start_text: Option<String>,
    pub(super) end_text: Option<String>,
    /// From 1.
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

/// `openDiff`
#[derive(Deserialize)]
pub(super) struct OpenDiff {
    pub(super) old_file_path: String,
    pub(super) new_file_path: String,
    pub(super) new_file_contents: String,
    pub(super) tab_name: String,
}

/// `close_tab`
#[derive(Deserialize)]
pub(super) struct CloseTab {
    pub(super) tab_name: String,
}

/// `checkDocumentDirty` and `saveDocument`
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct OneFile {
    #[serde(alias = "documentUri")]
    pub(super) file_path: String,
}

/// `getDiagnostics`
#[derive(Deserialize)]
pub(super) struct Diagnostics {
    #[serde(default, alias = "filePath")]
    pub(super) uri: Option<String>,
}

/// The arguments of a tool.
pub(super) fn read<T: DeserializeOwned>(tool: &str, given: Value) -> Result<T> {
    let given = match given {
        Value::Null => serde_json::Map::new(),
        // What is `null` is not given.
        Value::Object(given) => given.into_iter().filter(|(_, value)| !value.is_null()).collect(),
        other => {
            let said = format!("{tool}: the arguments are no object");
            return Err(Error::argument(said).hint(format!("they go by name; here is {other}")));
        }
    };
    serde_json::from_value(Value::Object(given)).map_err(|error| Error::argument(format!("{tool}: {error}")))
}

/// A file of a served root.
pub(super) struct Located {
    /// The root that it is below.
    pub(super) root: String,
    /// The file, absolute.
    pub(super) path: String,
    /// The same, below its root.
    pub(super) name: String,
}

impl Session {
    /// A path or a `file:` URI of a client, as editors take it. One that is relative is below the first root.
    pub(super) fn located(&self, given: &str) -> Result<Located> {
        let plain = match given.strip_prefix("file://") {
            Some(uri) => decoded(uri).ok_or_else(|| Error::argument(format!("`{given}` is no URI of a file")))?,
            None => self.expanded(given),
        };
        let roots = self.catalog().bench().roots();
        let root =
            if Path::new(&plain).is_absolute() { roots.holding(&plain) } else { roots.served().into_iter().next() };
        let root = root.ok_or_else(|| {
            Error::new(Kind::OutsideWorkspace, format!("`{given}` is outside of the folders that are served here"))
                .candidates(roots.served())
        })?;
        let files = self.catalog().bench().files(Some(&root))?;
        let name = files.locate(&plain)?;
        let path = format!("{}/{name}", files.root().trim_end_matches('/'));
        Ok(Located { root: files.root().to_owned(), path, name })
    }

    /// `~` is the person's home; nothing else is expanded.
    fn expanded(&self, given: &str) -> String {
        let home = self.settings().home.as_deref();
        match given.strip_prefix("~/").zip(home) {
            Some((rest, home)) => home.join(rest).to_string_lossy().into_owned(),
            None => given.to_owned(),
        }
    }
}

/// The path of a `file:` URI, after its `//`.
fn decoded(uri: &str) -> Option<String> {
    let path = uri.strip_prefix("localhost").unwrap_or(uri);
    let (mut bytes, mut at) = (Vec::with_capacity(path.len()), 0);
    let raw = path.as_bytes();
    while at < raw.len() {
        if raw[at] == b'%' {
            bytes.push(u8::from_str_radix(path.get(at + 1..at + 3)?, 16).ok()?);
            at += 3;
        } else {
            bytes.push(raw[at]);
            at += 1;
        }
    }
    String::from_utf8(bytes).ok().filter(|path| path.starts_with('/'))
}

/// A path as a URI.
pub(super) fn uri(path: &str) -> String {
    path.bytes().fold("file://".to_owned(), |mut uri, byte| {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'.' | b'_' | b'~' => uri.push(char::from(byte)),
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
        uri
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uris_lead_there_and_back() {
        for path in ["/a/b.ts", "/with space/ü%20/#x?.md", "/C:/x"] {
            let uri = uri(path);
            assert!(uri.is_ascii() && !uri.contains([' ', '#', '?']), "{uri}");
            assert_eq!(decoded(uri.strip_prefix("file://").expect("a URI")).as_deref(), Some(path));
        }
        assert_eq!(decoded("localhost/a").as_deref(), Some("/a"));
        for wrong in ["host/a", "/a%", "/a%2", "/a%zz", "/a%ff", ""] {
            assert_eq!(decoded(wrong), None, "{wrong}");
        }
    }
}
