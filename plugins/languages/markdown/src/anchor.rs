//! Anchors of headings as on GitHub: the text in lower case, spaces as hyphens, punctuation removed, and a number if
//! the anchor is already taken. The reference implementation is github-slugger.

use std::collections::HashMap;

use icu_properties::{CodePointMapData, props::GeneralCategory};

use crate::document::MarkdownDocument;

impl MarkdownDocument {
    /// Returns the anchor of each heading, in document order. All anchors are distinct.
    pub(crate) fn anchors(&self) -> Vec<String> {
        let tree = self.tree();
        // Anchors that are taken. The value is the last number that was appended to the anchor.
        let mut taken: HashMap<String, u32> = HashMap::new();
        let anchor = |heading| {
            let plain = slug(tree.anchor_text(heading));
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

    /// Returns the heading with this anchor.
    pub(crate) fn heading_with_anchor(&self, anchor: &str) -> Option<u32> {
        let tree = self.tree();
        let found = self.anchors().iter().position(|own| own == anchor);
        let own = |name: &str| split_custom_anchor(name).is_some_and(|(_, own)| own == anchor);
        let found = found.map(|index| &tree.headings[index]);
        found.or_else(|| tree.headings.iter().find(|heading| own(tree.name(heading)))).map(|heading| heading.block)
    }
}

/// Returns the anchor of a heading with this text, before numbering.
pub(crate) fn slug(text: &str) -> String {
    let kept = text.to_lowercase();
    kept.chars().filter(|c| is_anchor_char(*c)).map(|c| if c == ' ' { '-' } else { c }).collect()
}

/// Returns whether anchors keep a character: letters, marks, digits and connectors, spaces and hyphens.
fn is_anchor_char(c: char) -> bool {
    use GeneralCategory::{
        ConnectorPunctuation, DecimalNumber, EnclosingMark, LetterNumber, NonspacingMark, SpacingMark,
    };
    // Circled letters are alphabetic, although their category is symbol.
    c.is_alphabetic()
        || matches!(c, ' ' | '-')
        || matches!(
            CodePointMapData::<GeneralCategory>::new().get(c),
            ConnectorPunctuation | DecimalNumber | EnclosingMark | LetterNumber | NonspacingMark | SpacingMark
        )
}

/// Returns the anchor that a heading with this source text would have in a document without other headings.
pub(crate) fn anchor_of_source(source: &str) -> String {
    let document = MarkdownDocument::new("heading.md", format!("# {source}"));
    document.anchors().into_iter().next().unwrap_or_default()
}

/// Splits a name that ends with `{#anchor}` into the text before it and the anchor.
pub(crate) fn split_custom_anchor(name: &str) -> Option<(&str, &str)> {
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
    fn anchors_drop_punctuation() {
        check(
            "Getting Started\nWhat's new?\n`code` & *more*\nSnake_case",
            &["getting-started", "whats-new", "code--more", "snake_case"],
        );
        check("Über Größen\n日本語\nA 🎉 b", &["über-größen", "日本語", "a--b"]);
    }

    #[test]
    fn anchors_equal_those_of_github_slugger() {
        let table = [
            // Variation selectors and enclosing marks are marks.
            ("⚠️ Warning", "️-warning"),
            ("1️⃣ First", "1️⃣-first"),
            ("ℹ️ Feedback", "ℹ️-feedback"),
            // Combining marks of any kind.
            ("हिन्दी पाठ", "हिन्दी-पाठ"),
            ("தமிழ் மொழி", "தமிழ்-மொழி"),
            ("ភាសា ខ្មែរ", "ភាសា-ខ្មែរ"),
            ("Tie\u{302}\u{301}ng Vie\u{323}\u{302}t", "tie\u{302}\u{301}ng-vie\u{323}\u{302}t"),
            ("ภาษาไทย", "ภาษาไทย"),
            ("العربية ١٢", "العربية-١٢"),
            ("עִבְרִית", "עִבְרִית"),
            ("한국어", "한국어"),
            ("বাংলা", "বাংলা"),
            // Numeric characters: digits and letter numbers are kept, others are dropped.
            ("x² ½ ①", "x--"),
            ("Ⅳ 〇 ᛮ", "ⅳ-〇-ᛮ"),
            ("𝟏 ٤", "𝟏-٤"),
            // Circled letters are alphabetic.
            ("Ⓐ ⓑ", "ⓐ-ⓑ"),
            // Connectors are kept, but dashes other than the hyphen are dropped.
            ("a‿b＿c_d", "a‿b＿c_d"),
            ("en–dash em—dash non‑breaking", "endash-emdash-nonbreaking"),
            // White space other than the space is dropped.
            ("no\u{a0}break", "nobreak"),
            ("ideographic\u{3000}space\u{2009}thin", "ideographicspacethin"),
            ("a\tb  c", "ab--c"),
            ("zero\u{200b}width\u{200d}joiner\u{ad}", "zerowidthjoiner"),
            ("apostrophe’s “quoted”", "apostrophes-quoted"),
            ("😄_😄 emoji", "_-emoji"),
            ("€ + ♥ = x^2`a", "----x2a"),
            ("&#x20;a&#x20;", "-a-"),
            ("İstanbul ΟΔΟΣ ẞ", "i\u{307}stanbul-οδος-ß"),
            // Markdown in headings.
            ("`code` *em* [link](x) <b>html</b> \\*", "code-em-link-html-"),
            ("![alt](i.png) Logo", "-logo"),
            ("Install #", "install"),
        ];
        for (heading, anchor) in table {
            assert_eq!(anchor_of_source(heading), anchor, "{heading}");
        }
        let underlined = MarkdownDocument::new("a.md", "Two\nlines\n===\n".to_owned());
        assert_eq!(underlined.anchors(), ["twolines"]);
    }

    #[test]
    fn anchors_are_unique() {
        check("A\nA\na", &["a", "a-1", "a-2"]);
        check("A\nA 1\nA\nA 1", &["a", "a-1", "a-2", "a-1-1"]);
        check("A\nA\nA 1", &["a", "a-1", "a-1-1"]);
    }
}
