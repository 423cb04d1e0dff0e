//! `require` statements of the original file: the names in them that the moved code needs, and those that only it used.

use marquetry_sdk::{Destination, Result};
use oxc_ast::ast::*;
use oxc_span::{GetSpan as _, Span};

use crate::imports::model::{Import, ImportedBinding, imports_of_statement};
use crate::program::commonjs::required_module;
use crate::program::ids::OPEN_DOCUMENT;
use crate::semantics::moves::source_file::MoveSource;
use crate::semantics::refusal_at;
use crate::syntax::spans::span_in;

/// A required name that the other file needs.
pub(crate) struct RequiredName {
    pub(crate) keyword: &'static str,
    /// The name, or its property in a pattern.
    pub(crate) name: String,
    pub(crate) is_pattern: bool,
    /// The code after `=`.
    pub(crate) value: marquetry_sdk::Span,
}

/// The names of a `require` statement that only moved code used.
pub(crate) enum UnusedNames<'w> {
    All,
    /// The names at these places in the pattern.
    Bound(&'w ObjectPattern<'w>, Vec<Span>),
}

impl<'w> MoveSource<'_, 'w> {
    /// Returns the code that declares a required name. `None` if the other file declares it. Fails if the other file
    /// cannot require it.
    pub(crate) fn required_name(
        &self,
        import: &Import<'w>,
        binding: &ImportedBinding<'w>,
    ) -> Result<Option<RequiredName>> {
        let local = binding.local.span;
        let unknown = || {
            refusal_at("the moved code uses a name that this file imports in another way than with `require`", local)
                .hint("first assign the required module to a variable")
        };
        let (keyword, variable) = self.required_variable(local).ok_or_else(unknown)?;
        let init = variable.init.as_ref().ok_or_else(unknown)?;
        if let Destination::Inside(found) = self.checker.destination(OPEN_DOCUMENT, &import.specifier)
            && found.path == self.to
        {
            let is_same = binding.name == binding.local.name.as_str();
            let message = format!("`{}` has a different name in `{}`", binding.local.name, self.to);
            return if is_same {
                Ok(None)
            } else {
                Err(refusal_at(message, local).hint("first require it by its name"))
            };
        }
        if binding.local.symbol_id.get().is_some_and(|symbol| self.here.scoping().symbol_is_mutated(symbol)) {
            let message =
                format!("`{}`, which the moved code uses, is assigned again in this file", binding.local.name);
            return Err(refusal_at(message, local).hint("first use a constant for the required module"));
        }
        if required_module(init).is_none() && !self.is_only_used_by_moved_code(binding.local) {
            let message = format!("`{}`, which the moved code uses, is the result of a call", binding.local.name);
            return Err(refusal_at(message, local).hint("first export it, or move the code that uses it as well"));
        }
        let (name, is_pattern) = match &variable.id {
            BindingPattern::ObjectPattern(object) => {
                let own = object.properties.iter().find(|property| property.span.contains_inclusive(local));
                let property = own.ok_or_else(unknown)?;
                (property.span.source_text(self.text()).to_owned(), true)
            }
            _ => (binding.local.name.to_string(), false),
        };
        Ok(Some(RequiredName { keyword, name, is_pattern, value: span_in(init.span(), self.text()) }))
    }

    /// Returns the variable that declares a required name, and its keyword.
    fn required_variable(&self, local: Span) -> Option<(&'static str, &'w VariableDeclarator<'w>)> {
        self.body().iter().find_map(|statement| {
            let Statement::VariableDeclaration(variables) = statement else { return None };
            let variable = variables.declarations.iter().find(|it| it.id.span().contains_inclusive(local))?;
            Some((variables.kind.as_str(), variable))
        })
    }

    /// Returns the `require` statements with names that only moved code used.
    pub(crate) fn unused_requires(&self) -> Vec<(Span, UnusedNames<'w>)> {
        let unused = self.body().iter().filter_map(|statement| {
            let Statement::VariableDeclaration(variables) = statement else { return None };
            let [variable] = variables.declarations.as_slice() else { return None };
            let names = self.unused_names(&variable.id).filter(|_| !imports_of_statement(statement).is_empty())?;
            Some((variables.span, names))
        });
        unused.collect()
    }

    fn unused_names(&self, pattern: &'w BindingPattern<'w>) -> Option<UnusedNames<'w>> {
        let locals = pattern.get_binding_identifiers();
        let gone = locals.iter().copied().filter(|local| self.is_only_used_by_moved_code(local));
        let gone: Vec<Span> = gone.map(|local| local.span).collect();
        match pattern {
            _ if gone.is_empty() => None,
            _ if gone.len() == locals.len() => Some(UnusedNames::All),
            BindingPattern::ObjectPattern(object) if object.rest.is_none() => Some(UnusedNames::Bound(object, gone)),
            _ => None,
        }
    }
}
