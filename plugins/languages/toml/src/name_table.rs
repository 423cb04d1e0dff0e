//! Hash table of member names, used while the table is built.
//!
//! It stores only numbers. To compare names, they are read from the text.

use std::hash::Hasher;

use rustc_hash::FxHasher;

use crate::table::Id;

/// A part of the hash, and the id of the member. A free slot has the id of the root, which is never a member.
type Slot = (u32, Id);

/// Members by table and name.
#[derive(Debug, Default)]
pub(crate) struct NameTable {
    /// The number of slots is 0 or a power of two. At most half of the slots are occupied.
    slots: Vec<Slot>,
    occupied: usize,
}

/// The slot of a name. It is valid until the next lookup, because a lookup can move slots.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NameSlot {
    hash: u32,
    slot: usize,
}

impl NameTable {
    /// Returns the slot of the name and its member. `is` returns whether a member has this name.
    pub(crate) fn find(&mut self, table: Id, name: &str, is: impl Fn(Id) -> bool) -> (NameSlot, Option<Id>) {
        if self.occupied * 2 >= self.slots.len() {
            self.grow();
        }
        let mut hasher = FxHasher::default();
        hasher.write_u32(table);
        hasher.write(name.as_bytes());
        let hash = hasher.finish() as u32;
        let mask = self.slots.len() - 1;
        let mut slot = hash as usize & mask;
        loop {
            let (other, id) = self.slots[slot];
            if id == 0 {
                return (NameSlot { hash, slot }, None);
            }
            if other == hash && is(id) {
                return (NameSlot { hash, slot }, Some(id));
            }
            slot = (slot + 1) & mask;
        }
    }

    /// Sets the member of the name.
    pub(crate) fn set(&mut self, place: NameSlot, id: Id) {
        self.occupied += usize::from(self.slots[place.slot].1 == 0);
        self.slots[place.slot] = (place.hash, id);
    }

    fn grow(&mut self) {
        let larger = vec![(0, 0); (self.slots.len() * 2).max(64)];
        let mask = larger.len() - 1;
        for (hash, id) in std::mem::replace(&mut self.slots, larger).into_iter().filter(|(_, id)| *id != 0) {
            let mut slot = hash as usize & mask;
            while self.slots[slot].1 != 0 {
                slot = (slot + 1) & mask;
            }
            self.slots[slot] = (hash, id);
        }
    }
}
