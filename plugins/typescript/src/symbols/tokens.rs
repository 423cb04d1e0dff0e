//! Names in a program: where they stand and what each of them stands for.

use std::rc::Rc;

use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_semantic::{NodeId, SymbolId};
use oxc_span::{GetSpan, Span};

use super::expandos::{Side, class_around, class_owner, this_owner};
use super::ty::{Entity, Owner, Props, Ty};
use super::world::{HERE, Module, Site, World};

/// A name in a program.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token<'w> {
    pub(crate) node: NodeId,
    pub(crate) name: &'w str,
    /// The name alone, without quotes; private names with their `#`.
    pub(crate) span: Span,
    /// The quote around it.
    pub(crate) quote: Option<char>,
}

/// What a token is.
#[derive(Clone, Debug)]
pub(crate) enum Role {
    /// It declares the symbol.
    Declares(SymbolId),
    /// It declares a name that is taken, and so nothing.
    Alone,
    /// It refers to the symbol.
    Refers(SymbolId),
    /// It refers to something that the file does not declare.
    Free,
    /// A property, method, attribute, or anything else that is a member of something.
    Member,
    /// The name of a thing in another module, in an import or re-export.
    Imported,
    /// The name under which a thing is exported, in a list.
    Exported,
    /// The name that a module has for scripts: `export as namespace X`.
    Shared,
    Label,
    /// A parameter named by a type predicate.
    Parameter(SymbolId),
    /// A text, which may be one of several that a type allows.
    Text,
    /// No name of anything that could be renamed.
    None,
}

/// What may be declarations of the thing that a token names.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sites {
    pub(crate) sites: Vec<Site>,
    /// There may be more.
    pub(crate) open: bool,
    /// Something outside the workspace declares it.
    pub(crate) external: bool,
}

impl From<Props<'_>> for Sites {
    fn from(props: Props<'_>) -> Sites {
        Sites { sites: props.sites(), open: props.open, external: props.external }
    }
}

impl From<Vec<Site>> for Sites {
    fn from(sites: Vec<Site>) -> Sites {
        Sites { sites, ..Sites::default() }
    }
}

/// The name that a node is, if it is one.
pub(crate) fn token<'w>(node: NodeId, kind: AstKind<'w>, text: &'w str) -> Option<Token<'w>> {
    let plain = |name: &'w str, span: Span| Some(Token { node, name, span, quote: None });
    match kind {
        AstKind::IdentifierName(it) => plain(it.name.as_str(), it.span),
        AstKind::IdentifierReference(it) => plain(it.name.as_str(), it.span),
        AstKind::BindingIdentifier(it) => plain(it.name.as_str(), it.span),
        AstKind::LabelIdentifier(it) => plain(it.name.as_str(), it.span),
        AstKind::PrivateIdentifier(it) => plain(it.span.source_text(text), it.span),
        AstKind::JSXIdentifier(it) => plain(it.name.as_str(), it.span),
        AstKind::StringLiteral(it) => quoted(node, it.value.as_str()?, it.span, text),
        AstKind::TemplateLiteral(it) if it.expressions.is_empty() => {
            quoted(node, it.quasis.first()?.value.cooked?.as_str()?, it.span, text)
        }
        _ => None,
    }
}

fn quoted<'w>(node: NodeId, name: &'w str, span: Span, text: &'w str) -> Option<Token<'w>> {
    let quote = span.source_text(text).chars().next().filter(|c| matches!(c, '"' | '\'' | '`'))?;
    (span.size() >= 2).then(|| Token { node, name, span: Span::new(span.start + 1, span.end - 1), quote: Some(quote) })
}

impl<'w> Module<'w> {
    /// The names with this spelling, in document order.
    pub(crate) fn tokens(&self, name: &str) -> Rc<Vec<Token<'w>>> {
        if let Some(known) = self.tokens.borrow().get(name) {
            return known.clone();
        }
        let text = self.text();
        let nodes = self.semantic().nodes().iter();
        let found = nodes.filter_map(|node| token(node.id(), node.kind(), text)).filter(|token| token.name == name);
        let mut tokens: Vec<Token<'w>> = found.collect();
        tokens.sort_by_key(|token| (token.span.start, token.span.end));
        let tokens = Rc::new(tokens);
        self.tokens.borrow_mut().insert(name.to_owned(), tokens.clone());
        tokens
    }

    /// The names that touch an offset; those that end there come last.
    pub(crate) fn tokens_at(&self, offset: u32) -> Vec<Token<'w>> {
        let text = self.text();
        let nodes = self.semantic().nodes().iter();
        let touches = |token: &Token<'_>| {
            let start = token.span.start - u32::from(token.quote.is_some());
            start <= offset && offset <= token.span.end
        };
        let mut tokens: Vec<Token<'w>> =
            nodes.filter_map(|node| token(node.id(), node.kind(), text)).filter(touches).collect();
        tokens.sort_by_key(|token| token.span.end == offset);
        tokens
    }

    /// What a name is.
    pub(crate) fn role(&self, token: &Token<'_>) -> Role {
        match self.kind(token.node) {
            AstKind::BindingIdentifier(it) if self.stands_alone(it.span.start) => Role::Alone,
            AstKind::BindingIdentifier(it) => it.symbol_id.get().map_or(Role::None, Role::Declares),
            AstKind::IdentifierReference(it) => {
                let symbol = it.reference_id.get().and_then(|id| self.scoping().get_reference(id).symbol_id());
                symbol.map_or(Role::Free, Role::Refers)
            }
            AstKind::LabelIdentifier(_) => Role::Label,
            AstKind::PrivateIdentifier(_) => Role::Member,
            AstKind::JSXIdentifier(_) => match self.parent_kind(token.node) {
                AstKind::JSXNamespacedName(_) => Role::None,
                _ => Role::Member,
            },
            AstKind::IdentifierName(it) => self.name_role(token, it),
            AstKind::StringLiteral(_) | AstKind::TemplateLiteral(_) => self.text_role(token),
            _ => Role::None,
        }
    }

    fn name_role(&self, token: &Token<'_>, name: &IdentifierName<'_>) -> Role {
        match self.parent_kind(token.node) {
            AstKind::ImportSpecifier(_) => Role::Imported,
            AstKind::ExportSpecifier(specifier) => {
                // In `export { a } from "x"` two names stand at one place; the first is the other module's.
                let is_local = std::ptr::eq(name_pointer(&specifier.local), std::ptr::from_ref(name).cast());
                if is_local { Role::Imported } else { Role::Exported }
            }
            AstKind::ExportAllDeclaration(_) => Role::Exported,
            AstKind::TSNamespaceExportDeclaration(_) => Role::Shared,
            AstKind::TSTypePredicate(_) => self.predicate_parameter(token).map_or(Role::None, Role::Parameter),
            AstKind::ImportAttribute(_)
            | AstKind::TSNamedTupleMember(_)
            | AstKind::ImportMeta(_)
            | AstKind::NewTarget(_)
            | AstKind::V8IntrinsicExpression(_) => Role::None,
            _ => Role::Member,
        }
    }

    /// The parameter that `x is T` names.
    fn predicate_parameter(&self, token: &Token<'_>) -> Option<SymbolId> {
        self.chain(token.node).skip(1).find_map(|around| {
            let params = match self.kind(around) {
                AstKind::Function(function) => &function.params,
                AstKind::ArrowFunctionExpression(arrow) => &arrow.params,
                AstKind::TSFunctionType(function) => &function.params,
                AstKind::TSMethodSignature(method) => &method.params,
                AstKind::TSCallSignatureDeclaration(call) => &call.params,
                _ => return None,
            };
            let names = params.items.iter().flat_map(|item| item.pattern.get_binding_identifiers());
            names.into_iter().find(|name| name.name == token.name).and_then(|name| name.symbol_id.get())
        })
    }

    fn text_role(&self, token: &Token<'_>) -> Role {
        let whole = self.kind(token.node).span();
        match self.parent_kind(token.node) {
            AstKind::ImportSpecifier(_) => Role::Imported,
            AstKind::ExportSpecifier(specifier) => {
                if specifier.local.span() == whole && specifier.exported.span() != whole {
                    Role::Imported
                } else {
                    Role::Exported
                }
            }
            AstKind::ExportAllDeclaration(export) if export.source.span != whole => Role::Exported,
            AstKind::ImportDeclaration(_)
            | AstKind::ExportAllDeclaration(_)
            | AstKind::ExportFromDeclaration(_)
            | AstKind::ImportExpression(_)
            | AstKind::TSImportType(_)
            | AstKind::TSExternalModuleReference(_)
            | AstKind::TSExternalModuleDeclaration(_)
            | AstKind::ImportAttribute(_)
            | AstKind::Directive(_)
            | AstKind::TaggedTemplateExpression(_) => Role::None,
            AstKind::ObjectProperty(property) if property.key.span() == whole => Role::Member,
            AstKind::BindingProperty(property) if property.key.span() == whole => Role::Member,
            AstKind::AssignmentTargetPropertyProperty(property) if property.name.span() == whole => Role::Member,
            AstKind::MethodDefinition(_) | AstKind::TSMethodSignature(_) => Role::Member,
            AstKind::TSEnumMember(member) if member.id.span() == whole => Role::Member,
            AstKind::TSPropertySignature(_) => Role::Member,
            AstKind::PropertyDefinition(property) if property.key.span() == whole => Role::Member,
            AstKind::AccessorProperty(property) if property.key.span() == whole => Role::Member,
            AstKind::ComputedMemberExpression(member) if member.expression.span() == whole => Role::Member,
            AstKind::TSLiteralType(_) => {
                let literal = self.parent(token.node);
                match self.parent_kind(literal) {
                    AstKind::TSIndexedAccessType(access) if access.index_type.span() == whole => Role::Member,
                    _ => Role::Text,
                }
            }
            _ => Role::Text,
        }
    }
}

fn name_pointer(name: &ModuleExportName<'_>) -> *const () {
    match name {
        ModuleExportName::IdentifierName(it) => std::ptr::from_ref(it).cast(),
        ModuleExportName::IdentifierReference(it) => std::ptr::from_ref(it).cast(),
        ModuleExportName::StringLiteral(it) => std::ptr::from_ref(it).cast(),
    }
}

impl<'w> World<'w> {
    /// What a member of the name may be declared by.
    pub(crate) fn member_sites(&self, module: u32, token: &Token<'w>) -> Sites {
        let held = self.module(module);
        let name = token.name;
        let whole = held.kind(token.node).span();
        let parent = held.parent(token.node);
        let own = || Site { module, offset: whole.start };
        match held.kind(parent) {
            AstKind::StaticMemberExpression(member) => self.props(&self.value(module, &member.object), name).into(),
            AstKind::PrivateFieldExpression(member) => {
                let found: Sites = self.props(&self.value(module, &member.object), name).into();
                if found.sites.is_empty() { self.private(module, token.node, name) } else { found }
            }
            AstKind::PrivateInExpression(_) => self.private(module, token.node, name),
            AstKind::ComputedMemberExpression(member) => self.props(&self.value(module, &member.object), name).into(),
            AstKind::ObjectProperty(_) => {
                let object = held.parent(parent);
                let wanted: Sites = self.props(&self.contextual(module, object), name).into();
                let mut sites = vec![own()];
                if let AstKind::ObjectExpression(literal) = held.kind(object) {
                    // A getter and a setter are one.
                    sites.extend(self.props(&Ty::Object(module, literal), name).sites());
                }
                let external = wanted.external && wanted.sites.is_empty();
                sites.extend(wanted.sites);
                Sites { sites, open: wanted.open, external }
            }
            AstKind::BindingProperty(_)
            | AstKind::AssignmentTargetPropertyProperty(_)
            | AstKind::AssignmentTargetPropertyIdentifier(_) => {
                self.props(&self.bound(module, held.parent(parent)), name).into()
            }
            AstKind::MethodDefinition(method) => self.class_member(module, parent, method.r#static, name),
            AstKind::PropertyDefinition(property) => self.class_member(module, parent, property.r#static, name),
            AstKind::AccessorProperty(property) => self.class_member(module, parent, property.r#static, name),
            AstKind::TSPropertySignature(_) | AstKind::TSMethodSignature(_) => self.signature(module, parent, name),
            AstKind::TSEnumMember(_) => vec![own()].into(),
            AstKind::TSQualifiedName(qualified) => self.qualified_sites(module, parent, qualified, name),
            AstKind::TSImportType(_) | AstKind::TSImportTypeQualifiedName(_) => {
                self.import_type_sites(module, token.node, name)
            }
            AstKind::JSXAttribute(attribute) => self.attribute(module, parent, attribute).into(),
            AstKind::JSXOpeningElement(_) | AstKind::JSXClosingElement(_) => self.intrinsic(module, name).into(),
            AstKind::JSXMemberExpression(member) => self.props(&self.jsx_object(module, &member.object), name).into(),
            AstKind::TSLiteralType(_) => match held.parent_kind(parent) {
                AstKind::TSIndexedAccessType(access) => {
                    self.props(&self.annotated(module, &access.object_type, &None), name).into()
                }
                _ => Sites::default(),
            },
            _ => Sites { open: true, ..Sites::default() },
        }
    }

    /// The private member of the class around a node.
    fn private(&self, module: u32, node: NodeId, name: &str) -> Sites {
        let held = self.module(module);
        for around in held.chain(node) {
            if let AstKind::Class(class) = held.kind(around) {
                let mut props = self.class_props(module, class, &None, name, Side::Instance);
                props.add(self.class_props(module, class, &None, name, Side::Own));
                if !props.found.is_empty() {
                    return props.into();
                }
            }
        }
        Sites::default()
    }

    fn class_member(&self, module: u32, element: NodeId, is_static: bool, name: &str) -> Sites {
        let held = self.module(module);
        let class = held.chain(element).find_map(|around| match held.kind(around) {
            AstKind::Class(class) => Some(class),
            _ => None,
        });
        let Some(class) = class else { return Sites::default() };
        if is_static {
            return self.class_props(module, class, &None, name, Side::Own).into();
        }
        let owner = class_owner(module, class);
        self.own_props(owner, &None, name, &Ty::Instance(owner, None)).into()
    }

    fn signature(&self, module: u32, signature: NodeId, name: &str) -> Sites {
        let held = self.module(module);
        match held.kind(held.parent(signature)) {
            AstKind::TSInterfaceBody(_) => match held.kind(held.parent(held.parent(signature))) {
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
        let held = self.module(module);
        let outermost = held.chain(node).find(|around| !matches!(held.kind(*around), AstKind::TSQualifiedName(_)));
        let queried = outermost.is_some_and(|around| matches!(held.kind(around), AstKind::TSTypeQuery(_)));
        if queried {
            return self.props(&self.query_value(module, &name.left), last).into();
        }
        self.entity_props(&self.name_entity(module, &name.left), last).into()
    }

    /// A name in `import("./x").A.B`.
    fn import_type_sites(&self, module: u32, node: NodeId, name: &str) -> Sites {
        let held = self.module(module);
        let whole = held.kind(node).span();
        let import = held.chain(node).find_map(|around| match held.kind(around) {
            AstKind::TSImportType(import) => Some(import),
            _ => None,
        });
        let Some((import, source)) = import.and_then(|import| Some((import, import.source.value.as_str()?))) else {
            return Sites::default();
        };
        let space = self.space(module, source);
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
                    let left = self.import_qualified(&entity, &qualified.left);
                    return self.entity_props(&left, name).into();
                }
                TSImportTypeQualifier::QualifiedName(qualified) => qualifier = Some(&qualified.left),
            }
        }
        Sites::default()
    }

    /// The declarations together with those that they override or fulfil.
    pub(crate) fn closure(&self, sites: &[Site], name: &str) -> Vec<Site> {
        let mut all: Vec<Site> = Vec::new();
        let mut next: Vec<Site> = sites.to_vec();
        while let Some(site) = next.pop() {
            if all.contains(&site) || all.len() > 512 {
                continue;
            }
            all.push(site);
            if site != Site::WATCHED {
                next.extend(self.overridden_by(site, name).iter());
            }
        }
        all.sort_unstable();
        all
    }

    fn overridden_by(&self, site: Site, name: &str) -> Rc<Vec<Site>> {
        if let Some(known) = self.overridden.borrow().get(&site) {
            return known.clone();
        }
        let found = Rc::new(self.deeper(Vec::new(), || self.overridden(site, name)));
        self.overridden.borrow_mut().insert(site, found.clone());
        found
    }

    /// What a declared member overrides or fulfils, and its own other declarations.
    fn overridden(&self, site: Site, name: &str) -> Vec<Site> {
        let held = self.module(site.module);
        let tokens = held.tokens(name);
        let Some(token) = tokens.iter().find(|token| held.kind(token.node).span().start == site.offset) else {
            return Vec::new();
        };
        let parent = held.parent(token.node);
        let instance = |owner: Owner| {
            let mut sites = self.own_props(owner, &None, name, &Ty::Instance(owner, None)).sites();
            for base in self.bases(owner, &None).into_iter().map(|base| base.0).chain(self.promises(owner, &None)) {
                sites.extend(self.props(&base, name).sites());
            }
            sites
        };
        let of_class = |is_static: bool, sites: &mut Vec<Site>| {
            let Some(owner) = class_around(&held, parent) else { return };
            let owner = in_module(owner, site.module);
            if is_static {
                sites.extend(self.static_base(owner).iter().flat_map(|base| self.props(base, name).sites()));
            } else {
                sites.extend(instance(owner));
            }
        };
        let mut sites = Vec::new();
        match held.kind(parent) {
            AstKind::MethodDefinition(method) => of_class(method.r#static, &mut sites),
            AstKind::PropertyDefinition(property) => of_class(property.r#static, &mut sites),
            AstKind::AccessorProperty(property) => of_class(property.r#static, &mut sites),
            AstKind::FormalParameter(parameter)
                if parameter.accessibility.is_some() || parameter.readonly || parameter.r#override =>
            {
                of_class(false, &mut sites);
            }
            AstKind::TSPropertySignature(_) | AstKind::TSMethodSignature(_) => {
                if let AstKind::TSInterfaceDeclaration(interface) = held.kind(held.parent(held.parent(parent)))
                    && let Some(symbol) = interface.id.symbol_id.get()
                {
                    sites.extend(instance(Owner::Symbol(site.module, symbol)));
                }
            }
            AstKind::ObjectProperty(_) => {
                sites.extend(self.props(&self.contextual(site.module, held.parent(parent)), name).sites());
            }
            AstKind::StaticMemberExpression(member) if matches!(member.object, Expression::ThisExpression(_)) => {
                if let Some((owner, Side::Instance)) = this_owner(&held, parent) {
                    sites.extend(instance(in_module(owner, site.module)));
                }
            }
            _ => {}
        }
        sites
    }
}

/// An owner that was found in some module, as of that module.
fn in_module(owner: Owner, module: u32) -> Owner {
    debug_assert_eq!(owner.module(), HERE, "owners found within a module know no module");
    match owner {
        Owner::Symbol(_, symbol) => Owner::Symbol(module, symbol),
        Owner::Node(_, node) => Owner::Node(module, node),
    }
}
