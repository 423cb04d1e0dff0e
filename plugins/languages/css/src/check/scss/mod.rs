//! Checks that are specific to Sass: those of expressions, arguments and conditions, and of statements in places where
//! they are not allowed.

mod at_rule;
mod call;
mod known_functions;
mod module;
mod query;
mod value;

pub(crate) use self::known_functions::calls_known_function;
use super::{
    Checker,
    reader::{Parsed, Reader, is_plain_ident},
};
use crate::tree::{Item, Kind, NONE};

/// Within `@function`.
const FUNCTION: u8 = 1;
/// Within `@mixin`.
const MIXIN: u8 = 2;
/// Within `@if`, `@each`, `@for` or `@while`.
const CONTROL: u8 = 4;
/// Within the block of an `@include`.
const CONTENT: u8 = 8;
/// Within a style rule.
const RULE: u8 = 16;
/// Directly in a property with a block.
const PROPERTY: u8 = 32;

/// Checks the items one after the other, and records the context of each.
#[derive(Debug)]
struct SassChecker<'c, 't> {
    checker: &'c mut Checker<'t>,
    /// For each item, the context of its content, as a set of the bits above.
    contexts: Vec<u8>,
    /// True while `@use` is still allowed.
    before_rules: bool,
}

/// Checks all items.
pub(super) fn check_items(checker: &mut Checker<'_>) {
    let count = checker.tree.items.len();
    let mut sass = SassChecker { checker, contexts: Vec::with_capacity(count), before_rules: true };
    for index in 0..count as u32 {
        let item = sass.checker.tree.item(index);
        let around = sass.contexts.get(item.parent as usize).copied().unwrap_or(0);
        let own = sass.content_context(item, around);
        sass.contexts.push(own);
        if sass.checker.is_full() {
            return;
        }
        sass.check_item(index, item, around);
        if sass.before_rules {
            let first =
                matches!(item.kind, Kind::Import | Kind::Variable | Kind::Entry) || sass.plain_name(item) == "charset";
            sass.before_rules = first && sass.plain_name(item) != "import";
        }
    }
    known_functions::check_known_calls(checker);
}

impl<'t> SassChecker<'_, 't> {
    /// Returns the context of the content of an item. `around` is the context of the item itself.
    fn content_context(&self, item: &Item, around: u8) -> u8 {
        let around = around & !PROPERTY;
        match item.kind {
            Kind::Function if !self.is_css_function(item) => around | FUNCTION,
            Kind::Mixin => around | MIXIN,
            Kind::Include => around | CONTENT,
            Kind::Rule | Kind::Keyframe => around | RULE,
            Kind::Declaration if item.block => around | PROPERTY,
            Kind::AtRule if matches!(self.plain_name(item), "if" | "else" | "for" | "each" | "while") => {
                around | CONTROL
            }
            Kind::AtRule if self.plain_name(item) == "at-root" => around | RULE,
            _ => around,
        }
    }

    /// Returns the name of an at-rule without its `@`.
    fn plain_name(&self, item: &Item) -> &'t str {
        self.checker.tree.name(item).strip_prefix('@').unwrap_or_default()
    }

    /// Returns whether this is a function of CSS, `@function --name()`.
    fn is_css_function(&self, item: &Item) -> bool {
        let tree = self.checker.tree;
        tree.text[tree.prelude(item)].trim_ascii_start().starts_with("--")
    }

    fn check_item(&mut self, index: u32, item: &'t Item, around: u8) {
        match item.kind {
            Kind::Rule | Kind::Keyframe => self.check_rule(item, around),
            Kind::Declaration => self.check_declaration(item, around),
            Kind::Variable => self.check_variable(item),
            Kind::Entry | Kind::Call => {}
            _ => self.check_at_rule(index, item, around),
        }
    }

    /// Parses a whole range with a grammar rule.
    fn read_range(&mut self, range: std::ops::Range<usize>, grammar: impl FnOnce(&mut Reader<'t>) -> Parsed) {
        let mut reader = self.checker.reader(range);
        reader.skip_space();
        let result = grammar(&mut reader).and_then(|()| reader.expect_end());
        self.checker.report_error(result);
    }

    fn check_rule(&mut self, item: &Item, around: u8) {
        let head = item.head_range();
        let text = &self.checker.tree.text[head.clone()];
        if text.is_empty() {
            return self.checker.report(head.start..head.start + 1, "expected a selector before `{`");
        }
        if around & FUNCTION != 0 {
            return self.checker.report(head, "rules are not allowed in a function");
        }
        if around & PROPERTY != 0 {
            return self.checker.report(head, "rules are not allowed in a property: expected `:` and a value");
        }
        if text.as_bytes().windows(2).any(|pair| pair == b"#{") {
            return self.read_range(head, call::interpolations);
        }
        self.checker.check_selector(item);
    }

    fn check_declaration(&mut self, item: &Item, around: u8) {
        let tree = self.checker.tree;
        let name = tree.name(item);
        let range = item.start as usize..item.start as usize + name.len();
        if item.parent == NONE {
            return self.checker.report(range, "declarations are only allowed in a rule: expected a block in braces");
        }
        if around & FUNCTION != 0 {
            return self.checker.report(range, "declarations are not allowed in a function");
        }
        if name.is_empty() {
            return; // the parser has already reported it
        }
        if !is_plain_ident(name) {
            self.read_range(range, parse_property);
        }
        let custom = name.starts_with("--");
        let result = name.eq_ignore_ascii_case("result");
        let value = match item.block {
            true => tree.first_colon(item).map_or(item.head as usize, |colon| colon + 1)..item.head as usize,
            false => item.body_start as usize..item.body_end as usize,
        };
        if value.is_empty() {
            return;
        }
        if custom || (result && tree.text[value.clone()].contains('{')) {
            return self.read_range(value, call::interpolations);
        }
        self.read_range(value, value::expression);
    }

    fn check_variable(&mut self, item: &Item) {
        self.read_range(item.head_range(), |reader| {
            if !reader.at_byte(b'$') {
                reader.expect_ident()?;
                reader.expect(b'.')?;
            }
            value::variable(reader)
        });
        if item.body_start == item.body_end {
            return;
        }
        self.read_range(item.body_start as usize..item.body_end as usize, |reader| {
            value::expression(reader)?;
            reader.skip_space();
            while reader.eat(b'!') {
                reader.skip_space();
                if !reader.eat_word("default") && !reader.eat_word("global") {
                    return reader.error("expected `default` or `global`");
                }
                reader.skip_space();
            }
            Ok(())
        });
    }
}

/// Parses the name of a property. Before it, a character such as `*` is allowed, which hides the property from new
/// browsers.
fn parse_property(reader: &mut Reader<'_>) -> Parsed {
    if matches!(reader.peek(), Some(b':' | b'*' | b'.')) || (reader.at_byte(b'#') && !reader.at_interpolation()) {
        reader.at += 1;
        reader.skip_space();
    }
    value::identifier(reader).map(|_| ())
}
