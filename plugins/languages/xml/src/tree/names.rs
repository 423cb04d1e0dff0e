//! Interned names of a document: names as written, namespaces, and pairs of both.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::chars;

/// Namespace of the prefix `xml`.
pub(crate) const XML: &str = "http://www.w3.org/XML/1998/namespace";
/// Namespace of the prefix `xmlns`.
pub(crate) const XMLNS: &str = "http://www.w3.org/2000/xmlns/";

/// A qualified name as written: `prefix:local`.
#[derive(Debug)]
pub(crate) struct WrittenName {
    text: Rc<str>,
    /// Start of the local part: the offset after the colon, or 0.
    local: u32,
    /// True if the text is a name without a colon, or two names with a colon between them.
    pub well_formed: bool,
    /// The namespace that this name was last combined with, and the number of the result.
    recent: (u32, u32),
    /// While parsing: number of open elements with this name.
    pub open_count: u32,
    /// While parsing: number of the last tag with an attribute of this name.
    last_tag: u32,
}

impl WrittenName {
    /// The whole name.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// The part before the colon, if there is one.
    pub(crate) fn prefix(&self) -> Option<&str> {
        (self.local > 0).then(|| &self.text[..self.local as usize - 1])
    }

    /// The part after the colon, or the whole name.
    pub(crate) fn local(&self) -> &str {
        &self.text[self.local as usize..]
    }
}

/// A written name in a namespace.
#[derive(Debug, Clone, Copy)]
struct Name {
    written: u32,
    namespace: u32,
    /// Number shared by all names with this local part and namespace.
    expanded: u32,
    is_element_name: bool,
}

/// All names of a document.
#[derive(Debug, Default)]
pub(crate) struct Names {
    written: Vec<WrittenName>,
    by_text: FxHashMap<Rc<str>, u32>,
    names: Vec<Name>,
    by_pair: FxHashMap<(u32, u32), u32>,
    namespaces: Vec<Box<str>>,
    by_uri: FxHashMap<Box<str>, u32>,
    /// Number of each expanded name. The key is the number of the local part and that of the namespace.
    expanded: FxHashMap<(u32, u32), u32>,
}

impl Names {
    /// Creates an empty set of names; namespace 0 means "no namespace".
    pub(crate) fn new() -> Names {
        let mut names = Names::default();
        names.namespace("");
        names.intern("");
        names.name(0, 0);
        names
    }

    /// Interns a written name and returns its number.
    pub(crate) fn intern(&mut self, text: &str) -> u32 {
        if let Some(id) = self.by_text.get(text) {
            return *id;
        }
        let local = text.find(':').map_or(0, |colon| colon + 1);
        let well_formed = local == 0 || (local > 1 && chars::is_ncname(&text[local..]));
        let id = self.written.len() as u32;
        let local = if well_formed { local as u32 } else { 0 };
        let text: Rc<str> = text.into();
        self.written.push(WrittenName {
            text: Rc::clone(&text),
            local,
            well_formed,
            recent: (u32::MAX, 0),
            open_count: 0,
            last_tag: 0,
        });
        self.by_text.insert(text, id);
        id
    }

    /// Number of a written name, if it is interned.
    pub(crate) fn find_written(&self, text: &str) -> Option<u32> {
        self.by_text.get(text).copied()
    }

    /// Counts an opened or closed element with this name.
    pub(crate) fn count_open(&mut self, written: u32, opened: bool) {
        let open = &mut self.written[written as usize].open_count;
        *open = if opened { *open + 1 } else { open.saturating_sub(1) };
    }

    /// Records that the tag with this number (from 1) has an attribute with this name. Returns whether it is the first
    /// one in the tag.
    pub(crate) fn mark_seen(&mut self, written: u32, tag: u32) -> bool {
        std::mem::replace(&mut self.written[written as usize].last_tag, tag) != tag
    }

    /// Returns whether the tag with this number has an attribute with this name.
    pub(crate) fn is_seen(&self, written: u32, tag: u32) -> bool {
        self.written[written as usize].last_tag == tag
    }

    /// Written name with this number.
    pub(crate) fn written(&self, id: u32) -> &WrittenName {
        &self.written[id as usize]
    }

    /// Interns a namespace and returns its number. Number 0 means "no namespace".
    pub(crate) fn namespace(&mut self, uri: &str) -> u32 {
        if let Some(id) = self.by_uri.get(uri) {
            return *id;
        }
        let id = self.namespaces.len() as u32;
        self.namespaces.push(uri.into());
        self.by_uri.insert(uri.into(), id);
        id
    }

    /// Number of a namespace, if it is interned.
    pub(crate) fn known_namespace(&self, uri: &str) -> Option<u32> {
        self.by_uri.get(uri).copied()
    }

    /// URI of the namespace with this number.
    pub(crate) fn uri(&self, namespace: u32) -> &str {
        &self.namespaces[namespace as usize]
    }

    /// Interns a written name in a namespace and returns the number of the pair.
    pub(crate) fn name(&mut self, written: u32, namespace: u32) -> u32 {
        let recent = self.written[written as usize].recent;
        if recent.0 == namespace {
            return recent.1;
        }
        let id = self.by_pair.get(&(written, namespace)).copied().unwrap_or_else(|| self.add(written, namespace));
        self.written[written as usize].recent = (namespace, id);
        id
    }

    fn add(&mut self, written: u32, namespace: u32) -> u32 {
        let name = &self.written[written as usize];
        let local = if name.local == 0 {
            written
        } else {
            let local = name.local().to_owned();
            self.intern(&local)
        };
        let next = self.expanded.len() as u32;
        let expanded = *self.expanded.entry((local, namespace)).or_insert(next);
        let id = self.names.len() as u32;
        self.names.push(Name { written, namespace, expanded, is_element_name: false });
        self.by_pair.insert((written, namespace), id);
        id
    }

    /// Written form of a name.
    pub(crate) fn written_form(&self, name: u32) -> &WrittenName {
        &self.written[self.names[name as usize].written as usize]
    }

    /// Number of a name's namespace.
    pub(crate) fn namespace_of(&self, name: u32) -> u32 {
        self.names[name as usize].namespace
    }

    /// Number shared by all names with the same local part and namespace.
    pub(crate) fn expanded_of(&self, name: u32) -> u32 {
        self.names[name as usize].expanded
    }

    /// Expanded name of a local part in a namespace, if the document has it.
    pub(crate) fn find_expanded(&self, local: &str, namespace: u32) -> Option<u32> {
        self.expanded.get(&(self.find_written(local)?, namespace)).copied()
    }

    /// Marks the name as used by an element.
    pub(crate) fn mark_element(&mut self, name: u32) {
        self.names[name as usize].is_element_name = true;
    }

    /// Returns whether an element without a namespace has this name.
    pub(crate) fn has_element(&self, local: &str) -> bool {
        let Some(written) = self.by_text.get(local) else { return false };
        self.by_pair.get(&(*written, 0)).is_some_and(|name| self.names[*name as usize].is_element_name)
    }

    /// Numbers of all names.
    pub(crate) fn all_names(&self) -> std::ops::Range<u32> {
        0..self.names.len() as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_interned_once() {
        let mut names = Names::new();
        let uri = names.namespace("urn:a");
        let (plain, prefixed, other) = (names.intern("x"), names.intern("p:x"), names.intern("q:x"));
        let (a, b, c) = (names.name(plain, 0), names.name(prefixed, uri), names.name(other, uri));
        assert_eq!(names.name(prefixed, uri), b);
        assert_ne!(names.expanded_of(a), names.expanded_of(b));
        assert_eq!(names.expanded_of(b), names.expanded_of(c));
        assert_eq!(names.written_form(c).prefix(), Some("q"));
        assert_eq!(names.written_form(c).local(), "x");
    }

    #[test]
    fn name_with_two_colons_is_malformed() {
        let mut names = Names::new();
        for (text, good) in [("a:b", true), ("a", true), (":a", false), ("a:", false), ("a:b:c", false), ("a:1", false)]
        {
            let id = names.intern(text);
            assert_eq!(names.written(id).well_formed, good, "{text}");
        }
    }
}
