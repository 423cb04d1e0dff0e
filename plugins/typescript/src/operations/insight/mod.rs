//! What a reader wants to know of a place: what it is, what it calls, what it extends.

use marquetry_sdk::{Insight, Problem, Related, Span};
use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_semantic::{NodeId, SymbolId};
use oxc_span::GetSpan;

use crate::infer::checker::Checker;
use crate::operations::rename::subject;
use crate::operations::symbols::{address_at, span_of, with_checker};
use crate::program::ids::HERE;
use crate::program::module::Module;
use crate::{TypeScript, TypeScriptDocument};

mod card;

impl Insight for TypeScript {
    fn hover(document: &TypeScriptDocument, offset: u32) -> Option<String> {
        with_checker(document, |checker| {
            let site = subject::declaration(checker, offset)?;
            card::card(&checker.module(site.module), site.offset)
        })
    }

    fn calls(document: &TypeScriptDocument, address: &str) -> Vec<Related> {
        let Some(span) = span_of(document, address) else { return Vec::new() };
        with_checker(document, |checker| calls(checker, document, span))
    }

    fn supertypes(document: &TypeScriptDocument, address: &str) -> Vec<Related> {
        let Some(span) = span_of(document, address) else { return Vec::new() };
        with_checker(document, |checker| supertypes(checker, document, span))
    }

    /// Nothing is checked beyond what `problems` says of the syntax: types are not.
    fn checks(_document: &TypeScriptDocument) -> Vec<Problem> {
        Vec::new()
    }
}

fn inside(outer: Span, inner: oxc_span::Span) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}

/// The calls in a part of the document, in its order.
fn calls(checker: &Checker<'_>, document: &TypeScriptDocument, part: Span) -> Vec<Related> {
    let here = checker.here();
    let mut found = Vec::new();
    for node in here.semantic().nodes().iter().filter(|node| inside(part, node.kind().span())) {
        let callee = match node.kind() {
            AstKind::CallExpression(call) => &call.callee,
            AstKind::NewExpression(new) => &new.callee,
            _ => continue,
        };
        found.extend(callee_of(checker, &here, document, callee));
    }
    found.sort_by_key(|related: &Related| related.span.start);
    found
}

fn callee_of<'w>(
    checker: &Checker<'w>,
    here: &Module<'w>,
    document: &TypeScriptDocument,
    callee: &'w Expression<'w>,
) -> Option<Related> {
    let (name, word) = match callee {
        Expression::Identifier(name) => (name.name.to_string(), name.span),
        Expression::StaticMemberExpression(member) => {
            let object = member.object.span().source_text(here.text());
            // A long chain before the last name says little.
            let short = object.len() <= 60 && !object.contains(['\n', '(']);
            let name =
                if short { format!("{object}.{}", member.property.name) } else { member.property.name.to_string() };
            (name, member.property.span)
        }
        Expression::PrivateFieldExpression(member) => (format!("this.#{}", member.field.name), member.field.span),
        Expression::ParenthesizedExpression(inner) => return callee_of(checker, here, document, &inner.expression),
        _ => return None,
    };
    let symbol = match callee {
        Expression::Identifier(name) => checker.resolved(HERE, name),
        Expression::StaticMemberExpression(member) => {
            root(&member.object).and_then(|name| checker.resolved(HERE, name))
        }
        _ => None,
    };
    Some(related(checker, here, document, name, word, symbol))
}

fn root<'x, 'w>(object: &'x Expression<'w>) -> Option<&'x IdentifierReference<'w>> {
    match object {
        Expression::Identifier(name) => Some(name),
        Expression::StaticMemberExpression(member) => root(&member.object),
        _ => None,
    }
}

/// A name with where it is declared: the address if that is here, the specifier if it is imported.
fn related<'w>(
    checker: &Checker<'w>,
    here: &Module<'w>,
    document: &TypeScriptDocument,
    name: String,
    word: oxc_span::Span,
    symbol: Option<SymbolId>,
) -> Related {
    let from = symbol.and_then(|symbol| imported_from(here, symbol));
    let declared = subject::declaration(checker, word.start).filter(|site| site.module == HERE && from.is_none());
    let address = declared.and_then(|site| address_at(document, site.offset));
    Related { name, span: Span { start: word.start, end: word.end }, address, from }
}

/// The specifier that a symbol is imported from.
fn imported_from(here: &Module<'_>, symbol: SymbolId) -> Option<String> {
    let declaration: NodeId = here.scoping().symbol_declaration(symbol);
    let source = match here.parent_kind(declaration) {
        AstKind::ImportDeclaration(import) => &import.source,
        _ => match here.kind(declaration) {
            AstKind::TSImportEqualsDeclaration(import) => match &import.module_reference {
                TSModuleReference::ExternalModuleReference(reference) => &reference.expression,
                _ => return None,
            },
            _ => return None,
        },
    };
    source.value.as_str().map(str::to_owned)
}

/// What the classes and interfaces that begin at a span's start extend and implement.
fn supertypes(checker: &Checker<'_>, document: &TypeScriptDocument, part: Span) -> Vec<Related> {
    let here = checker.here();
    let mut declared = here.semantic().nodes().iter().filter(|node| {
        inside(part, node.kind().span())
            && matches!(node.kind(), AstKind::Class(_) | AstKind::TSInterfaceDeclaration(_))
    });
    let Some(node) = declared.next() else { return Vec::new() };
    let mut found = Vec::new();
    match node.kind() {
        AstKind::Class(class) => {
            if let Some(heritage) = &class.heritage {
                found.extend(callee_of(checker, &here, document, &heritage.expression));
            }
            for implements in &class.implements {
                found.extend(type_related(checker, &here, document, &implements.expression));
            }
        }
        AstKind::TSInterfaceDeclaration(interface) => {
            for heritage in &interface.extends {
                found.extend(type_related(checker, &here, document, &heritage.type_name));
            }
        }
        _ => {}
    }
    found
}

fn type_related<'w>(
    checker: &Checker<'w>,
    here: &Module<'w>,
    document: &TypeScriptDocument,
    name: &'w TSTypeName<'w>,
) -> Option<Related> {
    let mut first = name;
    while let TSTypeName::QualifiedName(qualified) = first {
        first = &qualified.left;
    }
    let TSTypeName::IdentifierReference(reference) = first else { return None };
    let word = match name {
        TSTypeName::QualifiedName(qualified) => qualified.right.span,
        _ => reference.span,
    };
    let text = name.span().source_text(here.text()).to_owned();
    Some(related(checker, here, document, text, word, checker.resolved(HERE, reference)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use marquetry_sdk::{LanguagePack, workspace};

    fn open(files: &[(&str, &str)]) -> TypeScriptDocument {
        workspace::set_files(files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())));
        TypeScript::open(files[0].0, files[0].1.to_owned(), "{}")
    }

    fn hover(text: &str, word: &str) -> String {
        let at = text.rfind(word).expect("the word is there") as u32;
        TypeScript::hover(&open(&[("a.ts", text)]), at).unwrap_or_default()
    }

    #[test]
    fn hovers() {
        let text = "/** Adds.\n * @param a one\n */\nexport function add(a: number): number { return a; }\nadd(1);";
        assert_eq!(hover(text, "add"), "```ts\nexport function add(a: number): number\n```\n\nAdds.\n@param a one");
        assert_eq!(hover("class A { m(x: string) { return 1; } }\nnew A().m;", "m"), "```ts\nm(x: string)\n```");
        assert_eq!(hover("const a = { b: 1 };\na;", "a"), "```ts\nconst a = { b: 1 }\n```");
        assert_eq!(hover("interface I { a: 1 }\nlet x: I;", "I"), "```ts\ninterface I\n```");
        assert_eq!(hover("enum E { A = 1 }\nE.A;", "A"), "```ts\nA = 1\n```");
        assert_eq!(hover("function f(p: { q: 1 }) { p; }", "p"), "```ts\np: { q: 1 }\n```");
        assert_eq!(hover("let x = 1;  ", " "), "");
        assert_eq!(hover("console.log(1);", "log"), "");
    }

    #[test]
    fn hovers_over_what_other_files_declare() {
        let files = [("a.ts", "import { f } from './b';\nf();"), ("b.ts", "/** Does. */\nexport const f = () => 1;")];
        let at = files[0].1.rfind('f').expect("there") as u32;
        let card = TypeScript::hover(&open(&files), at).expect("known");
        assert_eq!(card, "```ts\nexport const f = () => 1\n```\n\nDoes.\n\n*declared in `b.ts`*");
    }

    #[test]
    fn tells_calls_and_supertypes() {
        let text = "import { x } from './x';\nclass B {}\nclass A extends B implements I, N.J { m() { x(); x.y.z(); new B(); this.m(); [1].map(f => f()); } }";
        let document = open(&[("a.ts", text)]);
        let show = |related: Vec<Related>| -> Vec<String> {
            related.into_iter().map(|r| format!("{} {:?} {:?}", r.name, r.address, r.from)).collect()
        };
        let calls = show(TypeScript::calls(&document, "A.m"));
        assert_eq!(
            calls,
            [
                "x None Some(\"./x\")",
                "x.y.z None Some(\"./x\")",
                "B Some(\"B\") None",
                "this.m Some(\"A.m\") None",
                "[1].map None None",
                "f None None",
            ]
        );
        let supertypes = show(TypeScript::supertypes(&document, "A"));
        assert_eq!(supertypes, ["B Some(\"B\") None", "I None None", "N.J None None"]);
        assert!(TypeScript::calls(&document, "Nothing").is_empty());
    }
}
