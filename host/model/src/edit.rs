//! Text edits: a span and its replacement, and sorted sets of edits that do not overlap.

use crate::{
    Error, Kind, Result, Span,
    text::{LineBreak, Lines},
};

/// A replacement of a span of a text.
///
/// # Examples
///
/// ```
/// use marquetry_model::{Edit, EditSet, Span};
///
/// let rename = Edit { span: Span::new(4, 5), text: "count".to_owned() };
/// let edits = EditSet::new("let n = 1;", vec![rename])?;
/// assert_eq!(edits.apply("let n = 1;"), "let count = 1;");
/// # Ok::<(), marquetry_model::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// The span to replace.
    pub span: Span,
    /// The replacement text.
    pub text: String,
}

/// Edits of one text. They are guaranteed to be sorted, in bounds and free of overlaps.
///
/// # Examples
///
/// ```
/// use marquetry_model::{Edit, EditSet, Span};
///
/// let edit = |start, end, text: &str| Edit { span: Span::new(start, end), text: text.to_owned() };
/// let edits = EditSet::new("one two", vec![edit(4, 7, "2"), edit(0, 3, "1")])?;
/// assert_eq!(edits.as_slice()[0], edit(0, 3, "1"));
/// assert_eq!(edits.apply("one two"), "1 2");
///
/// let overlapping = EditSet::new("one two", vec![edit(0, 5, ""), edit(4, 7, "")]);
/// assert_eq!(overlapping.unwrap_err().content().message, "two edits overlap on line 1");
/// # Ok::<(), marquetry_model::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct EditSet {
    edits: Vec<Edit>,
}

impl EditSet {
    /// Checks and sorts the edits of `text`. Insertions at the same offset keep their order; exact duplicates are
    /// dropped.
    ///
    /// # Errors
    /// Fails with `InvalidArgument` if a span does not fit the text, or if two edits overlap.
    pub fn new(text: &str, edits: Vec<Edit>) -> Result<EditSet> {
        for edit in &edits {
            if !edit.span.is_valid_in(text) {
                return Err(Error::new(
                    Kind::InvalidArgument,
                    format!("an edit at {}..{} does not fit the text", edit.span.start, edit.span.end),
                ));
            }
        }
        EditSet::sorted(text, edits)
    }

    /// Merges several sets of edits of the same text. Fails if they overlap.
    ///
    /// # Errors
    /// Fails with `InvalidArgument` if two edits overlap.
    ///
    /// # Examples
    ///
    /// ```
    /// use marquetry_model::{Edit, EditSet, Span};
    ///
    /// let set = |start, end, text: &str| {
    ///     EditSet::new("a b c", vec![Edit { span: Span::new(start, end), text: text.to_owned() }])
    /// };
    /// let both = EditSet::union("a b c", [set(4, 5, "C")?, set(0, 1, "A")?])?;
    /// assert_eq!(both.apply("a b c"), "A b C");
    /// assert!(EditSet::union("a b c", [set(0, 3, "")?, set(2, 5, "")?]).is_err());
    /// # Ok::<(), marquetry_model::Error>(())
    /// ```
    pub fn union(text: &str, sets: impl IntoIterator<Item = EditSet>) -> Result<EditSet> {
        EditSet::sorted(text, sets.into_iter().flat_map(|set| set.edits).collect())
    }

    fn sorted(text: &str, mut edits: Vec<Edit>) -> Result<EditSet> {
        edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
        edits.dedup();
        for pair in edits.windows(2) {
            if pair[1].span.start < pair[0].span.end {
                let line = Lines::new(text).position(pair[1].span.start).line;
                return Err(Error::new(Kind::InvalidArgument, format!("two edits overlap on line {line}"))
                    .hint("make them one edit, or apply them one after the other"));
            }
        }
        Ok(EditSet { edits })
    }

    /// Moves all edits by `by` bytes: from offsets within a part of a text to offsets within the whole text.
    #[must_use]
    pub fn shifted(mut self, by: usize) -> EditSet {
        for edit in &mut self.edits {
            edit.span = edit.span.shifted(by);
        }
        self
    }

    /// The edits, in order.
    pub fn as_slice(&self) -> &[Edit] {
        &self.edits
    }

    /// Returns whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.edits.is_empty()
    }

    /// Returns the number of edits.
    pub fn len(&self) -> usize {
        self.edits.len()
    }

    /// Converts inserted line breaks to those of the file, and drops edits that change nothing.
    ///
    /// # Examples
    ///
    /// ```
    /// use marquetry_model::{Edit, EditSet, Span, text::LineBreak};
    ///
    /// let text = "a\r\nb\r\n";
    /// let insert = Edit { span: Span::new(3, 3), text: "x\n".to_owned() };
    /// let same = Edit { span: Span::new(3, 4), text: "b".to_owned() };
    /// let edits = EditSet::new(text, vec![insert, same])?.normalized(text, LineBreak::CrLf);
    /// assert_eq!((edits.len(), edits.apply(text).as_str()), (1, "a\r\nx\r\nb\r\n"));
    /// # Ok::<(), marquetry_model::Error>(())
    /// ```
    #[must_use]
    pub fn normalized(mut self, text: &str, line_break: LineBreak) -> EditSet {
        for edit in &mut self.edits {
            if edit.text.contains(['\n', '\r']) && edit.text != edit.span.slice(text) {
                let converted = line_break.convert(&edit.text);
                // A replacement that differs only in its line endings keeps the old text, even if its line endings are
                // mixed.
                edit.text = if LineBreak::Lf.convert(edit.span.slice(text)) == LineBreak::Lf.convert(&converted) {
                    edit.span.slice(text).to_owned()
                } else {
                    converted
                };
            }
        }
        self.edits.retain(|edit| edit.text != edit.span.slice(text));
        self
    }

    /// Returns the text with the edits applied.
    pub fn apply(&self, text: &str) -> String {
        let grown: usize = self.edits.iter().map(|edit| edit.text.len()).sum();
        let mut result = String::with_capacity(text.len() + grown);
        let mut at = 0;
        for edit in &self.edits {
            result.push_str(&text[at..edit.span.start]);
            result.push_str(&edit.text);
            at = edit.span.end;
        }
        result.push_str(&text[at..]);
        result
    }

    /// Composes two sets: the result edits `text` directly and has the same effect as applying this set and then
    /// `next`, which edits the text after this set. Text that neither set touches is not part of any resulting edit.
    ///
    /// # Examples
    ///
    /// ```
    /// use marquetry_model::{Edit, EditSet, Span};
    ///
    /// let edit = |start, end, text: &str| Edit { span: Span::new(start, end), text: text.to_owned() };
    /// let first = EditSet::new("abc", vec![edit(1, 2, "XY")])?;
    /// let next = EditSet::new("aXYc", vec![edit(2, 4, "Z")])?;
    /// let both = first.compose("abc", &next);
    /// assert_eq!(both.as_slice(), [edit(1, 3, "XZ")]);
    /// assert_eq!(both.apply("abc"), next.apply(&first.apply("abc")));
    /// # Ok::<(), marquetry_model::Error>(())
    /// ```
    #[must_use]
    pub fn compose(&self, text: &str, next: &EditSet) -> EditSet {
        let (between, made) = (self.apply(text), self.spans_after());
        let mut composed = Vec::with_capacity(self.len() + next.len());
        // `moved`: by how much this set has shifted the text before the current position.
        let (mut own, mut others, mut moved) = (0, 0, 0_isize);
        loop {
            let first = match (made.get(own), next.edits.get(others)) {
                (None, None) => break,
                (Some(made), None) => *made,
                (None, Some(edit)) => edit.span,
                (Some(made), Some(edit)) => {
                    if made.start <= edit.span.start {
                        *made
                    } else {
                        edit.span
                    }
                }
            };
            // Edits of both sets that touch or overlap become one edit.
            let (first_own, first_other, mut end) = (own, others, first.end);
            loop {
                if made.get(own).is_some_and(|span| span.start <= end) {
                    end = end.max(made[own].end);
                    own += 1;
                } else if next.edits.get(others).is_some_and(|edit| edit.span.start <= end) {
                    end = end.max(next.edits[others].span.end);
                    others += 1;
                } else {
                    break;
                }
            }
            let mut new = String::new();
            let mut at = first.start;
            for edit in &next.edits[first_other..others] {
                new.push_str(&between[at..edit.span.start]);
                new.push_str(&edit.text);
                at = edit.span.end;
            }
            new.push_str(&between[at..end]);
            let start = first.start.saturating_add_signed(-moved);
            for (edit, made) in self.edits[first_own..own].iter().zip(&made[first_own..own]) {
                moved += made.len() as isize - edit.span.len() as isize;
            }
            composed.push(Edit { span: Span::new(start, end.saturating_add_signed(-moved)), text: new });
        }
        EditSet { edits: composed }
    }

    /// Returns the spans of the replacement texts in the edited text, in order.
    pub fn spans_after(&self) -> Vec<Span> {
        let mut moved = 0_isize;
        self.edits
            .iter()
            .map(|edit| {
                let start = edit.span.start.saturating_add_signed(moved);
                moved += edit.text.len() as isize - edit.span.len() as isize;
                Span::new(start, start + edit.text.len())
            })
            .collect()
    }

    /// Maps an offset in the original text to the edited text. An offset within a replaced span maps to the start of
    /// its replacement.
    ///
    /// # Examples
    ///
    /// ```
    /// use marquetry_model::{Edit, EditSet, Span};
    ///
    /// let edits = EditSet::new("a bc d", vec![Edit { span: Span::new(2, 4), text: "long".to_owned() }])?;
    /// assert_eq!(edits.apply("a bc d"), "a long d");
    /// assert_eq!([0, 3, 5].map(|at| edits.offset_after(at)), [0, 2, 7]);
    /// # Ok::<(), marquetry_model::Error>(())
    /// ```
    pub fn offset_after(&self, at: usize) -> usize {
        let before = self.edits.iter().take_while(|edit| edit.span.end <= at);
        let inside = self.edits.iter().find(|edit| edit.span.start <= at && at < edit.span.end);
        let at = inside.map_or(at, |edit| edit.span.start);
        before.fold(at, |at, edit| at + edit.text.len() - edit.span.len())
    }

    /// Maps an offset in the edited text to the original text; `None` within a replacement text.
    ///
    /// # Examples
    ///
    /// ```
    /// use marquetry_model::{Edit, EditSet, Span};
    ///
    /// let edits = EditSet::new("a bc d", vec![Edit { span: Span::new(2, 4), text: "long".to_owned() }])?;
    /// assert_eq!([0, 3, 7].map(|at| edits.offset_before(at)), [Some(0), None, Some(5)]);
    /// # Ok::<(), marquetry_model::Error>(())
    /// ```
    pub fn offset_before(&self, at: usize) -> Option<usize> {
        let spans = self.spans_after();
        let preceding = self.edits.iter().zip(&spans).rfind(|(_, after)| after.start <= at);
        match preceding {
            Some((_, after)) if at < after.end => None,
            Some((edit, after)) => Some(edit.span.end + (at - after.end)),
            None => Some(at),
        }
    }

    /// Returns the edits that undo this set. `text` is the text before the edits.
    ///
    /// # Examples
    ///
    /// ```
    /// use marquetry_model::{Edit, EditSet, Span};
    ///
    /// let text = "one two";
    /// let edits = EditSet::new(text, vec![Edit { span: Span::new(4, 7), text: "2".to_owned() }])?;
    /// assert_eq!(edits.invert(text).apply(&edits.apply(text)), text);
    /// # Ok::<(), marquetry_model::Error>(())
    /// ```
    #[must_use]
    pub fn invert(&self, text: &str) -> EditSet {
        let spans = self.spans_after();
        let edits = self.edits.iter().zip(spans);
        EditSet { edits: edits.map(|(edit, span)| Edit { span, text: edit.span.slice(text).to_owned() }).collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(text: &str, edits: &[(usize, usize, &str)]) -> Result<EditSet> {
        let edit = |(start, end, text): &(usize, usize, &str)| Edit {
            span: Span::new(*start, *end),
            text: (*text).to_owned(),
        };
        EditSet::new(text, edits.iter().map(edit).collect())
    }

    #[test]
    fn offsets_after_edits_are_shifted() {
        let edit = |start, end, text: &str| Edit { span: Span::new(start, end), text: text.to_owned() };
        let edits = EditSet::new("0123456789", vec![edit(0, 2, ""), edit(4, 4, "ab"), edit(6, 8, "x")]).unwrap();
        assert_eq!(edits.apply("0123456789"), "23ab45x89");
        let after: Vec<usize> = (0..=10).map(|at| edits.offset_after(at)).collect();
        assert_eq!(after, [0, 0, 0, 1, 4, 5, 6, 6, 7, 8, 9]);
        let before: Vec<Option<usize>> = (0..=9).map(|at| edits.offset_before(at)).collect();
        let in_both = [Some(2), Some(3), None, None, Some(4), Some(5), None, Some(8), Some(9), Some(10)];
        assert_eq!(before, in_both);
        assert!(
            (0..=9)
                .filter_map(|at| Some((edits.offset_before(at)?, at)))
                .all(|(old, new)| edits.offset_after(old) == new)
        );
    }

    #[test]
    fn applies_and_inverts() {
        let edits = set("abcdef", &[(4, 5, ""), (0, 1, "xyz"), (2, 2, "-")]).expect("valid");
        let after = edits.apply("abcdef");
        assert_eq!(after, "xyzb-cdf");
        assert_eq!(edits.invert("abcdef").apply(&after), "abcdef");
    }

    #[test]
    fn refuses_overlapping_and_invalid_edits() {
        assert!(set("abc", &[(0, 2, ""), (1, 3, "")]).is_err());
        assert!(set("é", &[(1, 1, "")]).is_err());
        assert!(set("a", &[(1, 2, "")]).is_err());
    }

    /// Checks that the composition of two sets has the same effect as applying one after the other.
    fn check_then(
        text: &str,
        first: &[(usize, usize, &str)],
        next: &[(usize, usize, &str)],
        composed: &[(usize, usize, &str)],
    ) {
        let first = set(text, first).expect("valid");
        let between = first.apply(text);
        let next = set(&between, next).expect("valid");
        let one = first.compose(text, &next);
        assert_eq!(one.apply(text), next.apply(&between), "{text}");
        assert_eq!(one, set(text, composed).expect("valid"), "{text}");
    }

    #[test]
    fn composed_sets_have_the_same_effect() {
        check_then("abcdef", &[(1, 2, "XY")], &[(5, 6, "Z")], &[(1, 2, "XY"), (4, 5, "Z")]);
        check_then("abcdef", &[(3, 4, "XY")], &[(0, 1, "")], &[(0, 1, ""), (3, 4, "XY")]);
        check_then("abcdef", &[(1, 2, "XY")], &[(2, 4, "Z")], &[(1, 3, "XZ")]);
        check_then("abcdef", &[(1, 1, "X"), (3, 3, "Y")], &[(1, 5, "Q")], &[(1, 3, "Q")]);
        check_then("abcdef", &[(2, 2, "X")], &[(3, 3, "Y")], &[(2, 2, "XY")]);
        check_then("abcdef", &[(2, 2, "X")], &[(2, 2, "Y")], &[(2, 2, "YX")]);
        check_then("abcdef", &[(1, 3, "")], &[(1, 1, "bc")], &[(1, 3, "bc")]);
        check_then("abcdef", &[], &[(1, 2, "X")], &[(1, 2, "X")]);
        check_then("abcdef", &[(1, 2, "X")], &[], &[(1, 2, "X")]);
        check_then("", &[(0, 0, "ab")], &[(1, 1, "-")], &[(0, 0, "a-b")]);
    }

    #[test]
    fn edits_keep_mixed_line_endings() {
        let text = "a\r\nb\nc";
        let edits = set(text, &[(0, 6, "a\nb\nc")]).expect("valid").normalized(text, LineBreak::CrLf);
        assert!(edits.is_empty());
    }

    /// A deterministic pseudo-random number generator.
    struct Rng(u64);

    impl Rng {
        fn below(&mut self, most: usize) -> usize {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 33) as usize % most
        }

        /// Random edits of an ASCII text.
        fn edits(&mut self, text: &str) -> EditSet {
            let mut ends: Vec<usize> = (0..2 * self.below(4)).map(|_| self.below(text.len() + 1)).collect();
            ends.sort_unstable();
            let edits = ends.as_chunks().0.iter().map(|[start, end]| Edit {
                span: Span::new(*start, *end),
                text: ["", "X", "YZ", "\n"][self.below(4)].to_owned(),
            });
            EditSet::new(text, edits.collect()).expect("the edits are sorted and do not overlap")
        }
    }

    #[test]
    fn random_sets_compose_and_invert() {
        let mut chance = Rng(1);
        for _ in 0..20_000 {
            let text = &"abcdefgh"[..chance.below(9)];
            let first = chance.edits(text);
            let between = first.apply(text);
            let next = chance.edits(&between);
            let one = first.compose(text, &next);
            assert_eq!(one.apply(text), next.apply(&between), "{text}: {first:?}, {next:?}");
            assert_eq!(EditSet::new(text, one.as_slice().to_vec()).as_ref(), Ok(&one), "sorted, without overlaps");
            assert_eq!(first.invert(text).apply(&between), text);
            for (edit, span) in first.as_slice().iter().zip(first.spans_after()) {
                assert_eq!(span.slice(&between), edit.text);
            }
            let places: Vec<usize> = (0..=text.len()).map(|at| first.offset_after(at)).collect();
            assert!(places.is_sorted() && places.last() == Some(&between.len()), "{text}: {first:?}: {places:?}");
        }
    }

    #[test]
    fn sets_are_counted() {
        for (edits, len) in [(&[][..], 0), (&[(0, 1, "x")], 1), (&[(0, 1, "x"), (1, 1, "y"), (2, 3, "")], 3)] {
            let edits = set("abc", edits).expect("valid");
            assert_eq!((edits.len(), edits.is_empty()), (len, len == 0), "{edits:?}");
        }
    }

    #[test]
    fn edits_of_a_part_are_shifted_to_the_whole() {
        let part = set("bc", &[(0, 1, "x"), (2, 2, "y")]).expect("valid");
        assert_eq!(part.clone().shifted(1), set("abcd", &[(1, 2, "x"), (3, 3, "y")]).expect("valid"));
        assert_eq!(part.shifted(1).apply("abcd"), "axcyd");
    }
}
