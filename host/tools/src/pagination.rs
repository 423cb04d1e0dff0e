//! Size limits of answers: lists are split into pages and limited to a number of bytes. Omitted items are counted, with
//! a hint on how to get them.

use marquetry_model::limits;
use serde::Serialize;

/// The largest number of bytes that one byte of a text takes as JSON, such as `\u0001`.
const MAX_JSON_GROWTH: usize = 6;

/// Remaining bytes for lists and diffs of an answer.
#[derive(Debug)]
pub(crate) struct ByteBudget {
    left: usize,
    omitted: Vec<String>,
    /// True if texts count with the size that they have as JSON.
    counts_json: bool,
}

impl ByteBudget {
    /// Creates a limit in bytes; `None` for no limit.
    pub(crate) fn new(bytes: Option<usize>) -> ByteBudget {
        ByteBudget { left: bytes.unwrap_or(usize::MAX), omitted: Vec::new(), counts_json: false }
    }

    /// Creates the limit for the answer of a change. The change has already been written, so the answer must always be
    /// sent.
    pub(crate) fn of_change(bytes: Option<usize>) -> ByteBudget {
        match bytes.filter(|bytes| *bytes < limits::CHANGE_ANSWER / MAX_JSON_GROWTH) {
            Some(bytes) => ByteBudget::new(Some(bytes)),
            None => ByteBudget { counts_json: true, ..ByteBudget::new(Some(limits::CHANGE_ANSWER)) },
        }
    }

    fn text_size(&self, text: &str) -> usize {
        if self.counts_json { json_size(&text) } else { text.len() }
    }

    /// Returns the items of a list that fit.
    pub(crate) fn list<T: Serialize>(&mut self, what: &str, items: Vec<T>) -> Vec<T> {
        let total = items.len();
        if self.left == usize::MAX {
            return items;
        }
        let mut kept = Vec::new();
        for item in items {
            if !self.take_bytes(json_size(&item)) {
                break;
            }
            kept.push(item);
        }
        self.omit(total - kept.len(), total, what);
        kept
    }

    /// Returns the part of a text that fits, in whole lines.
    pub(crate) fn text(&mut self, what: &str, text: String) -> String {
        if self.take_bytes(self.text_size(&text)) {
            return text;
        }
        let most = if self.counts_json { self.left / MAX_JSON_GROWTH } else { self.left };
        let end = (0..=most.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        let end = text[..end].rfind('\n').map_or(0, |at| at + 1);
        self.left -= self.text_size(&text[..end]).min(self.left);
        self.omitted.push(format!("{} of {} bytes of {what}", text.len() - end, text.len()));
        text[..end].to_owned()
    }

    /// Returns the part of a prose text that fits: whole lines if that does not remove too much, otherwise whole
    /// characters.
    pub(crate) fn prose(&mut self, what: &str, text: String) -> String {
        if self.take_bytes(text.len()) {
            return text;
        }
        let end = (0..=self.left.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        let end = text[..end].rfind('\n').filter(|line| *line > end / 2).unwrap_or(end);
        self.left -= end;
        self.omitted.push(format!("{} of {} bytes of {what}", text.len() - end, text.len()));
        format!("{}…", &text[..end])
    }

    /// Returns the files of a diff: all if they fit into a limit of the caller, otherwise those that fit into half of the
    /// remaining bytes. The other half is for the rest of the answer.
    pub(crate) fn diff(&mut self, files: &[String]) -> String {
        let all = files.iter().fold(0usize, |sum, diff| sum.saturating_add(diff.len()));
        if self.left == usize::MAX || !self.counts_json && self.take_bytes(all) {
            return files.concat();
        }
        let mut room = self.left / 2;
        let mut shown = String::new();
        let mut count = 0;
        for diff in files {
            let size = self.text_size(diff);
            if size > room {
                break;
            }
            room -= size;
            shown += diff;
            count += 1;
        }
        self.left -= self.left / 2 - room;
        self.omit(files.len() - count, files.len(), "files of `diff`");
        shown
    }

    /// Describes what was omitted, in one sentence.
    pub(crate) fn truncated(&self) -> Option<String> {
        let advice = || match self.counts_json {
            true => format!("the answer of a change has at most {} MiB", limits::CHANGE_ANSWER >> 20),
            false => "give a larger `maxBytes` for more".to_owned(),
        };
        (!self.omitted.is_empty()).then(|| format!("left out: {}; {}", self.omitted.join(", "), advice()))
    }

    /// Splits off a fraction of the remaining bytes.
    pub(crate) fn share(&mut self, part: usize) -> ByteBudget {
        if self.left == usize::MAX {
            return ByteBudget::new(None);
        }
        let share = self.left / part;
        self.left -= share;
        ByteBudget { counts_json: self.counts_json, ..ByteBudget::new(Some(share)) }
    }

    /// Returns whether an item fits, and deducts its size if so.
    pub(crate) fn take_item<T: Serialize>(&mut self, item: &T) -> bool {
        self.left == usize::MAX || self.take_bytes(json_size(item))
    }

    fn take_bytes(&mut self, bytes: usize) -> bool {
        match self.left.checked_sub(bytes) {
            Some(left) => {
                self.left = left;
                true
            }
            None => false,
        }
    }

    fn omit(&mut self, count: usize, total: usize, what: &str) {
        if count > 0 {
            self.omitted.push(format!("{count} of {total} {what}"));
        }
    }
}

/// A page of a list: at most `limit` items, starting at `offset`, within the size limit.
#[derive(Debug)]
pub(crate) struct Page<T> {
    pub(crate) items: Vec<T>,
    /// Number of all items.
    pub(crate) total: usize,
    /// Omitted parts, and how to get them.
    pub(crate) truncated: Option<String>,
}

impl<T> Page<T> {
    /// Adds what was omitted from another list.
    pub(crate) fn with_omissions_of(self, aside: &ByteBudget) -> Page<T> {
        let left_out: Vec<String> = self.truncated.into_iter().chain(aside.truncated()).collect();
        Page { truncated: (!left_out.is_empty()).then(|| left_out.join("; ")), ..self }
    }
}

/// Returns a page of a list.
pub(crate) fn paginate<T: Serialize>(
    items: Vec<T>,
    offset: Option<usize>,
    limit: Option<usize>,
    room: &mut ByteBudget,
) -> Page<T> {
    let (total, offset) = (items.len(), offset.unwrap_or(0));
    let mut kept = Vec::new();
    for item in items.into_iter().skip(offset).take(limit.unwrap_or(usize::MAX)) {
        let fits = room.left == usize::MAX || room.take_bytes(json_size(&item));
        if fits || kept.is_empty() {
            kept.push(item);
        }
        // An item that is larger than the limit is returned as the only one.
        if !fits {
            break;
        }
    }
    let next = offset.min(total) + kept.len();
    let shown = || format!("{} to {next} of {total}", offset + 1);
    let truncated = match () {
        () if kept.is_empty() && offset < total => Some(format!("none of {total} is shown; give a larger `limit`")),
        () if next < total => Some(format!("{}; give `offset: {next}` for the next", shown())),
        () if offset > 0 && offset >= total => Some(format!("none from `offset: {offset}` on: there are {total}")),
        () if offset > 0 => Some(shown()),
        () => None,
    };
    Page { items: kept, total, truncated }
}

/// Size of a value as JSON.
pub(crate) fn json_size<T: Serialize>(value: &T) -> usize {
    serde_json::to_string(value).map_or(0, |text| text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pages(offset: Option<usize>, limit: Option<usize>, bytes: Option<usize>) -> (Vec<usize>, Option<String>) {
        let page = paginate((0..10).collect(), offset, limit, &mut ByteBudget::new(bytes));
        assert_eq!(page.total, 10);
        (page.items, page.truncated)
    }

    #[test]
    fn page_reports_omitted_items() {
        assert_eq!(pages(None, None, None), ((0..10).collect(), None));
        assert_eq!(
            pages(None, Some(3), None),
            (vec![0, 1, 2], Some("1 to 3 of 10; give `offset: 3` for the next".to_owned()))
        );
        assert_eq!(pages(Some(8), Some(3), None), (vec![8, 9], Some("9 to 10 of 10".to_owned())));
        assert_eq!(pages(None, Some(0), None), (vec![], Some("none of 10 is shown; give a larger `limit`".to_owned())));
        assert_eq!(pages(Some(99), None, None), (vec![], Some("none from `offset: 99` on: there are 10".to_owned())));
    }

    #[test]
    fn answers_of_changes_always_fit_into_a_message() {
        const MOST: usize = limits::CHANGE_ANSWER;
        // A control character takes six bytes of JSON, a quote takes two.
        for (line, bytes) in [("\u{1}", 6), ("\"", 2), ("é", 2)] {
            for asked in [None, Some(usize::MAX)] {
                let fits = line.repeat(MOST / 2 / bytes - 2);
                let large = format!("{fits}{line}{line}{line}");
                let mut room = ByteBudget::of_change(asked);
                assert_eq!(room.diff(&[fits.clone(), "more".repeat(9)]), fits);
                assert_eq!(
                    room.truncated().as_deref(),
                    Some("left out: 1 of 2 files of `diff`; the answer of a change has at most 48 MiB")
                );
                let mut room = ByteBudget::of_change(asked);
                assert_eq!((room.diff(&[large]), room.list("n", vec![1, 2])), (String::new(), vec![1, 2]));
                let lines = format!("first\n{}", line.repeat(MOST / bytes));
                let mut room = ByteBudget::of_change(asked);
                assert_eq!(room.text("`diff`", lines), "first\n");
                assert!(room.truncated().is_some_and(|note| note.contains("bytes of `diff`; the answer of a change")));
            }
        }
        let mut room = ByteBudget::of_change(Some(10));
        assert_eq!(room.diff(&["12345".to_owned(), "6789".to_owned()]), "123456789");
        assert_eq!((room.diff(&["12".to_owned()]), room.truncated().is_some()), (String::new(), true));
        let mut room = ByteBudget::of_change(Some(10));
        assert_eq!(room.text("`diff`", "1234\n6789\nabc\n".to_owned()), "1234\n6789\n");
        assert!(room.truncated().is_some_and(|note| note.ends_with("give a larger `maxBytes` for more")));
    }

    #[test]
    fn page_has_a_byte_limit_and_is_never_empty() {
        assert_eq!(pages(None, None, Some(2)).0, [0, 1]);
        assert_eq!(pages(None, None, Some(0)).0, [0]);
        let large = paginate(vec!["much too long", "a", "b"], None, None, &mut ByteBudget::new(Some(9)));
        assert_eq!(large.items, ["much too long"], "items after it are left out even if they fit");
        let mut room = ByteBudget::new(Some(3));
        assert_eq!(room.list("numbers", vec![1, 2, 3, 4]), [1, 2, 3]);
        assert_eq!(room.truncated().as_deref(), Some("left out: 1 of 4 numbers; give a larger `maxBytes` for more"));
    }
}
