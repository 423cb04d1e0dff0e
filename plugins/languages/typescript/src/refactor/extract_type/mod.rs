//! `extract_type`: extracts a type to an alias or an interface; in JavaScript, to a `@typedef`.
//!
//! ```text
//! let a: { b: string };      →   interface NewType {
//!                                    b: string;
//!                                }
//!                                let a: NewType;
//! ```

mod typedef;
mod writing;

use marquetry_sdk::refactor::{Argument, Place, RefactorInput, Refactoring, refactor_failure};
use marquetry_sdk::{Result, Rewrite};

use crate::TypeScriptDocument;
use crate::editor::SyntaxEditor;
use crate::rename::names;
use crate::semantics::{Semantics, selected_type};
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

impl TypeExtraction<'_, '_> {
    fn extract_as_type(&self, input: &RefactorInput) -> Result<Rewrite> {
        let code = self.code;
        let chosen = selected_type::choose_type(code.parsed, code.text(), input.at.span)?;
        let home = code.declaration_site(chosen.node)?;
        let parameters = code.type_parameters(&chosen, &home)?;
        let wanted = input.argument("extractedName").map(str::to_owned).or_else(|| code.discriminated_name(&chosen));
        let mut editor = SyntaxEditor::new(code);
        let name = editor.fresh_name(wanted.as_deref().unwrap_or("NewType"));
        let literals = chosen.object_types(code.text());
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
}

#[cfg(test)]
mod tests;
