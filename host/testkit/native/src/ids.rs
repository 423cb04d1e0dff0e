//! The names of nodes as callers get them: a number never names a node of two documents, so one that is used with
//! another document than its own is found out, however the pack numbers its nodes.

use std::{
    collections::HashMap,
    sync::atomic::{AtomicU32, Ordering},
};

use marquetry_model::pack::Node;

static NEXT: AtomicU32 = AtomicU32::new(1);

/// The numbers that one document gave out.
#[derive(Default)]
pub(crate) struct Ids {
    given: HashMap<u32, u32>,
    known: HashMap<u32, u32>,
}

impl Ids {
    /// The nodes under numbers of this document's own.
    pub(crate) fn give(&mut self, mut nodes: Vec<Node>) -> Vec<Node> {
        for node in &mut nodes {
            let own = node.id;
            node.id = *self.given.entry(own).or_insert_with(|| NEXT.fetch_add(1, Ordering::Relaxed));
            self.known.insert(node.id, own);
        }
        nodes
    }

    /// The number that the pack gave.
    ///
    /// # Panics
    /// Where it is of another document: that is a fault of the host, and nothing to be answered.
    pub(crate) fn own(&self, id: u32, path: &str) -> u32 {
        *self.known.get(&id).unwrap_or_else(|| panic!("node {id} is none of this document of {path}, but of another"))
    }
}
