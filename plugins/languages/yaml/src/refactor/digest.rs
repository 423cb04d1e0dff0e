//! Digest of the values in a file. It does not depend on the order of keys, so it proves that sorting changed no value.

use std::{
    collections::HashMap,
    hash::{DefaultHasher, Hash, Hasher},
};

use crate::{
    scalar,
    source::Source,
    table::{Id, Kind},
};

/// Returns a sorted list with one number for each value and its position. Equal lists mean equal contents. An alias
/// counts as the position of its target, so the digest is small even if aliases make the value huge.
pub(super) fn value_digest(source: Source<'_>) -> Vec<u64> {
    let mut out = Vec::new();
    let mut places: Vec<u64> = vec![0; source.table.len() as usize];
    // Nodes that must still be visited, with their positions. The last one is the next.
    let mut waiting: Vec<(Id, u64)> = vec![(0, 0)];
    while let Some((id, place)) = waiting.pop() {
        places[id as usize] = place;
        let (kind, properties) = (source.kind_of(id), source.table.properties(id));
        let tag = properties.has_tag().then(|| &source.text[properties.tag.0 as usize..properties.tag.1 as usize]);
        out.push(match kind {
            Kind::Alias => hash_value(&(place, places.get(source.table.extra(id) as usize))),
            _ if kind.is_collection() => hash_value(&(place, tag, kind.is_mapping(), source.table.extra(id))),
            _ => hash_value(&(place, tag, format!("{:?}", scalar::scalar_value(source.text, source.table, id)))),
        });
        let from = waiting.len();
        if kind.is_mapping() {
            let mut seen: HashMap<_, u32> = HashMap::new();
            for (key, value) in source.pairs(id) {
                let name = source.key_name(key);
                let count = seen.entry(name.clone()).or_default();
                *count += 1;
                let below = hash_value(&(place, &name, *count));
                waiting.push((key, hash_value(&(below, "key"))));
                waiting.push((value, below));
            }
        } else {
            waiting
                .extend(source.table.children(id).enumerate().map(|(index, item)| (item, hash_value(&(place, index)))));
        }
        waiting[from..].reverse();
    }
    out.sort_unstable();
    out
}

fn hash_value(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}
