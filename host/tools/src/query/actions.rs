//! `codeActions`: refactors that apply at a position, and the reasons why others do not.

use marquetry_model::{
    Error, Result, Span,
    hover::CheckArea,
    refactor::{Refactor, RefactorLocation, RefactorOffer, Selection},
    text::Lines,
};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::{Answer, QueryArgs, QueryResult, diagnostic_types::fix_arguments, required};
use crate::{
    document::OpenFile,
    refactor::{PlaceArgs, embedded_part_at, selection_in_part},
    session::Session,
    target::{SelectionRange, TargetArgs},
};

/// Refactors for a place.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Actions {
    /// Available refactors.
    pub actions: Vec<Action>,
    /// Refactors of the format that are not available.
    pub unavailable: Vec<Unavailable>,
}

/// An available refactor.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Action {
    /// Title for users.
    pub title: String,
    /// Name of the refactor.
    pub refactor: String,
    /// Arguments for `file_edit` that run it.
    pub call: Map<String, Value>,
    /// Additional arguments, for `arguments` in that call.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub arguments: Vec<Argument>,
    /// The diagnostic that it fixes, as reported by `diagnostics`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fixes: Option<String>,
}

/// An argument of a refactor.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Argument {
    /// Name.
    pub name: String,
    /// Description.
    pub summary: String,
    /// Possible values, if they are limited.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<String>,
    /// True if it is required.
    pub required: bool,
}

/// A refactor that is not available.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Unavailable {
    /// Name.
    pub refactor: String,
    /// Reason.
    pub reason: String,
    /// Hint on what to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

/// Maximum number of fixes.
const MAX_FIXES: usize = 50;

impl QueryArgs {
    /// The selection, if the call gives lines.
    fn selected_range(&self) -> Option<SelectionRange> {
        let start_line = self.start_line.or(self.end_line)?;
        let end_line = self.end_line.unwrap_or(start_line);
        let start_column = self.start_column.unwrap_or(0);
        Some(SelectionRange { start_line, start_column, end_line, end_column: self.end_column })
    }

    /// The place as arguments of `file_edit`.
    fn place(&self, place: RefactorLocation) -> Map<String, Value> {
        let mut call = Map::new();
        let mut put = |name: &str, value: Value| _ = call.insert(name.to_owned(), value);
        if place == RefactorLocation::Document {
            return call;
        }
        if let Some(range) = self.selected_range() {
            let mut selection =
                json!({ "startLine": range.start_line, "startColumn": range.start_column, "endLine": range.end_line });
            if let Some(column) = range.end_column {
                selection["endColumn"] = column.into();
            }
            put("selectionRange", selection);
        } else if let Some(line) = self.line {
            put("line", line.into());
            if let Some(column) = self.column {
                put("column", column.into());
            }
        } else if let Some(symbol) = &self.symbol {
            put("target", symbol.as_str().into());
        }
        call
    }
}

impl Session {
    pub(super) fn code_actions(&self, args: &QueryArgs) -> Result<QueryResult> {
        let path = required(&args.path, "path", "codeActions")?;
        let file = self.open(&self.files.locate(path)?)?;
        let range = args.selected_range();
        let target = TargetArgs { target: args.symbol.clone(), ..TargetArgs::default() };
        let place = PlaceArgs { range: range.as_ref(), line: args.line, column: args.column, target: &target };
        let at = place.selection(self, &file)?;
        let inside = at.map(|at| embedded_part_at(self, &file, at)).transpose()?.flatten();
        let is_placed = at.is_some();
        let at = at.unwrap_or(Selection { span: Span::new(0, 0), caret: 0 });
        let (mut actions, mut unavailable) = (self.fixes(&file, at.span, is_placed)?, Vec::new());
        let mut offers: Vec<(Refactor, RefactorLocation, RefactorOffer)> = Vec::new();
        for part in std::iter::once(file.whole()).chain(&inside) {
            let known = &part.description().refactors;
            let at = selection_in_part(part, at);
            let offered =
                if known.is_empty() { Vec::new() } else { part.ask(|document| document.available_refactors(at))? };
            for offer in offered {
                let is_new = offers.iter().all(|(known, ..)| known.id != offer.id);
                let Some(refactor) = known.iter().find(|refactor| is_new && refactor.id == offer.id) else { continue };
                // If the place is in an embedded part, it selects a name in that part.
                let is_whole = std::rc::Rc::ptr_eq(part, file.whole());
                let place = if is_whole { refactor.location } else { RefactorLocation::Name };
                offers.push((refactor.clone(), place, offer));
            }
        }
        for (refactor, place, RefactorOffer { id, unavailable: why }) in &offers {
            // Without a place, only refactors of the whole document are available.
            let why = if is_placed || refactor.location == RefactorLocation::Document {
                why.clone()
            } else {
                Some(no_place_error())
            };
            match why {
                None => actions.push(action(refactor, file.path(), args.place(*place))),
                Some(why) => {
                    let content = why.content();
                    let (reason, hint) = (content.message.clone(), content.hint.clone());
                    unavailable.push(Unavailable { refactor: id.clone(), reason, hint });
                }
            }
        }
        let page = args.page(self, actions);
        let answer = Answer::Actions(Actions { actions: page.items, unavailable });
        Ok(QueryResult::new(answer, "complete".to_owned(), file.engine()).paged(page.total, page.truncated))
    }
}

impl Session {
    /// Fixes for the diagnostics at a place, or for all diagnostics of the file.
    fn fixes(&self, file: &OpenFile, at: Span, is_placed: bool) -> Result<Vec<Action>> {
        let lines = Lines::new(file.text());
        let line = |offset: usize| lines.position(offset.min(file.text().len())).line;
        // A cursor selects its whole line, as in the display of diagnostics.
        let near = |span: Span| line(span.start) <= line(at.end) && line(at.start) <= line(span.end);
        let (diagnostics, _) = self.file_diagnostics(file, &[CheckArea::Links, CheckArea::Names])?;
        let known = &file.description().refactors;
        let mends = diagnostics.into_iter().filter(|raw| !is_placed || near(raw.diagnostic.span)).filter_map(|raw| {
            let fix = raw.fix?;
            let refactor = known.iter().find(|refactor| refactor.id == fix.refactor)?;
            let position = lines.position(raw.diagnostic.span.start);
            Some(Action {
                title: refactor.title.clone(),
                refactor: fix.refactor.clone(),
                call: fix_arguments(file.path(), &fix, (position.line, position.column)),
                arguments: Vec::new(),
                fixes: Some(raw.diagnostic.message),
            })
        });
        let mut actions: Vec<Action> = Vec::new();
        for action in mends.take(MAX_FIXES) {
            // A name that is used several times is fixed only once.
            if actions.iter().all(|known| known.call != action.call) {
                actions.push(action);
            }
        }
        Ok(actions)
    }
}

fn no_place_error() -> Error {
    Error::argument("no location is given").hint("give `line` and `column`, `startLine` and `endLine`, or `symbol`")
}

fn action(refactor: &Refactor, path: &str, place: Map<String, Value>) -> Action {
    let mut call = Map::new();
    call.insert("file".to_owned(), path.into());
    call.insert("refactor".to_owned(), refactor.id.as_str().into());
    call.extend(place);
    let argument = |argument: &marquetry_model::refactor::ArgumentHelp| Argument {
        name: argument.name.clone(),
        summary: argument.summary.clone(),
        values: argument.values.clone(),
        required: argument.required,
    };
    let arguments = refactor.arguments.iter().map(argument).collect();
    Action { title: refactor.title.clone(), refactor: refactor.id.clone(), call, arguments, fixes: None }
}
