//! Resolution of members to declarations, and the declarations that these override or implement.

use std::rc::Rc;

use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_semantic::NodeId;
use oxc_span::GetSpan;

use crate::infer::builtins;
use crate::infer::checker::Checker;
use crate::infer::ty::{Entity, Indexed, Props, Ty};
use crate::program::defined_exports::{exports_of_defined_name, exports_of_defined_properties};
use crate::program::expandos::{Side, class_around, class_owner, this_owner};
use crate::program::identifiers::{Identifier, indexed_access_around};
use crate::program::ids::{OPEN_DOCUMENT, Owner, Site};
use crate::program::module::Module;

/// The declarations that an identifier may refer to.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sites {
    pub(crate) sites: Vec<Site>,
    /// There may be more declarations.
    pub(crate) may_have_more: bool,
    /// The name is declared outside of the workspace.
    pub(crate) external: bool,
    /// The name may be declared in the workspace as well as in a package.
    pub(crate) mixed: bool,
    /// An index signature matches the name.
    pub(crate) indexed: Indexed,
}

impl From<Props<'_>> for Sites {
    fn from(props: Props<'_>) -> Sites {
        let Props { may_have_more, external, mixed, indexed, .. } = props;
        Sites { sites: props.sites(), may_have_more, external, mixed, indexed }
    }
}

impl From<Vec<Site>> for Sites {
    fn from(sites: Vec<Site>) -> Sites {
        Sites { sites, ..Sites::default() }
    }
}

impl<'w> Checker<'w> {
    /// Returns the possible declarations of a member name.
    pub(crate) fn member_sites(&self, module: u32, identifier: &Identifier<'w>) -> Sites {
        let loaded = self.module(module);
        let name = identifier.name;
        let whole = loaded.kind(identifier.node).span();
        let parent = loaded.parent(identifier.node);
        let own = || Site { module, offset: whole.start };
        match loaded.kind(parent) {
            AstKind::StaticMemberExpression(member) => {
                self.read_member_sites(&self.expression_type(module, &member.object), name)
            }
            AstKind::PrivateFieldExpression(member) => {
                let found: Sites = self.props(&self.expression_type(module, &member.object), name).into();
                if found.sites.is_empty() { self.private_member_sites(module, identifier.node, name) } else { found }
            }
            AstKind::PrivateInExpression(_) => self.private_member_sites(module, identifier.node, name),
            AstKind::ComputedMemberExpression(member) => {
                self.read_member_sites(&self.expression_type(module, &member.object), name)
            }
            AstKind::CallExpression(call) => match exports_of_defined_name(&loaded, call, whole) {
                Some(exports) => self.read_member_sites(&self.expression_type(module, exports), name),
                None => Sites { may_have_more: true, ..Sites::default() },
            },
            AstKind::ObjectProperty(_) => {
                let object = loaded.parent(parent);
                if let AstKind::CallExpression(call) = loaded.parent_kind(object)
                    && let Some(exports) = exports_of_defined_properties(&loaded, call, loaded.kind(object).span())
                {
                    return self.read_member_sites(&self.expression_type(module, exports), name);
                }
                let wanted: Sites = self.props(&self.contextual_alternative(module, object), name).into();
                let mut sites = vec![own()];
                if let AstKind::ObjectExpression(literal) = loaded.kind(object) {
                    // A getter and a setter are one member.
                    sites.extend(self.props(&Ty::Object(module, literal), name).sites());
                }
                let external = wanted.external && wanted.sites.is_empty();
                sites.extend(&wanted.sites);
                // Object literals with the same index signature as their contextual type are unrelated, so its index
                // signature is ignored.
                Sites { sites, external, indexed: Indexed::No, ..wanted }
            }
            AstKind::BindingProperty(_)
            | AstKind::AssignmentTargetPropertyProperty(_)
            | AstKind::AssignmentTargetPropertyIdentifier(_) => {
                self.read_member_sites(&self.binding_type(module, loaded.parent(parent)), name)
            }
            AstKind::MethodDefinition(method) => self.class_member_sites(module, parent, method.r#static, name),
            AstKind::PropertyDefinition(property) => self.class_member_sites(module, parent, property.r#static, name),
            AstKind::AccessorProperty(property) => self.class_member_sites(module, parent, property.r#static, name),
            AstKind::TSPropertySignature(_) | AstKind::TSMethodSignature(_) => {
                self.signature_member_sites(module, parent, name)
            }
            AstKind::TSEnumMember(_) => vec![own()].into(),
            AstKind::TSQualifiedName(qualified) => self.qualified_sites(module, parent, qualified, name),
            AstKind::TSImportType(_) | AstKind::TSImportTypeQualifiedName(_) => {
                self.import_type_sites(module, identifier.node, name)
            }
            AstKind::JSXAttribute(attribute) => self.attribute_props(module, parent, attribute).into(),
            AstKind::JSXOpeningElement(_) | AstKind::JSXClosingElement(_) => {
                self.intrinsic_element(module, name).into()
            }
            AstKind::JSXMemberExpression(member) => {
                self.read_member_sites(&self.jsx_object(module, &member.object), name)
            }
            AstKind::TSLiteralType(_) => match indexed_access_around(&loaded, parent) {
                Some(access) => self.read_member_sites(&self.annotation_type(module, &access.object_type, &None), name),
                None => Sites::default(),
            },
            _ => Sites { may_have_more: true, ..Sites::default() },
        }
    }

    /// Returns the declarations of a member that is read. Type-checked code reads only existing members. If the type
    /// has no such member, and neither a package nor the language declares it, the type was inferred wrongly.
    pub(crate) fn read_member_sites(&self, of: &Ty<'w>, name: &str) -> Sites {
        let props = self.props(of, name);
        let absent = props.is_absent();
        let mut sites: Sites = props.into();
        if absent {
            sites.external = self.has_language_members(of) && builtins::language_has_member(name);
            // The path to the watched symbol was followed, so a different name refers to something else.
            sites.may_have_more = !sites.external && !of.alternatives().iter().any(|ty| matches!(ty, Ty::Watched(_)));
        }
        sites
    }

    /// Returns whether the language itself provides members for the type: functions, strings, numbers, and every class.
    fn has_language_members(&self, of: &Ty<'w>) -> bool {
        of.alternatives().iter().all(|ty| {
            matches!(
                ty,
                Ty::Primitive
                    | Ty::String(..)
                    | Ty::Keys(_)
                    | Ty::Static(_)
                    | Ty::Object(..)
                    | Ty::Instance(..)
                    | Ty::Literal(..)
                    | Ty::Intersection(_)
            )
        })
    }

    /// Returns the private member of the class around a node.
    fn private_member_sites(&self, module: u32, node: NodeId, name: &str) -> Sites {
        let loaded = self.module(module);
        for around in loaded.self_and_ancestors(node) {
            if let AstKind::Class(class) = loaded.kind(around) {
                let mut props = self.class_props(module, class, &None, name, Side::Instance);
                props.add(self.class_props(module, class, &None, name, Side::Static));
                if !props.found.is_empty() {
                    return props.into();
                }
            }
        }
        Sites::default()
    }

    fn class_member_sites(&self, module: u32, element: NodeId, is_static: bool, name: &str) -> Sites {
        let loaded = self.module(module);
        let class = loaded.self_and_ancestors(element).find_map(|around| match loaded.kind(around) {
            AstKind::Class(class) => Some(class),
            _ => None,
        });
        let Some(class) = class else { return Sites::default() };
        if is_static {
            return self.class_props(module, class, &None, name, Side::Static).into();
        }
        let owner = class_owner(module, class);
        self.own_props(owner, &None, name, &Ty::Instance(owner, None)).into()
    }

    fn signature_member_sites(&self, module: u32, signature: NodeId, name: &str) -> Sites {
        let loaded = self.module(module);
        match loaded.kind(loaded.parent(signature)) {
            AstKind::TSInterfaceBody(_) => match loaded.kind(loaded.parent(loaded.parent(signature))) {
                AstKind::TSInterfaceDeclaration(interface) => match interface.id.symbol_id.get() {
                    Some(symbol) => {
                        let owner = Owner::Symbol(module, symbol);
                        self.own_props(owner, &None, name, &Ty::Instance(owner, None)).into()
                    }
                    None => Sites::default(),
                },
                _ => Sites::default(),
            },
            AstKind::TSTypeLiteral(literal) => self.props(&Ty::Literal(module, literal, None), name).into(),
            _ => Sites::default(),
        }
    }

    fn qualified_sites(&self, module: u32, node: NodeId, name: &'w TSQualifiedName<'w>, last: &str) -> Sites {
        let loaded = self.module(module);
        let outermost =
            loaded.self_and_ancestors(node).find(|around| !matches!(loaded.kind(*around), AstKind::TSQualifiedName(_)));
        let queried = outermost.is_some_and(|around| matches!(loaded.kind(around), AstKind::TSTypeQuery(_)));
        if queried {
            return self.props(&self.type_query_value(module, &name.left), last).into();
        }
        self.entity_props(&self.name_entity(module, &name.left), last).into()
    }

    /// Resolves a name in `import("./x").A.B`.
    fn import_type_sites(&self, module: u32, node: NodeId, name: &str) -> Sites {
        let loaded = self.module(module);
        let whole = loaded.kind(node).span();
        let import = loaded.self_and_ancestors(node).find_map(|around| match loaded.kind(around) {
            AstKind::TSImportType(import) => Some(import),
            _ => None,
        });
        let Some((import, source)) = import.and_then(|import| Some((import, import.source.value.as_str()?))) else {
            return Sites::default();
        };
        let space = self.module_type(module, source);
        let mut qualifier = import.qualifier.as_ref();
        while let Some(current) = qualifier {
            match current {
                TSImportTypeQualifier::Identifier(_) => return self.props(&space, name).into(),
                TSImportTypeQualifier::QualifiedName(qualified) if qualified.right.span == whole => {
                    let entity = match space {
                        Ty::Module(found) => Entity::Module(found),
                        Ty::Watched(read) => Entity::Watched(read),
                        Ty::External => Entity::External,
                        _ => Entity::Unknown,
                    };
                    let left = self.import_qualifier_entity(&entity, &qualified.left);
                    return self.entity_props(&left, name).into();
                }
                TSImportTypeQualifier::QualifiedName(qualified) => qualifier = Some(&qualified.left),
            }
        }
        Sites::default()
    }

    /// Returns the declarations and all declarations that they override or implement.
    pub(crate) fn with_overridden_sites(&self, sites: &[Site], name: &str) -> Vec<Site> {
        let mut all: Vec<Site> = Vec::new();
        let mut next: Vec<Site> = sites.to_vec();
        while let Some(site) = next.pop() {
            if all.contains(&site) || all.len() > 512 {
                continue;
            }
            all.push(site);
            if site != Site::WATCHED {
                next.extend(self.overridden_sites(site, name).iter());
            }
        }
        all.sort_unstable();
        all
    }

    fn overridden_sites(&self, site: Site, name: &str) -> Rc<Vec<Site>> {
        if let Some(known) = self.overridden.borrow().get(&site) {
            return known.clone();
        }
        let found = Rc::new(self.with_depth(Vec::new(), || self.compute_overridden_sites(site, name)));
        self.overridden.borrow_mut().insert(site, found.clone());
        found
    }

    /// Returns whether an object that declares the member at one of the sites has an unknown contextual type. The
    /// object may then be used as a value of any type, and the member may implement any other member with this name.
    pub(crate) fn has_unknown_context(&self, sites: &[Site], name: &str) -> bool {
        let escapes = |site: &Site| {
            let Some(declaration) = self.member_declared_at(*site, name) else { return false };
            let loaded = self.module(site.module);
            matches!(loaded.kind(declaration), AstKind::ObjectProperty(_))
                && self.props(&self.contextual_type(site.module, loaded.parent(declaration)), name).may_have_more
        };
        sites.iter().filter(|site| **site != Site::WATCHED).any(escapes)
    }

    /// Returns the declaration of the member with this name at a site.
    pub(crate) fn member_declared_at(&self, site: Site, name: &str) -> Option<NodeId> {
        let loaded = self.module(site.module);
        let identifiers = loaded.identifiers(name);
        let named = identifiers.iter().find(|identifier| loaded.kind(identifier.node).span().start == site.offset)?;
        Some(loaded.parent(named.node))
    }

    /// Returns the declarations that a member overrides or implements, its own other declarations, and the symbol that it
    /// exports or by which it is exported.
    fn compute_overridden_sites(&self, site: Site, name: &str) -> Vec<Site> {
        let loaded = self.module(site.module);
        let Some(parent) = self.member_declared_at(site, name) else { return Vec::new() };
        let instance = |owner: Owner| {
            let mut sites = self.own_props(owner, &None, name, &Ty::Instance(owner, None)).sites();
            for base in self.bases(owner, &None).into_iter().chain(self.implemented_types(owner, &None)) {
                sites.extend(self.props(&base, name).sites());
            }
            sites
        };
        let of_class = |is_static: bool, sites: &mut Vec<Site>| {
            let Some(owner) = class_around(&loaded, parent) else { return };
            let owner = with_module(owner, site.module);
            if is_static {
                sites.extend(self.static_base(owner).iter().flat_map(|base| self.props(base, name).sites()));
            } else {
                sites.extend(instance(owner));
            }
        };
        let mut sites = self.export_counterparts(site, name);
        match loaded.kind(parent) {
            AstKind::MethodDefinition(method) => of_class(method.r#static, &mut sites),
            AstKind::PropertyDefinition(property) => of_class(property.r#static, &mut sites),
            AstKind::AccessorProperty(property) => of_class(property.r#static, &mut sites),
            AstKind::FormalParameter(parameter)
                if parameter.accessibility.is_some() || parameter.readonly || parameter.r#override =>
            {
                of_class(false, &mut sites);
            }
            AstKind::TSPropertySignature(_) | AstKind::TSMethodSignature(_) => {
                if let AstKind::TSInterfaceDeclaration(interface) = loaded.kind(loaded.parent(loaded.parent(parent)))
                    && let Some(symbol) = interface.id.symbol_id.get()
                {
                    sites.extend(instance(Owner::Symbol(site.module, symbol)));
                }
            }
            AstKind::ObjectProperty(_) => {
                sites
                    .extend(self.props(&self.contextual_alternative(site.module, loaded.parent(parent)), name).sites());
            }
            AstKind::StaticMemberExpression(member) if matches!(member.object, Expression::ThisExpression(_)) => {
                if let Some((owner, Side::Instance)) = this_owner(&loaded, parent) {
                    sites.extend(instance(with_module(owner, site.module)));
                }
            }
            _ => {}
        }
        sites
    }
}

/// Returns an owner with the number of its module. Owners found in a module use the number of the open document.
fn with_module(owner: Owner, module: u32) -> Owner {
    debug_assert_eq!(owner.module(), OPEN_DOCUMENT, "owners found in a module have the number of the open document");
    match owner {
        Owner::Symbol(_, symbol) => Owner::Symbol(module, symbol),
        Owner::Node(_, node) => Owner::Node(module, node),
    }
}

/// Returns whether a name declares a member, or sets one in an object literal.
pub(crate) fn declares_member(module: &Module<'_>, name: NodeId) -> bool {
    matches!(
        module.parent_kind(name),
        AstKind::MethodDefinition(_)
            | AstKind::PropertyDefinition(_)
            | AstKind::AccessorProperty(_)
            | AstKind::TSPropertySignature(_)
            | AstKind::TSMethodSignature(_)
            | AstKind::TSEnumMember(_)
            | AstKind::ObjectProperty(_)
    )
}

/// Returns whether a name is that of a member that an assignment sets: `m` in `a.m = …`.
pub(crate) fn sets_member(module: &Module<'_>, name: NodeId) -> bool {
    let access = module.parent(name);
    let is_access = matches!(
        module.kind(access),
        AstKind::StaticMemberExpression(_) | AstKind::ComputedMemberExpression(_) | AstKind::PrivateFieldExpression(_)
    );
    let span = module.kind(access).span();
    is_access && matches!(module.parent_kind(access), AstKind::AssignmentExpression(set) if set.left.span() == span)
}
