//! Creates the missing target of an upsert: an attribute, or elements along a path of names.

use marquetry_sdk::{Edit, FailureKind, Insertion, Position, Result, fail};

use super::{attribute::Tag, content};
use crate::{
    address::DEFAULT_PREFIX,
    chars,
    document::XmlDocument,
    tree::{Id, Kind},
    xpath::Outcome,
};

/// One step of a path of names: `name[@key='value']`.
#[derive(Debug, PartialEq)]
struct PathStep<'x> {
    /// Name as written, with a prefix of the document or `_:`.
    name: &'x str,
    /// Attributes that the predicates require. The values are as written, including the quotes.
    attributes: Vec<(&'x str, &'x str)>,
}

impl XmlDocument {
    /// Returns edits that create the element or attribute that the expression names. The changed document is parsed to
    /// check that the expression finds exactly the new node.
    pub(crate) fn create_missing(&self, source: &str, content: &str) -> Result<Vec<Edit>> {
        let source = chars::trim(source);
        if let (Outcome::Nodes(found), _) = self.evaluate(source)?
            && !found.is_empty()
        {
            return Err(fail(FailureKind::InvalidArgument, format!("`{source}` already exists"))
                .hint("use `replace`, or `replace_body` for its content"));
        }
        let (parent, missing, attribute) = self.split_existing(source)?;
        let edits = match (attribute, missing.split_first()) {
            (Some(name), None) => {
                let quoted = format_attribute(name, content);
                let attributes = content::parse_attributes(&quoted).ok_or_else(|| not_a_path_error(source))?;
                Tag::new(self, parent).insert_attributes(&attributes, Position::Last)?
            }
            (attribute, Some((first, rest))) => {
                let unit = marquetry_sdk::indent::unit(&self.text);
                let (mut inner, mut added) = match attribute {
                    Some(name) => (String::new(), Some(format_attribute(name, content))),
                    None => (content.trim_matches(['\n', '\r']).trim_end().to_owned(), None),
                };
                for step in std::iter::once(first).chain(rest).rev() {
                    inner = self.format_element(step, added.take().as_deref(), &inner, &unit);
                }
                self.insert_content(parent, &Insertion { content: inner, position: Position::Last })?
            }
            (None, None) => return Err(not_a_path_error(source)),
        };
        self.check_created(source, &edits)?;
        Ok(edits)
    }

    /// Splits a path into the existing element, the missing steps below it, and the attribute.
    fn split_existing<'x>(&self, source: &'x str) -> Result<(Id, Vec<PathStep<'x>>, Option<&'x str>)> {
        let mut missing = Vec::new();
        let mut attribute = None;
        let mut rest = source;
        loop {
            let Some((before, last)) = split_last(rest) else { return Err(not_a_path_error(source)) };
            if let Some(name) = last.strip_prefix('@').filter(|name| chars::is_name(name)) {
                if attribute.is_some() || !missing.is_empty() {
                    return Err(not_a_path_error(source));
                }
                attribute = Some(name);
            } else {
                missing.push(parse_step(last).ok_or_else(|| not_a_path_error(source))?);
            }
            // A step after `//` has no definite position.
            if before.is_empty() || before.ends_with('/') {
                let relative = !source.starts_with('/') && before.is_empty();
                let root = self.tree.root().filter(|_| relative);
                missing.reverse();
                return root.map(|root| (root, missing, attribute)).ok_or_else(|| not_a_path_error(source));
            }
            let (outcome, _) = self.evaluate(before)?;
            match outcome {
                Outcome::Nodes(found) if found.is_empty() => rest = before,
                Outcome::Nodes(found) if found.len() == 1 && self.is_editable_element(found[0]) => {
                    missing.reverse();
                    return Ok((found[0], missing, attribute));
                }
                Outcome::Nodes(found) => {
                    return Err(fail(FailureKind::InvalidTarget, format!("`{before}` matches {} nodes", found.len()))
                        .hint("select one parent element, for example with `[1]`")
                        .candidates([format!("({before})[1]{}", &source[before.len()..])]));
                }
                _ => return Err(not_a_path_error(source)),
            }
        }
    }

    fn is_editable_element(&self, id: Id) -> bool {
        id < self.tree.len() && self.tree.kind(id) == Kind::Element && !self.is_declared_elsewhere(id)
    }

    /// Returns the source of the element of a step; if the content already is that element, the content itself.
    fn format_element(&self, step: &PathStep<'_>, added: Option<&str>, inner: &str, unit: &str) -> String {
        let name = step.name.strip_prefix(DEFAULT_PREFIX).and_then(|rest| rest.strip_prefix(':')).unwrap_or(step.name);
        let opens = inner.strip_prefix('<').and_then(|rest| rest.strip_prefix(name));
        if added.is_none() && opens.is_some_and(|rest| rest.starts_with([' ', '\t', '\r', '\n', '>', '/'])) {
            return inner.to_owned();
        }
        let mut tag = format!("<{name}");
        for (key, value) in &step.attributes {
            tag += &format!(" {key}={value}");
        }
        if let Some(added) = added {
            tag += &format!(" {added}");
        }
        match inner {
            "" => format!("{tag}/>"),
            _ if inner.starts_with('<') => {
                let placed = content::Content::new(inner).indented(unit);
                format!("{tag}>\n{unit}{placed}\n</{name}>")
            }
            _ => format!("{tag}>{inner}</{name}>"),
        }
    }

    /// Checks that the expression finds exactly the created node.
    fn check_created(&self, source: &str, edits: &[Edit]) -> Result<()> {
        let after = marquetry_sdk::span::apply(&self.text, edits);
        let made = XmlDocument::new(if self.unprefixed_matches_default { "pom.xml" } else { "a.xml" }, after);
        match made.evaluate(source) {
            Ok((Outcome::Nodes(found), _)) if found.len() == 1 => Ok(()),
            _ => {
                Err(fail(FailureKind::InvalidTarget, format!("`{source}` does not describe completely what to create"))
                    .hint("use `insert_into` on the parent element; in a path, `_:` is the default namespace"))
            }
        }
    }
}

fn not_a_path_error(source: &str) -> marquetry_sdk::Failure {
    fail(FailureKind::InvalidTarget, format!("`{source}` does not say what to create"))
        .hint("write a path of names that starts at an existing element, such as `/Project/PropertyGroup/Nullable` or `//item[@id='a']/@name`")
}

/// Writes `name="value"`. The content is either the value or the whole attribute.
fn format_attribute(name: &str, content: &str) -> String {
    let given = content::parse_attributes(content).is_some_and(|all| all.len() == 1 && all[0].name == name);
    if given { chars::trim(content).to_owned() } else { format!("{name}=\"{}\"", content.replace('"', "&quot;")) }
}

/// Splits off the last step of a path. The rest ends with `/` if the step follows `//`.
fn split_last(path: &str) -> Option<(&str, &str)> {
    let bytes = path.as_bytes();
    let (mut quote, mut depth, mut cut) = (None, 0_u32, None);
    for (at, byte) in bytes.iter().enumerate() {
        match byte {
            _ if quote == Some(*byte) => quote = None,
            _ if quote.is_some() => {}
            b'"' | b'\'' => quote = Some(*byte),
            b'[' | b'(' => depth += 1,
            b']' | b')' => depth = depth.checked_sub(1)?,
            b'/' if depth == 0 => cut = Some(at),
            b'|' if depth == 0 => return None,
            _ => {}
        }
    }
    Some(cut.map_or(("", path), |cut| (&path[..cut], &path[cut + 1..])))
}

/// Parses `name` or `name[@key='value'][…]`.
fn parse_step(text: &str) -> Option<PathStep<'_>> {
    let end = text.find('[').unwrap_or(text.len());
    let (name, mut rest) = text.split_at(end);
    let mut attributes = Vec::new();
    while let Some(inner) = rest.strip_prefix('[') {
        let inner = inner.strip_prefix('@')?;
        let (key, value) = inner.split_once('=')?;
        let (key, value) = (chars::trim(key), value.trim_start());
        let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''))?;
        let close = value[1..].find(quote)? + 2;
        let (value, behind) = value.split_at(close);
        rest = behind.trim_start().strip_prefix(']')?;
        if !chars::is_name(key) || value.contains(['<', '&']) {
            return None;
        }
        attributes.push((key, value));
    }
    (rest.is_empty() && chars::is_name(name) && !name.contains("::")).then_some(PathStep { name, attributes })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splits_paths_into_steps() {
        assert_eq!(split_last("/a/b[c/d='/']/e"), Some(("/a/b[c/d='/']", "e")));
        assert_eq!(split_last("//a"), Some(("/", "a")));
        assert_eq!(split_last("a"), Some(("", "a")));
        assert_eq!(split_last("a | b"), None);
        let attributes = vec![("c", "'d'"), ("e", "\"f\"")];
        assert_eq!(parse_step("x:b[@c='d'][@e = \"f\"]"), Some(PathStep { name: "x:b", attributes }));
        for other in ["b[1]", "text()", "*", "b[c='d']", "child::b", "b[@c]"] {
            assert_eq!(parse_step(other), None, "{other}");
        }
    }
}
