//! Visibility of a declaration without an import: globals, ambient modules, augmentations.

use oxc_ast::AstKind;
use oxc_span::GetSpan;

use crate::infer::builtins;
use crate::infer::checker::Checker;
use crate::operations::rename::subject::{Declared, declared_as};
use crate::program::ids::Site;

/// Visibility of a declaration without an import.
#[derive(Default)]
pub(crate) struct DeclaredIn {
    /// It augments a declaration of a package, of the platform, or of another file.
    pub(crate) added: bool,
    /// It is a member of `Window`.
    pub(crate) of_window: bool,
    /// It is visible in all files.
    pub(crate) shared: bool,
    /// It is not a property of the global object: `let`, `const` and classes.
    pub(crate) lexical: bool,
    /// The `x` of the `declare module "x"` block that exports it.
    pub(crate) ambient: Option<String>,
}

impl Checker<'_> {
    /// Returns whether a site declares a member, as opposed to a binding or an export.
    pub(crate) fn is_member(&self, site: Site, name: &str) -> bool {
        if site == Site::WATCHED {
            return false;
        }
        let module = self.module(site.module);
        match declared_as(self, site, name) {
            None => true,
            Some(Declared::Exported) => false,
            // A parameter property is also a member.
            Some(Declared::Symbol(symbol)) => match module.kind(module.scoping().symbol_declaration(symbol)) {
                AstKind::FormalParameter(parameter) => {
                    parameter.accessibility.is_some() || parameter.readonly || parameter.r#override
                }
                _ => false,
            },
        }
    }

    /// Returns the visibility of a declaration. `None` if it is local to a function or block.
    pub(crate) fn declared_in(&self, site: Site, name: &str) -> Option<DeclaredIn> {
        let module = self.module(site.module);
        let identifiers = module.identifiers(name);
        let identifier =
            identifiers.iter().find(|identifier| module.kind(identifier.node).span().start == site.offset)?;
        let mut found = DeclaredIn::default();
        let is_script = !module.is_module();
        // Declarations that are merged with those of the platform or of packages.
        let merges = |name: &str| is_script && (module.path.contains(".d.") || builtins::declares(name));
        let mut inside = 0;
        for around in module.chain(identifier.node).skip(1) {
            match module.kind(around) {
                AstKind::TSInterfaceDeclaration(interface) if interface.id.span.start != site.offset => {
                    inside += 1;
                    found.of_window = interface.id.name == "Window";
                    found.added |= merges(&interface.id.name);
                }
                AstKind::TSNamespaceDeclaration(namespace) if namespace.id.span().start != site.offset => {
                    inside += 1;
                    found.added |= merges(&namespace.id.name);
                }
                // A string literal type is not a name of the file.
                AstKind::TSLiteralType(_) => inside += 1,
                // Neither is an attribute that only its element has.
                AstKind::JSXAttribute(_) => inside += 1,
                // `f.x = 1` adds a member to `f`, not a name to the file.
                AstKind::StaticMemberExpression(member) if member.property.span.start == site.offset => inside += 1,
                AstKind::VariableDeclaration(variables) => found.lexical = !variables.kind.is_var(),
                AstKind::Class(class) if class.id.as_ref().is_some_and(|id| id.span.start == site.offset) => {
                    found.lexical = true;
                }
                AstKind::Function(function) if function.id.as_ref().is_some_and(|id| id.span.start == site.offset) => {}
                AstKind::Class(_)
                | AstKind::TSTypeLiteral(_)
                | AstKind::ObjectExpression(_)
                | AstKind::TSEnumBody(_) => inside += 1,
                AstKind::Function(_) | AstKind::ArrowFunctionExpression(_) => return None,
                AstKind::TSGlobalDeclaration(_) => {
                    found.added |= inside > 0;
                    found.shared |= inside == 0;
                }
                AstKind::TSExternalModuleDeclaration(declared) => {
                    found.added = true;
                    found.ambient = declared.id.value.as_str().filter(|_| inside == 0 && is_script).map(str::to_owned);
                    return Some(found);
                }
                AstKind::BlockStatement(_) => return None,
                AstKind::Program(_) => found.shared |= is_script && inside == 0,
                _ => {}
            }
        }
        found.of_window &= found.added;
        Some(found)
    }
}
