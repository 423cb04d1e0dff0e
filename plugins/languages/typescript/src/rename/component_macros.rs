//! Names that components of Vue declare as strings: `defineEmits(["save"])`, `defineModel("title")`, `props: ["title"]`.

use marquetry_sdk::Usage;
use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_semantic::NodeId;
use oxc_span::GetSpan;

use crate::infer::ty::key_name;
use crate::program::identifiers::Identifier;
use crate::program::ids::{OPEN_DOCUMENT, Site};
use crate::program::module::Module;
use crate::rename::uses::UseSearch;
use crate::syntax::components::is_component;

/// Functions whose argument is a list of names.
const LIST_MACROS: [&str; 2] = ["defineEmits", "defineProps"];
/// Options of a component with a list of names.
const LIST_OPTIONS: [&str; 3] = ["emits", "inject", "props"];
/// Functions that send an event.
const EMITTERS: [&str; 2] = ["$emit", "emit"];

/// Returns whether a string declares a prop, an event or a model of a component.
pub(super) fn declares_in_component(module: &Module<'_>, text: NodeId) -> bool {
    let at = module.kind(text).span();
    match module.parent_kind(text) {
        AstKind::CallExpression(call) => {
            call.callee.is_specific_id("defineModel") && call.arguments.first().is_some_and(|first| first.span() == at)
        }
        AstKind::ArrayExpression(list) => match module.parent_kind(module.parent(text)) {
            AstKind::CallExpression(call) => {
                LIST_MACROS.iter().any(|name| call.callee.is_specific_id(*name))
                    && call.arguments.first().is_some_and(|first| first.span() == list.span)
            }
            AstKind::ObjectProperty(property) => {
                let is_option = key_name(&property.key).is_some_and(|key| LIST_OPTIONS.contains(&key.as_ref()));
                is_option && is_component_options(module, module.parent(module.parent(text)))
            }
            _ => false,
        },
        _ => false,
    }
}

/// Returns whether a property is one of the options of a component.
fn is_component_options(module: &Module<'_>, property: NodeId) -> bool {
    match module.parent_kind(module.parent(property)) {
        AstKind::ExportDefaultDeclaration(_) => is_component(&module.path),
        AstKind::CallExpression(call) => call.callee.is_specific_id("defineComponent"),
        _ => false,
    }
}

impl<'w> UseSearch<'_, 'w> {
    /// Handles a string that declares the wanted name of a component, or sends the event of this name. Returns false for
    /// other strings.
    pub(super) fn add_component_name(&mut self, identifier: &Identifier<'w>) -> bool {
        let site = Site { module: OPEN_DOCUMENT, offset: self.here.kind(identifier.node).span().start };
        if self.wanted.sites.contains(&site) && declares_in_component(&self.here, identifier.node) {
            self.add_use(identifier, None, Usage::Declaration, false);
            return true;
        }
        let AstKind::CallExpression(call) = self.here.parent_kind(identifier.node) else { return false };
        let is_first = call.arguments.first().is_some_and(|first| first.span().start == site.offset);
        if !is_first || !self.is_component_name_wanted() {
            return false;
        }
        if self.emits_wanted_event(&call.callee) {
            self.add_use(identifier, None, Usage::InString, false);
            return true;
        }
        let name = match &call.callee {
            Expression::Identifier(name) => name.name.as_str(),
            Expression::StaticMemberExpression(member) => member.property.name.as_str(),
            _ => return false,
        };
        if EMITTERS.contains(&name) {
            self.found.unresolved.push(identifier.span);
        }
        EMITTERS.contains(&name)
    }

    fn is_component_name_wanted(&self) -> bool {
        let sites = self.wanted.sites.iter().filter(|site| **site != Site::WATCHED);
        sites.into_iter().any(|site| {
            let loaded = self.checker.module(site.module);
            let identifiers = loaded.identifiers(&self.wanted.name);
            let own = identifiers.iter().find(|it| loaded.kind(it.node).span().start == site.offset);
            own.is_some_and(|own| declares_in_component(&loaded, own.node))
        })
    }

    /// Returns whether a function is the result of a `defineEmits` that declares the wanted event.
    fn emits_wanted_event(&self, callee: &Expression<'w>) -> bool {
        let Expression::Identifier(name) = callee else { return false };
        let Some(symbol) = self.checker.resolve_identifier(OPEN_DOCUMENT, name) else { return false };
        let AstKind::VariableDeclarator(variable) = self.here.kind(self.here.scoping().symbol_declaration(symbol))
        else {
            return false;
        };
        let Some(Expression::CallExpression(init)) = &variable.init else { return false };
        let is_inside =
            |site: &Site| site.module == OPEN_DOCUMENT && init.span.start < site.offset && site.offset < init.span.end;
        init.callee.is_specific_id("defineEmits") && self.wanted.sites.iter().any(is_inside)
    }
}
