//! Functions that declare parts of a component, and the strings that name its props and events.

use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_semantic::SymbolId;
use oxc_span::GetSpan;

use crate::infer::checker::Checker;
use crate::infer::members::Sites;
use crate::infer::ty::Ty;
use crate::program::identifiers::Identifier;
use crate::program::ids::{OPEN_DOCUMENT, Site};
use crate::syntax::component_options::{ComponentOptions, options_of};
use crate::syntax::components::kind_of;

/// Functions that the compilers of components know by name.
const MACROS: [&str; 6] =
    ["defineProps", "defineEmits", "defineModel", "withDefaults", "$props", "createEventDispatcher"];

/// Returns the name of the macro that a call calls.
pub(super) fn macro_call(call: &CallExpression<'_>) -> Option<&'static str> {
    let Expression::Identifier(name) = &call.callee else { return None };
    MACROS.iter().copied().find(|known| name.name == *known)
}

/// Returns the options of the component that a program exports.
pub(super) fn options_in<'w>(program: &'w Program<'w>) -> Option<ComponentOptions<'w>> {
    options_of(program)
}

/// Returns the calls that declarations and statements at the top of a program make, with those in their arguments.
pub(super) fn calls_of<'w>(program: &'w Program<'w>) -> impl Iterator<Item = &'w CallExpression<'w>> {
    let values = program.body.iter().flat_map(|statement| match statement {
        Statement::ExpressionStatement(statement) => vec![&statement.expression],
        Statement::VariableDeclaration(variables) => {
            variables.declarations.iter().filter_map(|variable| variable.init.as_ref()).collect()
        }
        _ => Vec::new(),
    });
    values.flat_map(|value| match value.get_inner_expression() {
        Expression::CallExpression(call) => {
            let inner = call.arguments.iter().filter_map(|argument| match argument {
                Argument::CallExpression(inner) if macro_call(call) == Some("withDefaults") => Some(&**inner),
                _ => None,
            });
            std::iter::once(&**call).chain(inner).collect()
        }
        _ => Vec::new(),
    })
}

impl<'w> Checker<'w> {
    /// Returns the props and events that a string of a component names: `defineProps(["name"])`, `emit("name")`. `None`
    /// if the string has another meaning.
    pub(crate) fn component_string_sites(&self, module: u32, identifier: &Identifier<'w>) -> Option<Sites> {
        let loaded = self.module(module);
        kind_of(&loaded.path)?;
        let own = Site { module, offset: loaded.kind(identifier.node).span().start };
        let types = self.component_types(module)?;
        let declared = |of| {
            let mut sites: Sites = self.props(of, identifier.name).into();
            sites.sites.push(own);
            sites.sites.sort_unstable();
            sites.sites.dedup();
            sites.may_have_more = false;
            sites
        };
        match loaded.parent_kind(identifier.node) {
            AstKind::ArrayExpression(_) => {
                let list = loaded.parent(identifier.node);
                match loaded.parent_kind(list) {
                    AstKind::CallExpression(call) => match macro_call(call)? {
                        "defineProps" => Some(declared(&types.props)),
                        "defineEmits" => Some(declared(&types.events)),
                        _ => None,
                    },
                    AstKind::ObjectProperty(option) if self.is_option(module, option) => {
                        match option.key.static_name()?.as_str()? {
                            "props" => Some(declared(&types.props)),
                            "emits" => Some(declared(&types.events)),
                            "inject" => Some(declared(&types.instance)),
                            _ => None,
                        }
                    }
                    _ => None,
                }
            }
            AstKind::CallExpression(call) => {
                let is_first = call.arguments.first().is_some_and(|first| first.span().start == own.offset);
                if !is_first {
                    return None;
                }
                if macro_call(call) == Some("defineModel") {
                    return Some(declared(&types.props));
                }
                let found = self.is_emit(module, &call.callee).then(|| self.props(&types.events, identifier.name))?;
                (!found.found.is_empty()).then(|| found.into())
            }
            _ => None,
        }
    }

    fn is_option(&self, module: u32, property: &ObjectProperty<'w>) -> bool {
        let options = options_in(self.module(module).program);
        options.is_some_and(|options| options.0.properties.iter().any(|own| own.span() == property.span))
    }

    /// Returns whether a function sends events: `emit`, `this.$emit`, `context.emit`, the result of
    /// `createEventDispatcher`.
    fn is_emit(&self, module: u32, callee: &'w Expression<'w>) -> bool {
        match callee {
            Expression::Identifier(name) => match self.resolve_identifier(module, name) {
                Some(symbol) => self.is_emit_symbol(module, symbol),
                None => name.name == "$emit",
            },
            Expression::StaticMemberExpression(member) => matches!(member.property.name.as_str(), "$emit" | "emit"),
            _ => false,
        }
    }

    fn is_emit_symbol(&self, module: u32, symbol: SymbolId) -> bool {
        let loaded = self.module(module);
        let declaration = loaded.scoping().symbol_declaration(symbol);
        match loaded.kind(declaration) {
            AstKind::VariableDeclarator(variable) => match &variable.init {
                Some(Expression::CallExpression(call)) => {
                    matches!(macro_call(call), Some("defineEmits" | "createEventDispatcher"))
                }
                _ => false,
            },
            // `setup(props, { emit })`
            AstKind::FormalParameter(parameter) => {
                let function = loaded.parent(loaded.parent(parameter.node_id.get()));
                let is_setup = |node| match loaded.kind(node) {
                    AstKind::ObjectProperty(option) => option.key.is_specific_static_name("setup"),
                    _ => false,
                };
                loaded.scoping().symbol_name(symbol) == "emit" && is_setup(loaded.parent(function))
            }
            _ => false,
        }
    }

    /// Returns whether a symbol of the open document is itself a prop: `export let name` in Svelte, or `name` in
    /// `let { name } = $props()` without a type.
    pub(crate) fn is_component_prop(&self, symbol: SymbolId) -> bool {
        let here = self.open_module();
        let Some(types) = self.component_types(OPEN_DOCUMENT) else { return false };
        let name = here.scoping().symbol_name(symbol);
        let sites = self.sites_of(OPEN_DOCUMENT, symbol);
        self.props(&types.props, name).sites().iter().any(|site| sites.contains(site))
    }

    /// Returns the type that a macro of a component expects for an argument: `withDefaults(…, { … })`.
    pub(crate) fn defaults_context(
        &self,
        module: u32,
        call: &'w CallExpression<'w>,
        argument: oxc_span::Span,
    ) -> Option<Ty<'w>> {
        kind_of(&self.module(module).path)?;
        let is_options = options_in(self.module(module).program).is_some_and(|options| options.0.span == argument);
        if is_options || matches!(macro_call(call), Some("defineProps" | "defineEmits")) {
            // The object declares its members itself.
            return Some(Ty::Primitive);
        }
        let is_second = call.arguments.get(1).is_some_and(|second| second.span() == argument);
        let is_defaults = is_second && macro_call(call) == Some("withDefaults");
        is_defaults.then(|| self.component_types(module).map(|types| types.props.clone()))?
    }
}
