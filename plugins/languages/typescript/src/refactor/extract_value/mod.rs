//! Extracting an expression to a variable. `extract_variable` and `extract_constant` share this code.

mod declaration;
mod field;

use marquetry_sdk::refactor::{Argument, RefactorInput, refactor_failure};
use marquetry_sdk::{Result, Rewrite, Span};

use crate::TypeScriptDocument;
use crate::editor::SyntaxEditor;
use crate::rename::names;
use crate::semantics::Semantics;
use crate::semantics::extraction::placement::{DeclarationSpot, ExtractedExpression};
use crate::semantics::extraction::suggested_names;
use crate::semantics::selection::SelectedExpression;

pub(super) const ARGUMENTS: &[Argument] = &[
    Argument {
        name: "extractedName",
        summary: "the new name; by default derived from the expression",
        values: &[],
        required: false,
    },
    Argument {
        name: "scope",
        summary: "where to insert the declaration: before the statement of the expression (`block`), at the start of \
                  the surrounding function (`function` or `inner`), as a field of the surrounding class (`class`), or \
                  at the top level of the file (`file` or `module`)",
        values: &["block", "function", "class", "file", "inner", "module"],
        required: false,
    },
    Argument {
        name: "all",
        summary: "whether to replace all equal expressions; by default, those that certainly have the same value may \
                  be replaced",
        values: &["true", "false"],
        required: false,
    },
];

/// Differences between the refactorings.
#[derive(Clone, Copy)]
pub(super) struct ExtractionOptions {
    /// Replace equal expressions as well.
    pub(super) everywhere: bool,
    /// Declare the variable outside of the enclosing functions if possible.
    pub(super) outermost: bool,
    /// Destructure members: `const { b } = a`.
    pub(super) destructures: bool,
}

/// State of one extraction.
struct ValueExtraction<'e, 'a> {
    value: ExtractedExpression<'e, 'a>,
    options: ExtractionOptions,
}

/// Performs the extraction.
pub(super) fn extract(
    document: &TypeScriptDocument,
    input: &RefactorInput,
    options: ExtractionOptions,
) -> Result<Rewrite> {
    if let Some(name) = input.argument("extractedName") {
        names::check_binding(name)?;
    }
    Semantics::with_valid_syntax(document, |code| {
        let extraction = ValueExtraction { value: ExtractedExpression::at(code, input.at.span)?, options };
        match requested_scope(input) {
            Some("class") => extraction.extract_as_field(input),
            scope => extraction.extract_as_variable(input, scope),
        }
    })
}

/// Returns the requested scope; also accepts the terms of `extract_function`.
fn requested_scope(input: &RefactorInput) -> Option<&str> {
    match input.argument("scope") {
        Some("module") => Some("file"),
        Some("inner") => Some("function"),
        other => other,
    }
}

impl<'a> ValueExtraction<'_, 'a> {
    /// Returns the requested or the suggested name.
    fn wanted_name(&self, input: &RefactorInput) -> String {
        let suggested = || suggested_names::suggest_name(self.value.code, &self.value.choice);
        let wanted = input.argument("extractedName").map(str::to_owned).or_else(suggested);
        wanted.unwrap_or_else(|| "extracted".to_owned())
    }

    fn extract_as_variable(&self, input: &RefactorInput, scope: Option<&str>) -> Result<Rewrite> {
        let (value, insists) = (&self.value, input.is_true("all"));
        let everywhere = input.argument("all").map_or(self.options.everywhere, |all| all == "true");
        let others = if everywhere && value.choice.part.is_none() { value.occurrences() } else { Vec::new() };
        let spot = self.choose_spot(scope, &others, insists)?;
        let (joined, left) = value.replaceable_occurrences(&spot, others, insists);
        let spot = value.move_before_callers(value.move_before_first(spot, &joined))?;
        value.check_order(&spot)?;
        let mut editor = SyntaxEditor::new(value.code);
        let name = editor.fresh_name(&self.wanted_name(input));
        let typed = value.annotations(&spot)?;
        let declared = self.declare_at(&spot, &name, (input, joined.is_empty()), &typed, &mut editor);
        editor.import_types(&typed.imports);
        if declared.keeps_expression {
            for chosen in std::iter::once(&value.choice.chosen).chain(&joined) {
                self.replace_by_name(chosen, &declared.name, &mut editor);
            }
        }
        let mut rewrite = editor.finish()?;
        rewrite.unresolved = left;
        let is_early = spot.leaves_function && spot.is_outermost();
        let lost = || value.code.lost_narrowing(&value.choice.chosen, &joined);
        let cycle = || if is_early { self.import_cycle_warning() } else { None };
        let insisted = || value.insistence_warning(&spot, &joined).filter(|_| insists);
        rewrite.incomplete = typed.warning.or_else(insisted).or_else(lost).or_else(cycle);
        Ok(rewrite)
    }

    /// Returns the place for the declaration: in the requested scope, or the one with the most equal expressions.
    fn choose_spot(
        &self,
        scope: Option<&str>,
        others: &[SelectedExpression<'a>],
        insists: bool,
    ) -> Result<DeclarationSpot> {
        let (spots, beyond) = self.value.spots();
        let outside = || refactor_failure("the selection is not inside a statement");
        let nearest = *spots.first().ok_or_else(|| beyond.clone().unwrap_or_else(outside))?;
        let is_bound = matches!(scope, Some("block" | "file"));
        let spot = match scope {
            Some("file") => match spots.last() {
                Some(last) if last.is_outermost() => *last,
                _ => {
                    let refused = || refactor_failure("the declaration cannot be at the top level");
                    return Err(beyond.unwrap_or_else(refused));
                }
            },
            Some("function") => *spots.iter().rfind(|spot| !spot.leaves_function).unwrap_or(&nearest),
            // An expression statement becomes the declaration.
            None if self.options.outermost && self.value.choice.statement.is_none() => {
                *spots.last().filter(|last| last.leaves_function).unwrap_or(&nearest)
            }
            _ => nearest,
        };
        Ok(if is_bound { spot } else { self.value.common_spot(spot, &spots, others, insists) })
    }

    /// Returns a warning if a constant at the top level may be read before it is set. In an import cycle, another file
    /// may call a function of this file earlier.
    fn import_cycle_warning(&self) -> Option<String> {
        let other = self.value.code.import_cycle()?;
        Some(format!("`{other}` and this file import each other, so the constant may be read before it is initialized"))
    }

    /// Replaces an expression by the name.
    fn replace_by_name(&self, chosen: &SelectedExpression<'a>, name: &str, editor: &mut SyntaxEditor<'_, 'a>) {
        if let Some(part) = self.value.choice.part {
            return self.use_in_string(part, name, editor);
        }
        match self.value.code.property_value(chosen.node) {
            // `{ a: value }` becomes `{ a }`.
            Some((property, key)) if key == name => {
                editor.set_text(Span { start: property.start, end: chosen.span.end }, name);
            }
            _ => editor.replace_selected(chosen, name),
        }
    }
}
