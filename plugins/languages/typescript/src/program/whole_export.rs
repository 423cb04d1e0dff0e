//! The value of `module.exports = …` or `export = …`: the objects, functions and classes whose members other files can
//! import by name.

use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_span::{GetSpan, Span};

use crate::program::expandos::{class_owner, function_value_owner};
use crate::program::ids::{OPEN_DOCUMENT, Owner};
use crate::program::source_file::SourceFile;

/// Maximum number of expressions to follow.
const MOST_EXPRESSIONS: usize = 64;

/// Objects, functions and classes that a module exports as a whole.
#[derive(Default)]
pub(crate) struct WholeExport<'w> {
    pub(crate) objects: Vec<&'w ObjectExpression<'w>>,
    /// Owners of members that assignments create: `api.k = …`.
    pub(crate) owners: Vec<Owner>,
    /// True if the value may also be something else, such as the result of an unknown function.
    pub(crate) has_unknown: bool,
    followed: usize,
}

/// Follows the value that a module exports as a whole.
pub(crate) fn follow<'w>(file: &SourceFile<'w>, whole: &'w Expression<'w>) -> WholeExport<'w> {
    let mut found = WholeExport::default();
    found.follow(file, whole);
    found
}

/// Returns the computed keys of the objects that an exported value consists of: `{ [key]: value }`.
pub(crate) fn computed_keys<'w>(file: &SourceFile<'w>, value: &'w Expression<'w>) -> Vec<Span> {
    let objects = follow(file, value).objects;
    let key = |property: &ObjectPropertyKind<'_>| match property {
        ObjectPropertyKind::ObjectProperty(it) if it.computed => it.key.static_name().is_none().then(|| it.key.span()),
        _ => None,
    };
    objects.iter().flat_map(|object| object.properties.iter().filter_map(key)).collect()
}

/// Returns the parts of a value with members whose names are known only when the module is loaded: computed keys, or
/// the value itself if its members are not known.
pub(crate) fn computed_names<'w>(file: &SourceFile<'w>, value: &'w Expression<'w>) -> Vec<Span> {
    let mut found = computed_keys(file, value);
    if follow(file, value).has_unknown {
        found.push(value.span());
    }
    found
}

impl<'w> WholeExport<'w> {
    fn follow(&mut self, file: &SourceFile<'w>, value: &'w Expression<'w>) {
        self.followed += 1;
        if self.followed > MOST_EXPRESSIONS {
            self.has_unknown = true;
            return;
        }
        match value.get_inner_expression() {
            Expression::ObjectExpression(object) => {
                self.objects.push(object);
                self.owners.push(Owner::Node(OPEN_DOCUMENT, object.node_id.get()));
                for property in &object.properties {
                    if let ObjectPropertyKind::SpreadProperty(spread) = property {
                        self.follow(file, &spread.argument);
                    }
                }
            }
            Expression::FunctionExpression(function) => self.owners.push(function_value_owner(OPEN_DOCUMENT, function)),
            Expression::ClassExpression(class) => self.owners.push(class_owner(OPEN_DOCUMENT, class)),
            Expression::ArrowFunctionExpression(arrow) => {
                self.owners.push(Owner::Node(OPEN_DOCUMENT, arrow.node_id.get()));
            }
            Expression::ConditionalExpression(choice) => {
                self.follow(file, &choice.consequent);
                self.follow(file, &choice.alternate);
            }
            Expression::LogicalExpression(choice) => {
                self.follow(file, &choice.left);
                self.follow(file, &choice.right);
            }
            Expression::SequenceExpression(all) => {
                if let Some(last) = all.expressions.last() {
                    self.follow(file, last);
                }
            }
            Expression::AssignmentExpression(set) => self.follow(file, &set.right),
            Expression::Identifier(name) => self.follow_name(file, name),
            Expression::CallExpression(call) => self.follow_call(file, call),
            other => self.has_unknown |= !other.is_literal(),
        }
    }

    fn follow_call(&mut self, file: &SourceFile<'w>, call: &'w CallExpression<'w>) {
        let count = match &call.callee {
            // The names of a required module are its own exports.
            Expression::Identifier(name) if name.name == "require" => return,
            Expression::StaticMemberExpression(callee) if matches!(&callee.object, Expression::Identifier(name) if name.name == "Object") => {
                match callee.property.name.as_str() {
                    "freeze" | "seal" | "preventExtensions" => 1,
                    "assign" => call.arguments.len(),
                    _ => 0,
                }
            }
            _ => 0,
        };
        self.has_unknown |= count == 0;
        for given in call.arguments.iter().take(count) {
            match given.as_expression() {
                Some(given) => self.follow(file, given),
                None => self.has_unknown = true,
            }
        }
    }

    fn follow_name(&mut self, file: &SourceFile<'w>, name: &'w IdentifierReference<'w>) {
        let symbol = file.symbol_of(name);
        let Some(symbol) = symbol.filter(|symbol| !file.scoping().symbol_is_mutated(*symbol)) else {
            self.has_unknown = true;
            return;
        };
        match file.kind(file.scoping().symbol_declaration(symbol)) {
            AstKind::Function(_) | AstKind::Class(_) => self.owners.push(Owner::Symbol(OPEN_DOCUMENT, symbol)),
            AstKind::VariableDeclarator(variable) => match (&variable.id, &variable.init) {
                (BindingPattern::BindingIdentifier(_), Some(init)) => self.follow(file, init),
                _ => self.has_unknown = true,
            },
            AstKind::TSEnumDeclaration(_) | AstKind::TSNamespaceDeclaration(_) => {}
            _ => self.has_unknown = true,
        }
    }
}
