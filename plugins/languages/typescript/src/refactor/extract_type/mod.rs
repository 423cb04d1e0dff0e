//! `extract_type`: extracts a type to an alias or an interface; in JavaScript, to a `@typedef`.

mod choice;
mod parameters;
mod typedef;
mod writing;

use marquetry_sdk::refactor::{Argument, Place, RefactorInput, Refactoring};
use marquetry_sdk::{Edit, Failure, FailureKind, Result, Rewrite, fail, lines};
use oxc_ast::AstKind;
use oxc_ast::ast::Statement;
use oxc_semantic::{NodeId, Semantic};
use oxc_span::{GetSpan as _, Span};

use crate::TypeScriptDocument;
use crate::editor::final_checks;
use crate::rename::names;
use crate::semantics::names::fresh_name;
use crate::semantics::positions;
use crate::syntax::comments;
use crate::syntax::spans::statement_span;
use crate::syntax::spans::to_sdk_span;
use crate::syntax::tree::{Parsed, Tree};
use choice::ChosenType;
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
    document.tree.with(|parsed| {
        if !parsed.is_exact(document.tree.text()) {
            return Err(refusal("the file cannot be parsed").hint("fix its syntax errors first"));
        }
        let extraction = TypeExtraction { tree: &document.tree, parsed, semantic: parsed.semantic() };
        let is_typedef = document.tree.grammar().is_javascript();
        match input.argument("kind") {
            Some("typedef") if !is_typedef => {
                return Err(refusal("`typedef` is only available in JavaScript")
                    .candidates(["type", "interface"].map(str::to_owned)));
            }
            Some("type" | "interface") if is_typedef => {
                return Err(refusal("JavaScript only supports `typedef`").candidates(["typedef".to_owned()]));
            }
            _ => {}
        }
        let rewrite =
            if is_typedef { extraction.extract_as_typedef(input) } else { extraction.extract_as_type(input) }?;
        final_checks::check_syntax(parsed, &document.tree, &rewrite.edits)?;
        Ok(rewrite)
    })
}

fn refusal(message: impl Into<String>) -> Failure {
    fail(FailureKind::RefactorFailed, message)
}

/// State of an extraction.
struct TypeExtraction<'e, 'a> {
    tree: &'e Tree,
    parsed: &'e Parsed<'a>,
    semantic: &'e Semantic<'a>,
}

/// The statement before which the new type is declared.
#[derive(Clone, Copy)]
struct DeclarationSite {
    statement: Span,
    scope: oxc_semantic::ScopeId,
}

impl<'e, 'a> TypeExtraction<'e, 'a> {
    fn text(&self) -> &'e str {
        self.tree.text()
    }

    fn extract_as_type(&self, input: &RefactorInput) -> Result<Rewrite> {
        let chosen = choice::choose_type(self.parsed, self.text(), input.at.span)?;
        let home = self.declaration_site(chosen.node)?;
        let parameters = self.parameters(&chosen, &home)?;
        let wanted = input.argument("extractedName").map(str::to_owned).or_else(|| self.discriminant_name(&chosen));
        let name = fresh_name(self.semantic.scoping(), wanted.as_deref().unwrap_or("NewType"));
        let form = match input.argument("kind") {
            Some("type") => TypeForm::Alias,
            Some(_) => match chosen.object_literals(self.text()) {
                Some(literals) => TypeForm::Interface(literals),
                None => {
                    return Err(refusal("only object types can become an interface").hint("use `kind: type`"));
                }
            },
            None => chosen
                .object_literals(self.text())
                .filter(|_| !chosen.is_union)
                .map_or(TypeForm::Alias, TypeForm::Interface),
        };
        let text = self.text();
        let start = comments::comments_start(&self.parsed.program.comments, text, home.statement.start);
        let indent = lines::indent_at(text, home.statement.start as usize);
        let declaration = self.print_declaration(&chosen, &form, &name, &parameters, indent);
        let newline = lines::line_break(text);
        let gap = if lines::starts_line(text, start as usize) {
            format!("{newline}{newline}{indent}")
        } else {
            " ".to_owned()
        };
        let name_at = start + declaration.find(&name).unwrap_or(0) as u32;
        let edits = vec![
            Edit::insert(start as usize, format!("{declaration}{gap}")),
            Edit::new(to_sdk_span(chosen.covered), parameters.apply_to(&name)),
        ];
        let mut rewrite = Rewrite::from(final_checks::sort_edits(edits)?);
        rewrite.name_at = Some(name_at);
        Ok(rewrite)
    }

    /// Returns the enclosing statement before which other statements can be inserted.
    fn declaration_site(&self, node: NodeId) -> Result<DeclarationSite> {
        let nodes = self.semantic.nodes();
        let mut inner = node;
        for around in nodes.ancestors(node) {
            let is_list = matches!(
                around.kind(),
                AstKind::Program(_)
                    | AstKind::FunctionBody(_)
                    | AstKind::BlockStatement(_)
                    | AstKind::StaticBlock(_)
                    | AstKind::TSModuleBlock(_)
                    | AstKind::SwitchCase(_)
            );
            let statement = nodes.kind(inner).span();
            let mut lists = positions::statement_lists(around.kind()).filter(|_| is_list);
            let index = |list: &&[Statement<'_>]| list.iter().position(|it| it.span() == statement);
            if let Some((list, index)) = lists.find_map(|list| Some((list, index(&list)?))) {
                let span = statement_span(positions::with_overloads(list, index), self.text());
                let statement = Span::new(span.start, span.end);
                return Ok(DeclarationSite { statement, scope: nodes.get_node(inner).scope_id() });
            }
            inner = around.id();
        }
        Err(refusal("the selection is not inside a statement"))
    }

    /// Suggests a name from a discriminating member: `type: "circle"` in `Shape` gives `CircleShape`.
    fn discriminant_name(&self, chosen: &ChosenType<'a>) -> Option<String> {
        let nodes = self.semantic.nodes();
        let alias = nodes.ancestor_kinds(chosen.node).find_map(|kind| match kind {
            AstKind::TSTypeAliasDeclaration(alias) => Some(alias.id.name.as_str()),
            _ => None,
        });
        let name = format!("{}{}", writing::to_type_name(&chosen.discriminant()?), alias?);
        names::check_binding(&name).is_ok().then_some(name)
    }
}

#[cfg(test)]
mod tests;
