//! Templates of Angular components: `template`, `templateUrl`. They use members of the component's class by name, and the
//! inputs and outputs of other components as attributes. The templates are not parsed, so occurrences of the name are
//! listed.

use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_semantic::NodeId;
use oxc_span::{GetSpan, Span};

use marquetry_sdk::Destination;

use crate::infer::checker::Checker;
use crate::infer::ty::{Ty, key_name};
use crate::program::expandos::class_owner;
use crate::program::ids::{OPEN_DOCUMENT, Site};
use crate::program::module::Module;
use crate::rename::search_target::SearchTarget;

/// Decorators of classes whose members templates can use.
const CLASS_DECORATORS: [&str; 2] = ["Component", "Directive"];
/// Decorators of members that templates of other components set or listen to.
const MEMBER_DECORATORS: [&str; 2] = ["Input", "Output"];
/// Functions whose results are inputs and outputs.
const MEMBER_FUNCTIONS: [&str; 3] = ["input", "model", "output"];

/// Methods that Angular calls.
const LIFECYCLE: [&str; 8] = [
    "ngAfterContentChecked",
    "ngAfterContentInit",
    "ngAfterViewChecked",
    "ngAfterViewInit",
    "ngDoCheck",
    "ngOnChanges",
    "ngOnDestroy",
    "ngOnInit",
];

/// Finds the occurrences of the name in templates of the open document, and the links to templates that contain it.
pub(super) fn find_template_uses(checker: &Checker<'_>, wanted: &SearchTarget) -> Vec<Span> {
    let here = checker.open_module();
    if !here.text().contains("@Component") && !here.text().contains("@Directive") {
        return Vec::new();
    }
    let search = Search { checker, wanted, here: &here, is_of_component: is_of_component(checker, wanted) };
    let nodes = here.semantic().nodes().iter();
    let mut found = Vec::new();
    for node in nodes {
        if let AstKind::Class(class) = node.kind()
            && let Some(decorator) = decorator_of(&class.decorators, &CLASS_DECORATORS)
        {
            found.extend(search.in_class(class, decorator));
        }
    }
    found
}

/// Returns whether templates of other components, or Angular itself, use a member of a component by its name.
pub(super) fn is_used_by_framework(module: &Module<'_>, declaration: NodeId, name: &str) -> bool {
    let is_component = module.self_and_ancestors(declaration).any(|around| match module.kind(around) {
        AstKind::Class(class) => decorator_of(&class.decorators, &CLASS_DECORATORS).is_some(),
        _ => false,
    });
    let is_decorated = |decorators: &[Decorator<'_>]| {
        decorator_of(decorators, &MEMBER_DECORATORS).is_some_and(|found| !has_alias(found))
    };
    is_component
        && match module.kind(declaration) {
            AstKind::MethodDefinition(it) => LIFECYCLE.contains(&name) || is_decorated(&it.decorators),
            AstKind::PropertyDefinition(it) => {
                LIFECYCLE.contains(&name)
                    || is_decorated(&it.decorators)
                    || it.value.as_ref().is_some_and(is_member_function)
            }
            AstKind::AccessorProperty(it) => is_decorated(&it.decorators),
            _ => false,
        }
}

/// Returns whether a component or directive declares the member.
fn is_of_component(checker: &Checker<'_>, wanted: &SearchTarget) -> bool {
    wanted.sites.iter().filter(|site| **site != Site::WATCHED).any(|site| {
        let module = checker.module(site.module);
        let Some(declaration) = checker.member_declared_at(*site, &wanted.name) else { return false };
        let class = module.self_and_ancestors(declaration).find_map(|around| match module.kind(around) {
            AstKind::Class(class) => Some(class),
            _ => None,
        });
        class.is_some_and(|class| decorator_of(&class.decorators, &CLASS_DECORATORS).is_some())
    })
}

struct Search<'s, 'w> {
    checker: &'s Checker<'w>,
    wanted: &'s SearchTarget,
    here: &'s Module<'w>,
    /// A component or directive declares the member, so any template can use it.
    is_of_component: bool,
}

impl<'w> Search<'_, 'w> {
    fn in_class(&self, class: &'w Class<'w>, decorator: &'w Decorator<'w>) -> Vec<Span> {
        let own = Ty::Instance(class_owner(OPEN_DOCUMENT, class), None);
        let name = self.wanted.name.as_str();
        let closure = self.checker.with_overridden_sites(&self.checker.props(&own, name).sites(), name);
        let has_wanted = self.wanted.sites.iter().any(|site| closure.contains(site));
        // Other members are used through a member of the class: `{{ user.name }}`.
        let is_name = |before: &str| has_wanted || self.is_of_component || before.trim_end().ends_with('.');
        let mut found = Vec::new();
        for property in options_of(decorator) {
            match (key_name(&property.key).as_deref(), property.value.get_inner_expression()) {
                (Some("template"), Expression::StringLiteral(text)) => found.extend(self.in_text(text.span, is_name)),
                (Some("template"), Expression::TemplateLiteral(text)) => found.extend(self.in_text(text.span, is_name)),
                (Some("templateUrl"), Expression::StringLiteral(path)) => {
                    let text = path.value.as_str().and_then(|path| self.text_of(path));
                    let is_used = text.map_or(has_wanted, |text| !occurrences(&text, name, is_name).is_empty());
                    found.extend(is_used.then(|| Span::new(path.span.start + 1, path.span.end - 1)));
                }
                (Some("inputs" | "outputs" | "host"), value) if has_wanted => {
                    found.extend(self.in_text(value.span(), |_| true));
                }
                _ => {}
            }
        }
        found
    }

    fn in_text(&self, literal: Span, is_name: impl Fn(&str) -> bool) -> Vec<Span> {
        let name = self.wanted.name.as_str();
        let length = u32::try_from(name.len()).unwrap_or_default();
        let found = occurrences(literal.source_text(self.here.text()), name, is_name);
        found.into_iter().map(|at| Span::sized(literal.start + at, length)).collect()
    }

    /// Returns the text of a template file.
    fn text_of(&self, path: &'w str) -> Option<String> {
        let destination = match path.starts_with('.') {
            true => self.checker.destination(OPEN_DOCUMENT, path),
            false => self.checker.destination(OPEN_DOCUMENT, &format!("./{path}")),
        };
        match destination {
            Destination::Inside(found) => self.checker.workspace.read(&found.path),
            _ => None,
        }
    }
}

/// Returns the offsets of a name as a whole word in a text.
fn occurrences(text: &str, name: &str, is_name: impl Fn(&str) -> bool) -> Vec<u32> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
    let is_word = |at: usize| {
        !text[..at].ends_with(is_part) && !text[at + name.len()..].starts_with(is_part) && is_name(&text[..at])
    };
    let all = text.match_indices(name).map(|(at, _)| at);
    all.filter(|at| is_word(*at)).filter_map(|at| u32::try_from(at).ok()).collect()
}

/// Returns the decorator with one of these names: `@Component({ … })`.
fn decorator_of<'x, 'w>(decorators: &'x [Decorator<'w>], names: &[&str]) -> Option<&'x Decorator<'w>> {
    decorators.iter().find(|decorator| {
        let callee = match &decorator.expression {
            Expression::CallExpression(call) => &call.callee,
            other => other,
        };
        matches!(callee, Expression::Identifier(name) if names.contains(&name.name.as_str()))
    })
}

/// Returns the properties of the object that a decorator gets.
fn options_of<'x, 'w>(decorator: &'x Decorator<'w>) -> impl Iterator<Item = &'x ObjectProperty<'w>> {
    let object = match &decorator.expression {
        Expression::CallExpression(call) => match call.arguments.first() {
            Some(Argument::ObjectExpression(object)) => Some(object),
            _ => None,
        },
        _ => None,
    };
    object.into_iter().flat_map(|object| object.properties.iter()).filter_map(|property| match property {
        ObjectPropertyKind::ObjectProperty(property) => Some(&**property),
        ObjectPropertyKind::SpreadProperty(_) => None,
    })
}

/// Returns whether templates use another name: `@Input("title")`, `@Input({ alias: "title" })`.
fn has_alias(decorator: &Decorator<'_>) -> bool {
    let Expression::CallExpression(call) = &decorator.expression else { return false };
    let is_text = matches!(call.arguments.first(), Some(Argument::StringLiteral(_)));
    is_text || options_of(decorator).any(|option| key_name(&option.key).as_deref() == Some("alias"))
}

/// Returns whether a value is an input or output: `input(0)`, `input.required<string>()`.
fn is_member_function(value: &Expression<'_>) -> bool {
    let Expression::CallExpression(call) = value else { return false };
    let root = match &call.callee {
        Expression::StaticMemberExpression(member) => &member.object,
        other => other,
    };
    matches!(root, Expression::Identifier(name) if MEMBER_FUNCTIONS.contains(&name.name.as_str()))
}
