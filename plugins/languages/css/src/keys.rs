//! Labels and keys of items. The label of an item is shown in its address. Its keys are the hashes of all forms of a
//! step that find the item.

use crate::{
    canonical::{self, CanonicalList},
    chars::{Dialect, is_name},
    display,
    parse::is_variable,
    scanner::{Scanner, TokenKind},
    tree::{Item, Kind, Tree},
};

/// Maximum length of a label in bytes. Longer labels are shortened.
const MAX_LABEL_LEN: usize = 120;

/// Returns the key of one step of a target: a selector, `@name prelude`, `$variable`, or a call that ends with `;`.
pub(crate) fn step_key(step: &str, dialect: Dialect) -> u64 {
    if let Some(call) = step.strip_suffix(';') {
        return canonical::key(&(canonical::prelude(call, dialect) + ";"));
    }
    if step.starts_with('@') && !(dialect == Dialect::Less && step.starts_with("@{")) {
        return at_rule_key(step, dialect);
    }
    if is_variable(step) {
        return variable_key(step);
    }
    let mut members = CanonicalList::default();
    members.read(step, dialect);
    canonical::key(members.as_str())
}

/// Returns the key of a variable in SCSS, where `_` and `-` are the same.
fn variable_key(name: &str) -> u64 {
    canonical::key(&name.replace('_', "-"))
}

/// Returns the key of `@name prelude`. Declarations and map entries have the form `@name`.
fn at_rule_key(text: &str, dialect: Dialect) -> u64 {
    let (name, rest) = text.split_at(crate::tree::at_name_len(text, dialect));
    canonical::key(&canonical_at_rule(name, rest, dialect))
}

fn canonical_at_rule(name: &str, prelude: &str, dialect: Dialect) -> String {
    let mut spelling = fold_name(name, dialect);
    let rest = prelude.trim_ascii();
    if !rest.is_empty() {
        let rest = canonical::prelude(rest, dialect);
        let named = matches!(spelling.as_str(), "@mixin" | "@function" | "@include");
        let any_case = spelling == "@media";
        spelling.push(' ');
        spelling.push_str(&match () {
            () if named => rest.replace('_', "-"),
            () if any_case => rest.to_ascii_lowercase(),
            () => rest,
        });
    }
    spelling
}

/// Converts the name of an at-rule or property to lower case, unless it is a custom property or the dialect is LESS,
/// where names are case-sensitive.
fn fold_name(name: &str, dialect: Dialect) -> String {
    if dialect == Dialect::Less || name.starts_with("@--") { name.to_owned() } else { name.to_ascii_lowercase() }
}

/// Collects the keys of one item at a time.
#[derive(Debug, Default)]
pub(crate) struct Keys {
    members: CanonicalList,
    /// Keys of the current item.
    pub(crate) keys: Vec<u64>,
}

impl Keys {
    /// Returns the keys of an item. Its ancestors are not taken into account.
    pub(crate) fn item_keys(&mut self, tree: &Tree, index: u32) -> &[u64] {
        self.keys.clear();
        let item = tree.item(index);
        let head = tree.head(item);
        match item.kind {
            Kind::Rule | Kind::Keyframe => self.add_rule(head, tree.dialect, item.kind == Kind::Keyframe),
            Kind::Mixin if !head.starts_with('@') => {
                self.add_selectors(head, tree.dialect);
                let name = head.split('(').next().unwrap_or(head).trim_ascii();
                self.add_selectors(&format!("{name}()"), tree.dialect);
            }
            Kind::Call => {
                self.keys.push(canonical::key(&(canonical::prelude(head, tree.dialect) + ";")));
                self.keys
                    .push(canonical::key(&(canonical::prelude(&call_without_arguments(head), tree.dialect) + ";")));
            }
            Kind::Extend if !head.starts_with('@') => {
                self.keys.push(canonical::key(&(canonical::prelude(head, tree.dialect) + ";")));
            }
            Kind::AtRule | Kind::Import | Kind::Mixin | Kind::Function | Kind::Include | Kind::Extend => {
                self.add_at_rule(tree, item);
            }
            Kind::Variable if head.starts_with('@') => self.keys.push(at_rule_key(head, tree.dialect)),
            Kind::Variable => self.keys.push(variable_key(head)),
            Kind::Declaration => self.keys.push(declaration_key(tree.name(item), tree.dialect)),
            Kind::Entry => self.keys.push(at_rule_key(&entry_label(head), tree.dialect)),
        }
        &self.keys
    }

    /// Returns the keys of a nested rule for its resolved selectors, which include those of the enclosing rules.
    pub(crate) fn resolved_keys(&mut self, selectors: &[String], dialect: Dialect) -> &[u64] {
        self.keys.clear();
        if selectors.len() > 1 {
            self.add_selectors(&selectors.join(","), dialect);
        }
        for selector in selectors {
            self.add_selectors(selector, dialect);
        }
        &self.keys
    }

    fn add_rule(&mut self, head: &str, dialect: Dialect, keyframe: bool) {
        self.add_whole_list(head, dialect);
        self.members.read(head, dialect);
        if self.members.count() > 1 {
            self.keys.extend(self.members.members().map(canonical::key));
        }
        if keyframe {
            self.keys.extend(self.members.members().filter_map(equivalent_keyframe).map(canonical::key));
        }
    }

    /// Adds the keys that find a rule by its whole head.
    fn add_whole_list(&mut self, head: &str, dialect: Dialect) {
        self.add_selectors(head, dialect);
        if dialect == Dialect::Less
            && let Some(guard) = head.find(" when ")
        {
            self.add_selectors(head[..guard].trim_ascii_end(), dialect);
        }
        // A label can be longer than the head, because it has a space after each comma.
        if head.len() * 2 > MAX_LABEL_LEN
            && let Some(label) = shortened_label(&display::collapse(head, dialect), dialect)
        {
            self.add_selectors(&label, dialect);
        }
    }

    /// Returns the keys that find a rule by its whole selector list, without those of single selectors.
    pub(crate) fn list_keys(&mut self, tree: &Tree, item: &Item) -> &[u64] {
        self.keys.clear();
        self.add_whole_list(tree.head(item), tree.dialect);
        &self.keys
    }

    /// Returns the position of the selector with this key in the list of a rule.
    pub(crate) fn position_in_list(&mut self, tree: &Tree, item: &Item, key: u64) -> Option<usize> {
        self.members.read(tree.head(item), tree.dialect);
        let same =
            |member: &str| item.kind == Kind::Keyframe && equivalent_keyframe(member).map(canonical::key) == Some(key);
        self.members.members().position(|member| canonical::key(member) == key || same(member))
    }

    /// Returns the key of a selector.
    pub(crate) fn selector_key(&mut self, selector: &str, dialect: Dialect) -> u64 {
        self.members.read(selector, dialect);
        canonical::key(self.members.as_str())
    }

    fn add_selectors(&mut self, list: &str, dialect: Dialect) {
        self.members.read(list, dialect);
        self.keys.push(canonical::key(self.members.as_str()));
    }

    fn add_at_rule(&mut self, tree: &Tree, item: &Item) {
        let name = tree.name(item);
        let prelude = &tree.text[tree.prelude(item)];
        self.keys.push(canonical::key(&canonical_at_rule(name, prelude, tree.dialect)));
        self.keys.push(canonical::key(&fold_name(name, tree.dialect)));
        if matches!(item.kind, Kind::Mixin | Kind::Function | Kind::Include) {
            self.keys.push(canonical::key(&canonical_at_rule(name, callee(prelude), tree.dialect)));
        }
    }
}

fn declaration_key(name: &str, dialect: Dialect) -> u64 {
    at_rule_key(&declaration_label(name, dialect), dialect)
}

/// Returns the name of a mixin or function from the prelude that defines or includes it.
pub(crate) fn callee(prelude: &str) -> &str {
    let prelude = prelude.trim_ascii_start();
    &prelude[..prelude.find(|c: char| c == '(' || c.is_ascii_whitespace()).unwrap_or(prelude.len())]
}

/// Returns `@` and the name of a declaration. In LESS, a suffix that merges values (`+` or `+_`) is removed.
fn declaration_label(name: &str, dialect: Dialect) -> String {
    let name = match dialect {
        Dialect::Less => name.trim_end_matches("+_").trim_end_matches('+').trim_ascii_end(),
        _ => name,
    };
    format!("@{name}")
}

/// Returns `@` and the key of a map entry. If the key is a quoted word, the quotes are removed.
fn entry_label(key: &str) -> String {
    let bare = key.strip_prefix(['"', '\'']).and_then(|rest| rest.strip_suffix(['"', '\'']));
    match bare {
        Some(word) if !word.is_empty() && word.bytes().all(is_name) => format!("@{word}"),
        _ => format!("@{key}"),
    }
}

/// Returns the label of an item, which is one step of its address.
pub(crate) fn label(tree: &Tree, item: &Item) -> String {
    let head = tree.head(item);
    let dialect = tree.dialect;
    match item.kind {
        Kind::Rule | Kind::Keyframe => rule_label(head, dialect),
        Kind::Mixin if !head.starts_with('@') => {
            format!("{}()", head.split('(').next().unwrap_or(head).trim_ascii())
        }
        Kind::Mixin | Kind::Function => {
            format!("{} {}", tree.name(item), callee(&tree.text[tree.prelude(item)]))
        }
        Kind::Call => match display::collapse(head, dialect) {
            call if call.len() <= MAX_LABEL_LEN => format!("{call};"),
            _ => format!("{};", call_without_arguments(head)),
        },
        Kind::Extend if !head.starts_with('@') => format!("{};", display::collapse(head, dialect)),
        Kind::AtRule | Kind::Import | Kind::Include | Kind::Extend => at_label(tree, item),
        Kind::Variable => head.to_owned(),
        Kind::Declaration => declaration_label(tree.name(item), dialect),
        Kind::Entry => entry_label(head),
    }
}

/// Returns a call without its arguments.
fn call_without_arguments(head: &str) -> String {
    format!("{}()", head.split('(').next().unwrap_or(head).trim_ascii())
}

/// Returns the other form of a keyframe selector: `0%` for `from`, for example.
fn equivalent_keyframe(member: &str) -> Option<&'static str> {
    match member {
        "from" => Some("0%"),
        "0%" => Some("from"),
        "to" => Some("100%"),
        "100%" => Some("to"),
        _ => None,
    }
}

fn rule_label(head: &str, dialect: Dialect) -> String {
    let label = display::collapse(head, dialect);
    shortened_label(&label, dialect).unwrap_or(label)
}

/// Shortens the label of a long selector list to its first selector and `, …`. `None` if the label is short enough, or
/// if there is only one selector.
fn shortened_label(label: &str, dialect: Dialect) -> Option<String> {
    if label.len() <= MAX_LABEL_LEN {
        return None;
    }
    let mut scan = Scanner::without_reports(label, dialect);
    let mut at = 0;
    loop {
        match scan.token_at(at) {
            (TokenKind::Comma, _) => return Some(format!("{}, …", &label[..at])),
            (TokenKind::End, _) => return None,
            (_, end) => at = end,
        }
    }
}

fn at_label(tree: &Tree, item: &Item) -> String {
    let name = tree.name(item);
    let prelude = &tree.text[tree.prelude(item)];
    let rest = display::collapse(prelude, tree.dialect);
    if rest.is_empty() {
        return name.to_owned();
    }
    if rest.len() <= MAX_LABEL_LEN {
        return format!("{name} {rest}");
    }
    match item.kind {
        Kind::Include => format!("{name} {}", callee(prelude)),
        _ => name.to_owned(),
    }
}
