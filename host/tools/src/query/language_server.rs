//! `engine: "server"`: queries that a language server answers. Its answers are not verified.

use marquetry_model::{
    Error, Kind, Result, Span,
    servers::{ServerLocation, ServerQuestion},
    text::{Lines, Position},
};

use super::{Answer, QueryArgs, QueryResult, describe::Hover, required, workspace::Reference};
use crate::{
    document::{FindOptions, Found, OpenFile},
    line_numbers::line_count_hint,
    result_types::{pluralized, range_of},
    session::Session,
    target::{TargetArgs, supports_only_lines},
};

/// Query types that servers support.
const SERVER_QUERIES: [&str; 3] = ["hover", "references", "diagnostics"];

impl Session {
    /// Asks the language server of a file.
    pub(super) fn ask_language_server(&self, args: &QueryArgs) -> Result<QueryResult> {
        match args.r#type.as_str() {
            "hover" => self.hover_of_server(args),
            "references" => self.references_of_server(args),
            "diagnostics" => self.diagnostics_of_server(args),
            other => Err(Error::new(Kind::Unsupported, format!("language servers do not answer `{other}`"))
                .hint("leave out `engine`, or use one of the candidates as `type`")
                .candidates(SERVER_QUERIES.map(str::to_owned))),
        }
    }

    /// Returns whether a query without `engine` is answered by the language server, because no pack reads the file.
    pub(super) fn is_answered_by_server(&self, args: &QueryArgs) -> bool {
        let is_supported = args.engine.is_none() && SERVER_QUERIES.contains(&args.r#type.as_str());
        let Some(path) = args.path.as_deref().filter(|path| is_supported && !self.is_glob(path)) else { return false };
        // Files that a pack reads need not be opened to decide this.
        let is_plain = self.packs.for_path(&self.files, path).is_ok_and(|pack| supports_only_lines(pack.description()));
        is_plain && self.open(path).is_ok_and(|file| file.is_read_by_server())
    }

    /// Creates the question about a position in a file for its server.
    fn question<'a>(&'a self, file: &'a OpenFile, offset: usize) -> ServerQuestion<'a> {
        ServerQuestion { files: &self.files, source: &file.source, offset, work: &self.work }
    }

    fn hover_of_server(&self, args: &QueryArgs) -> Result<QueryResult> {
        let location = self.location_of_query(args, "hover")?;
        let (offset, file) = (location.offset(), location.file);
        let server = self.server_for(file.path())?;
        let answer = server.hover(self.question(&file, offset))?;
        let (contents, span) = answer.answer.ok_or_else(|| {
            Error::new(
                Kind::TargetNotFound,
                format!("the server `{}` has no hover information at this position", server.id()),
            )
            .hint("give the position of a name: `line` from 1, `column` from 0")
        })?;
        let range = range_of(&Lines::new(file.text()), span.unwrap_or(Span::new(offset, offset)));
        let data = Answer::Hover(Hover { contents, range });
        Ok(QueryResult::new(data, server_completeness(answer.incomplete), &engine_name(server.id())))
    }

    pub(super) fn references_of_server(&self, args: &QueryArgs) -> Result<QueryResult> {
        if args.usage.is_some() {
            return Err(Error::new(Kind::Unsupported, "language servers do not report kinds of uses")
                .hint("leave out `usage`, or `engine`"));
        }
        let location = self.location_of_query(args, "references")?;
        let (offset, file) = (location.offset(), location.file);
        let server = self.server_for(file.path())?;
        let declaration = args.include_declaration.unwrap_or(false);
        let reported = server.references(self.question(&file, offset), declaration)?;
        let references = self.to_references(&reported.answer)?;
        let missed = self.missed_by_server(args, &references);
        let mut answer = self.references_result(
            args,
            references,
            server_completeness(reported.incomplete),
            &engine_name(server.id()),
        );
        answer.warnings.extend(missed);
        Ok(answer)
    }

    /// Warning about certain uses that the language pack finds but the server does not, because some servers omit
    /// imports.
    fn missed_by_server(&self, args: &QueryArgs, listed: &[Reference]) -> Option<String> {
        let (file, subject) = self.symbol_of_query(args, "references").ok()?;
        let (own, _) = self.references_of(&self.whole_workspace().ok()?, &file, subject).ok()?;
        let is_listed = |own: &Reference| {
            let place = (own.path.as_str(), own.line, own.column);
            listed.iter().any(|other| (other.path.as_str(), other.line, other.column) == place)
        };
        let missed: Vec<&Reference> =
            own.iter().filter(|own| own.certain && own.usage != "declaration" && !is_listed(own)).collect();
        let first = missed.first()?;
        let imports = missed.iter().filter(|place| place.usage == "import").count();
        let at = format!("{}:{}:{}", first.path, first.line, first.column);
        let count = pluralized(missed.len(), "use");
        Some(format!(
            "the server does not report {count} that the language pack finds ({imports} in imports), the first: {at}; \
             leave out `engine` to list them"
        ))
    }

    fn diagnostics_of_server(&self, args: &QueryArgs) -> Result<QueryResult> {
        let path = required(&args.path, "path", "diagnostics")?;
        if self.is_glob(path) {
            return Err(Error::new(Kind::Unsupported, "a language server checks one file at a time")
                .hint("give the path of a file, or leave out `engine`"));
        }
        let file = self.open(path)?;
        let server = self.server_for(file.path())?;
        let answer = server.diagnostics(self.question(&file, 0))?;
        self.server_diagnostics(
            args,
            &file,
            answer.answer,
            server_completeness(answer.incomplete),
            &engine_name(server.id()),
        )
    }

    /// Returns the offset of a line and column, or of the name of the node at an address.
    pub(crate) fn offset_of(
        &self,
        file: &OpenFile,
        symbol: Option<&str>,
        line: Option<usize>,
        column: Option<usize>,
    ) -> Result<usize> {
        if let Some(line) = line {
            let lines = Lines::new(file.text());
            return lines
                .offset(Position { line, column: column.unwrap_or(0) })
                .ok_or_else(|| Error::argument(format!("no line {line}")).hint(line_count_hint(file.text())));
        }
        let symbol = symbol.ok_or_else(|| {
            Error::argument("`symbol` is missing").hint("name the symbol, or give `line` and `column`")
        })?;
        let target = TargetArgs { target: Some(symbol.to_owned()), ..TargetArgs::default() };
        match file.find(self, target.given_targets(file.description()), FindOptions { limit: 1, values: false })? {
            Found::Places(places) if !places.list.is_empty() => Ok(places.list[0].selection().start),
            _ => Err(Error::new(Kind::TargetNotFound, format!("`{symbol}` was not found"))),
        }
    }

    fn to_references(&self, places: &[ServerLocation]) -> Result<Vec<Reference>> {
        let mut shown = Vec::with_capacity(places.len());
        for of_file in places.chunk_by(|a, b| a.path == b.path) {
            let source = self.files.read(&of_file[0].path)?;
            let lines = Lines::new(&source.text);
            for place in of_file {
                let position = lines.position(place.span.start.min(source.text.len()));
                let preview = lines.line(position.line).map_or("", |line| line.slice(&source.text)).trim().to_owned();
                let (path, line, column) = (place.path.clone(), position.line, position.column);
                // Servers do not report kinds of uses.
                shown.push(Reference { path, line, column, preview, usage: "unknown", certain: true });
            }
        }
        Ok(shown)
    }
}

/// Value of `completeness`: answers of servers are not verified.
fn server_completeness(partial: Option<String>) -> String {
    match partial {
        Some(why) => format!("partial: {why}"),
        None => "syntactic: reported by the language server, not verified".to_owned(),
    }
}

/// Returns the value of `engine` in answers of this server.
pub(crate) fn engine_name(server: &str) -> String {
    format!("{ENGINE_PREFIX}{server}")
}

/// Returns whether an engine is a language server.
pub(crate) fn is_server_engine(engine: &str) -> bool {
    engine.starts_with(ENGINE_PREFIX)
}

const ENGINE_PREFIX: &str = "server:";
