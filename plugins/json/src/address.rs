//! Addresses of values: the way from the root, written as JSONPath.

use std::borrow::Cow;

use marquetry_jsonpath::{push_index, push_name, push_occurrence};

use crate::{
    source::{Child, Children, Source},
    table::Id,
};

/// A value and how it is reached.
#[derive(Debug, Clone)]
pub(crate) struct Place<'d> {
    pub(crate) id: Id,
    pub(crate) address: String,
    /// The key, or the index as text; empty for the root.
    pub(crate) name: Cow<'d, str>,
    /// The container it is in, and which of the container's children it is.
    pub(crate) parent: Option<(Id, usize)>,
    /// The entry of its key.
    pub(crate) key: Option<Id>,
    /// Where what stands before it ends: its neighbour, or the bracket.
    pub(crate) gap: usize,
}

/// The places of the values with these ids, in the order of the document, each once.
///
/// One walk finds them all: it enters only containers that hold a wanted value.
pub(crate) fn places<'d>(source: Source<'d>, ids: &[Id]) -> Vec<Place<'d>> {
    let mut wanted = ids.to_vec();
    wanted.sort_unstable();
    wanted.dedup();
    let mut found = Vec::with_capacity(wanted.len());
    let mut rest = wanted.as_slice();
    if let [0, others @ ..] = rest {
        let gap = source.table.range(0).start;
        found.push(Place {
            id: 0,
            address: "$".to_owned(),
            name: Cow::Borrowed(""),
            parent: None,
            key: None,
            gap,
        });
        rest = others;
    }
    let mut path = "$".to_owned();
    let mut levels = vec![Level::new(source, 0, path.len())];
    while let (Some(level), [next, ..]) = (levels.last_mut(), rest) {
        let Some(child) = level.children.next() else {
            levels.pop();
            continue;
        };
        level.index += 1;
        if source.behind(child.value) <= *next {
            level.gap = source.table.range(child.value).end;
            continue;
        }
        path.truncate(level.length);
        level.push_step(source, child, &mut path);
        if child.value == *next {
            found.push(level.place(source, child, path.clone()));
            rest = &rest[1..];
        }
        level.gap = source.table.range(child.value).end;
        if rest.first().is_some_and(|next| *next < source.behind(child.value)) {
            levels.push(Level::new(source, child.value, path.len()));
        }
    }
    found
}

/// A container on the way.
struct Level<'d> {
    container: Id,
    children: Children<'d>,
    /// How many children were taken.
    index: usize,
    /// Where what stands before the next child ends.
    gap: usize,
    /// The length of the container's own address.
    length: usize,
    /// How many steps were asked for.
    asked: usize,
    /// Names that several members have, sorted; found when more than one step is asked for.
    repeated: Option<Vec<(Cow<'d, str>, usize)>>,
}

impl<'d> Level<'d> {
    fn new(source: Source<'d>, container: Id, length: usize) -> Level<'d> {
        let children = source.children_of(container);
        let gap = source.table.range(container).start + usize::from(!source.is_lines(container));
        Level { container, children, index: 0, gap, length, asked: 0, repeated: None }
    }

    fn place(&self, source: Source<'d>, child: Child, address: String) -> Place<'d> {
        let index = self.index - 1;
        let name = child.key.map_or_else(|| Cow::Owned(index.to_string()), |key| source.name(key));
        Place {
            id: child.value,
            address,
            name,
            parent: Some((self.container, index)),
            key: child.key,
            gap: self.gap,
        }
    }

    /// Append the step from the container to the child that was taken last.
    fn push_step(&mut self, source: Source<'d>, child: Child, path: &mut String) {
        let Some(key) = child.key else { return push_index(path, self.index - 1) };
        self.asked += 1;
        let name = source.name(key);
        // One comparison with every other key is cheap; for more of them it pays to sort.
        if self.asked == 1 && !self.children.clone().any(|later| later.is_named(source, &name)) {
            return push_name(path, &name);
        }
        let repeated = self.repeated.get_or_insert_with(|| repeated_names(source, self.container));
        let from = repeated.partition_point(|(other, _)| *other < name);
        let to = repeated.partition_point(|(other, _)| *other <= name);
        let number = repeated[from..to].partition_point(|(_, index)| *index < self.index);
        if number == to - from { push_name(path, &name) } else { push_occurrence(path, &name, number as u32) }
    }
}

/// The members that share their name with others in an object, sorted by name, each with its index.
pub(crate) fn repeated_names(source: Source<'_>, object: Id) -> Vec<(Cow<'_, str>, usize)> {
    let children = source.children_of(object).enumerate();
    let mut names: Vec<_> =
        children.filter_map(|(index, child)| Some((source.name(child.key?), index))).collect();
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
