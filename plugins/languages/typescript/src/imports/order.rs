//! Order of imports: comparison of module specifiers and names, and detection of the order in a file.

use std::cmp::Ordering;

use crate::imports::module_order::ModuleOrder;
use crate::imports::preferences::{Collation, Preferences, TypeOrder};

/// Comparison of two names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Comparer {
    pub(crate) ignore_case: bool,
    pub(crate) collation: Collation,
    /// Order of statements by their modules.
    pub(crate) modules: ModuleOrder,
}

/// The properties of a name in a list that determine its order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ListEntry<'n> {
    /// The local name, or the exported name.
    pub(crate) name: &'n str,
    pub(crate) is_type: bool,
}

/// Order of the names in a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ListOrder {
    pub(crate) comparer: Comparer,
    pub(crate) types: TypeOrder,
}

/// A detected order, and whether the names follow it everywhere.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Detected<O> {
    pub(crate) order: O,
    pub(crate) is_sorted: bool,
}

impl Comparer {
    pub(crate) fn compare(self, one: &str, other: &str) -> Ordering {
        match (self.collation.unicode, self.ignore_case) {
            _ if self.collation.natural => compare_naturally(one, other, MARKS),
            (true, _) => Key::new(one, self).cmp(&Key::new(other, self)),
            (false, true) => one.to_lowercase().cmp(&other.to_lowercase()),
            (false, false) => one.cmp(other),
        }
    }

    /// Compares two module specifiers.
    pub(crate) fn compare_modules(self, one: &str, other: &str) -> Ordering {
        self.modules.compare(self, one, other)
    }
}

impl ListOrder {
    pub(crate) fn compare(self, one: ListEntry<'_>, other: ListEntry<'_>) -> Ordering {
        let by_kind = match self.types {
            TypeOrder::Last => one.is_type.cmp(&other.is_type),
            TypeOrder::First => other.is_type.cmp(&one.is_type),
            TypeOrder::Inline => Ordering::Equal,
        };
        by_kind.then_with(|| self.comparer.compare(one.name, other.name))
    }
}

/// Compares character by character: punctuation in the order of `marks`, numbers by value, letters as `A`, `a`, `B`.
pub(crate) fn compare_naturally(one: &str, other: &str, marks: &str) -> Ordering {
    split_signs(one, marks).cmp(&split_signs(other, marks)).then_with(|| one.cmp(other))
}

fn split_signs(text: &str, marks: &str) -> Vec<(Sign, bool)> {
    let mut found = Vec::new();
    let mut chars = text.chars().peekable();
    while let Some(char) = chars.next() {
        if char.is_ascii_digit() {
            let mut digits = String::from(char);
            digits.extend(std::iter::from_fn(|| chars.next_if(char::is_ascii_digit)));
            let digits = digits.trim_start_matches('0').to_owned();
            found.push((Sign::Number(digits.len(), digits), false));
        } else if char.is_alphabetic() {
            found.push((Sign::Letter(char.to_lowercase().next().unwrap_or(char)), char.is_lowercase()));
        } else {
            found.push((Sign::Mark(marks.find(char).map_or(u8::MAX, |at| at as u8), char), false));
        }
    }
    found
}

/// Sort key of dictionary order: by letters, then accents, then case.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    letters: Vec<Sign>,
    accents: Vec<u32>,
    cases: Vec<bool>,
}

#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Sign {
    Mark(u8, char),
    /// Number of digits, and the digits. The number of digits comes first because a longer number is greater.
    Number(usize, String),
    Letter(char),
}

/// Punctuation in dictionary order.
const MARKS: &str = "_-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$";

impl Key {
    fn new(name: &str, comparer: Comparer) -> Key {
        let Collation { numeric, without_accents, upper_first, .. } = comparer.collation;
        let mut key = Key { letters: Vec::new(), accents: Vec::new(), cases: Vec::new() };
        let mut chars = name.chars().peekable();
        while let Some(char) = chars.next() {
            if char.is_ascii_digit() {
                let mut digits = String::from(char);
                while let Some(digit) = chars.next_if(|next| numeric && next.is_ascii_digit()) {
                    digits.push(digit);
                }
                let digits = if numeric { digits.trim_start_matches('0').to_owned() } else { digits };
                key.letters.push(Sign::Number(digits.len(), digits));
                continue;
            }
            let (base, accent) = without_accent(char);
            if !base.is_alphabetic() {
                let place = MARKS.find(base).map_or(u8::MAX, |at| at as u8);
                key.letters.push(Sign::Mark(place, base));
                continue;
            }
            key.letters.push(Sign::Letter(base.to_lowercase().next().unwrap_or(base)));
            key.accents.push(if without_accents { 0 } else { accent });
            key.cases.push(!comparer.ignore_case && base.is_uppercase() != upper_first);
        }
        key
    }
}

/// Returns a Latin letter without its accent, and a number for the accent.
fn without_accent(char: char) -> (char, u32) {
    const BASES: [(&str, char); 14] = [
        ("àáâãäåāăą", 'a'),
        ("çćĉċč", 'c'),
        ("ďđ", 'd'),
        ("èéêëēĕėęě", 'e'),
        ("ĝğġģ", 'g'),
        ("ìíîïĩīĭį", 'i'),
        ("ĺļľŀł", 'l'),
        ("ñńņňŉ", 'n'),
        ("òóôõöøōŏő", 'o'),
        ("ŕŗř", 'r'),
        ("śŝşš", 's'),
        ("ţťŧ", 't'),
        ("ùúûüũūŭůűų", 'u'),
        ("źżžýÿ", 'z'),
    ];
    if char.is_ascii() {
        return (char, 0);
    }
    let lower = char.to_lowercase().next().unwrap_or(char);
    let found = BASES.iter().find_map(|(all, base)| {
        let at = all.chars().position(|known| known == lower)?;
        let base = if matches!(lower, 'ý' | 'ÿ') { 'y' } else { *base };
        Some((base, at as u32 + 1))
    });
    match found {
        Some((base, accent)) if char.is_uppercase() => (base.to_ascii_uppercase(), accent),
        Some(found) => found,
        None => (char, 0),
    }
}

/// Returns the comparers that a file may be sorted by, the most common first.
pub(crate) fn comparers(preferences: &Preferences) -> Vec<Comparer> {
    let comparer =
        |ignore_case| Comparer { ignore_case, collation: preferences.collation, modules: preferences.modules };
    match preferences.ignore_case {
        Some(ignore_case) => vec![comparer(ignore_case)],
        None => vec![comparer(true), comparer(false)],
    }
}

/// Returns the comparer for lists without a detected order.
pub(crate) fn default_comparer(preferences: &Preferences) -> Comparer {
    Comparer {
        ignore_case: preferences.ignore_case == Some(true),
        collation: Collation { natural: preferences.collation.natural, ..Collation::default() },
        modules: preferences.modules,
    }
}

fn type_orders(preferences: &Preferences) -> Vec<TypeOrder> {
    preferences.type_order.map_or_else(|| vec![TypeOrder::Last, TypeOrder::Inline, TypeOrder::First], |one| vec![one])
}

/// Returns the number of adjacent pairs in the wrong order.
fn disorder_count<T: Copy>(list: &[T], compare: impl Fn(T, T) -> Ordering) -> usize {
    list.windows(2).filter(|pair| compare(pair[0], pair[1]) == Ordering::Greater).count()
}

/// Returns the comparer that fits the order of the lists best.
pub(crate) fn detect(lists: &[Vec<&str>], preferences: &Preferences) -> Detected<Comparer> {
    let disorder = |comparer: Comparer| -> usize {
        lists.iter().map(|list| disorder_count(list, |one: &str, other: &str| comparer.compare(one, other))).sum()
    };
    let tried = comparers(preferences).into_iter().map(|comparer| (comparer, disorder(comparer)));
    let (order, least) = tried.min_by_key(|(_, disorder)| *disorder).unwrap_or((default_comparer(preferences), 0));
    Detected { order, is_sorted: least == 0 }
}

/// Returns the comparer that fits the order of import statements best.
pub(crate) fn detect_modules(lists: &[Vec<&str>], preferences: &Preferences) -> Detected<Comparer> {
    let found = detect(lists, preferences);
    if preferences.modules == ModuleOrder::Compiler {
        return found;
    }
    let compare = |one: &str, other: &str| found.order.compare_modules(one, other);
    Detected { is_sorted: lists.iter().all(|list| disorder_count(list, compare) == 0), ..found }
}

/// Returns the order that fits lists of names best; `None` if all lists are empty.
pub(crate) fn detect_lists(lists: &[Vec<ListEntry<'_>>], preferences: &Preferences) -> Option<Detected<ListOrder>> {
    let lists: Vec<_> = lists.iter().filter(|list| !list.is_empty()).collect();
    if lists.is_empty() {
        return None;
    }
    let mixes = |list: &&Vec<ListEntry<'_>>| list.iter().any(|it| it.is_type) && list.iter().any(|it| !it.is_type);
    let types = type_orders(preferences);
    if !lists.iter().any(mixes) {
        let names: Vec<Vec<&str>> = lists.iter().map(|list| list.iter().map(|it| it.name).collect()).collect();
        let Detected { order: comparer, is_sorted } = detect(&names, preferences);
        let types = preferences.type_order.unwrap_or(TypeOrder::Last);
        return Some(Detected { order: ListOrder { comparer, types }, is_sorted });
    }
    let disorder = |order: ListOrder| -> usize {
        lists.iter().map(|list| disorder_count(list, |one, other| order.compare(one, other))).sum()
    };
    // Try all positions of types with all comparers, and take the first that fits best.
    let tried = types
        .into_iter()
        .flat_map(|types| comparers(preferences).into_iter().map(move |comparer| ListOrder { comparer, types }));
    let (order, least) = tried.map(|order| (order, disorder(order))).min_by_key(|(_, disorder)| *disorder)?;
    Some(Detected { order, is_sorted: least == 0 })
}

/// Returns the order of one list: that of the list itself, else that of other lists in the file.
pub(crate) fn order_of_list(
    list: &[ListEntry<'_>],
    others: &[Vec<ListEntry<'_>>],
    preferences: &Preferences,
) -> Detected<ListOrder> {
    let own = [list.to_vec()];
    detect_lists(&own, preferences).or_else(|| detect_lists(others, preferences)).unwrap_or_else(|| {
        let comparer = comparers(preferences)[0];
        let types = preferences.type_order.unwrap_or(TypeOrder::Last);
        Detected { order: ListOrder { comparer, types }, is_sorted: true }
    })
}

/// Returns the index at which to insert into a sorted list: that of an equal element found by binary search, else
/// between its neighbors.
pub(crate) fn insertion_index<T>(sorted: &[T], compare: impl Fn(&T) -> Ordering) -> usize {
    sorted.binary_search_by(compare).unwrap_or_else(|at| at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(names: &[&str], ignore_case: bool, collation: Collation, sorted: &[&str]) {
        let comparer = Comparer { ignore_case, collation, modules: ModuleOrder::default() };
        let mut names = names.to_vec();
        names.sort_by(|one, other| comparer.compare(one, other));
        assert_eq!(names, sorted);
    }

    #[test]
    fn names_are_compared_by_preferences() {
        let plain = Collation::default();
        let unicode = Collation { unicode: true, ..plain };
        check(&["b", "A", "_", "a", "B"], false, plain, &["A", "B", "_", "a", "b"]);
        check(&["b", "A", "_", "a", "B"], true, plain, &["_", "A", "a", "b", "B"]);
        check(&["b", "A", "_", "a", "B"], false, unicode, &["_", "a", "A", "b", "B"]);
        check(&["a2", "a100", "a1"], false, unicode, &["a1", "a100", "a2"]);
        check(&["a2", "a100", "a1"], false, Collation { numeric: true, ..unicode }, &["a1", "a2", "a100"]);
        check(&["B", "À", "A"], false, unicode, &["A", "À", "B"]);
        check(&["B", "À", "A"], false, Collation { without_accents: true, ..unicode }, &["À", "A", "B"]);
        check(&["ab", "Ab"], false, Collation { upper_first: true, ..unicode }, &["Ab", "ab"]);
        let natural = Collation { natural: true, ..plain };
        check(&["b", "a10", "B", "a9", "a", "A"], false, natural, &["A", "a", "a9", "a10", "B", "b"]);
    }

    #[test]
    fn detects_order_of_list() {
        let order = |names: &[&str]| {
            let list: Vec<ListEntry<'_>> = names
                .iter()
                .map(|name| match name.strip_prefix("type ") {
                    Some(name) => ListEntry { name, is_type: true },
                    None => ListEntry { name, is_type: false },
                })
                .collect();
            let found = detect_lists(&[list], &Preferences::default()).expect("a list");
            (found.order.types, found.order.comparer.ignore_case, found.is_sorted)
        };
        assert_eq!(order(&["a", "B"]), (TypeOrder::Last, true, true));
        assert_eq!(order(&["B", "a"]), (TypeOrder::Last, false, true));
        assert_eq!(order(&["c", "b", "a"]), (TypeOrder::Last, true, false));
        assert_eq!(order(&["type a", "B"]), (TypeOrder::Inline, true, true));
        assert_eq!(order(&["type b", "a"]), (TypeOrder::First, true, true));
        assert_eq!(order(&["b", "type a"]), (TypeOrder::Last, true, true));
    }
}
