//! Texts and lists that name a member by a path of keys: `t("nav.home")`, `get(user, ["address", "city"])`. Functions of
//! packages resolve such paths, so they are listed.

use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_semantic::NodeId;
use oxc_span::Span;

use crate::infer::checker::Checker;
use crate::infer::members::declares_member;
use crate::infer::ty::key_name;
use crate::program::ids::{OPEN_DOCUMENT, Site};
use crate::program::module::Module;
use crate::rename::search_target::SearchTarget;

/// Finds the paths in the open document that may name the wanted member.
pub(super) fn find_key_paths(checker: &Checker<'_>, wanted: &SearchTarget) -> Vec<Span> {
    let here = checker.open_module();
    let search = Search { checker, wanted, here: &here };
    let nodes = here.semantic().nodes().iter();
    let is_specifier = |node: NodeId| {
        matches!(here.parent_kind(node), AstKind::ImportDeclaration(_) | AstKind::ExportFromDeclaration(_))
    };
    nodes.filter(|node| !is_specifier(node.id())).filter_map(|node| search.path_span(node.kind())).collect()
}

struct Search<'s, 'w> {
    checker: &'s Checker<'w>,
    wanted: &'s SearchTarget,
    here: &'s Module<'w>,
}

impl<'w> Search<'_, 'w> {
    /// Returns the part of a text, or the element of a list, that may name the member.
    fn path_span(&self, kind: AstKind<'w>) -> Option<Span> {
        match kind {
            AstKind::StringLiteral(text) => self.in_text(text.span),
            AstKind::TemplateLiteral(text) if text.expressions.is_empty() => self.in_text(text.span),
            AstKind::ArrayExpression(list) => self.in_list(list),
            _ => None,
        }
    }

    fn in_text(&self, literal: Span) -> Option<Span> {
        let text = literal.source_text(self.here.text());
        let inner = text.get(1..text.len().checked_sub(1)?)?;
        let name = self.wanted.name.as_str();
        if !inner.contains(name) || !inner.chars().all(is_part_of_path) {
            return None;
        }
        let mut at = literal.start + 1;
        let segments = inner.split(['.', ':', '[', ']']).map(|segment| {
            let start = at;
            at += segment.len() as u32 + 1;
            (segment, Span::new(start, start + segment.len() as u32))
        });
        let segments: Vec<(&str, Span)> = segments.filter(|(segment, _)| !is_index(segment)).collect();
        let found = segments.iter().enumerate().find(|(index, (segment, _))| {
            let neighbour = |at: Option<usize>| at.and_then(|at| segments.get(at)).map(|(segment, _)| *segment);
            *segment == name && self.may_be_between(neighbour(index.checked_sub(1)), neighbour(Some(index + 1)))
        });
        found.map(|(_, (_, span))| *span)
    }

    fn in_list(&self, list: &'w ArrayExpression<'w>) -> Option<Span> {
        let mut before = None;
        for element in &list.elements {
            match element {
                ArrayExpressionElement::StringLiteral(text) => {
                    let segment = text.value.as_str()?;
                    if segment == self.wanted.name && self.may_be_between(before, None) {
                        return Some(Span::new(text.span.start + 1, text.span.end - 1));
                    }
                    before = Some(segment);
                }
                ArrayExpressionElement::NumericLiteral(_) => {}
                _ => return None,
            }
        }
        None
    }

    /// Returns whether the member may be between two keys of a path: the key before it names the object that contains the
    /// member, or is another member in one of the files. At the start of a path, the key after it must be a member.
    fn may_be_between(&self, before: Option<&str>, after: Option<&str>) -> bool {
        let mut sites = self.wanted.sites.iter().filter(|site| **site != Site::WATCHED);
        let is_near = |site: &Site, key: &str| {
            self.declares(site.module, key) || site.module != OPEN_DOCUMENT && self.declares(OPEN_DOCUMENT, key)
        };
        match (before, after) {
            (Some(before), _) => sites.any(|site| match self.containing_key(*site) {
                Some(Container::Key(key)) => key == before,
                Some(Container::Unnamed) => is_near(site, before),
                None => false,
            }),
            (None, Some(after)) => sites.any(|site| is_near(site, after)),
            (None, None) => false,
        }
    }

    /// Returns the key of the object literal or type literal that declares the member at a site.
    fn containing_key(&self, site: Site) -> Option<Container> {
        let loaded = self.checker.module(site.module);
        let declaration = self.checker.member_declared_at(site, &self.wanted.name)?;
        let key_of = |owner: NodeId| {
            let key = loaded.self_and_ancestors(owner).skip(1).take(MAX_WRAPPERS).find_map(|around| {
                match loaded.kind(around) {
                    AstKind::ObjectProperty(property) => Some(key_name(&property.key)),
                    AstKind::TSPropertySignature(property) => Some(key_name(&property.key)),
                    AstKind::PropertyDefinition(property) => Some(key_name(&property.key)),
                    _ => None,
                }
            });
            match key.flatten() {
                Some(key) => Container::Key(key.into_owned()),
                None => Container::Unnamed,
            }
        };
        match loaded.kind(declaration) {
            AstKind::ObjectProperty(_) => Some(key_of(loaded.parent(declaration))),
            AstKind::TSPropertySignature(_) => match loaded.parent_kind(declaration) {
                AstKind::TSTypeLiteral(_) => Some(key_of(loaded.parent(declaration))),
                _ => Some(Container::Unnamed),
            },
            AstKind::PropertyDefinition(property) if !property.r#static => Some(Container::Unnamed),
            _ => None,
        }
    }

    /// Returns whether a module declares a member with this name.
    fn declares(&self, module: u32, name: &str) -> bool {
        let loaded = self.checker.module(module);
        loaded.identifiers(name).iter().any(|identifier| declares_member(&loaded, identifier.node))
    }
}

/// Maximum number of nodes between an object literal and the property whose value it is: parentheses, casts, lists.
const MAX_WRAPPERS: usize = 4;

/// Returns whether a part of a path is an index of a list, or empty.
fn is_index(segment: &str) -> bool {
    segment.bytes().all(|byte| byte.is_ascii_digit())
}

enum Container {
    /// The object is the value of a property.
    Key(String),
    /// The object is the value of something else, or an instance of a named type.
    Unnamed,
}

fn is_part_of_path(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '.' | ':' | '[' | ']' | '_' | '$' | '-')
}
