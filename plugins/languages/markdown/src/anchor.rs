//! Anchors of headings, as GitHub makes them: the text in small letters, spaces as hyphens, signs left out, and a number
//! where the anchor is taken.

use std::collections::HashMap;

use crate::document::MarkdownDocument;

impl MarkdownDocument {
    /// The anchor of each heading, in document order; no two are the same.
    pub(crate) fn anchors(&self) -> Vec<String> {
        let tree = self.tree();
        // The anchors that are taken, and the number that the last one like it got.
        let mut taken: HashMap<String, u32> = HashMap::new();
        let anchor = |heading| {
            let plain = slug(tree.name(heading));
            let mut own = plain.clone();
            if let Some(mut number) = taken.get(&plain).copied() {
                while taken.contains_key(&own) {
                    number += 1;
                    own = format!("{plain}-{number}");
                }
                taken.insert(plain, number);
            }
            taken.insert(own.clone(), 0);
            own
        };
        tree.headings.iter().map(anchor).collect()
    }

    /// The heading with this anchor.
    pub(crate) fn anchored(&self, anchor: &str) -> Option<u32> {
        let tree = self.tree();
        let found = self.anchors().iter().position(|own| own == anchor);
        let own = |name: &str| custom(name).is_some_and(|(_, own)| own == anchor);
        let found = found.map(|index| &tree.headings[index]);
        found.or_else(|| tree.headings.iter().find(|heading| own(tree.name(heading)))).map(|heading| heading.block)
    }
}

/// The anchor of a heading with this text, where none like it is taken.
pub(crate) fn slug(name: &str) -> String {
    let kept = name.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.flat_map(char::to_lowercase).map(|c| if c == ' ' { '-' } else { c }).collect()
}

/// The name without `{#anchor}` at its end, and that anchor.
pub(crate) fn custom(name: &str) -> Option<(&str, &str)> {
    let at = name.rfind("{#")?;
    let anchor = name[at + 2..].strip_suffix('}')?;
    (!anchor.is_empty() && !anchor.contains([' ', '(', ')', '<', '>'])).then(|| (name[..at].trim_end(), anchor))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(headings: &str, anchors: &[&str]) {
        let text: String = headings.lines().map(|line| format!("# {line}\n\n")).collect();
        assert_eq!(MarkdownDocument::new("a.md", text).anchors(), anchors, "{headings}");
    }

    #[test]
    fn anchors_are_the_text_without_signs() {
        check(
            "Getting Started\nWhat's new?\n`code` & *more*\nSnake_case",
            &["getting-started", "whats-new", "code--more", "snake_case"],
        );
        check("Über Größen\n日本語\nA 🎉 b", &["über-größen", "日本語", "a--b"]);
    }

    #[test]
    fn no_two_anchors_are_the_same() {
        check("A\nA\na", &["a", "a-1", "a-2"]);
        check("A\nA 1\nA\nA 1", &["a", "a-1", "a-2", "a-1-1"]);
        check("A\nA\nA 1", &["a", "a-1", "a-1-1"]);
    }
}
