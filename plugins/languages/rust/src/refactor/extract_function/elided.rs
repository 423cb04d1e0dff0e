//! Lifetimes in the types of a signature, also those that are not written.

use marquetry_code::CodeDocument;
use marquetry_sdk::workspace;

use super::flow::Flow;
use crate::{
    kinds::{K, child, has_kind},
    names::{BindingKind, TYPES},
    table::RUST,
    types::text::{has_lifetime, words},
};

/// Types and traits of the standard library without lifetime parameters.
const WITHOUT: [&str; 68] = [
    "Any",
    "Arc",
    "AsMut",
    "AsRef",
    "AtomicBool",
    "AtomicU32",
    "AtomicU64",
    "AtomicUsize",
    "BTreeMap",
    "BTreeSet",
    "BinaryHeap",
    "Borrow",
    "Box",
    "CStr",
    "CString",
    "Cell",
    "Clone",
    "Copy",
    "Debug",
    "Default",
    "Deref",
    "Display",
    "DoubleEndedIterator",
    "Duration",
    "Eq",
    "Error",
    "ErrorKind",
    "ExactSizeIterator",
    "ExitCode",
    "File",
    "Fn",
    "FnMut",
    "FnOnce",
    "From",
    "Future",
    "Hash",
    "HashMap",
    "HashSet",
    "Instant",
    "Into",
    "IntoIterator",
    "Iterator",
    "LinkedList",
    "Mutex",
    "OnceCell",
    "OnceLock",
    "Option",
    "Ord",
    "Ordering",
    "OsStr",
    "OsString",
    "PartialEq",
    "Path",
    "PathBuf",
    "PhantomData",
    "Pin",
    "Range",
    "RangeInclusive",
    "Rc",
    "Read",
    "RefCell",
    "Result",
    "RwLock",
    "String",
    "SystemTime",
    "Vec",
    "VecDeque",
    "Write",
];

/// The lifetimes of a type.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) struct Lifetimes {
    /// The number of written and elided lifetimes.
    pub(super) count: usize,
    /// The number of lifetimes that are neither written nor marked.
    pub(super) hidden: usize,
    /// True if a type of another crate may have more lifetimes.
    pub(super) may_be_more: bool,
}

impl Flow<'_> {
    /// The lifetimes of a type in the signature.
    pub(super) fn lifetimes(&self, own: &str) -> Lifetimes {
        let own = own.replace("&'static ", "").replace("'static", "");
        // The references in the types of functions have their own lifetimes.
        if ["fn(", "Fn(", "FnMut(", "FnOnce("].iter().any(|name| own.contains(name)) {
            return Lifetimes { count: usize::from(has_lifetime(&own)), ..Lifetimes::default() };
        }
        let mut named: Vec<&str> = words(&own).filter(|word| word.starts_with('\'') && *word != "'_").collect();
        named.sort_unstable();
        named.dedup();
        let elided = own.match_indices('&').filter(|(at, _)| !own[at + 1..].trim_start().starts_with('\'')).count();
        let marked = words(&own).filter(|word| *word == "'_").count();
        let mut found = Lifetimes { count: named.len() + elided + marked, ..Lifetimes::default() };
        for word in words(&own).filter(|word| word.starts_with(char::is_uppercase)) {
            let at = word.as_ptr() as usize - own.as_ptr() as usize;
            let (before, after) = (own[..at].trim_end(), own[at + word.len()..].trim_start());
            let is_written = after.strip_prefix('<').is_some_and(|rest| rest.trim_start().starts_with('\''));
            let is_trait = ["dyn", "impl", "+"].iter().any(|sign| before.ends_with(sign));
            if is_written || is_trait || WITHOUT.contains(&word) {
                continue;
            }
            match self.parameters(word, before.ends_with("::")) {
                Some(count) => found.hidden += count,
                None => found.may_be_more = true,
            }
        }
        found
    }

    /// The number of lifetime parameters of a type. `None` if its declaration is not known.
    fn parameters(&self, name: &str, has_path: bool) -> Option<usize> {
        if name == "Self" {
            return Some(0);
        }
        let names = self.names();
        let binding = names.lookup(name, TYPES, self.types.scope_at(self.selected.statement)).filter(|_| !has_path)?;
        if names.bindings[binding].kind == BindingKind::Generic {
            return Some(0);
        }
        let place = self.symbol().item_at(names.bound_at(binding).next()?.span.start)?;
        let other = workspace::read(&place.path).ok().filter(|_| place.path != self.symbol().path());
        let other = other.map(|text| CodeDocument::open(&RUST, &place.path, text));
        let arena = other.as_ref().map_or(self.arena, CodeDocument::arena);
        let here = marquetry_sdk::Span { start: place.offset, end: place.offset + 1 };
        let named = arena.ancestors(arena.innermost(here)).find(|node| has_kind(arena, *node, K::NAME))?;
        let item = arena.node(named).parent;
        let is_type = [K::STRUCT, K::ENUM, K::UNION, K::TYPE_ALIAS].iter().any(|kind| has_kind(arena, item, *kind));
        let list = child(arena, item, K::GENERIC_PARAM_LIST).filter(|_| is_type);
        let all = list.into_iter().flat_map(|list| arena.children(list));
        is_type.then(|| all.filter(|own| has_kind(arena, *own, K::LIFETIME_PARAM)).count())
    }
}
