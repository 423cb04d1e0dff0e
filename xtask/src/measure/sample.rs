//! Seeded samples: the same seed and size give the same sample, and its items are spread over the whole list.

/// Returns the indices of a sample of a list, in order. A sample of `most` items has one item from each of `most` equal
/// parts of the list; without `most`, it has all items.
///
/// `name` keeps samples of different lists independent of each other.
pub(crate) fn indices(length: usize, most: Option<usize>, seed: u64, name: &str) -> Vec<usize> {
    let most = most.unwrap_or(length);
    if most >= length {
        return (0..length).collect();
    }
    let mut random = Random::new(seed, name);
    (0..most)
        .map(|part| {
            let (start, end) = (part * length / most, (part + 1) * length / most);
            start + random.below(end - start)
        })
        .collect()
}

/// Pseudo-random numbers (SplitMix64).
pub(crate) struct Random(u64);

impl Random {
    /// Starts a sequence. `name` keeps sequences for different purposes independent of each other.
    pub(crate) fn new(seed: u64, name: &str) -> Random {
        // Uses FNV-1a, because the hashes of the standard library may differ between its versions.
        let hash = name
            .bytes()
            .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3));
        Random(hash ^ seed.wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `end`, which is at least 1.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn same_seed_gives_same_sample() {
        assert_eq!(indices(1000, Some(7), 1, "a"), indices(1000, Some(7), 1, "a"));
    }

    #[test]
    fn seed_and_name_change_the_sample() {
        let sample = indices(1000, Some(7), 1, "a");
        assert_ne!(sample, indices(1000, Some(7), 2, "a"));
        assert_ne!(sample, indices(1000, Some(7), 1, "b"));
    }

    #[test]
    fn sample_has_one_item_of_each_part() {
        for seed in 0..50 {
            for (part, index) in indices(103, Some(10), seed, "a").into_iter().enumerate() {
                assert!((part * 103 / 10..(part + 1) * 103 / 10).contains(&index), "{seed}: {part}: {index}");
            }
        }
    }

    #[test]
    fn every_item_can_be_drawn() {
        let drawn: std::collections::BTreeSet<usize> =
            (0..200).flat_map(|seed| indices(12, Some(3), seed, "a")).collect();
        assert_eq!(drawn.len(), 12);
    }

    #[test]
    fn short_lists_and_full_runs_are_complete() {
        assert_eq!(indices(3, Some(5), 1, "a"), [0, 1, 2]);
        assert_eq!(indices(3, None, 1, "a"), [0, 1, 2]);
        assert!(indices(0, Some(5), 1, "a").is_empty());
    }
}
