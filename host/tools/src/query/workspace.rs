//! `references` and `workspaceSymbols`.

use std::collections::{BTreeMap, BTreeSet};

use marquetry_graph::{DetailLevel, Workspace};
use marquetry_model::{
    Error, Interface, Kind, Result, limits,
    pack::{Occurrence, Resolution, SharedName, Subject},
    ports::Source,
    text::Lines,
};
use schemars::JsonSchema;
use serde::Serialize;

use super::{
    Answer, QueryArgs, QueryResult, USAGES,
    describe::declaration,
    location::no_symbol_error,
    nearest_first,
    uncertain_references::{FoundReferences, PackDoubt, certain_places},
};
use crate::{
    document::OpenFile,
    pagination::{ByteBudget, paginate},
    reference_search::{ReferenceSearch, SearchScope, SymbolQuery},
    server_definitions::ServerShare,
    session::Session,
    unresolved_list::unresolved_entries,
};

/// Maximum number of files with the same symbol name for which it is checked whether they declare the symbol.
const MAX_COMPARED_FILES: usize = 50;

/// Result of `references`.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct References {
    /// The references.
    pub references: Vec<Reference>,
    /// Number of references per file, including those on other pages; highest first.
    pub files: Vec<FileCount>,
    /// Number of references per kind: `call`, `import`, `read` …
    pub usages: BTreeMap<&'static str, usize>,
}

/// Number of references in one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FileCount {
    /// Path of the file.
    pub path: String,
    /// Number of references.
    pub count: usize,
}

/// A reference.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub struct Reference {
    /// Path of the file.
    pub path: String,
    /// From 1.
    pub line: usize,
    /// From 0, in UTF-16 code units.
    pub column: usize,
    /// Text of the line.
    pub preview: String,
    /// `declaration`, `call`, `read`, `write`, `type`, `import`, `export`, `string`, `comment`
    pub usage: &'static str,
    /// False if only the name is the same.
    pub certain: bool,
}

/// Result of `workspaceSymbols`.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct WorkspaceSymbols {
    /// The symbols, best match first.
    pub symbols: Vec<WorkspaceSymbol>,
}

/// A symbol.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct WorkspaceSymbol {
    /// Name.
    pub name: String,
    /// Kind, such as `class`.
    pub kind: String,
    /// Path of the file.
    pub path: String,
    /// Address that finds exactly this symbol in the file.
    pub address: String,
    /// From 1.
    pub line: usize,
    /// From 0, in UTF-16 code units.
    pub column: usize,
}

/// Default for the maximum number of symbols.
const DEFAULT_SYMBOLS: usize = 100;

impl Session {
    pub(super) fn references(&self, args: &QueryArgs) -> Result<QueryResult> {
        if let Some(usage) = args.usage.as_deref().filter(|usage| !USAGES.contains(usage)) {
            return Err(Error::argument(format!("unknown usage `{usage}`")).candidates(nearest_first(usage, &USAGES)));
        }
        let (file, subject) = self.symbol_of_query(args, "references")?;
        let mut found = self.find_references(&self.whole_workspace()?, &file, subject.clone())?;
        if let Some(answer) = self.references_instead(args, (&file, &subject), &found)? {
            return Ok(answer);
        }
        let asks_servers = args.engine.is_none();
        let servers = if asks_servers { self.resolve_uncertain(&mut found)? } else { ServerShare::default() };
        let (incomplete, mut references) = (found.incomplete(), found.references);
        let with_declaration = args.include_declaration.unwrap_or(args.usage.as_deref() == Some("declaration"));
        if !with_declaration {
            references.retain(|reference| reference.usage != "declaration");
        }
        if let Some(usage) = &args.usage {
            references.retain(|reference| {
                reference.usage == *usage || (with_declaration && reference.usage == "declaration")
            });
        }
        let completeness = match incomplete {
            Some(why) => format!("partial: {why}"),
            None if references.iter().any(|reference| !reference.certain) => "syntactic".to_owned(),
            None => servers.completeness("complete".to_owned()),
        };
        Ok(self.references_result(args, references, completeness, &servers.engine(file.engine())))
    }

    /// Returns an answer with a page of references, and the counts of all of them.
    pub(super) fn references_result(
        &self,
        args: &QueryArgs,
        references: Vec<Reference>,
        completeness: String,
        engine: &str,
    ) -> QueryResult {
        let (files, usages) = reference_counts(&references);
        // Counts are additional information: they use at most a quarter of the size limit.
        let mut room = ByteBudget::new(args.max_bytes.or(self.max_bytes));
        let mut aside = room.share(4);
        let files = aside.list("files", files);
        let page = paginate(references, args.offset, args.limit, &mut room).with_omissions_of(&aside);
        let data = Answer::References(References { references: page.items, files, usages });
        QueryResult::new(data, completeness, engine).paged(page.total, page.truncated)
    }

    /// Resolves the file and symbol of a query. Without a path, the symbol is searched in the workspace.
    pub(super) fn symbol_of_query(&self, args: &QueryArgs, kind: &str) -> Result<(OpenFile, Subject)> {
        let place = SymbolQuery { symbol: args.symbol.as_deref(), line: args.line, column: args.column };
        let path = match (&args.path, &args.symbol) {
            (Some(path), _) => path.clone(),
            (None, Some(symbol)) => self.only_declaring_file(symbol)?,
            (None, None) => {
                return Err(Error::argument("`symbol` is missing")
                    .hint(format!("the query `{kind}` needs `symbol`, or `path`, `line` and `column`")));
            }
        };
        let file = self.open_or_symbol(&path)?;
        if !file.has(Interface::Symbols) {
            return Err(Error::new(
                Kind::Unsupported,
                format!("{} files have no symbols to find references of", file.description().name),
            )
            .hint("`search` with `text` finds a name in any file"));
        }
        let subject = place.subject(file.text())?;
        let subject = match place.refine_in(&file, subject) {
            Err(error) if args.symbol.is_none() && is_no_name(&error) => {
                let line = Lines::new(file.text()).line(args.line.unwrap_or(1));
                return Err(no_symbol_error(&file, line.map_or(0, |line| line.start)));
            }
            found => found?,
        };
        // A position is resolved before other files are searched, so that the error can list nearby symbols.
        let resolution = file.ask(|document| document.resolve_symbol(&subject));
        match (&subject, resolution) {
            (Subject::At(offset), Err(error)) if is_no_name(&error) => Err(no_symbol_error(&file, *offset)),
            _ => Ok((file, subject)),
        }
    }

    /// Returns the only file that declares a symbol with this address.
    pub(crate) fn only_declaring_file(&self, symbol: &str) -> Result<String> {
        let workspace = self.workspace(DetailLevel::Symbols)?;
        let of_entry = |entry: &marquetry_graph::Entry| {
            let found = entry.symbols.iter().flatten().find(|known| known.address == symbol)?;
            Some((entry.path.clone(), format!("{}:{}:{}", entry.path, found.position.0, found.position.1)))
        };
        let mut found: Vec<(String, String)> = workspace.files().filter_map(of_entry).collect();
        if (2..=MAX_COMPARED_FILES).contains(&found.len()) {
            let own: Vec<(String, String)> =
                found.iter().filter(|(path, _)| !self.is_declared_elsewhere(path, symbol)).cloned().collect();
            if !own.is_empty() {
                found = own;
            }
        }
        match found.as_slice() {
            [(only, _)] => Ok(only.clone()),
            [] => {
                let known = workspace
                    .files()
                    .flat_map(|entry| entry.symbols.iter().flatten())
                    .map(|known| known.address.clone());
                let error = Error::new(Kind::TargetNotFound, format!("no symbol `{symbol}` in the workspace"));
                let name = symbol.rsplit(['.', '#']).next().unwrap_or(symbol);
                let error = match self.unread_declarations(&workspace, name)? {
                    Some(why) => error.hint(format!("{why}; `search` with `text` lists these places")),
                    None => error,
                };
                Err(error.candidates(marquetry_model::nearest::nearest_names(symbol, known)))
            }
            _ => Err(Error::new(Kind::AmbiguousTarget, format!("`{symbol}` is in {} files", found.len()))
                .hint("give the file of one of the candidates")
                .candidates(found.into_iter().map(|(_, place)| place))),
        }
    }

    /// Returns whether a symbol of a file represents a declaration in another file, such as `a` in `const { a } =
    /// require("./a")`.
    fn is_declared_elsewhere(&self, path: &str, symbol: &str) -> bool {
        let subject = Subject::Address(symbol.to_owned());
        let resolved = self.open_found(path).and_then(|file| file.ask(|document| document.resolve_symbol(&subject)));
        resolved.is_ok_and(|resolved| resolved.declaration.is_some())
    }

    /// Returns all references to a symbol, and the reason if they may be incomplete.
    pub(crate) fn references_of(
        &self,
        scope: &SearchScope,
        file: &OpenFile,
        subject: Subject,
    ) -> Result<(Vec<Reference>, Option<String>)> {
        let found = self.find_references(scope, file, subject)?;
        let incomplete = found.incomplete();
        Ok((found.references, incomplete))
    }

    /// Finds all references to a symbol.
    fn find_references(&self, scope: &SearchScope, file: &OpenFile, subject: Subject) -> Result<FoundReferences> {
        let mut search = ReferenceSearch::new(scope, file, subject).with_aliases();
        let (mut references, mut doubts, mut undeclared) = (Vec::new(), Vec::new(), None);
        let (mut name, mut certain) = (String::new(), BTreeSet::new());
        let unasked = self.ask_all(
            "looking for uses",
            &mut search,
            |survey, path, subject| survey.resolve(path, subject),
            |source, found, search| {
                queue_related(search, &source.path, &found);
                references.extend(references_in_file(source, &found));
                certain.extend(certain_places(source, &found));
                if name.is_empty() {
                    name.clone_from(&found.name);
                    // The first answer comes from the requested file.
                    if let Some(import) = found.origin.as_ref().filter(|_| found.declaration.is_none()) {
                        undeclared = search.add_undeclared_import(&source.path, import, &found.name);
                    }
                }
                doubts.extend(found.incomplete.map(|why| PackDoubt::new(&source.path, why, &found.occurrences)));
                Ok(())
            },
        )?;
        let mut unread = undeclared.or(search.unread());
        let resolved: BTreeSet<(String, usize, usize)> =
            references.iter().map(|place| (place.path.clone(), place.line, place.column)).collect();
        let mentioned = self.mentioned_elsewhere(&search, &name, |place, _| {
            resolved.contains(&(place.path.clone(), place.line, place.column))
        })?;
        let others = unasked.iter().cloned().chain(mentioned.unread);
        let others: Vec<String> = others.chain(unresolved_entries(mentioned.unresolved, |_| true)).collect();
        if let Some(first) = others.first() {
            let why = format!("{} places or files that no pack could analyze, the first: {first}", others.len());
            unread = unread.or(Some(why));
        }
        references.sort();
        // Certain and uncertain references with the same position are merged.
        references.dedup_by(|other, first| {
            (&other.path, other.line, other.column) == (&first.path, first.line, first.column)
        });
        Ok(FoundReferences { name, references, certain, doubts, unread, unasked, workspace: search.workspace() })
    }

    pub(super) fn workspace_symbols(&self, args: &QueryArgs) -> Result<QueryResult> {
        let workspace = self.workspace(DetailLevel::Symbols)?;
        let wanted = args.query.as_deref().or(args.symbol.as_deref()).unwrap_or("*");
        let mut found: Vec<(u32, WorkspaceSymbol)> = Vec::new();
        for entry in workspace.files() {
            for symbol in entry.symbols.iter().flatten() {
                if args.kind.as_deref().is_some_and(|kind| !is_of_kind(&symbol.kind, kind)) {
                    continue;
                }
                if let Some(rank) = match_rank(wanted, &symbol.name) {
                    let shown = WorkspaceSymbol {
                        name: symbol.name.clone(),
                        kind: symbol.kind.clone(),
                        path: entry.path.clone(),
                        address: symbol.address.clone(),
                        line: symbol.position.0 as usize,
                        column: symbol.position.1 as usize,
                    };
                    found.push((rank, shown));
                }
            }
        }
        found.sort_by(|a, b| {
            (a.0, a.1.address.len(), &a.1.path, a.1.line).cmp(&(b.0, b.1.address.len(), &b.1.path, b.1.line))
        });
        if let Some(kind) = args.kind.as_deref().filter(|_| found.is_empty()) {
            check_kind_exists(&workspace, kind)?;
        }
        let symbols: Vec<WorkspaceSymbol> = found.into_iter().map(|(_, symbol)| symbol).collect();
        let args = QueryArgs { limit: Some(args.limit.unwrap_or(DEFAULT_SYMBOLS)), ..args.clone() };
        let page = args.page(self, symbols);
        let completeness = match &page.truncated {
            Some(left_out) => format!("partial: {left_out}"),
            None => match self.unlisted_symbols(&workspace, wanted)? {
                Some(why) => format!("partial: {why}"),
                None => completeness(&workspace.skipped),
            },
        };
        let data = Answer::WorkspaceSymbols(WorkspaceSymbols { symbols: page.items });
        Ok(QueryResult::new(data, completeness, "packs").paged(page.total, page.truncated))
    }

    /// Returns the reason why symbols of the workspace may be missing.
    fn unlisted_symbols(&self, workspace: &Workspace, wanted: &str) -> Result<Option<String>> {
        let mut large = workspace
            .files()
            .filter(|entry| entry.symbols.as_ref().is_some_and(|symbols| symbols.len() >= limits::COMPLETE_OUTLINE));
        if let Some(entry) = large.next() {
            let count = entry.symbols.as_ref().map_or(0, Vec::len);
            return Ok(Some(format!("{} has {count} symbols, and the pack may have omitted more", entry.path)));
        }
        self.unread_declarations(workspace, wanted)
    }

    /// Resolves the declaration of the symbol in a query: its file and address.
    pub(super) fn declaration_of_query(&self, args: &QueryArgs) -> Result<(OpenFile, String)> {
        let details = self.symbol_details(self.location_of_query(args, &args.r#type)?)?;
        let address = match declaration(&details)? {
            Some(node) => node.address,
            None => {
                let message = format!(
                    "`{}` has no relations of this type; its kind is {}",
                    details.hover.name, details.hover.kind
                );
                return Err(Error::new(Kind::InvalidTarget, message)
                    .hint("name a symbol of the outline; `references` lists where a name is used"));
            }
        };
        Ok((details.declaring_file, address))
    }
}

/// Returns whether an error means that a position has no name.
fn is_no_name(error: &Error) -> bool {
    matches!(error.kind(), Kind::TargetNotFound | Kind::RefactorFailed)
}

/// Returns whether a symbol is of the requested kind. `variable` includes declarations with any keyword.
fn is_of_kind(kind: &str, wanted: &str) -> bool {
    kind == wanted || (wanted == "variable" && matches!(kind, "const" | "let" | "var" | "using"))
}

/// Checks that a kind without matches exists in the workspace.
fn check_kind_exists(workspace: &Workspace, kind: &str) -> Result<()> {
    let symbols = workspace.files().flat_map(|entry| entry.symbols.iter().flatten());
    let kinds: BTreeSet<&str> = symbols.map(|symbol| symbol.kind.as_str()).collect();
    if kinds.iter().any(|known| is_of_kind(known, kind)) {
        return Ok(());
    }
    Err(Error::argument(format!("no symbol of the workspace has the kind `{kind}`"))
        .hint("the candidates are the existing kinds")
        .candidates(kinds.into_iter().map(str::to_owned)))
}

/// Maximum number of files with counts.
const MAX_COUNTED_FILES: usize = 200;

/// Counts references by file and by kind.
fn reference_counts(references: &[Reference]) -> (Vec<FileCount>, BTreeMap<&'static str, usize>) {
    let (mut files, mut usages) = (Vec::<FileCount>::new(), BTreeMap::new());
    for reference in references {
        *usages.entry(reference.usage).or_default() += 1;
        match files.last_mut().filter(|last| last.path == reference.path) {
            Some(last) => last.count += 1,
            None => files.push(FileCount { path: reference.path.clone(), count: 1 }),
        }
    }
    files.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.path.cmp(&b.path)));
    files.truncate(MAX_COUNTED_FILES);
    (files, usages)
}

/// Queues the files and names that an answer refers to.
fn queue_related(search: &mut ReferenceSearch, file: &str, found: &Resolution) {
    if let Some((path, offset)) = &found.declaration {
        search.queue_question(path, Subject::At(*offset));
        return;
    }
    for name in &found.exported_as {
        search.add_export(file, name, &found.name);
    }
    if let Some(member) = &found.member {
        search.add_member(member);
    }
    if let Some(space) = &found.namespace {
        search.add_global(&SharedName { namespace: space.clone(), name: found.name.clone() });
    }
}

/// References in one file; empty if the name is declared elsewhere.
fn references_in_file(source: &Source, found: &Resolution) -> Vec<Reference> {
    if found.declaration.is_some() {
        return Vec::new();
    }
    let text = &source.text;
    let lines = Lines::new(text);
    let reference = |place: &Occurrence| {
        let position = lines.position(place.span.start);
        let preview = lines.line(position.line).map_or("", |line| line.slice(text));
        Reference {
            path: source.path.clone(),
            line: position.line,
            column: position.column,
            preview: preview.chars().take(200).collect(),
            usage: place.usage,
            certain: place.certain,
        }
    };
    found.occurrences.iter().map(reference).collect()
}

pub(super) fn completeness(skipped: &[(String, String)]) -> String {
    match skipped {
        [] => "complete".to_owned(),
        [(path, why), ..] => format!("partial: {} files could not be read, the first: {path}: {why}", skipped.len()),
    }
}

/// Rank of a match, 0 is best; `None` if the name does not match. `*` and `?` are wildcards.
fn match_rank(wanted: &str, name: &str) -> Option<u32> {
    if wanted.contains(['*', '?']) {
        return matches_wildcard(&wanted.to_lowercase(), &name.to_lowercase()).then_some(1);
    }
    let (w, n) = (wanted.to_lowercase(), name.to_lowercase());
    if name == wanted {
        Some(0)
    } else if n == w {
        Some(1)
    } else if n.starts_with(&w) {
        Some(2)
    } else if n.contains(&w) {
        Some(3)
    } else {
        None
    }
}

/// Linear in practice: a mismatch backtracks only to the last `*`.
fn matches_wildcard(pattern: &str, text: &str) -> bool {
    let (pattern, text): (Vec<char>, Vec<char>) = (pattern.chars().collect(), text.chars().collect());
    let (mut p, mut t, mut star, mut mark) = (0, 0, None, 0);
    while t < text.len() {
        if p < pattern.len() && (pattern[p] == '?' || (pattern[p] == text[t] && pattern[p] != '*')) {
            (p, t) = (p + 1, t + 1);
        } else if p < pattern.len() && pattern[p] == '*' {
            (star, mark, p) = (Some(p), t, p + 1);
        } else if let Some(back) = star {
            mark += 1;
            (p, t) = (back + 1, mark);
        } else {
            return false;
        }
    }
    pattern[p..].iter().all(|c| *c == '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbol_names_are_ranked() {
        assert_eq!(match_rank("handle*", "handleClick"), Some(1));
        assert_eq!(match_rank("*Click", "handleClick"), Some(1));
        assert_eq!(match_rank("h?ndle*k", "handleClick"), Some(1));
        assert_eq!(match_rank("click", "handleClick"), Some(3));
        assert_eq!(match_rank("handleClick", "handleClick"), Some(0));
        assert_eq!(match_rank("x*", "handleClick"), None);
    }
}
