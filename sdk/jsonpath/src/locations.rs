//! Locates values in a document: addresses, names and neighbours.

use std::borrow::Cow;

use crate::address::{push_index, push_name, push_occurrence};

/// Maximum length of addresses in an outline.
const LONGEST_ADDRESS: usize = 2000;

/// Values stored in a table in pre-order: a container is directly followed by everything in it. This is document
/// order, except in formats in which a container can be split into several parts.
pub trait ValueTable {
    /// A key of a member. Cheap to copy.
    type Key: Copy;

    /// The keys and values directly in a container. Empty for a scalar.
    fn entries(&self, container: u32) -> impl Iterator<Item = (Option<Self::Key>, u32)> + Clone;

    /// The end of a value in the table: the number after the value and everything in it.
    fn subtree_end(&self, value: u32) -> u32;

    /// The name that a key stands for, with escapes decoded.
    fn name(&self, key: Self::Key) -> Cow<'_, str>;

    /// Returns whether a key stands for the name.
    fn is_named(&self, key: Self::Key, name: &str) -> bool {
        self.name(key) == name
    }
}

/// A value and its location.
#[derive(Debug, Clone)]
pub struct Location<'d, K> {
    /// The number of the value.
    pub id: u32,
    /// A JSONPath that selects only this value.
    pub address: String,
    /// The key, or the index as text; `$` for the root.
    pub name: Cow<'d, str>,
    /// The container, and the index of the value in it.
    pub parent: Option<(u32, usize)>,
    /// The key, if the container is an object.
    pub key: Option<K>,
    /// The previous value in the same container.
    pub previous: Option<u32>,
}

/// The places of the values with these numbers, in the order of the table, without duplicates.
///
/// One walk finds them all: it enters only containers that contain a wanted value.
pub fn locations<'d, L: ValueTable>(layout: &'d L, root: u32, ids: &[u32]) -> Vec<Location<'d, L::Key>> {
    let mut wanted = ids.to_vec();
    wanted.sort_unstable();
    wanted.dedup();
    let mut found = Vec::with_capacity(wanted.len());
    let mut rest = &wanted[wanted.partition_point(|id| *id < root)..];
    let mut path = "$".to_owned();
    if rest.first() == Some(&root) {
        let name = Cow::Borrowed("$");
        found.push(Location { id: root, address: path.clone(), name, parent: None, key: None, previous: None });
        rest = &rest[1..];
    }
    let mut levels = vec![Level::new(root, layout.entries(root), path.len())];
    while let (Some(level), [next, ..]) = (levels.last_mut(), rest) {
        let Some((key, value)) = level.entries.next() else {
            levels.pop();
            continue;
        };
        let before = level.previous.replace(value);
        level.index += 1;
        let behind = layout.subtree_end(value);
        if behind <= *next {
            continue;
        }
        path.truncate(level.path_length);
        level.push_step(layout, key, &mut path);
        if value == *next {
            let index = level.index - 1;
            let name = key.map_or_else(|| Cow::Owned(index.to_string()), |key| layout.name(key));
            let parent = Some((level.container, index));
            found.push(Location { id: value, address: path.clone(), name, parent, key, previous: before });
            rest = &rest[1..];
        }
        if rest.first().is_some_and(|next| *next < behind) {
            levels.push(Level::new(value, layout.entries(value), path.len()));
        }
    }
    found
}

/// A container on the path to a value.
struct Level<'d, I> {
    container: u32,
    entries: I,
    /// Number of entries read.
    index: usize,
    /// The last entry read.
    previous: Option<u32>,
    /// The length of the container's address.
    path_length: usize,
    /// Number of calls of `push_step` for a key.
    requested_steps: usize,
    /// See [`duplicate_members`]; computed when needed.
    duplicates: Option<Vec<(Cow<'d, str>, usize)>>,
}

impl<'d, K: Copy, I: Iterator<Item = (Option<K>, u32)> + Clone> Level<'d, I> {
    fn new(container: u32, entries: I, path_length: usize) -> Level<'d, I> {
        Level { container, entries, index: 0, previous: None, path_length, requested_steps: 0, duplicates: None }
    }

    /// Appends the step from the container to the last entry read.
    fn push_step<L: ValueTable<Key = K>>(&mut self, layout: &'d L, key: Option<K>, path: &mut String) {
        let Some(key) = key else { return push_index(path, self.index - 1) };
        self.requested_steps += 1;
        let name = layout.name(key);
        // For the first step, comparing the name with all later keys is fast enough. For more steps, sort the names
        // once.
        let mut later = self.entries.clone().filter_map(|(key, _)| key);
        if self.requested_steps == 1 && !later.any(|key| layout.is_named(key, &name)) {
            return push_name(path, &name);
        }
        let repeated = self.duplicates.get_or_insert_with(|| duplicate_members(layout, self.container));
        let from = repeated.partition_point(|(other, _)| *other < name);
        let to = repeated.partition_point(|(other, _)| *other <= name);
        let number = repeated[from..to].partition_point(|(_, index)| *index < self.index);
        if number == to - from { push_name(path, &name) } else { push_occurrence(path, &name, number as u32) }
    }
}

/// The members that share their name with another member of an object, sorted by name, each with its index.
pub fn duplicate_members<L: ValueTable>(layout: &L, object: u32) -> Vec<(Cow<'_, str>, usize)> {
    let entries = layout.entries(object).enumerate();
    let mut names: Vec<_> = entries.filter_map(|(index, (key, _))| Some((layout.name(key?), index))).collect();
    names.sort_unstable();
    let mut again = vec![false; names.len()];
    for index in 1..names.len() {
        if names[index - 1].0 == names[index].0 {
            (again[index - 1], again[index]) = (true, true);
        }
    }
    let mut again = again.into_iter();
    names.retain(|_| again.next() == Some(true));
    names
}

/// Maximum number of members of an object that is checked for duplicates without sorting.
const FEW_MEMBERS: usize = 8;

/// Returns whether a small object certainly has no duplicate names. Each name is read only once because decoding is
/// expensive in some formats.
fn has_no_duplicates<L: ValueTable>(layout: &L, object: u32) -> bool {
    let mut names = [const { Cow::Borrowed("") }; FEW_MEMBERS];
    for (count, key) in layout.entries(object).filter_map(|(key, _)| key).enumerate() {
        let name = layout.name(key);
        if count == FEW_MEMBERS || names[..count].contains(&name) {
            return false;
        }
        names[count] = name;
    }
    true
}

/// The members of an object that a later member of the same name overrides.
pub fn overridden_keys<L: ValueTable>(layout: &L, object: u32) -> Vec<L::Key> {
    if has_no_duplicates(layout, object) {
        return Vec::new();
    }
    let names = duplicate_members(layout, object);
    let again = names.windows(2).filter(|pair| pair[0].0 == pair[1].0).map(|pair| pair[0].1);
    let mut indices: Vec<usize> = again.collect();
    indices.sort_unstable();
    let mut wanted = indices.into_iter().peekable();
    let entries = layout.entries(object).enumerate();
    entries.filter(|(index, _)| wanted.next_if_eq(index).is_some()).filter_map(|(_, (key, _))| key).collect()
}

/// Number of entries below which an outline is complete. The host treats larger ones as incomplete.
const COMPLETE_OUTLINE: usize = 50_000;

/// Maximum total length of the addresses of an outline in bytes, so that the host accepts it.
const ADDRESS_BYTES: usize = 8 << 20;

/// Maximum number of entries of the outline of a text of this length.
pub fn outline_limit(length: usize) -> usize {
    COMPLETE_OUTLINE.max(length / 64)
}

/// The places of an outline in document order, each with the index of its parent: the upper levels, and a part of the
/// next level, until there are `most` entries. Leaves out values with very long addresses.
pub fn outline_locations<L: ValueTable>(
    layout: &L,
    root: u32,
    most: usize,
) -> Vec<(Location<'_, L::Key>, Option<u32>)> {
    let mut known: Vec<u32> = Vec::new();
    let mut out = Vec::new();
    let mut room = ADDRESS_BYTES;
    for place in locations(layout, root, &top_levels(layout, root, most)) {
        let parent = match place.parent {
            None => None,
            Some((parent, _)) => match known.binary_search(&parent) {
                Ok(index) => Some(index as u32),
                Err(_) => continue,
            },
        };
        if place.address.len() <= LONGEST_ADDRESS.min(room) {
            room -= place.address.len();
            known.push(place.id);
            out.push((place, parent));
        }
    }
    out
}

fn top_levels<L: ValueTable>(layout: &L, root: u32, most: usize) -> Vec<u32> {
    let mut level = vec![root];
    let mut all = level.clone();
    // A step has at least two bytes in an address.
    for _ in 0..=LONGEST_ADDRESS / 2 {
        if level.is_empty() {
            break;
        }
        let values = level.iter().flat_map(|container| layout.entries(*container).map(|(_, value)| value));
        let mut next: Vec<u32> = values.take(most + 1).collect();
        if all.len() + next.len() > most {
            next.truncate(most - all.len());
            all.append(&mut next);
            break;
        }
        all.extend_from_slice(&next);
        level = next;
    }
    all.sort_unstable();
    all
}
