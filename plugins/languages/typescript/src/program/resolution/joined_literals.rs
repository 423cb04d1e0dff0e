//! Several literals that are joined to one path: `path.join(__dirname, "..", "data", "a.txt")`. The link covers all of them,
//! from inside the first quote to inside the last one, so its specifier is `..", "data", "a.txt`.

/// The literals of a joined path, as written.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct JoinedLiterals<'t> {
    parts: Vec<&'t str>,
    /// The text between two literals, with their quotes.
    separator: &'t str,
}

impl<'t> JoinedLiterals<'t> {
    /// Parses the text of a link. `None` if the literals have escapes or different quotes, or if there is only one.
    pub(crate) fn parse(text: &'t str) -> Option<JoinedLiterals<'t>> {
        let quote = text.chars().find(|c| matches!(c, '"' | '\''))?;
        let (mut parts, mut separator, mut rest) = (Vec::new(), None, text);
        while let Some(end) = rest.find(quote) {
            let between = rest[end + 1..].find(quote)?;
            let written = &rest[end..end + between + 2];
            if written[1..=between].trim() != "," {
                return None;
            }
            parts.push(&rest[..end]);
            separator = separator.or(Some(written));
            rest = &rest[end + between + 2..];
        }
        parts.push(rest);
        let is_plain = |part: &&str| !part.is_empty() && !part.contains(['\\', '"', '\'', '\n']);
        parts.iter().all(is_plain).then_some(JoinedLiterals { parts, separator: separator? })
    }

    /// Returns the path that the literals are joined to.
    pub(crate) fn path(&self) -> String {
        self.parts.join("/")
    }

    /// Returns the text for another path in the same style: one literal for each folder and each step to a folder above,
    /// or one for all of them. There are always two literals, so that the text stays a joined path. `None` if the path
    /// needs escapes.
    pub(crate) fn with_path(&self, path: &str) -> Option<String> {
        if path.contains(['\\', '"', '\'', '\n']) {
            return None;
        }
        let has_long_part = self.parts.iter().any(|part| part.trim_start_matches("../").contains('/'));
        let has_long_steps = self.parts.iter().any(|part| part.starts_with("../"));
        let path = path.strip_prefix("./").unwrap_or(path);
        let steps = path.split('/').take_while(|part| *part == "..").count();
        let below = path.splitn(steps + 1, '/').nth(steps).unwrap_or_default();
        let all_steps = vec![".."; steps].join("/");
        let mut parts: Vec<&str> = if has_long_steps { vec![&all_steps] } else { vec![".."; steps] };
        match has_long_part {
            true => parts.push(below),
            false => parts.extend(below.split('/')),
        }
        parts.retain(|part| !part.is_empty());
        if parts.len() == 1 {
            parts.insert(0, ".");
        }
        Some(parts.join(self.separator))
    }
}

#[cfg(test)]
mod tests {
    use super::JoinedLiterals;

    #[test]
    fn literals_are_split_and_joined() {
        for (text, path, new, expected) in [
            ("..', 'data', 'a.txt", "../data/a.txt", "../../lib/b.txt", "..', '..', 'lib', 'b.txt"),
            ("..\",\"data\", \"a.txt", "../data/a.txt", "x/b.txt", "x\",\"b.txt"),
            ("..', 'data/a.txt", "../data/a.txt", "../lib/sub/b.txt", "..', 'lib/sub/b.txt"),
            ("a',\n  'b", "a/b", "../c", "..',\n  'c"),
            ("../..', 'a.txt", "../../a.txt", "../a.txt", "..', 'a.txt"),
            ("../..', 'a/b.txt", "../../a/b.txt", "../../c/d.txt", "../..', 'c/d.txt"),
            ("..', 'a', 'b", "../a/b", "b", ".', 'b"),
        ] {
            let literals = JoinedLiterals::parse(text).expect(text);
            assert_eq!(literals.path(), path, "{text}");
            assert_eq!(literals.with_path(new).as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn other_texts_are_not_literals() {
        for text in ["a", "a', name, 'b", "a', \"b", "a' + 'b", "a\\'', 'b", "', 'a", "a', ", "a', 'b', ", ""] {
            assert_eq!(JoinedLiterals::parse(text), None, "{text}");
        }
        assert_eq!(JoinedLiterals::parse("a', 'b").expect("two").with_path("it's"), None);
    }
}
