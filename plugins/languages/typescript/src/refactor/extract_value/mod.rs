//! Extracting an expression to a variable. `extract_variable` and `extract_constant` share this code.

mod choice;
mod context;
mod declaration;
mod field;
mod lost_narrowing;
mod naming;
mod occurrences;
mod placement;

use marquetry_sdk::refactor::{Argument, RefactorInput};
use marquetry_sdk::{Edit, Result, Rewrite, Span};

use crate::TypeScriptDocument;
use crate::editor::{final_checks, parentheses};
use crate::imports::type_imports;
use crate::refactor::contextual;
use crate::rename::names;
use crate::semantics::effects::{self, Effects};
use crate::semantics::names::{FreeName, fresh_name};
use crate::semantics::selection;
use crate::semantics::with_checker;
use crate::syntax::spans::to_sdk_span;
use crate::syntax::tree::{Parsed, Tree};
use choice::{ChosenExpression, IntoOxc as _, refusal};
use placement::{DeclarationSpot, ExtractedExpression, SpotKind};

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
    tree: &'e Tree,
    parsed: &'e Parsed<'a>,
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
    habits: ExtractionOptions,
) -> Result<Rewrite> {
    if let Some(name) = input.argument("extractedName") {
        names::check_binding(name)?;
    }
    document.tree.with(|parsed| {
        let text = document.tree.text();
        let choice = choice::choose_expression(parsed, text, input.at.span)?;
        let semantic = parsed.semantic();
        contextual::check_typeof_string(&document.tree, semantic, choice.chosen.node)?;
        let (mut effects, mut names) = (Effects::default(), Vec::new());
        if choice.part.is_none() {
            effects = effects::effects_of(semantic, choice.chosen.node, choice.value.into_oxc());
            names = effects::used_names(semantic, choice.chosen.node, choice.value.into_oxc());
            names.sort_by_key(|name| name.name);
        }
        let extraction = ValueExtraction { tree: &document.tree, parsed, choice, effects, names, options: habits };
        let rewrite = match requested_scope(input) {
            Some("class") => extraction.extract_as_field(input)?,
            scope => extraction.extract_as_variable(document, input, scope)?,
        };
        final_checks::check_syntax(parsed, &document.tree, &rewrite.edits)?;
        Ok(rewrite)
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

impl<'e, 'a> ValueExtraction<'e, 'a> {
    fn text(&self) -> &'e str {
        self.tree.text()
    }

    /// Returns the requested or suggested name, made unique.
    fn unique_name(&self, input: &RefactorInput) -> String {
        let semantic = self.parsed.semantic();
        let suggested = || naming::suggest_name(semantic, self.text(), &self.choice);
        let wanted = input.argument("extractedName").map(str::to_owned).or_else(suggested);
        fresh_name(semantic.scoping(), wanted.as_deref().unwrap_or("extracted"))
    }

    fn extract_as_variable(
        &self,
        document: &TypeScriptDocument,
        input: &RefactorInput,
        scope: Option<&str>,
    ) -> Result<Rewrite> {
        let semantic = self.parsed.semantic();
        let piece =
            ExtractedExpression { semantic, node: self.choice.chosen.node, effects: &self.effects, names: &self.names };
        let (spots, beyond) = piece.spots();
        let nearest = *spots
            .first()
            .ok_or_else(|| beyond.clone().unwrap_or_else(|| refusal("the selection is not inside a statement")))?;
        let spot = match scope {
            Some("file") => match spots.last() {
                Some(last) if self.is_outermost(last) => *last,
                _ => return Err(beyond.unwrap_or_else(|| refusal("the declaration cannot be at the top level"))),
            },
            Some("function") => *spots.iter().rfind(|spot| !spot.leaves_function).unwrap_or(&nearest),
            // An expression statement becomes the declaration.
            _ if self.choice.statement.is_some() => nearest,
            Some(_) => nearest,
            None if self.options.outermost => *spots.last().filter(|last| last.leaves_function).unwrap_or(&nearest),
            None => nearest,
        };
        let everywhere = input.argument("all").map_or(self.options.everywhere, |all| all == "true");
        let others = if everywhere && self.choice.part.is_none() { self.occurrences() } else { Vec::new() };
        let is_bound = scope.is_some_and(|scope| scope == "block" || scope == "file");
        let spot = if is_bound { spot } else { self.common_spot(spot, &spots, &others, input) };
        let (joined, left) = self.replaceable_occurrences(&spot, others, input);
        let spot = self.move_before_first(spot, &joined);
        self.check_order(&spot)?;
        let name = self.unique_name(input);
        let typed = self.annotations(document, &spot)?;
        let written = self.declare_at(&spot, &name, input, joined.is_empty(), &typed);
        let untold = self.lost_narrowing(document, &joined);
        let mut edits = written.edits;
        let imports = type_imports::import_type_edits(self.parsed, self.tree, &typed.imports);
        let above = imports.iter().filter(|edit| edit.span.start <= spot.before.start);
        let shift: usize = above.map(|edit| edit.text.len().saturating_sub(edit.span.len())).sum();
        edits.extend(imports);
        if written.keeps_expression {
            let chosen = std::iter::once(self.choice.chosen).chain(joined);
            edits.extend(chosen.map(|chosen| self.replace_by_name(&chosen, &written.name)));
        }
        let mut rewrite = Rewrite::from(final_checks::sort_edits(edits)?);
        rewrite.unresolved = left;
        rewrite.name_at = Some(written.name_at + shift as u32);
        let is_early = spot.leaves_function && self.is_outermost(&spot);
        let cycle = || if is_early { self.import_cycle_warning(document) } else { None };
        rewrite.incomplete = typed.warning.or(untold).or_else(cycle);
        Ok(rewrite)
    }

    /// Returns a warning if a constant at the top level may be read before it is set. In an import cycle, another file
    /// may call a function of this file earlier.
    fn import_cycle_warning(&self, document: &TypeScriptDocument) -> Option<String> {
        let other = with_checker(document, |checker| checker.import_cycle())?;
        Some(format!("`{other}` and this file import each other, so the constant may be read before it is initialized"))
    }

    fn is_outermost(&self, spot: &DeclarationSpot) -> bool {
        matches!(self.parsed.semantic().nodes().kind(spot.list), oxc_ast::AstKind::Program(_))
    }

    /// Refuses a spot if the expression would run before code that it depends on or that depends on it.
    fn check_order(&self, spot: &DeclarationSpot) -> Result<()> {
        if self.effects.is_constant() {
            return Ok(());
        }
        let stretch = oxc_span::Span::new(spot.before.start, self.choice.chosen.span.start.max(spot.before.start));
        match self.effects.first_obstacle(self.parsed.semantic(), spot.list, stretch) {
            None => Ok(()),
            Some(obstacle) => {
                let place = to_sdk_span(obstacle.span);
                let line = place.slice(self.text()).lines().next().unwrap_or_default();
                Err(refusal(format!("`{line}` runs before the expression and would run after it"))
                    .hint("first extract that, or extract the expression that contains both")
                    .at(place))
            }
        }
    }

    /// Replaces an expression by the name.
    fn replace_by_name(&self, chosen: &selection::SelectedExpression<'a>, name: &str) -> Edit {
        if let Some(part) = self.choice.part {
            return self.template_around_part(part, name);
        }
        if let oxc_ast::AstKind::ObjectProperty(property) = self.parsed.semantic().nodes().parent_kind(chosen.node)
            && !property.shorthand
            && !property.computed
            && property.key.static_name().is_some_and(|key| key == name)
            && property_key_name(&property.key) == Some(name)
        {
            let start = to_sdk_span(property.span).start;
            return Edit::new(Span { start, end: chosen.span.end }, name);
        }
        Edit::new(chosen.span, parentheses::selection_replacement(self.parsed, self.tree, chosen, name))
    }
}

fn property_key_name<'k>(key: &'k oxc_ast::ast::PropertyKey<'_>) -> Option<&'k str> {
    match key {
        oxc_ast::ast::PropertyKey::StaticIdentifier(name) => Some(name.name.as_str()),
        _ => None,
    }
}

/// Returns whether the spot needs new braces.
fn needs_braces(spot: &DeclarationSpot) -> bool {
    matches!(spot.kind, SpotKind::Arrow | SpotKind::Branch)
}
