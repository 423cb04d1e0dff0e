//! Checks the syntax of at-rules in Sass, and where they are allowed.

use super::{CONTENT, CONTROL, FUNCTION, MIXIN, PROPERTY, RULE, SassChecker, call, module, query, value};
use crate::{
    check::reader::{Parsed, Reader},
    tree::{Item, NONE},
};

/// At-rules that are allowed in a function.
const IN_FUNCTIONS: &[&str] = &["debug", "each", "else", "error", "for", "if", "return", "warn", "while"];
/// At-rules that are allowed in a property with a block.
const IN_PROPERTIES: &[&str] = &["content", "debug", "each", "else", "error", "for", "if", "include", "warn", "while"];
/// At-rules that require a block.
const WITH_BLOCK: &[&str] = &["each", "else", "for", "function", "if", "mixin", "while", "media", "supports"];
/// At-rules that cannot have a block.
const WITHOUT_BLOCK: &[&str] = &["charset", "debug", "error", "extend", "forward", "import", "return", "use", "warn"];

impl<'t> SassChecker<'_, 't> {
    pub(super) fn check_at_rule(&mut self, index: u32, item: &'t Item, around: u8) {
        let name = self.plain_name(item);
        let prelude = self.checker.tree.prelude(item);
        if name.is_empty() {
            return; // the parser has already reported it
        }
        if name.contains("#{") && around & (PROPERTY | FUNCTION) != 0 {
            return self.checker.report(item.head_range(), "only Sass at-rules are allowed here");
        }
        if name.contains("#{") || self.is_css_at_rule(name, item) {
            self.read_range(item.start as usize + 1..item.start as usize + 1 + name.len(), call::interpolations);
            return self.read_range(prelude, call::interpolations);
        }
        if let Some(why) = self.misplacement(index, item, name, around) {
            return self.checker.report(item.head_range(), why);
        }
        if WITH_BLOCK.contains(&name) && !item.block {
            self.checker.report(item.head_range(), format!("expected a block in braces after `@{name}`"));
        }
        if WITHOUT_BLOCK.contains(&name) && item.block {
            let head = item.head as usize;
            self.checker.report(head..head + 1, format!("expected `;` after this `@{name}`"));
        }
        match name {
            "at-root" => self.check_at_root(item),
            _ => self.read_range(prelude, |reader| parse_prelude(reader, name)),
        }
    }

    /// Returns whether this is a function of CSS, `@function --name()`, which Sass copies to its output unchanged.
    fn is_css_at_rule(&self, name: &str, item: &Item) -> bool {
        name == "function" && self.is_css_function(item)
    }

    /// Returns a message about why the at-rule is not allowed in its context. `None` if it is allowed.
    fn misplacement(&self, index: u32, item: &Item, name: &str, around: u8) -> Option<&'static str> {
        let within = |contexts: u8| around & contexts != 0;
        match name {
            _ if within(FUNCTION) && !IN_FUNCTIONS.contains(&name) => Some("this at-rule is not allowed in functions"),
            _ if within(PROPERTY) && !IN_PROPERTIES.contains(&name) => {
                Some("this at-rule is not allowed in properties")
            }
            "return" if !within(FUNCTION) => Some("`@return` is only allowed in a function"),
            "content" if !within(MIXIN) => Some("`@content` is only allowed in a mixin"),
            "extend" if !within(RULE | MIXIN | CONTENT) => Some("`@extend` is only allowed in a rule"),
            "function" | "mixin" if within(CONTROL) => Some("definitions are not allowed in conditions and loops"),
            "function" | "mixin" if within(MIXIN | CONTENT) => Some("definitions are not allowed in a mixin"),
            "use" | "forward" if item.parent != NONE => Some("this at-rule is only allowed at the top level"),
            "use" | "forward" if !self.before_rules => Some("this at-rule must come before all rules"),
            "import" if within(CONTROL | MIXIN) && self.is_sass_import(item) => {
                Some("imports are not allowed in mixins, conditions and loops")
            }
            "else" if !self.follows_if(index, item) => Some("`@else` must follow an `@if`"),
            _ => None,
        }
    }

    /// Returns whether Sass replaces the import by the imported file. It copies other imports to its output, as CSS
    /// imports.
    fn is_sass_import(&self, item: &Item) -> bool {
        let tree = self.checker.tree;
        let prelude = tree.text[tree.prelude(item)].trim_ascii();
        let address = prelude.trim_matches(['"', '\'']);
        let css =
            address.ends_with(".css") || ["http://", "https://", "//"].iter().any(|start| address.starts_with(start));
        prelude.starts_with(['"', '\'']) && prelude.ends_with(['"', '\'']) && !css
    }

    /// Returns whether the previous sibling is an `@if` or `@else if`.
    fn follows_if(&self, index: u32, item: &Item) -> bool {
        let tree = self.checker.tree;
        let Some(mut before) = index.checked_sub(1) else { return false };
        // The previous item is the last descendant of the previous sibling. Go up from it to the sibling itself.
        while before != NONE && tree.item(before).parent != item.parent {
            if before == item.parent {
                return false;
            }
            before = tree.item(before).parent;
        }
        if before == NONE {
            return false;
        }
        let head = tree.head(tree.item(before));
        head.starts_with("@if")
            || head.strip_prefix("@else").is_some_and(|rest| rest.trim_ascii_start().starts_with("if"))
            || head.starts_with("@elseif")
    }

    /// Checks the prelude of `@at-root`. It is empty, a query in brackets, or a selector.
    fn check_at_root(&mut self, item: &Item) {
        let mut prelude = self.checker.tree.prelude(item);
        prelude.start = self.checker.tree.scan().skip_trivia(prelude.start).min(prelude.end);
        let text = &self.checker.tree.text[prelude.clone()];
        if text.is_empty() {
            return;
        }
        if text.starts_with('(') || text.contains("#{") {
            return self.read_range(prelude, call::interpolations);
        }
        let rules = crate::check::selector::SelectorRules { relative: true, percentages: true };
        self.read_range(prelude, |reader| crate::check::selector::list(reader, rules));
    }
}

/// Parses the prelude of an at-rule.
fn parse_prelude(reader: &mut Reader<'_>, name: &str) -> Parsed {
    match name {
        "charset" => value::string(reader),
        "content" if reader.at_byte(b'(') => {
            call::arguments(reader, call::ArgumentRules { mixin: true, empty_second: false })
        }
        "debug" | "warn" | "error" | "return" | "if" | "while" => value::expression(reader),
        "each" => each(reader),
        "else" if !reader.at_end() => {
            reader.expect_word("if")?;
            value::expression(reader)
        }
        "elseif" => value::expression(reader),
        "extend" if reader.at_end() => reader.error("expected a selector"),
        "for" => for_rule(reader),
        "function" => {
            reader.expect_ident()?;
            reader.skip_space();
            call::parameters(reader)
        }
        "mixin" => {
            reader.expect_ident()?;
            reader.skip_space();
            if reader.at_byte(b'(') { call::parameters(reader) } else { Ok(()) }
        }
        "include" => include(reader),
        "import" => query::imports(reader),
        "media" => query::media(reader),
        "supports" => query::supports(reader),
        "use" => module::use_rule(reader),
        "forward" => module::forward_rule(reader),
        _ => call::interpolations(reader),
    }
}

/// Parses the prelude of `@each`: `$key, $value in expression`.
fn each(reader: &mut Reader<'_>) -> Parsed {
    loop {
        value::variable(reader)?;
        reader.skip_space();
        if !reader.eat(b',') {
            break;
        }
        reader.skip_space();
    }
    reader.expect_word("in")?;
    reader.skip_space();
    value::expression(reader)
}

/// Parses the prelude of `@for`: `$i from a through b`.
fn for_rule(reader: &mut Reader<'_>) -> Parsed {
    value::variable(reader)?;
    reader.skip_space();
    reader.expect_word("from")?;
    reader.skip_space();
    value::until(reader, value::Terminator::Bound, false)?;
    if !reader.eat_word("to") {
        reader.expect_word("through")?;
    }
    reader.skip_space();
    value::expression(reader)
}

/// Parses the prelude of `@include`: `name(arguments) using ($parameters)`.
fn include(reader: &mut Reader<'_>) -> Parsed {
    reader.expect_ident()?;
    if reader.eat(b'.') {
        reader.expect_ident()?;
    }
    reader.skip_space();
    if reader.at_byte(b'(') {
        call::arguments(reader, call::ArgumentRules { mixin: true, empty_second: false })?;
    }
    reader.skip_space();
    if reader.eat_word("using") {
        reader.skip_space();
        call::parameters(reader)?;
    }
    Ok(())
}
