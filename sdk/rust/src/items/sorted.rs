//! Positions of new keys among sorted keys.

/// The index at which to insert a key into sorted keys: before the first greater one. Compares without case first.
///
/// # Examples
///
/// ```
/// use marquetry_sdk::items::sorted_index;
///
/// assert_eq!(sorted_index(["alpha", "Delta"], "beta"), 1);
/// ```
pub fn sorted_index<'k>(keys: impl IntoIterator<Item = &'k str>, key: &str) -> usize {
    let wanted = sort_key(key);
    let keys: Vec<_> = keys.into_iter().map(sort_key).collect();
    keys.iter().position(|name| *name > wanted).unwrap_or(keys.len())
}

/// Maximum number of keys whose order may be accidental.
const FEW_KEYS: usize = 3;

/// Returns whether the keys are sorted, so that a new key should keep the order.
pub fn are_sorted(keys: impl IntoIterator<Item = impl AsRef<str>>) -> bool {
    let keys: Vec<_> = keys.into_iter().map(|key| sort_key(key.as_ref())).collect();
    keys.len() > FEW_KEYS && keys.is_sorted()
}

pub(crate) fn sort_key(key: &str) -> (String, String) {
    (key.to_lowercase(), key.to_owned())
}
