//! Maps node ids to numbers that are unique across documents, so that using an id with another document is detected,
//! however the pack numbers its nodes.

use std::{
    collections::HashMap,
    sync::atomic::{AtomicU32, Ordering},
};

use marquetry_model::pack::Node;

static NEXT: AtomicU32 = AtomicU32::new(1);

/// The ids that one document has handed out.
#[derive(Default)]
pub(crate) struct Ids {
    ids: HashMap<u32, u32>,
    own_ids: HashMap<u32, u32>,
}

impl Ids {
    /// Replaces the ids of nodes with unique ones.
    pub(crate) fn assign(&mut self, mut nodes: Vec<Node>) -> Vec<Node> {
        for node in &mut nodes {
            let own = node.id;
            node.id = *self.ids.entry(own).or_insert_with(|| NEXT.fetch_add(1, Ordering::Relaxed));
            self.own_ids.insert(node.id, own);
        }
        nodes
    }

    /// Returns the pack's own id of a node.
    ///
    /// # Panics
    /// Panics if the id belongs to another document, which is a bug in the host.
    pub(crate) fn own_id(&self, id: u32, path: &str) -> u32 {
        *self.own_ids.get(&id).unwrap_or_else(|| panic!("node {id} belongs to another document than {path}"))
    }
}
