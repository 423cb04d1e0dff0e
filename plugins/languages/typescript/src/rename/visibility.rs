//! Visibility of a declaration without an import: globals, ambient modules, augmentations.

use oxc_ast::AstKind;
use oxc_span::GetSpan;

use crate::infer::builtins;
use crate::infer::checker::Checker;
use crate::infer::ty::Ty;
use crate::program::expandos::class_owner;
use crate::program::ids::{Owner, Site};
use crate::rename::search_target::SearchTarget;
use crate::rename::subject::{NonMemberDeclaration, declaration_kind};

/// Maximum number of classes to visit for a class of the platform.
const MAX_SUPERTYPES: usize = 16;

/// Visibility of a declaration without an import.
#[derive(Default)]
pub(crate) struct GlobalVisibility {
    /// True if the declaration augments a declaration of a package, of the platform, or of another file.
    pub(crate) is_augmentation: bool,
    /// True if the declaration is a member of `Window`.
    pub(crate) is_window_member: bool,
    /// True if the declaration is visible in all files.
    pub(crate) shared: bool,
    /// True if the declaration is not a property of the global object: `let`, `const` and classes.
    pub(crate) lexical: bool,
    /// The `x` of the `declare module "x"` block that exports the declaration.
    pub(crate) ambient: Option<String>,
}

impl Checker<'_> {
    /// Returns whether a site declares a member, as opposed to a binding or an export.
    pub(crate) fn is_member(&self, site: Site, name: &str) -> bool {
        if site == Site::WATCHED {
            return false;
        }
        let module = self.module(site.module);
        match declaration_kind(self, site, name) {
            None => true,
            Some(NonMemberDeclaration::Exported) => false,
            // A parameter property is also a member.
            Some(NonMemberDeclaration::Symbol(symbol)) => {
                match module.kind(module.scoping().symbol_declaration(symbol)) {
                    AstKind::FormalParameter(parameter) => {
                        parameter.accessibility.is_some() || parameter.readonly || parameter.r#override
                    }
                    _ => false,
                }
            }
        }
    }

    /// Returns the visibility of a declaration. `None` if it is local to a function or block.
    pub(crate) fn global_visibility(&self, site: Site, name: &str) -> Option<GlobalVisibility> {
        let module = self.module(site.module);
        let identifiers = module.identifiers(name);
        let identifier =
            identifiers.iter().find(|identifier| module.kind(identifier.node).span().start == site.offset)?;
        let mut found = GlobalVisibility::default();
        let is_script = !module.is_module();
        // Declarations that are merged with those of the platform or of packages.
        let merges = |name: &str| is_script && (module.path.contains(".d.") || builtins::is_platform_name(name));
        let mut inside = 0;
        for around in module.self_and_ancestors(identifier.node).skip(1) {
            match module.kind(around) {
                AstKind::TSInterfaceDeclaration(interface) if interface.id.span.start != site.offset => {
                    inside += 1;
                    found.is_window_member = interface.id.name == "Window";
                    found.is_augmentation |= merges(&interface.id.name);
                }
                AstKind::TSNamespaceDeclaration(namespace) if namespace.id.span().start != site.offset => {
                    inside += 1;
                    found.is_augmentation |= merges(&namespace.id.name);
                }
                // A string literal type does not declare a name in the file.
                AstKind::TSLiteralType(_) => inside += 1,
                // An attribute belongs to its element and does not declare a name in the file either.
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
                    found.is_augmentation |= inside > 0;
                    found.shared |= inside == 0;
                }
                AstKind::TSExternalModuleDeclaration(declared) => {
                    found.is_augmentation = true;
                    found.ambient = declared.id.value.as_str().filter(|_| inside == 0 && is_script).map(str::to_owned);
                    return Some(found);
                }
                AstKind::BlockStatement(_) => return None,
                AstKind::Program(_) => found.shared |= is_script && inside == 0,
                _ => {}
            }
        }
        found.is_window_member &= found.is_augmentation;
        Some(found)
    }
}

impl<'w> Checker<'w> {
    /// Returns whether a member belongs to a class that extends a class of the platform. A value of the platform's class may
    /// then be one of this class: `document.querySelector("my-panel").open()`.
    fn extends_platform(&self, site: Site, name: &str) -> bool {
        let Some(declaration) = self.member_declared_at(site, name) else { return false };
        let loaded = self.module(site.module);
        let class = loaded.self_and_ancestors(declaration).find_map(|around| match loaded.kind(around) {
            AstKind::Class(class) => Some(class_owner(site.module, class)),
            _ => None,
        });
        let mut next: Vec<Owner> = class.into_iter().collect();
        for _ in 0..MAX_SUPERTYPES {
            let Some(owner) = next.pop() else { return false };
            for base in self.bases(owner, &None) {
                match base {
                    Ty::Platform => return true,
                    Ty::Instance(base, _) => next.push(base),
                    _ => {}
                }
            }
        }
        false
    }

    /// Adds the visibility of the declarations to the search parameters.
    pub(crate) fn with_visibility(&self, mut wanted: SearchTarget) -> SearchTarget {
        let mut globals = 0;
        for site in wanted.sites.clone() {
            wanted.is_augmentation |= site != Site::WATCHED && self.extends_platform(site, &wanted.name);
            let around = if site == Site::WATCHED { None } else { self.global_visibility(site, &wanted.name) };
            let Some(around) = around else { continue };
            wanted.is_augmentation |= around.is_augmentation;
            wanted.is_window_member |= around.is_window_member;
            wanted.shared |= around.shared;
            wanted.lexical |= around.lexical;
            globals += usize::from(around.shared);
            wanted.ambient.extend(around.ambient);
        }
        // A global is a property of global objects only.
        if globals > 0 && globals == wanted.sites.len() {
            (wanted.members, wanted.string_literals) = (false, false);
        }
        wanted
    }
}
