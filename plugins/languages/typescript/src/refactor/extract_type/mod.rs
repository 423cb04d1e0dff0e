//! `extract_type`: extracts a type to an alias or an interface; in JavaScript, to a `@typedef`.
//!
//! ```text
//! let a: { b: string };      →   interface NewType {
//!                                    b: string;
//!                                }
//!                                let a: NewType;
//! ```

mod parameters;
mod typedef;
mod writing;

use marquetry_sdk::refactor::{Argument, Place, RefactorInput, Refactoring, refactor_failure};
use marquetry_sdk::{Result, Rewrite};
use oxc_ast::AstKind;
use oxc_ast::ast::Statement;
use oxc_semantic::{NodeId, ScopeId};
use oxc_span::{GetSpan as _, Span};

use crate::TypeScriptDocument;
use crate::editor::SyntaxEditor;
use crate::rename::names;
use crate::semantics::selected_type::{self, ChosenType};
use crate::semantics::words::to_type_name;
use crate::semantics::{Semantics, positions};
use crate::syntax::spans::statement_span;
use writing::TypeForm;

pub(super) const EXTRACT_TYPE: Refactoring<TypeScriptDocument> = Refactoring {
    id: "extract_type",
    title: "Extract to a type",
    place: Place::Selection,
    arguments: &[
        Argument {
            name: "extractedName",
            summary: "the name of the new type; by default `NewType`",
            values: &[],
            required: false,
        },
        Argument {
            name: "kind",
            summary: "`type` (an alias) or `interface`; by default, object types become interfaces. JavaScript only \
                      supports `typedef`",
            values: &["type", "interface", "typedef"],
            required: false,
        },
    ],
    asks_exporters: false,
    apply,
};

fn apply(document: &TypeScriptDocument, input: &RefactorInput) -> Result<Rewrite> {
    if let Some(name) = input.argument("extractedName") {
        names::check_binding(name)?;
    }
    Semantics::with_valid_syntax(document, |code| {
        let extraction = TypeExtraction { code };
        match (input.argument("kind"), code.is_typed()) {
            (Some("typedef"), true) => Err(refactor_failure("`typedef` is only available in JavaScript")
                .candidates(["type", "interface"].map(str::to_owned))),
            (Some("type" | "interface"), false) => {
                Err(refactor_failure("JavaScript only supports `typedef`").candidates(["typedef".to_owned()]))
            }
            (_, true) => extraction.extract_as_type(input),
            (_, false) => extraction.extract_as_typedef(input),
        }
    })
}

/// State of an extraction.
struct TypeExtraction<'e, 'a> {
    code: Semantics<'e, 'a>,
}

/// The statement before which the new type is declared.
#[derive(Clone, Copy)]
struct DeclarationSite {
    statement: Span,
    scope: ScopeId,
}

impl<'a> TypeExtraction<'_, 'a> {
    fn extract_as_type(&self, input: &RefactorInput) -> Result<Rewrite> {
        let code = self.code;
        let chosen = selected_type::choose_type(code.parsed, code.text(), input.at.span)?;
        let home = self.declaration_site(chosen.node)?;
        let parameters = self.parameters(&chosen, &home)?;
        let wanted = input.argument("extractedName").map(str::to_owned).or_else(|| self.discriminant_name(&chosen));
        let mut editor = SyntaxEditor::new(code);
        let name = editor.fresh_name(wanted.as_deref().unwrap_or("NewType"));
        let literals = chosen.object_literals(code.text());
        let form = match (input.argument("kind"), literals) {
            (Some("type"), _) => TypeForm::Alias,
            (Some(_), Some(literals)) => TypeForm::Interface(literals),
            (Some(_), None) => {
                return Err(refactor_failure("only object types can become an interface").hint("use `kind: type`"));
            }
            (None, literals) => literals.filter(|_| !chosen.is_union).map_or(TypeForm::Alias, TypeForm::Interface),
        };
        let head = format!("{name}{}", parameters.declaration_list());
        let declaration = self.print_declaration(&chosen, &form, &head, code.indent_at(home.statement), editor.style());
        let start = editor.declare_before(home.statement, &declaration, 2);
        editor.mark_name(start, &name);
        editor.set_text(chosen.covered, parameters.apply_to(&name));
        editor.finish()
    }

    /// Returns the enclosing statement before which other statements can be inserted.
    fn declaration_site(&self, node: NodeId) -> Result<DeclarationSite> {
        let code = self.code;
        let mut inner = node;
        for around in code.nodes().ancestors(node) {
            let is_list = positions::is_statement_list(&around.kind());
            let statement = code.span(inner);
            let mut lists = positions::statement_lists(around.kind()).filter(|_| is_list);
            let index = |list: &&[Statement<'_>]| list.iter().position(|it| it.span() == statement);
            if let Some((list, index)) = lists.find_map(|list| Some((list, index(&list)?))) {
                let span = statement_span(positions::with_overloads(list, index), code.text());
                let statement = Span::new(span.start, span.end);
                return Ok(DeclarationSite { statement, scope: code.scope_of(inner) });
            }
            inner = around.id();
        }
        Err(refactor_failure("the selection is not inside a statement"))
    }

    /// Suggests a name from a discriminating member: `type: "circle"` in `Shape` gives `CircleShape`.
    fn discriminant_name(&self, chosen: &ChosenType<'a>) -> Option<String> {
        let alias = self.code.nodes().ancestor_kinds(chosen.node).find_map(|kind| match kind {
            AstKind::TSTypeAliasDeclaration(alias) => Some(alias.id.name.as_str()),
            _ => None,
        });
        let name = format!("{}{}", to_type_name(&chosen.discriminant()?), alias?);
        names::check_binding(&name).is_ok().then_some(name)
    }
}

#[cfg(test)]
mod tests;
