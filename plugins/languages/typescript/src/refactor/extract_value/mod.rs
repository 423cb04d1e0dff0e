//! Extracting an expression to a variable. `extract_variable` and `extract_constant` share this code.

mod context;
mod declaration;
mod field;
mod naming;
mod occurrences;

use marquetry_sdk::refactor::{Argument, RefactorInput, refactor_failure};
use marquetry_sdk::{Result, Rewrite, Span};
use oxc_ast::AstKind;
use oxc_ast::ast::PropertyKey;

use crate::TypeScriptDocument;
use crate::editor::SyntaxEditor;
use crate::rename::names;
use crate::semantics::effects::{self, Effects};
use crate::semantics::names::FreeName;
use crate::semantics::placement::{DeclarationSpot, ExtractedExpression, SpotKind};
use crate::semantics::selected_expression::{self, ChosenExpression};
use crate::semantics::selection::SelectedExpression;
use crate::semantics::{Semantics, refusal_at};
use crate::syntax::spans::IntoOxc as _;

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
    code: Semantics<'e, 'a>,
    choice: ChosenExpression<'a>,
    effects: Effects,
    /// Names in the expression that are declared outside of it.
    names: Vec<FreeName<'e>>,
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
        let choice = selected_expression::choose_expression(code.parsed, code.text(), input.at.span)?;
        let node = choice.chosen.node;
        code.check_typeof_string(node)?;
        let (mut effects, mut names) = (Effects::default(), Vec::new());
        if choice.part.is_none() {
            effects = code.effects_of(node, choice.value);
            names = effects::used_names(code.semantic(), node, choice.value.into_oxc());
            names.sort_by_key(|name| name.name);
        }
        let extraction = ValueExtraction { code, choice, effects, names, options };
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
        let suggested = || naming::suggest_name(self.code, &self.choice);
        let wanted = input.argument("extractedName").map(str::to_owned).or_else(suggested);
        wanted.unwrap_or_else(|| "extracted".to_owned())
    }

    fn extract_as_variable(&self, input: &RefactorInput, scope: Option<&str>) -> Result<Rewrite> {
        let everywhere = input.argument("all").map_or(self.options.everywhere, |all| all == "true");
        let others = if everywhere && self.choice.part.is_none() { self.occurrences() } else { Vec::new() };
        let spot = self.choose_spot(scope, &others, input)?;
        let (joined, left) = self.replaceable_occurrences(&spot, others, input);
        let spot = self.move_before_first(spot, &joined);
        self.check_order(&spot)?;
        let mut editor = SyntaxEditor::new(self.code);
        let name = editor.fresh_name(&self.wanted_name(input));
        let typed = self.annotations(&spot)?;
        let declared = self.declare_at(&spot, &name, (input, joined.is_empty()), &typed, &mut editor);
        editor.import_types(&typed.imports);
        if declared.keeps_expression {
            for chosen in std::iter::once(&self.choice.chosen).chain(&joined) {
                self.replace_by_name(chosen, &declared.name, &mut editor);
            }
        }
        let mut rewrite = editor.finish()?;
        rewrite.unresolved = left;
        let is_early = spot.leaves_function && self.is_outermost(&spot);
        let lost = || self.code.lost_narrowing(&self.choice.chosen, &joined);
        let cycle = || if is_early { self.import_cycle_warning() } else { None };
        rewrite.incomplete = typed.warning.or_else(lost).or_else(cycle);
        Ok(rewrite)
    }

    /// Returns the place for the declaration: in the requested scope, or the one with the most equal expressions.
    fn choose_spot(
        &self,
        scope: Option<&str>,
        others: &[SelectedExpression<'a>],
        input: &RefactorInput,
    ) -> Result<DeclarationSpot> {
        let semantic = self.code.semantic();
        let piece =
            ExtractedExpression { semantic, node: self.choice.chosen.node, effects: &self.effects, names: &self.names };
        let (spots, beyond) = piece.spots();
        let outside = || refactor_failure("the selection is not inside a statement");
        let nearest = *spots.first().ok_or_else(|| beyond.clone().unwrap_or_else(outside))?;
        let is_bound = matches!(scope, Some("block" | "file"));
        let spot = match scope {
            Some("file") => match spots.last() {
                Some(last) if self.is_outermost(last) => *last,
                _ => {
                    let refused = || refactor_failure("the declaration cannot be at the top level");
                    return Err(beyond.unwrap_or_else(refused));
                }
            },
            Some("function") => *spots.iter().rfind(|spot| !spot.leaves_function).unwrap_or(&nearest),
            // An expression statement becomes the declaration.
            None if self.options.outermost && self.choice.statement.is_none() => {
                *spots.last().filter(|last| last.leaves_function).unwrap_or(&nearest)
            }
            _ => nearest,
        };
        Ok(if is_bound { spot } else { self.common_spot(spot, &spots, others, input) })
    }

    /// Returns a warning if a constant at the top level may be read before it is set. In an import cycle, another file
    /// may call a function of this file earlier.
    fn import_cycle_warning(&self) -> Option<String> {
        let other = self.code.import_cycle()?;
        Some(format!("`{other}` and this file import each other, so the constant may be read before it is initialized"))
    }

    fn is_outermost(&self, spot: &DeclarationSpot) -> bool {
        matches!(self.code.nodes().kind(spot.list), AstKind::Program(_))
    }

    /// Refuses a spot if the expression would run before code that it depends on or that depends on it.
    fn check_order(&self, spot: &DeclarationSpot) -> Result<()> {
        if self.effects.is_constant() {
            return Ok(());
        }
        let stretch = oxc_span::Span::new(spot.before.start, self.choice.chosen.span.start.max(spot.before.start));
        match self.effects.first_obstacle(self.code.semantic(), spot.list, stretch) {
            None => Ok(()),
            Some(obstacle) => {
                let line = self.code.source(obstacle.span).lines().next().unwrap_or_default();
                let message = format!("`{line}` runs before the expression and would run after it");
                Err(refusal_at(message, obstacle.span)
                    .hint("first extract that, or extract the expression that contains both"))
            }
        }
    }

    /// Replaces an expression by the name.
    fn replace_by_name(&self, chosen: &SelectedExpression<'a>, name: &str, editor: &mut SyntaxEditor<'_, 'a>) {
        if let Some(part) = self.choice.part {
            return self.use_in_string(part, name, editor);
        }
        match self.code.parent_kind(chosen.node) {
            // `{ a: value }` becomes `{ a }`.
            AstKind::ObjectProperty(property)
                if !property.shorthand
                    && !property.computed
                    && matches!(&property.key, PropertyKey::StaticIdentifier(key) if key.name == name) =>
            {
                editor.set_text(Span { start: property.span.start, end: chosen.span.end }, name);
            }
            _ => editor.replace_selected(chosen, name),
        }
    }
}

/// Returns whether the spot needs new braces.
fn needs_braces(spot: &DeclarationSpot) -> bool {
    matches!(spot.kind, SpotKind::Arrow | SpotKind::Branch)
}
