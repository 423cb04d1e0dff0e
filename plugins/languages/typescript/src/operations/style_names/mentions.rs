//! Strings that contain, or may contain, names from stylesheets: CSS classes, ids and custom properties.

use marquetry_sdk::{SharedName, Span};
use oxc_ast::ast::*;
use oxc_ast_visit::{Visit, walk};
use oxc_span::GetSpan;

use super::{CLASS_NAMESPACE, ID_NAMESPACE, PROPERTY_NAMESPACE};
use crate::syntax::spans::to_sdk_span;
use crate::syntax::tree::Parsed;

/// An occurrence of a name.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct NameMention {
    pub(super) span: Span,
    pub(super) namespace: &'static str,
    pub(super) name: String,
    pub(super) certain: bool,
    pub(super) form: NameSyntax,
}

/// Syntactic form of a name.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum NameSyntax {
    /// Within quotes.
    Text,
    /// As the key of an object, without quotes.
    Key,
}

/// Kind of names that a string contains.
#[derive(Debug, Clone, Copy, PartialEq)]
enum NameKind {
    /// Class names separated by spaces.
    Classes,
    /// Ids separated by spaces.
    Ids,
    /// A selector.
    Selector,
    /// The name of a custom property.
    Property,
}

/// Functions that join lists of classes.
const CLASS_LIST_FUNCTIONS: [&str; 8] = ["clsx", "classNames", "classnames", "cn", "cx", "twMerge", "twJoin", "cva"];

/// Returns all mentions that are known to be style names. If `wanted` is given, also returns strings that may be that
/// name.
pub(super) fn find_mentions(parsed: &Parsed<'_>, wanted: Option<&SharedName>) -> Vec<NameMention> {
    let mut search = MentionSearch { text: parsed.program.source_text, wanted, found: Vec::new(), known: Vec::new() };
    search.visit_program(parsed.program);
    let known = std::mem::take(&mut search.known);
    search.found.retain(|place| place.certain || !known.iter().any(|span| span.contains(place.span)));
    search.found
}

struct MentionSearch<'t> {
    text: &'t str,
    wanted: Option<&'t SharedName>,
    found: Vec<NameMention>,
    /// Strings with a known meaning. They are not searched for possible names.
    known: Vec<Span>,
}

/// Returns the words of a text with their offsets.
fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.split(|c: char| c.is_ascii_whitespace())
        .filter(|word| !word.is_empty())
        .map(move |word| (word.as_ptr() as usize - text.as_ptr() as usize, word))
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '-' | '_') || !c.is_ascii()
}

impl<'a> MentionSearch<'_> {
    fn add_mention(&mut self, at: usize, name: &str, space: &'static str, certain: bool) {
        let span = Span::new(at, at + name.len());
        self.found.push(NameMention { span, namespace: space, name: name.to_owned(), certain, form: NameSyntax::Text });
    }

    /// Adds the names in the source between two offsets. Text with escapes is skipped.
    fn add_source_names(&mut self, start: usize, end: usize, content: NameKind) {
        let Some(text) = self.text.get(start..end) else { return };
        self.known.push(Span::new(start, end));
        if text.contains('\\') {
            return;
        }
        match content {
            NameKind::Classes => {
                words(text).for_each(|(at, word)| self.add_mention(start + at, word, CLASS_NAMESPACE, true))
            }
            NameKind::Ids => words(text).for_each(|(at, word)| self.add_mention(start + at, word, ID_NAMESPACE, true)),
            NameKind::Property if text.starts_with("--") => self.add_mention(start, text, PROPERTY_NAMESPACE, true),
            NameKind::Property => {}
            NameKind::Selector => self.add_selector_names(start, text),
        }
    }

    /// Adds the classes and ids of a selector, skipping text in brackets and quotes.
    fn add_selector_names(&mut self, start: usize, text: &str) {
        let (mut at, mut brackets) = (0, 0_usize);
        let mut quote = None;
        while let Some(c) = text[at..].chars().next() {
            let next = at + c.len_utf8();
            match (quote, c) {
                (Some(open), c) if c == open => quote = None,
                (Some(_), _) => {}
                (None, '"' | '\'') => quote = Some(c),
                (None, '[') => brackets += 1,
                (None, ']') => brackets = brackets.saturating_sub(1),
                (None, '.' | '#') if brackets == 0 => {
                    let rest = &text[next..];
                    let name = &rest[..rest.find(|c| !is_name(c)).unwrap_or(rest.len())];
                    if !name.is_empty() && !name.starts_with(|c: char| c.is_ascii_digit()) {
                        self.add_mention(
                            start + next,
                            name,
                            if c == '.' { CLASS_NAMESPACE } else { ID_NAMESPACE },
                            true,
                        );
                    }
                    at = next + name.len();
                    continue;
                }
                _ => {}
            }
            at = next;
        }
    }

    /// Adds the names in a value, in all of its branches.
    fn add_value_names(&mut self, value: &Expression<'a>, content: NameKind) {
        match value.get_inner_expression() {
            Expression::StringLiteral(text) => {
                self.add_source_names(text.span.start as usize + 1, text.span.end as usize - 1, content);
            }
            Expression::TemplateLiteral(template) => self.add_template_names(template, content),
            Expression::ConditionalExpression(either) => {
                self.add_value_names(&either.consequent, content);
                self.add_value_names(&either.alternate, content);
            }
            Expression::LogicalExpression(logical) => {
                if logical.operator != LogicalOperator::And {
                    self.add_value_names(&logical.left, content);
                }
                self.add_value_names(&logical.right, content);
            }
            Expression::ArrayExpression(array) => {
                array
                    .elements
                    .iter()
                    .filter_map(|item| item.as_expression())
                    .for_each(|item| self.add_value_names(item, content));
            }
            Expression::CallExpression(call) if content == NameKind::Classes => self.add_class_list_call(call),
            _ => {}
        }
    }

    /// Adds the names in a template. Words next to a substitution are skipped, because they are only parts of names.
    fn add_template_names(&mut self, template: &TemplateLiteral<'a>, content: NameKind) {
        let last = template.quasis.len() - 1;
        for (index, quasi) in template.quasis.iter().enumerate() {
            let (mut start, mut end) = (quasi.span.start as usize, quasi.span.end as usize);
            let Some(text) = self.text.get(start..end) else { continue };
            let space = |c: char| c.is_ascii_whitespace();
            if index < last {
                end = start + text.rfind(space).map_or(0, |at| at + 1);
            }
            if index > 0 {
                start += text.find(space).unwrap_or(text.len());
            }
            if start < end {
                self.add_source_names(start, end, content);
            }
        }
    }

    /// Handles `clsx('a', { b: on }, cond && 'c')` and `['a', on && 'b'].join(' ')`.
    fn add_class_list_call(&mut self, call: &CallExpression<'a>) {
        match &call.callee {
            Expression::Identifier(name) if CLASS_LIST_FUNCTIONS.contains(&name.name.as_str()) => {
                for argument in call.arguments.iter().filter_map(|argument| argument.as_expression()) {
                    match argument.get_inner_expression() {
                        Expression::ObjectExpression(object) => self.add_object_keys(object),
                        _ => self.add_value_names(argument, NameKind::Classes),
                    }
                }
            }
            Expression::StaticMemberExpression(member)
                if matches!(member.property.name.as_str(), "join" | "concat" | "trim" | "filter") =>
            {
                self.add_value_names(&member.object, NameKind::Classes);
            }
            _ => {}
        }
    }

    fn add_object_keys(&mut self, object: &ObjectExpression<'a>) {
        for property in &object.properties {
            let ObjectPropertyKind::ObjectProperty(property) = property else { continue };
            match &property.key {
                PropertyKey::StringLiteral(text) => {
                    self.add_source_names(text.span.start as usize + 1, text.span.end as usize - 1, NameKind::Classes);
                }
                PropertyKey::StaticIdentifier(name) if !property.shorthand => {
                    let (span, space) = (to_sdk_span(name.span), CLASS_NAMESPACE);
                    let name = name.name.to_string();
                    self.found.push(NameMention { span, namespace: space, name, certain: true, form: NameSyntax::Key });
                }
                _ => {}
            }
        }
    }

    /// If the DOM method has an argument that contains names, returns the index of this argument and the kind of its
    /// names.
    fn dom_argument(method: &str, call: &CallExpression<'a>) -> Option<(usize, NameKind)> {
        let first = call.arguments.first().and_then(|argument| argument.as_expression());
        let attribute = match first {
            Some(Expression::StringLiteral(text)) => text.value.as_str().unwrap_or_default(),
            _ => "",
        };
        Some(match method {
            "getElementById" => (0, NameKind::Ids),
            "getElementsByClassName" => (0, NameKind::Classes),
            "querySelector" | "querySelectorAll" | "closest" | "matches" => (0, NameKind::Selector),
            "setAttribute" if attribute == "class" => (1, NameKind::Classes),
            "setAttribute" if attribute == "id" => (1, NameKind::Ids),
            "setProperty" | "getPropertyValue" | "removeProperty" => (0, NameKind::Property),
            _ => return None,
        })
    }

    /// Adds possible uses of the wanted name in a string whose meaning is unknown.
    fn add_possible_uses(&mut self, start: usize, end: usize) {
        let (Some(wanted), Some(text)) = (self.wanted, self.text.get(start..end)) else { return };
        let space =
            [CLASS_NAMESPACE, ID_NAMESPACE, PROPERTY_NAMESPACE].into_iter().find(|space| *space == wanted.namespace);
        let Some(space) = space else { return };
        for (at, word) in words(text) {
            let shift = usize::from(word.starts_with(['.', '#']));
            if word[shift..] == *wanted.name {
                self.add_mention(start + at + shift, &wanted.name, space, false);
            }
        }
    }

    /// Adds custom properties in `var(--x)`, which is unambiguous in any string.
    fn add_css_variables(&mut self, start: usize, end: usize) {
        let Some(text) = self.text.get(start..end) else { return };
        for (at, found) in text.match_indices("var(") {
            let rest = &text[at + found.len()..];
            let blank = rest.len() - rest.trim_start().len();
            let name = &rest[blank..];
            let name = &name[..name.find(|c| !is_name(c)).unwrap_or(name.len())];
            if name.starts_with("--") && name.len() > 2 {
                self.add_mention(start + at + found.len() + blank, name, PROPERTY_NAMESPACE, true);
            }
        }
    }
}

/// Returns the kind of names that an attribute contains, or `None` if it contains none.
fn attribute_content(name: &str, is_platform: bool) -> Option<NameKind> {
    Some(match name {
        "className" | "class" => NameKind::Classes,
        "id" | "htmlFor" | "for" | "list" | "form" | "headers" | "popoverTarget" if is_platform => NameKind::Ids,
        "aria-labelledby"
        | "aria-describedby"
        | "aria-controls"
        | "aria-owns"
        | "aria-details"
        | "aria-flowto"
        | "aria-activedescendant"
        | "aria-errormessage" => NameKind::Ids,
        _ => return None,
    })
}

impl<'a> Visit<'a> for MentionSearch<'_> {
    fn visit_jsx_opening_element(&mut self, it: &JSXOpeningElement<'a>) {
        let is_platform = matches!(&it.name, JSXElementName::Identifier(_));
        for attribute in &it.attributes {
            let JSXAttributeItem::Attribute(attribute) = attribute else { continue };
            let JSXAttributeName::Identifier(name) = &attribute.name else { continue };
            let content = attribute_content(name.name.as_str(), is_platform);
            match (&attribute.value, content) {
                (Some(JSXAttributeValue::StringLiteral(text)), Some(content)) => {
                    self.add_source_names(text.span.start as usize + 1, text.span.end as usize - 1, content);
                }
                (Some(JSXAttributeValue::ExpressionContainer(container)), Some(content)) => {
                    if let Some(value) = container.expression.as_expression() {
                        self.add_value_names(value, content);
                    }
                }
                // Other attributes of HTML elements do not contain style names.
                (Some(JSXAttributeValue::StringLiteral(text)), None) if is_platform => {
                    self.known.push(to_sdk_span(text.span));
                }
                _ => {}
            }
        }
        walk::walk_jsx_opening_element(self, it);
    }

    fn visit_call_expression(&mut self, it: &CallExpression<'a>) {
        if let Expression::StaticMemberExpression(member) = it.callee.get_inner_expression() {
            let is_list = matches!(member.object.get_inner_expression(),
                Expression::StaticMemberExpression(list) if list.property.name == "classList");
            let all = is_list && matches!(member.property.name.as_str(), "add" | "remove" | "replace");
            let one = is_list && matches!(member.property.name.as_str(), "toggle" | "contains");
            let taken =
                if one { Some((0, NameKind::Classes)) } else { Self::dom_argument(member.property.name.as_str(), it) };
            for (index, argument) in it.arguments.iter().enumerate() {
                let content =
                    if all { Some(NameKind::Classes) } else { taken.filter(|(at, _)| *at == index).map(|(_, c)| c) };
                if let (Some(content), Some(argument)) = (content, argument.as_expression()) {
                    self.add_value_names(argument, content);
                }
            }
        }
        walk::walk_call_expression(self, it);
    }

    fn visit_assignment_expression(&mut self, it: &AssignmentExpression<'a>) {
        if let AssignmentTarget::StaticMemberExpression(member) = &it.left
            && member.property.name == "className"
        {
            self.add_value_names(&it.right, NameKind::Classes);
        }
        walk::walk_assignment_expression(self, it);
    }

    fn visit_import_declaration(&mut self, _it: &ImportDeclaration<'a>) {}

    fn visit_string_literal(&mut self, it: &StringLiteral<'a>) {
        let (start, end) = (it.span.start as usize + 1, (it.span.end as usize).saturating_sub(1));
        self.add_css_variables(start, end);
        self.add_possible_uses(start, end);
    }

    fn visit_template_element(&mut self, it: &TemplateElement<'a>) {
        let (start, end) = (it.span().start as usize, it.span().end as usize);
        self.add_css_variables(start, end);
        self.add_possible_uses(start, end);
    }

    fn visit_object_property(&mut self, it: &ObjectProperty<'a>) {
        // `style={{ '--x': 1 }}`
        if let PropertyKey::StringLiteral(text) = &it.key
            && text.value.starts_with("--")
        {
            self.add_source_names(text.span.start as usize + 1, text.span.end as usize - 1, NameKind::Property);
        }
        walk::walk_object_property(self, it);
    }
}
