//! Synchronization of open documents and watched files with a server.

use std::{
    collections::{BTreeMap, VecDeque},
    time::Instant,
};

use marquetry_model::{
    Result,
    ports::{FileStamp, Files, Source},
};
use serde_json::{Value, json};

use crate::{connection::Connection, limits};

/// State of the documents and files that the server knows.
pub(crate) struct Documents {
    /// Language IDs by file extension or file name.
    languages: BTreeMap<String, String>,
    /// Open documents, least recently used first.
    open: VecDeque<Open>,
    /// Size and modification time of all files in the root at the last notification.
    known_files: Option<BTreeMap<String, (u64, u128)>>,
    /// Time of the last notification about a change to another file.
    changed: Instant,
}

struct Open {
    path: String,
    hash: String,
    version: i64,
    since: Instant,
}

/// State of a document at the server.
#[derive(Clone, Copy)]
pub(crate) struct DocumentState {
    pub(crate) version: i64,
    pub(crate) since: Instant,
    /// True if this text was sent just now.
    pub(crate) is_new: bool,
    /// True if other documents or files changed after this text was sent, so that earlier diagnostics may be
    /// outdated.
    pub(crate) may_be_outdated: bool,
}

/// Values of LSP's `FileChangeType`.
const CREATED: u8 = 1;
const CHANGED: u8 = 2;
const DELETED: u8 = 3;

impl Documents {
    pub(crate) fn new(languages: BTreeMap<String, String>) -> Documents {
        Documents { languages, open: VecDeque::new(), known_files: None, changed: Instant::now() }
    }

    /// Returns whether no document is open.
    pub(crate) fn is_empty(&self) -> bool {
        self.open.is_empty()
    }

    /// Sends the text of a document, and changes to other files since the last request.
    pub(crate) fn sync(&mut self, to: &Connection, files: &dyn Files, source: &Source) -> Result<DocumentState> {
        self.notify_file_changes(to, files)?;
        self.sync_open_documents(to, files, &source.path)?;
        if let Some(place) = self.open.iter().position(|open| open.path == source.path)
            && let Some(mut open) = self.open.remove(place)
        {
            let is_new = open.hash != source.hash;
            if is_new {
                change(to, files, &mut open, source)?;
            }
            let is_doubtful = open.since < self.changed;
            let state =
                DocumentState { version: open.version, since: open.since, is_new, may_be_outdated: is_doubtful };
            self.open.push_back(open);
            return Ok(state);
        }
        if self.open.len() >= limits::DOCUMENTS
            && let Some(oldest) = self.open.pop_front()
        {
            close(to, files, &oldest.path)?;
        }
        let open = Open { path: source.path.clone(), hash: source.hash.clone(), version: 1, since: Instant::now() };
        let state = DocumentState { version: open.version, since: open.since, is_new: true, may_be_outdated: false };
        let item = json!({ "uri": uri(files, &source.path), "languageId": language(&self.languages, &source.path), "version": 1, "text": &*source.text });
        to.notify("textDocument/didOpen", json!({ "textDocument": item }))?;
        self.open.push_back(open);
        Ok(state)
    }

    /// Sends the text of an open document again, so that the server publishes its diagnostics again.
    pub(crate) fn resend(
        &mut self,
        to: &Connection,
        files: &dyn Files,
        source: &Source,
    ) -> Result<Option<DocumentState>> {
        let Some(open) = self.open.iter_mut().find(|open| open.path == source.path) else { return Ok(None) };
        change(to, files, open, source)?;
        Ok(Some(DocumentState { version: open.version, since: open.since, is_new: true, may_be_outdated: false }))
    }

    /// Sends changes of the other open documents on disk to the server.
    fn sync_open_documents(&mut self, to: &Connection, files: &dyn Files, asked: &str) -> Result<()> {
        let mut gone = Vec::new();
        for open in self.open.iter_mut().filter(|open| open.path != asked) {
            match files.read(&open.path) {
                Ok(source) if source.hash == open.hash => {}
                Ok(source) => {
                    change(to, files, open, &source)?;
                    self.changed = open.since;
                }
                Err(_) => gone.push(open.path.clone()),
            }
        }
        self.open.retain(|open| !gone.contains(&open.path));
        gone.iter().try_for_each(|path| close(to, files, path))
    }

    /// Reports files that were created, changed or deleted since the last call.
    fn notify_file_changes(&mut self, to: &Connection, files: &dyn Files) -> Result<()> {
        let stamped = |stamp: FileStamp| (stamp.path, (stamp.size, stamp.modified));
        let now: BTreeMap<String, (u64, u128)> = files.walk("")?.into_iter().map(stamped).collect();
        if let Some(known) = self.known_files.replace(now.clone()) {
            let made = now.iter().filter_map(|(path, stamp)| match known.get(path) {
                None => Some((path, CREATED)),
                Some(before) => (before != stamp).then_some((path, CHANGED)),
            });
            let gone = known.keys().filter(|path| !now.contains_key(*path)).map(|path| (path, DELETED));
            let changes: Vec<Value> =
                made.chain(gone).map(|(path, kind)| json!({ "uri": uri(files, path), "type": kind })).collect();
            if !changes.is_empty() {
                self.changed = Instant::now();
                to.notify("workspace/didChangeWatchedFiles", json!({ "changes": changes }))?;
            }
        }
        Ok(())
    }
}

fn change(to: &Connection, files: &dyn Files, open: &mut Open, source: &Source) -> Result<()> {
    open.version += 1;
    (open.hash, open.since) = (source.hash.clone(), Instant::now());
    let document = json!({ "uri": uri(files, &open.path), "version": open.version });
    let whole = json!([{ "text": &*source.text }]);
    to.notify("textDocument/didChange", json!({ "textDocument": document, "contentChanges": whole }))
}

fn close(to: &Connection, files: &dyn Files, path: &str) -> Result<()> {
    to.notify("textDocument/didClose", json!({ "textDocument": { "uri": uri(files, path) } }))
}

/// Returns the `file:` URI of a path.
pub(crate) fn uri(files: &dyn Files, path: &str) -> String {
    let whole = if path.is_empty() { files.root().to_owned() } else { format!("{}/{path}", files.root()) };
    let mut uri = "file://".to_owned();
    for byte in whole.bytes() {
        match byte {
            b'/' | b'-' | b'.' | b'_' | b'~' | b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' => uri.push(char::from(byte)),
            other => uri += &format!("%{other:02X}"),
        }
    }
    uri
}

/// Returns the language ID of a file: the one configured for its name or extension, or the extension itself.
fn language(languages: &BTreeMap<String, String>, path: &str) -> String {
    let name = path.rsplit('/').next().unwrap_or(path);
    let ending = name.rsplit_once('.').map_or("plaintext", |(_, ending)| ending).to_ascii_lowercase();
    languages.get(name).or_else(|| languages.get(&ending)).cloned().unwrap_or(ending)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn language_ids_follow_file_extensions() {
        let languages = BTreeMap::from([("a".to_owned(), "alpha".to_owned())]);
        assert_eq!(language(&languages, "x/y.A"), "alpha");
        assert_eq!(language(&languages, "x.a/y.b"), "b");
        assert_eq!(language(&languages, "x.a/y"), "plaintext");
    }

    #[test]
    fn file_name_overrides_extension() {
        let names = [("a", "alpha"), ("b.a", "beta")];
        let languages = names.map(|(name, language)| (name.to_owned(), language.to_owned())).into();
        assert_eq!(language(&languages, "x/b.a"), "beta");
        assert_eq!(language(&languages, "x/cb.a"), "alpha");
    }
}
