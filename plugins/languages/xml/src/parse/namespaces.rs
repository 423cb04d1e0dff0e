//! Namespaces in scope while parsing, and the rules for declaring and using prefixes.

use rustc_hash::FxHashMap;

use super::{Parser, cursor::Cursor};
use crate::tree::{Declaration, Id, names};
use marquetry_sdk::Span;

/// Namespaces bound to each prefix. The binding of the innermost element is the last.
#[derive(Debug)]
pub(crate) struct Scope {
    numbers: FxHashMap<Box<str>, u32>,
    bound: Vec<Vec<u32>>,
    /// Numbers of the prefixes of all declarations in scope, in order.
    active: Vec<u32>,
    xml: u32,
    xmlns: u32,
}

impl Scope {
    pub(crate) fn new(names: &mut names::Names) -> Scope {
        let (xml, xmlns) = (names.namespace(names::XML), names.namespace(names::XMLNS));
        let mut scope = Scope { numbers: FxHashMap::default(), bound: Vec::new(), active: Vec::new(), xml, xmlns };
        scope.bind("xml", xml);
        scope.bind("xmlns", xmlns);
        scope
    }

    /// Returns the namespace of a prefix; for the empty prefix, the default namespace.
    pub(crate) fn find(&self, prefix: &str) -> Option<u32> {
        let number = self.numbers.get(prefix)?;
        self.bound[*number as usize].last().copied().filter(|namespace| *namespace != 0)
    }

    fn bind(&mut self, prefix: &str, namespace: u32) {
        let number = self.numbers.get(prefix).copied().unwrap_or_else(|| {
            let number = self.bound.len() as u32;
            self.numbers.insert(prefix.into(), number);
            self.bound.push(Vec::new());
            number
        });
        self.bound[number as usize].push(namespace);
        self.active.push(number);
    }

    /// Removes the bindings of an element that has this number of declarations.
    pub(crate) fn end_scope(&mut self, declared: u32) {
        for number in self.active.split_off(self.active.len() - declared as usize) {
            self.bound[number as usize].pop();
        }
    }
}

impl Parser {
    /// Binds the prefix to the namespace on the element, or reports why it is not allowed.
    pub(super) fn declare(&mut self, cursor: &Cursor<'_>, element: Id, prefix: &str, uri: &str, place: (Span, usize)) {
        let namespace = self.tree.names.namespace(uri);
        let wrong = match prefix {
            "xmlns" => Some("the prefix `xmlns` cannot be declared".to_owned()),
            "xml" if namespace != self.scope.xml => {
                Some(format!("the prefix `xml` is always bound to `{}`", names::XML))
            }
            _ if namespace == self.scope.xmlns || (namespace == self.scope.xml && prefix != "xml") => {
                Some(format!("the namespace `{uri}` cannot be declared"))
            }
            _ if namespace == 0 && !prefix.is_empty() && !self.is_xml_1_1 => {
                Some(format!("the prefix `{prefix}` is bound to an empty namespace"))
            }
            _ => None,
        };
        if let Some(message) = wrong {
            self.report_error(cursor, place.1, place.1 + "xmlns".len(), message);
        }
        self.scope.bind(prefix, namespace);
        self.tree.declarations.push(Declaration { element, prefix: prefix.into(), namespace, span: place.0 });
    }

    /// Returns the number of a name in its namespace. `at` is the offset of the name.
    pub(super) fn resolve(&mut self, cursor: &Cursor<'_>, written: u32, at: usize, is_element: bool) -> u32 {
        let name = self.tree.names.written(written);
        if !name.well_formed {
            let message = format!("`{}` is not a qualified name", name.text());
            self.report_error(cursor, at, at + 1, message);
            return self.tree.names.name(written, 0);
        }
        let namespace = match name.prefix() {
            None if is_element => self.scope.find("").unwrap_or(0),
            None => 0,
            Some("xmlns") if is_element => {
                self.report_error(cursor, at, at + "xmlns".len(), "an element cannot have the prefix `xmlns`");
                self.scope.xmlns
            }
            Some(prefix) => match self.scope.find(prefix) {
                Some(namespace) => namespace,
                None => {
                    let (length, message) = (prefix.len(), format!("the prefix `{prefix}` is not declared"));
                    if !self.fragment {
                        self.report_error(cursor, at, at + length, message);
                    }
                    0
                }
            },
        };
        self.tree.names.name(written, namespace)
    }
}
