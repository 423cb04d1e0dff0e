//! Tags of JSX and HTML: their names and attributes.

/// Whether it is `</name>`.
pub(crate) fn is_closing(tag: &str) -> bool {
    tag.strip_prefix('<').is_some_and(|rest| rest.trim_start().starts_with('/'))
}

/// Whether it is `<name />`.
pub(crate) fn is_self_closing(tag: &str) -> bool {
    tag.strip_suffix('>').is_some_and(|rest| rest.trim_end().ends_with('/'))
}

/// The name, without white space around `.` and `:`; empty for a fragment.
pub(crate) fn name(tag: &str) -> String {
    let mut name = String::new();
    let mut rest = tag.trim_start_matches(['<', '/']).trim_start().trim_start_matches('/').trim_start();
    loop {
        let part = rest.find(|c: char| !(c.is_alphanumeric() || matches!(c, '-' | '_' | '$'))).unwrap_or(rest.len());
        name.push_str(&rest[..part]);
        rest = rest[part..].trim_start();
        match rest.chars().next() {
            Some(joint @ ('.' | ':')) => name.push(joint),
            _ => return name,
        }
        rest = rest[1..].trim_start();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        for (tag, expected) in [("<Tabs x={1}>", "Tabs"), ("</ a . b >", "a.b"), ("<a:b/>", "a:b"), ("<>", ""), ("</>", "")] {
            assert_eq!(name(tag), expected);
        }
        assert!(is_closing("< /a>") && !is_closing("<a/>"));
        assert!(is_self_closing("<a / >") && !is_self_closing("</a>"));
    }
}
