//! Names in the templates of components, which may be written in another form than they are declared: `user-name` for
//! `userName`, `v-model` for `modelValue`, `:name` for `:name="name"`.

use marquetry_sdk::{Result, Usage};
use oxc_ast::AstKind;
use oxc_ast::ast::{Expression, Ident};
use oxc_semantic::{NodeId, SymbolId};
use oxc_span::{GetSpan, Span};

use crate::infer::checker::Checker;
use crate::infer::members::Sites;
use crate::program::identifiers::Identifier;
use crate::program::ids::{OPEN_DOCUMENT, Site};
use crate::rename::Usages;
use crate::rename::conflicts::collision_failure;
use crate::rename::search_target::SearchTarget;
use crate::rename::shorthands::ShorthandPart;
use crate::rename::subject::refusal;
use crate::rename::uses::{Use, UseSearch};
use crate::syntax::component_options::options_of;
use crate::syntax::components::{Kind, is_component, kebab_case, kind_of};

/// Attribute that passes the prop `modelValue`.
const MODEL: &str = "v-model";

/// Returns the new name in the form in which the old one is written at a use.
pub(super) fn word_in_template(text: &str, found: &Use, (old, word): (&str, String)) -> String {
    let written = found.span.source_text(text);
    if found.quote.is_some() || written == old {
        return word;
    }
    if written == MODEL {
        return format!("{MODEL}:{word}");
    }
    // A directive is written `v-focus` for the variable `vFocus`.
    if written == kebab_case(old) { kebab_case(&word) } else { word }
}

/// Returns the edit of an attribute that has the name of its value.
pub(super) fn attribute_edit(
    text: &str,
    span: Span,
    part: ShorthandPart,
    both: bool,
    (old, word): (&str, &str),
) -> (Span, String) {
    let (start, end) = (span.start as usize, span.end as usize);
    if both {
        return (span, word.to_owned());
    }
    let (before, after) = (text[..start].trim_end(), text[end..].trim_start());
    let is_first = part == ShorthandPart::First;
    if before.ends_with('{') && after.starts_with('}') {
        let whole = Span::new(before.len() as u32 - 1, (text.len() - after.len()) as u32 + 1);
        let (name, value) = if is_first { (word, old) } else { (old, word) };
        return (whole, format!("{name}={{{value}}}"));
    }
    let written = &text[start..end];
    let is_svelte = ["bind:", "class:", "style:"].iter().any(|directive| before.ends_with(directive));
    let edited = match (is_svelte, is_first) {
        (true, true) => format!("{word}={{{old}}}"),
        (true, false) => format!("{written}={{{word}}}"),
        (false, true) => format!("{word}=\"{old}\""),
        (false, false) => format!("{written}=\"{word}\""),
    };
    (span, edited)
}

/// Refuses a new name that means something else in the template of a component: a member of the component whose new name
/// the script or the template declares, or a name of the script that is already a member.
pub(super) fn check_template(checker: &Checker<'_>, usages: &Usages, new: &str) -> Result<()> {
    let here = checker.open_module();
    if kind_of(&here.path) != Some(Kind::Vue) {
        return Ok(());
    }
    let scoping = here.scoping();
    let sees_script = options_of(here.program).is_none();
    let is_member = |node: NodeId| match here.kind(node) {
        AstKind::StaticMemberExpression(member) => {
            matches!(&member.object, Expression::ThisExpression(this) if this.span.is_empty())
        }
        _ => false,
    };
    let binding = |node: NodeId, name: &str| {
        let symbol = scoping.find_binding(here.semantic().nodes().get_node(node).scope_id(), Ident::from(name))?;
        let is_script = scoping.symbol_scope_id(symbol) == scoping.root_scope_id();
        (sees_script || !is_script).then_some(symbol)
    };
    for member in here.identifiers(&usages.name).iter().filter(|it| is_member(here.parent(it.node))) {
        let is_use = usages.found.uses.iter().any(|found| found.span == member.span);
        if is_use && binding(member.node, new).is_some() {
            let message = format!("here `{new}` would refer to another declaration than the renamed `{}`", usages.name);
            return Err(collision_failure(message, member.span));
        }
    }
    let is_of_script = |symbol: &SymbolId| scoping.symbol_scope_id(*symbol) == scoping.root_scope_id();
    if sees_script && usages.found.symbols.iter().any(is_of_script) {
        let others = here.identifiers(new);
        if let Some(member) = others.iter().find(|it| is_member(here.parent(it.node))) {
            let message =
                format!("`{new}` is a member of the component here and would refer to the renamed `{}`", usages.name);
            return Err(collision_failure(message, member.span));
        }
    }
    Ok(())
}

/// Returns the prop or event that a string of a component names. Refuses the event of a model, which has the name of its
/// prop.
pub(super) fn named_by_string<'w>(checker: &Checker<'w>, string: &Identifier<'w>) -> Result<Option<Sites>> {
    let named = checker.component_string_sites(OPEN_DOCUMENT, string);
    match string.name.strip_prefix("update:").filter(|_| named.is_some()) {
        Some(prop) => {
            let message = format!("`{}` is the event of the prop `{prop}`, so their names must match", string.name);
            Err(refusal(message, "rename the prop", string))
        }
        None => Ok(named),
    }
}

impl<'w> UseSearch<'_, 'w> {
    /// Handles a string that names a prop or an event of a component file. Returns false for other strings.
    pub(super) fn add_component_string(&mut self, string: &Identifier<'w>) -> bool {
        let Some(named) = self.checker.component_string_sites(OPEN_DOCUMENT, string) else { return false };
        let closure = self.checker.with_overridden_sites(&named.sites, string.name);
        if self.is_wanted_declaration(&closure) && self.join_members(&named.sites) {
            self.add_use(string, None, Usage::InString, false);
        }
        true
    }
}

/// Finds the objects that are spread into the attributes of a component with the prop, and may have a member for it that
/// is declared elsewhere: `v-bind="object"`, `{...object}`.
pub(super) fn spread_attributes(checker: &Checker<'_>, wanted: &SearchTarget) -> Vec<Span> {
    let here = checker.open_module();
    if !wanted.members || !is_component(&here.path) {
        return Vec::new();
    }
    let is_wanted = |sites: Vec<Site>| {
        let closure = checker.with_overridden_sites(&sites, &wanted.name);
        wanted.sites.iter().any(|site| closure.contains(site))
    };
    let spreads = here.semantic().nodes().iter().filter_map(|node| match (node.kind(), here.parent_kind(node.id())) {
        (AstKind::JSXSpreadAttribute(spread), AstKind::JSXOpeningElement(element)) => Some((spread, element)),
        _ => None,
    });
    let found = spreads.filter_map(|(spread, element)| {
        let takes = checker.props(&checker.component_props(OPEN_DOCUMENT, element), &wanted.name);
        let given = checker.props(&checker.expression_type(OPEN_DOCUMENT, &spread.argument), &wanted.name);
        let may_pass = !given.found.is_empty() || given.may_have_more || given.external;
        let is_renamed = is_wanted(given.sites()) && !given.may_have_more;
        (is_wanted(takes.sites()) && may_pass && !is_renamed).then(|| spread.argument.span())
    });
    found.collect()
}

/// Finds the events `update:name` that a component sends for the prop `name`.
pub(super) fn model_events(checker: &Checker<'_>, wanted: &SearchTarget) -> Vec<Use> {
    let here = checker.open_module();
    if !wanted.members || !is_component(&here.path) {
        return Vec::new();
    }
    let Some(types) = checker.component_types(OPEN_DOCUMENT) else { return Vec::new() };
    let props: Vec<Site> =
        checker.with_overridden_sites(&checker.props(&types.props, &wanted.name).sites(), &wanted.name);
    if !wanted.sites.iter().any(|site| props.contains(site)) {
        return Vec::new();
    }
    let event = format!("update:{}", wanted.name);
    let identifiers = here.identifiers(&event);
    let strings = identifiers.iter().filter(|identifier| identifier.quote.is_some());
    let uses = strings.map(|identifier| {
        let name = Span::new(identifier.span.end - wanted.name.len() as u32, identifier.span.end);
        Use { quote: identifier.quote, ..Use::simple(name, Usage::InString) }
    });
    uses.collect()
}
