//! Declarations of elements and attributes in a DTD.

use super::declaration::DeclarationInfo;

/// Finds the declaration of an element or of its attribute in the text of a DTD.
pub(super) fn find_in_dtd(dtd: &str, element: &str, attribute: Option<&str>) -> Option<DeclarationInfo> {
    let (mut at, mut comment) = (0, None);
    while let Some(open) = dtd[at..].find("<!") {
        let start = at + open;
        let rest = &dtd[start..];
        if rest.starts_with("<!--") {
            let end = rest.find("-->").map_or(dtd.len(), |end| start + end + 3);
            comment = Some((dtd[start + 4..end.saturating_sub(3).max(start + 4)].trim(), end));
            at = end;
            continue;
        }
        let end = start + declaration_end(rest);
        let beside = comment.take().filter(|(_, end)| dtd[*end..start].trim().is_empty()).map(|(text, _)| text);
        if let Some(found) = parse_declaration(&dtd[start..end], element, attribute) {
            let documentation = beside.filter(|_| attribute.is_none()).map(str::to_owned);
            return Some(DeclarationInfo { documentation, offset: start + found.offset, ..found });
        }
        // Continue inside of declarations that contain other declarations.
        at = if rest.starts_with("<!DOCTYPE") || rest.starts_with("<![") { start + 2 } else { end };
    }
    None
}

/// Returns the end of a declaration. A `>` within quotes does not end it.
fn declaration_end(text: &str) -> usize {
    let mut quote = None;
    for (at, c) in text.char_indices() {
        match (quote, c) {
            (Some(open), _) if open == c => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(c),
            (None, '>') => return at + 1,
            _ => {}
        }
    }
    text.len()
}

fn parse_declaration(declaration: &str, element: &str, attribute: Option<&str>) -> Option<DeclarationInfo> {
    let keyword = if attribute.is_some() { "<!ATTLIST" } else { "<!ELEMENT" };
    let rest = declaration.strip_prefix(keyword)?;
    let body = rest.trim_end_matches('>').trim();
    let (name, body) = body.split_once(char::is_whitespace)?;
    if name != element {
        return None;
    }
    let code = declaration.to_owned();
    let Some(attribute) = attribute else {
        let content = body.split_whitespace().collect::<Vec<_>>().join(" ");
        return Some(DeclarationInfo { content_type: content, code, ..DeclarationInfo::default() });
    };
    parse_attribute(body, attribute).map(|found| {
        let offset = declaration.find(attribute).unwrap_or(0);
        DeclarationInfo { code, offset, ..found }
    })
}

/// Parses `name TYPE default` in an attribute list.
fn parse_attribute(list: &str, attribute: &str) -> Option<DeclarationInfo> {
    let mut words = split_words(list).into_iter().peekable();
    while let Some(name) = words.next() {
        let mut ty = words.next()?.to_owned();
        if ty == "NOTATION" {
            ty = format!("NOTATION {}", words.next()?);
        }
        let mut default = words.next()?.to_owned();
        if default == "#FIXED" {
            default = format!("#FIXED {}", words.next()?);
        }
        if name == attribute {
            let notes = match default.as_str() {
                "#REQUIRED" => vec![("required", "yes".to_owned())],
                "#IMPLIED" => Vec::new(),
                value => vec![("default", value.to_owned())],
            };
            return Some(DeclarationInfo { content_type: ty, notes, ..DeclarationInfo::default() });
        }
    }
    None
}

/// Splits a list into words; quoted or bracketed text is one word.
fn split_words(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(start) = text[at..].find(|c: char| !c.is_whitespace()).map(|skipped| at + skipped) {
        let close = match text.as_bytes()[start] {
            b'(' => Some(')'),
            b'"' => Some('"'),
            b'\'' => Some('\''),
            _ => None,
        };
        let rest = &text[start + 1..];
        let end = match close {
            Some(close) => rest.find(close).map(|end| end + 1),
            None => rest.find(char::is_whitespace),
        };
        let end = end.map_or(text.len(), |end| start + 1 + end);
        found.push(&text[start..end]);
        at = end;
    }
    found
}
