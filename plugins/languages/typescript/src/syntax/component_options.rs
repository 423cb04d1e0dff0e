//! Options of a Vue component: the object that its script exports as default, alone or as the argument of a function
//! such as `defineComponent`.

use oxc_ast::ast::*;

/// The object with the options.
#[derive(Clone, Copy)]
pub(crate) struct ComponentOptions<'a>(pub(crate) &'a ObjectExpression<'a>);

/// Returns the options that a script exports.
pub(crate) fn options_of<'a>(program: &'a Program<'a>) -> Option<ComponentOptions<'a>> {
    let exported = program.body.iter().find_map(|statement| match statement {
        Statement::ExportDefaultDeclaration(export) => export.declaration.as_expression(),
        _ => None,
    })?;
    match exported.get_inner_expression() {
        Expression::ObjectExpression(object) => Some(ComponentOptions(object)),
        Expression::CallExpression(call) => match call.arguments.first()?.as_expression()?.get_inner_expression() {
            Expression::ObjectExpression(object) => Some(ComponentOptions(object)),
            _ => None,
        },
        _ => None,
    }
}

impl<'a> ComponentOptions<'a> {
    /// Returns the option with a name.
    pub(crate) fn get(self, name: &str) -> Option<&'a ObjectProperty<'a>> {
        self.0.properties.iter().find_map(|property| match property {
            ObjectPropertyKind::ObjectProperty(property) if property.key.is_specific_static_name(name) => {
                Some(&**property)
            }
            _ => None,
        })
    }

    /// Returns whether the object has an option with a name.
    pub(crate) fn has(self, name: &str) -> bool {
        self.get(name).is_some()
    }

    /// Returns the names in the object that is the value of an option.
    pub(crate) fn keys_of(self, name: &str) -> impl Iterator<Item = &'a str> {
        let object = self.get(name).and_then(|property| match property.value.get_inner_expression() {
            Expression::ObjectExpression(object) => Some(object),
            _ => None,
        });
        object.into_iter().flat_map(|object| &object.properties).filter_map(|property| match property {
            ObjectPropertyKind::ObjectProperty(property) => match &property.key {
                PropertyKey::StaticIdentifier(name) => Some(name.name.as_str()),
                _ => None,
            },
            ObjectPropertyKind::SpreadProperty(_) => None,
        })
    }
}
