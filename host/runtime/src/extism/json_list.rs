//! Deserializes a long JSON list into preallocated memory.

use std::{fmt, marker::PhantomData};

use marquetry_model::limits;
use serde::{
    Deserialize, Deserializer,
    de::{DeserializeSeed, SeqAccess, Visitor},
};

/// Approximate minimum number of bytes of an outline node.
const MIN_ITEM_BYTES: usize = 100;

/// Deserializes a list. JSON does not give the length. If the capacity grew by doubling, moving the list would take a
/// large part of the parsing time.
pub(super) struct ListSeed<T> {
    /// Expected number of items.
    capacity: usize,
    of: PhantomData<T>,
}

impl<T> ListSeed<T> {
    /// Estimates the number of items from the number of bytes.
    pub(super) fn for_length(bytes: usize) -> ListSeed<T> {
        ListSeed { capacity: (bytes / MIN_ITEM_BYTES).min(limits::MAX_NODES), of: PhantomData }
    }
}

impl<'a, T: Deserialize<'a>> DeserializeSeed<'a> for ListSeed<T> {
    type Value = Vec<T>;

    fn deserialize<D: Deserializer<'a>>(self, from: D) -> Result<Vec<T>, D::Error> {
        from.deserialize_seq(self)
    }
}

impl<'a, T: Deserialize<'a>> Visitor<'a> for ListSeed<T> {
    type Value = Vec<T>;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a sequence")
    }

    fn visit_seq<A: SeqAccess<'a>>(self, mut items: A) -> Result<Vec<T>, A::Error> {
        let mut all = Vec::with_capacity(self.capacity);
        while let Some(item) = items.next_element()? {
            all.push(item);
        }
        Ok(all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, bytes: usize) -> Result<Vec<u32>, String> {
        let read = ListSeed::for_length(bytes).deserialize(&mut serde_json::Deserializer::from_str(text));
        read.map_err(|error| error.to_string())
    }

    #[test]
    fn lists_of_any_length_are_read() {
        assert_eq!(read("[]", 0), Ok(Vec::new()));
        assert_eq!(read("[1, 2, 3]", 0), Ok(vec![1, 2, 3]));
        let many = read("[1]", 200 * MIN_ITEM_BYTES).expect("a list");
        assert!(many.capacity() >= 200 && many == [1], "{}", many.capacity());
        let most = read("[]", usize::MAX).expect("a list");
        assert!(most.capacity() < 2 * limits::MAX_NODES, "{}", most.capacity());
    }

    #[test]
    fn other_values_are_refused_like_by_serde() {
        for text in ["3", "{}", "[-1]", "[1", ""] {
            let wrong = serde_json::from_str::<Vec<u32>>(text).expect_err("not a list").to_string();
            assert_eq!(read(text, 9), Err(wrong), "{text}");
        }
    }
}
