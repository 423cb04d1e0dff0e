//! Modules that are used as values: `register(require("./a"))`. Code that gets such a value can use every export, so the
//! uses of an export are incomplete.

use std::rc::Rc;

use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_semantic::{NodeId, SymbolId};
use oxc_span::{GetSpan as _, Span};

use crate::imports::module_uses::{ModuleUse, uses_of_module};
use crate::infer::checker::Checker;
use crate::program::ids::{ModuleRef, OPEN_DOCUMENT};
use crate::program::module::Module;
use crate::syntax::module_calls::call_kind;

/// Returns the places in the open document where the module at a path is used as a value whose members are not followed.
pub(crate) fn module_values(checker: &Checker<'_>, path: &str) -> Vec<Span> {
    find_module_values(checker, path).spans
}

/// Returns the places in the open document that read an export of the module at a path by a computed name: `a[name]`.
pub(crate) fn computed_reads(checker: &Checker<'_>, path: &str) -> Vec<Span> {
    find_module_values(checker, path).computed
}

fn find_module_values<'c, 'w>(checker: &'c Checker<'w>, path: &str) -> ModuleValues<'c, 'w> {
    let here = checker.open_module();
    let mut found = ModuleValues { checker, here, symbols: Vec::new(), spans: Vec::new(), computed: Vec::new() };
    for used in uses_of_module(checker, path) {
        match used {
            ModuleUse::Call(node, call) if call_kind(&call.callee) == Some("require") => found.follow(node),
            ModuleUse::Dynamic(node) => found.follow(node),
            ModuleUse::Equals(import) => found.follow_symbol(import.id.symbol_id.get()),
            ModuleUse::Import(import) => import.specifiers.iter().flatten().for_each(|listed| match listed {
                ImportDeclarationSpecifier::ImportSpecifier(_) => {}
                ImportDeclarationSpecifier::ImportDefaultSpecifier(it) if found.is_commonjs(path) => {
                    found.follow_symbol(it.local.symbol_id.get());
                }
                ImportDeclarationSpecifier::ImportDefaultSpecifier(_) => {}
                ImportDeclarationSpecifier::ImportNamespaceSpecifier(it) => {
                    found.follow_symbol(it.local.symbol_id.get());
                }
            }),
            _ => {}
        }
    }
    found.spans.sort_unstable_by_key(|span| span.start);
    found.spans.dedup();
    found
}

struct ModuleValues<'c, 'w> {
    checker: &'c Checker<'w>,
    here: Rc<Module<'w>>,
    symbols: Vec<SymbolId>,
    spans: Vec<Span>,
    /// Places that read a member with a computed name.
    computed: Vec<Span>,
}

impl<'w> ModuleValues<'_, 'w> {
    fn is_commonjs(&self, path: &str) -> bool {
        let module = self.checker.load(path);
        module.is_some_and(|module| self.checker.exports(ModuleRef { module, block: None }).is_commonjs())
    }

    /// Follows the references of a variable whose value is the module.
    fn follow_symbol(&mut self, symbol: Option<SymbolId>) {
        let Some(symbol) = symbol.filter(|symbol| !self.symbols.contains(symbol)) else { return };
        self.symbols.push(symbol);
        let scoping = self.here.scoping();
        let nodes: Vec<NodeId> = scoping.get_resolved_references(symbol).map(|used| used.node_id()).collect();
        nodes.into_iter().for_each(|node| self.follow(node));
    }

    /// Follows an expression whose value is the module.
    fn follow(&mut self, node: NodeId) {
        let own = self.here.kind(node).span();
        let parent = self.here.parent(node);
        match self.here.kind(parent) {
            AstKind::ParenthesizedExpression(_)
            | AstKind::AwaitExpression(_)
            | AstKind::TSAsExpression(_)
            | AstKind::TSNonNullExpression(_)
            | AstKind::LogicalExpression(_)
            | AstKind::ChainExpression(_) => self.follow(parent),
            AstKind::ConditionalExpression(choice) if choice.test.span() != own => self.follow(parent),
            AstKind::ComputedMemberExpression(member)
                if member.object.span() == own && !matches!(member.expression, Expression::StringLiteral(_)) =>
            {
                self.spans.push(member.expression.span());
                self.computed.push(member.expression.span());
            }
            AstKind::VariableDeclarator(variable) => self.follow_pattern(&variable.id),
            AstKind::CallExpression(call) if call.callee.span() == own => {}
            AstKind::NewExpression(new) if new.callee.span() == own => {}
            AstKind::AssignmentExpression(set) if set.right.span() == own => {
                if !self.is_reexported(own) {
                    self.spans.push(own);
                }
            }
            AstKind::BinaryExpression(_)
            | AstKind::UnaryExpression(_)
            | AstKind::ConditionalExpression(_)
            | AstKind::IfStatement(_)
            | AstKind::ExpressionStatement(_)
            | AstKind::StaticMemberExpression(_)
            | AstKind::ComputedMemberExpression(_)
            | AstKind::ExportSpecifier(_)
            | AstKind::ExportDefaultDeclaration(_)
            | AstKind::JSXMemberExpression(_)
            | AstKind::TSExportAssignment(_)
            | AstKind::TSImportEqualsDeclaration(_)
            | AstKind::TSTypeQuery(_)
            | AstKind::TSQualifiedName(_)
            | AstKind::TSTypeReference(_) => {}
            _ if self.is_reexported(own) => {}
            _ => self.spans.push(own),
        }
    }

    fn follow_pattern(&mut self, pattern: &'w BindingPattern<'w>) {
        match pattern {
            BindingPattern::BindingIdentifier(local) => self.follow_symbol(local.symbol_id.get()),
            BindingPattern::ObjectPattern(object) => {
                self.spans.extend(object.rest.iter().map(|rest| rest.argument.span()));
                let computed = object.properties.iter().filter(|property| property.key.static_name().is_none());
                let computed: Vec<Span> = computed.map(|property| property.key.span()).collect();
                self.spans.extend(&computed);
                self.computed.extend(computed);
            }
            other => self.spans.push(other.span()),
        }
    }

    /// Returns whether a value is an export of this module, or is copied into its exports.
    fn is_reexported(&self, value: Span) -> bool {
        self.checker.exports(ModuleRef { module: OPEN_DOCUMENT, block: None }).values.contains(&value)
    }
}
