//! Declarations of a DTD: elements, attributes, entities, notations.

use super::{
    Parser,
    cursor::Cursor,
    dtd::{ParseResult, expect, expect_name, expect_space, parse_external_id, parse_literal},
};
use crate::tree::{
    dtd::{DefaultAttribute, Entity, Type},
    value,
};

impl Parser {
    /// Parses `Name contentspec` in the declaration of an element.
    pub(super) fn parse_element_declaration(&mut self, cursor: &mut Cursor<'_>, _start: usize) -> ParseResult {
        expect_name(cursor, "the name of an element")?;
        expect_space(cursor)?;
        if cursor.eat("EMPTY") || cursor.eat("ANY") {
            return Ok(());
        }
        if cursor.peek() != b'(' {
            return Err(format!("expected `EMPTY`, `ANY` or `(`, not {}", cursor.describe_next()));
        }
        let start = cursor.at;
        cursor.at += 1;
        cursor.skip_space();
        if cursor.eat("#PCDATA") {
            return parse_mixed_content(cursor);
        }
        cursor.at = start;
        parse_children(cursor)
    }

    /// Parses `Name (Name Type Default)*` of an attribute list.
    pub(super) fn parse_attribute_list(&mut self, cursor: &mut Cursor<'_>, _start: usize) -> ParseResult {
        let element = expect_name(cursor, "the name of an element")?;
        loop {
            let spaced = cursor.skip_space();
            if cursor.peek() == b'>' {
                return Ok(());
            }
            if !spaced {
                return Err(format!("expected white space or `>`, not {}", cursor.describe_next()));
            }
            self.parse_attribute_definition(cursor, element)?;
        }
    }

    fn parse_attribute_definition(&mut self, cursor: &mut Cursor<'_>, element: &str) -> ParseResult {
        let start = cursor.at;
        let name = expect_name(cursor, "the name of an attribute")?;
        expect_space(cursor)?;
        let kind = parse_attribute_type(cursor)?;
        expect_space(cursor)?;
        let mut default = None;
        if !cursor.eat("#REQUIRED") && !cursor.eat("#IMPLIED") {
            if cursor.eat("#FIXED") {
                expect_space(cursor)?;
            }
            let value = self.parse_default_value(cursor)?;
            default = Some(if kind == Type::Cdata { value } else { value::collapse_space(&value) });
        }
        if self.tree.dtd.has_unread_entities && !self.standalone {
            return Ok(()); // declarations after an unread parameter entity are ignored
        }
        let span = cursor.span(start, cursor.at);
        let declared = self.tree.dtd.attributes.entry(element.into()).or_default();
        if declared.types.contains_key(name) {
            return Ok(()); // the first declaration counts
        }
        declared.types.insert(name.into(), kind);
        if let Some(value) = default {
            declared.defaults.push(DefaultAttribute { name: name.into(), value: value.into(), span });
        }
        Ok(())
    }

    /// Parses a default value and expands its entities, which must be declared before this declaration.
    fn parse_default_value(&mut self, cursor: &mut Cursor<'_>) -> ParseResult<String> {
        let quote = cursor.peek();
        if !matches!(quote, b'"' | b'\'') {
            return Err(format!(
                "expected `#REQUIRED`, `#IMPLIED`, `#FIXED` or a value in quotes, not {}",
                cursor.describe_next()
            ));
        }
        cursor.at += 1;
        let start = cursor.at;
        let refers = self.parse_attribute_value(cursor, quote);
        if cursor.at_end() {
            return Err("a value has no closing quote".to_owned());
        }
        let source = &cursor.text[start..cursor.at];
        cursor.at += 1;
        Ok(if refers { self.expand_attribute(cursor, source) } else { value::decode_attribute(source).into_owned() })
    }

    /// Parses `Name Value` of an entity, or `% Name Value` of a parameter entity.
    pub(super) fn parse_entity_declaration(&mut self, cursor: &mut Cursor<'_>, _start: usize) -> ParseResult {
        let parameter = cursor.eat("%");
        if parameter {
            expect_space(cursor)?;
        }
        let at = cursor.at;
        let name = expect_name(cursor, "the name of an entity")?;
        if name.contains(':') {
            self.report_error(cursor, at, cursor.at, format!("a colon in the name of the entity `{name}`"));
        }
        expect_space(cursor)?;
        let entity = if matches!(cursor.peek(), b'"' | b'\'') {
            let (start, end) = parse_literal(cursor)?;
            Entity::Internal(self.replacement_text(cursor, start, end)?.into())
        } else {
            self.parse_external_entity(cursor, parameter)?
        };
        if self.tree.dtd.has_unread_entities && !self.standalone {
            return Ok(()); // declarations after an unread parameter entity are ignored
        }
        let entities = if parameter { &mut self.tree.dtd.parameters } else { &mut self.tree.dtd.entities };
        entities.entry(name.into()).or_insert(entity);
        Ok(())
    }

    fn parse_external_entity(&mut self, cursor: &mut Cursor<'_>, parameter: bool) -> ParseResult<Entity> {
        if !parse_external_id(cursor, true)?.is_present {
            return Err(format!("expected a value in quotes, `SYSTEM` or `PUBLIC`, not {}", cursor.describe_next()));
        }
        let before = cursor.at;
        if cursor.skip_space() && !parameter && cursor.eat("NDATA") {
            expect_space(cursor)?;
            expect_name(cursor, "the name of a notation")?;
            return Ok(Entity::Unparsed);
        }
        cursor.at = before;
        Ok(Entity::External)
    }

    /// Returns the replacement text of an entity. Character references are decoded, but entity references are kept.
    fn replacement_text(&mut self, cursor: &mut Cursor<'_>, start: usize, end: usize) -> ParseResult<String> {
        let after = cursor.at;
        let mut text = String::with_capacity(end - start);
        cursor.at = start;
        while let Some(found) = memchr::memchr2(b'%', b'&', &cursor.text.as_bytes()[cursor.at..end]) {
            let at = cursor.at + found;
            text.push_str(&cursor.text[cursor.at..at]);
            cursor.at = at;
            if cursor.peek() == b'%' {
                return Err("a parameter entity within a declaration: write `&#37;` for the character".to_owned());
            }
            let name = self.parse_entity_reference(cursor);
            if cursor.at > end {
                return Err("a reference that does not end within the value".to_owned());
            }
            let source = &cursor.text[at..cursor.at];
            let character = source.starts_with("&#").then(|| value::parse_reference(source)).flatten();
            match character.and_then(|(reference, _)| value::referenced_char(reference)).filter(|_| name.is_none()) {
                Some(c) => text.push(c),
                None => text.push_str(source),
            }
        }
        text.push_str(&cursor.text[cursor.at..end]);
        cursor.at = after;
        Ok(value::normalize_line_ends(&text).into_owned())
    }

    /// Parses `Name Identifier` of a notation.
    pub(super) fn parse_notation_declaration(&mut self, cursor: &mut Cursor<'_>, _start: usize) -> ParseResult {
        let at = cursor.at;
        let name = expect_name(cursor, "the name of a notation")?;
        if name.contains(':') {
            self.report_error(cursor, at, cursor.at, format!("a colon in the name of the notation `{name}`"));
        }
        expect_space(cursor)?;
        if parse_external_id(cursor, false)?.is_present {
            Ok(())
        } else {
            Err(format!("expected `SYSTEM` or `PUBLIC`, not {}", cursor.describe_next()))
        }
    }
}

/// Parses the rest of `(#PCDATA | a | b)*`.
fn parse_mixed_content(cursor: &mut Cursor<'_>) -> ParseResult {
    let mut names = false;
    loop {
        cursor.skip_space();
        if cursor.eat(")") {
            if !cursor.eat("*") && names {
                return Err(format!("expected `*` after mixed content, not {}", cursor.describe_next()));
            }
            return Ok(());
        }
        expect(cursor, "|")?;
        cursor.skip_space();
        expect_name(cursor, "the name of an element")?;
        names = true;
    }
}

/// Parses `(a, b*, (c | d)+)?` with nested groups, without recursion.
fn parse_children(cursor: &mut Cursor<'_>) -> ParseResult {
    // Separator of each open group; 0 until it is known.
    let mut groups: Vec<u8> = Vec::new();
    loop {
        // Next is a particle: a name, or the start of a group.
        cursor.skip_space();
        if cursor.eat("(") {
            groups.push(0);
            continue;
        }
        expect_name(cursor, "the name of an element or `(`")?;
        skip_occurrence(cursor);
        // Next is a separator, or the ends of groups.
        loop {
            cursor.skip_space();
            let Some(separator) = groups.last_mut() else { return Ok(()) };
            match cursor.peek() {
                b')' => {
                    cursor.at += 1;
                    skip_occurrence(cursor);
                    groups.pop();
                    if groups.is_empty() {
                        return Ok(());
                    }
                }
                byte @ (b',' | b'|') if *separator == 0 || *separator == byte => {
                    *separator = byte;
                    cursor.at += 1;
                    break;
                }
                b',' | b'|' => return Err("`,` and `|` in one group".to_owned()),
                _ => return Err(format!("expected `,`, `|` or `)`, not {}", cursor.describe_next())),
            }
        }
    }
}

fn skip_occurrence(cursor: &mut Cursor<'_>) {
    if matches!(cursor.peek(), b'?' | b'*' | b'+') {
        cursor.at += 1;
    }
}

fn parse_attribute_type(cursor: &mut Cursor<'_>) -> ParseResult<Type> {
    if cursor.peek() == b'(' {
        return parse_enumeration(cursor, |cursor| cursor.read_token());
    }
    let keyword = cursor.read_name();
    match keyword {
        "CDATA" => Ok(Type::Cdata),
        "ID" => Ok(Type::Identifier),
        "IDREF" | "IDREFS" => Ok(Type::References),
        "ENTITY" | "ENTITIES" | "NMTOKEN" | "NMTOKENS" => Ok(Type::Tokens),
        "NOTATION" => {
            expect_space(cursor)?;
            parse_enumeration(cursor, |cursor| cursor.read_name())
        }
        _ => Err(format!("`{keyword}` is not an attribute type")),
    }
}

fn parse_enumeration<'i>(cursor: &mut Cursor<'i>, item: fn(&mut Cursor<'i>) -> &'i str) -> ParseResult<Type> {
    expect(cursor, "(")?;
    loop {
        cursor.skip_space();
        if item(cursor).is_empty() {
            return Err(format!("expected a name, not {}", cursor.describe_next()));
        }
        cursor.skip_space();
        if cursor.eat(")") {
            return Ok(Type::Tokens);
        }
        expect(cursor, "|")?;
    }
}

#[cfg(test)]
mod tests {
    use crate::parse::parse_document;

    #[track_caller]
    fn good(subset: &str) {
        let text = format!("<!DOCTYPE a [{subset}]><a/>");
        let problems = parse_document(&text).problems;
        assert!(problems.is_empty(), "{subset}: {problems:?}");
    }

    #[track_caller]
    fn bad(subset: &str) {
        let text = format!("<!DOCTYPE a [{subset}]><a/>");
        let tree = parse_document(&text);
        assert!(!tree.problems.is_empty(), "{subset}");
        assert!(tree.root().is_some(), "the document after the declarations is still parsed: {subset}");
    }

    #[test]
    fn parses_content_models() {
        good("<!ELEMENT a EMPTY><!ELEMENT b ANY><!ELEMENT c (#PCDATA)><!ELEMENT d (#PCDATA | a | b)* >");
        good("<!ELEMENT a (b)><!ELEMENT b ( c , (d|e)*, f? )+>");
        bad("<!ELEMENT a (b,c|d)>");
        bad("<!ELEMENT a (#PCDATA|b)>");
        bad("<!ELEMENT a ()>");
        bad("<!ELEMENT a (b>");
        good(&format!("<!ELEMENT a {}b{}>", "(".repeat(50_000), ")".repeat(50_000)));
    }

    #[test]
    fn parses_attribute_lists() {
        good("<!ATTLIST a b CDATA #IMPLIED c ID #REQUIRED d (x|1y) 'x' e NOTATION (n) #FIXED \"n\">");
        bad("<!ATTLIST a b STRING #IMPLIED>");
        bad("<!ATTLIST a b CDATA '<'>");
        bad("<!ATTLIST a b CDATA 'x'c CDATA 'y'>");
    }

    #[test]
    fn parses_entities_and_notations() {
        good("<!ENTITY e 'x&#60;&amp;'><!ENTITY % p '<!ELEMENT b ANY>'>%p;<!ENTITY f SYSTEM 'f.xml'>");
        good("<!NOTATION n PUBLIC 'x'><!ENTITY g SYSTEM 'g.gif' NDATA n>");
        bad("<!ENTITY e '%p;'>");
        bad("<!ENTITY e 'x' NDATA n>");
        bad("<!NOTATION n>");
        bad("<!ENTITY e 'a & b'>");
        bad("%missing;");
    }
}
