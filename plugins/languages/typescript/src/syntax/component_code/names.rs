//! Names of a component's script that its template can use.

use std::collections::HashSet;

use oxc_ast::ast::*;

use crate::syntax::component_options::options_of;

/// Names that a template can use.
#[derive(Debug, Default)]
pub(crate) struct ScriptNames {
    /// Names that the script declares or imports.
    pub(super) bound: HashSet<String>,
    /// Names of the components that the options of a component register.
    pub(super) registered: HashSet<String>,
    /// Names that the script does not declare are members of the component.
    pub(super) has_members: bool,
    /// The template can use only members of the component, and not the names of the script.
    pub(super) is_options: bool,
    /// `$name` is the value of the store `name`.
    pub(super) has_stores: bool,
}

/// Names that start with `$` and are part of the language of Svelte.
const RUNES: [&str; 7] = ["$bindable", "$derived", "$effect", "$host", "$inspect", "$props", "$state"];

impl ScriptNames {
    /// Returns the store whose value a name denotes: `count` for `$count`.
    pub(super) fn store_named<'n>(&self, name: &'n str) -> Option<&'n str> {
        let store = name.strip_prefix('$').filter(|store| self.has_stores && self.bound.contains(*store))?;
        (!RUNES.contains(&name)).then_some(store)
    }

    /// Collects the names that the statements of a script declare.
    pub(super) fn collect(program: &Program<'_>) -> ScriptNames {
        let mut names = ScriptNames::default();
        for statement in &program.body {
            match statement {
                Statement::ImportDeclaration(import) => {
                    for listed in import.specifiers.iter().flatten() {
                        names.bound.insert(listed.local().name.to_string());
                    }
                }
                Statement::ExportDeclaration(export) => names.add(&export.declaration),
                other => {
                    if let Some(declaration) = other.as_declaration() {
                        names.add(declaration);
                    }
                }
            }
        }
        if let Some(options) = options_of(program) {
            names.registered.extend(options.keys_of("components").map(str::to_owned));
        }
        names
    }

    fn add(&mut self, declaration: &Declaration<'_>) {
        match declaration {
            Declaration::VariableDeclaration(variables) => {
                let declared = variables.declarations.iter().flat_map(|variable| variable.id.get_binding_identifiers());
                self.bound.extend(declared.map(|name| name.name.to_string()));
            }
            Declaration::FunctionDeclaration(function) => {
                self.bound.extend(function.id.iter().map(|name| name.name.to_string()));
            }
            Declaration::ClassDeclaration(class) => {
                self.bound.extend(class.id.iter().map(|name| name.name.to_string()));
            }
            Declaration::TSEnumDeclaration(declared) => {
                self.bound.insert(declared.id.name.to_string());
            }
            Declaration::TSImportEqualsDeclaration(import) => {
                self.bound.insert(import.id.name.to_string());
            }
            _ => {}
        }
    }
}
