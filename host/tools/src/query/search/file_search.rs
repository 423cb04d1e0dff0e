//! Searches one file: counts its matches, and returns some of them.

use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use marquetry_graph::Workspace;
use marquetry_model::{
    Error, Interface, Kind, Result, Span,
    error::Content,
    limits,
    pack::{Target, TargetKind},
    ports::{FileStamp, Pack, Source, WalkedFiles, WalkedNames},
    reader::Reader,
    structural_search::{PatternInfo, StructureMatch},
};

use super::{
    arguments::{SearchQuery, SearchSubject},
    text::TextSearch,
};
use crate::{
    document::{FindOptions, Found, OpenFile},
    session::Session,
    target::{supports_kind, supports_only_lines},
    undecodable::undecodable_text,
};

/// A prepared search with the files to search.
pub(super) struct FileSearch<'s> {
    session: &'s Session,
    pub(super) subject: PreparedSubject,
    region: Option<String>,
    pub(super) files: Arc<[FileStamp]>,
    /// Folders that could not be walked, and globs without matches.
    pub(super) skipped: Vec<String>,
    /// The latest index, if an index exists. The index has the words of files that have not changed since it was built.
    known: Option<Arc<Workspace>>,
    /// Endings of files whose packs support the target. In other files, it may be in embedded parts.
    own: BTreeSet<String>,
}

/// Subject of a prepared search.
pub(super) enum PreparedSubject {
    Words {
        search: TextSearch,
        word: Option<String>,
    },
    /// The parsed pattern per file extension.
    Structure {
        pattern: String,
        read: BTreeMap<String, PatternInfo>,
    },
    Target(Target),
}

/// A match.
pub(super) struct Hit {
    pub(super) span: Span,
    pub(super) captures: Vec<(String, Span)>,
    /// Address, kind of target and kind of node, if the match is a node.
    pub(super) place: Option<(String, TargetKind, String)>,
}

/// Maximum number of files that are opened to find embedded parts if nothing was found. Among more files, a search without
/// support for its target is not an error, because that is not proven.
const MAX_EXAMINED: usize = 200;
/// Maximum number of matches per file.
const MAX_HITS: usize = 100_000;

impl<'s> FileSearch<'s> {
    pub(super) fn new(session: &'s Session, query: &SearchQuery) -> Result<FileSearch<'s>> {
        let of = match &query.what {
            SearchSubject::Words(words) => {
                let is_word = words.whole_word && !words.is_regex && !words.ignore_case;
                PreparedSubject::Words { search: TextSearch::new(words)?, word: is_word.then(|| words.text.clone()) }
            }
            SearchSubject::Structure(pattern) => {
                PreparedSubject::Structure { pattern: pattern.clone(), read: BTreeMap::new() }
            }
            SearchSubject::Target(target) => PreparedSubject::Target(target.clone()),
        };
        // The index can only find whole words.
        let has_words = !matches!(of, PreparedSubject::Words { word: None, .. } | PreparedSubject::Target(_));
        let known = if has_words { session.graph.latest(&session.files) } else { None };
        let (files, skipped) = files(session, query.files.as_deref(), known.is_some())?;
        let region = query.region.clone();
        let own = BTreeSet::new();
        let mut look = FileSearch { session, subject: of, region, files, skipped, known, own };
        match &look.subject {
            PreparedSubject::Structure { pattern, .. } => {
                let pattern = pattern.clone();
                look.read_pattern(&pattern)?;
            }
            PreparedSubject::Target(target) => {
                let kind = target.kind;
                look.keep_supported_files(kind)?;
            }
            PreparedSubject::Words { .. } => {}
        }
        Ok(look)
    }

    /// Parses the pattern for each kind of file with structural search. Files for which it is not valid are skipped.
    fn read_pattern(&mut self, pattern: &str) -> Result<()> {
        let mut read: BTreeMap<String, PatternInfo> = BTreeMap::new();
        let mut wrong: BTreeMap<String, Error> = BTreeMap::new();
        let mut others: BTreeMap<String, ()> = BTreeMap::new();
        for file in self.files.iter() {
            let key = file_ending(&file.path);
            if read.contains_key(key) || wrong.contains_key(key) || others.contains_key(key) {
                continue;
            }
            match self.pack(&file.path)?.filter(|pack| pack.has_interface(Interface::Search)) {
                None => _ = others.insert(key.to_owned(), ()),
                Some(pack) => match pack.parse_pattern(&file.path, pattern) {
                    Ok(help) => _ = read.insert(key.to_owned(), help),
                    Err(error) if matches!(error.kind(), Kind::Cancelled | Kind::PluginFailed) => return Err(error),
                    Err(error) => _ = wrong.insert(key.to_owned(), error),
                },
            }
        }
        if read.is_empty() {
            return Err(wrong.into_values().next().unwrap_or_else(|| self.no_structural_search()));
        }
        self.files = self.files.iter().filter(|file| read.contains_key(file_ending(&file.path))).cloned().collect();
        self.subject = PreparedSubject::Structure { pattern: pattern.to_owned(), read };
        Ok(())
    }

    fn no_structural_search(&self) -> Error {
        let session = self.session;
        let mut with = Vec::new();
        for description in session.packs.descriptions(&session.files) {
            let example = description.files.first().map(|glob| glob.replace('*', "a"));
            if let Some(path) = example
                && session.packs.for_path(&session.files, &path).is_ok_and(|pack| pack.has_interface(Interface::Search))
            {
                with.push(format!("{}: {}", description.name, description.files.join(" ")));
            }
        }
        Error::new(Kind::Unsupported, "none of these files supports structural search")
            .hint(
                "`pattern` works in files of the candidates; in other files use a target (`path: \"$..name\"`, \
                 `heading`, `region`), and in any file `text` or `regex`",
            )
            .candidates(with)
    }

    /// Keeps the files whose packs support the kind of target, and those that may have embedded parts whose packs do.
    fn keep_supported_files(&mut self, kind: TargetKind) -> Result<()> {
        let mut known: BTreeMap<String, bool> = BTreeMap::new();
        let mut kept = Vec::new();
        for file in self.files.iter() {
            let key = file_ending(&file.path);
            let takes = match known.get(key) {
                Some(takes) => *takes,
                None => {
                    let pack = self.pack(&file.path)?;
                    let description = pack.as_ref().map(|pack| pack.description());
                    if description.is_some_and(|known| supports_kind(known, kind)) {
                        self.own.insert(key.to_owned());
                    }
                    let may_embed =
                        may_be_embedded(kind) && description.is_some_and(|known| !supports_only_lines(known));
                    known.insert(key.to_owned(), may_embed || self.own.contains(key));
                    may_embed || self.own.contains(key)
                }
            };
            if takes {
                kept.push(file.clone());
            }
        }
        if kept.is_empty() {
            return Err(unsupported_everywhere(kind));
        }
        self.files = kept.into();
        Ok(())
    }

    /// Fails if neither a file nor an embedded part supports the kind of target.
    pub(super) fn check_support(&self) -> Result<()> {
        let PreparedSubject::Target(target) = &self.subject else { return Ok(()) };
        if self.files.iter().any(|file| self.own.contains(file_ending(&file.path))) {
            return Ok(());
        }
        if self.files.len() > MAX_EXAMINED {
            return Ok(());
        }
        for file in self.files.iter() {
            if self.open(&file.path).is_ok_and(|file| file.has_parts_for(self.session, target.kind).unwrap_or(true)) {
                return Ok(());
            }
        }
        Err(unsupported_everywhere(target.kind))
    }

    /// Returns the pack of a file; `None` if no plugin reads it.
    fn pack(&self, path: &str) -> Result<Option<Arc<dyn Pack>>> {
        match self.session.packs.for_path(&self.session.files, path) {
            Ok(pack) => Ok(Some(pack)),
            Err(error) if error.kind() == Kind::Unsupported => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Counts the matches in a file. `None` if nothing in the file supports the target.
    pub(super) fn count(&self, reader: &mut dyn Reader, file: &FileStamp) -> Result<Option<usize>> {
        let may_have = |words: &[String]| {
            let known = self.known.as_ref();
            known.is_none_or(|known| words.iter().all(|word| known.may_hold(file, word)))
        };
        match &self.subject {
            PreparedSubject::Words { search, word } => {
                if !may_have(word.as_slice()) {
                    return Ok(Some(0));
                }
                let count = search.count(&self.text(reader, &file.path)?)?;
                if count == 0 || self.region.is_none() {
                    return Ok(Some(count));
                }
            }
            PreparedSubject::Structure { read, .. } => {
                let Some(help) = read.get(file_ending(&file.path)) else { return Ok(Some(0)) };
                if !may_have(&help.required_words) {
                    return Ok(Some(0));
                }
                let text = self.text(reader, &file.path)?;
                let has = |word: &String| memchr::memmem::find(text.as_bytes(), word.as_bytes()).is_some();
                if !help.required_words.iter().all(has) {
                    return Ok(Some(0));
                }
            }
            PreparedSubject::Target(target) if !self.own.contains(file_ending(&file.path)) => {
                let text = self.text(reader, &file.path)?;
                let word = first_word(&target.value);
                if memchr::memmem::find(text.as_bytes(), word.as_bytes()).is_none() {
                    return Ok(None);
                }
                let open = self.open(&file.path)?;
                let is_searched = open.has_parts_for(self.session, target.kind)?;
                return is_searched.then(|| Ok(self.hits(&open, 0, usize::MAX)?.1)).transpose();
            }
            PreparedSubject::Target(_) => {}
        }
        let open = self.open(&file.path)?;
        Ok(Some(self.hits(&open, 0, usize::MAX)?.1))
    }

    /// Returns whether a file of a known format that could not be decoded may have matches.
    pub(super) fn may_match_undecoded(&self, path: &str) -> Result<bool> {
        let Some(pack) = self.pack(path)?.filter(|pack| !supports_only_lines(pack.description())) else {
            return Ok(false);
        };
        let Some(text) = undecodable_text(self.session.files.as_ref(), path, 0) else { return Ok(false) };
        match &self.subject {
            PreparedSubject::Words { search, .. } => Ok(search.count(&text)? > 0),
            PreparedSubject::Structure { .. } => Ok(pack.has_interface(Interface::Search)),
            PreparedSubject::Target(target) => Ok(supports_kind(pack.description(), target.kind)),
        }
    }

    fn text<'r>(&self, reader: &'r mut dyn Reader, path: &str) -> Result<Cow<'r, str>> {
        match reader.text(path, limits::LARGEST_DOCUMENT)? {
            Some(text) => Ok(text),
            None => Ok(self.session.files.text(path)?.to_string().into()),
        }
    }

    /// Returns at most `most` matches of a file from `skip` on, and the number of matches that were counted.
    pub(super) fn hits(&self, file: &OpenFile, skip: usize, most: usize) -> Result<(Vec<Hit>, usize)> {
        let regions = match self.regions(file)? {
            Some(regions) if regions.is_empty() => return Ok((Vec::new(), 0)),
            other => other,
        };
        let inside = |span: Span| regions.as_ref().is_none_or(|list| list.iter().any(|region| region.contains(span)));
        let plain = |span: Span| Hit { span, captures: Vec::new(), place: None };
        let all: Vec<Hit> = match &self.subject {
            PreparedSubject::Words { search, .. } => {
                // Without regions, only the requested matches are collected.
                let (skip, most) = if regions.is_some() { (0, MAX_HITS) } else { (skip, most.min(MAX_HITS)) };
                search.spans(file.text(), skip, most)?.into_iter().map(plain).collect()
            }
            PreparedSubject::Structure { pattern, .. } => {
                let found = file.ask(|document| document.structural_matches(pattern, MAX_HITS))?;
                if regions.is_none() && found.total > found.matches.len() && most == usize::MAX {
                    return Ok((Vec::new(), found.total));
                }
                let hit = |found: StructureMatch| Hit { captures: found.captures, ..plain(found.span) };
                found.matches.into_iter().map(hit).collect()
            }
            PreparedSubject::Target(target) => {
                match self.places(file, target, skip.saturating_add(most).min(MAX_HITS))? {
                    (hits, total) if regions.is_none() => {
                        return Ok((hits.into_iter().skip(skip).take(most).collect(), total));
                    }
                    (hits, _) => hits,
                }
            }
        };
        let words_only = matches!(self.subject, PreparedSubject::Words { .. }) && regions.is_none();
        let within: Vec<Hit> = all.into_iter().filter(|hit| inside(hit.span)).collect();
        let total = within.len();
        let skip = if words_only { 0 } else { skip };
        Ok((within.into_iter().skip(skip).take(most).collect(), total))
    }

    /// Returns the regions of a file to search; `None` for the whole file.
    fn regions(&self, file: &OpenFile) -> Result<Option<Vec<Span>>> {
        let Some(region) = &self.region else { return Ok(None) };
        if !supports_kind(file.description(), TargetKind::Region) {
            return Ok(Some(Vec::new()));
        }
        let target = Target { kind: TargetKind::Region, value: region.clone() };
        let (hits, _) = self.places(file, &target, MAX_HITS)?;
        Ok(Some(hits.into_iter().map(|hit| hit.span).collect()))
    }

    fn places(&self, file: &OpenFile, target: &Target, limit: usize) -> Result<(Vec<Hit>, usize)> {
        let wanted = FindOptions { limit: limit.max(1), values: false };
        let places = match file.find_in_all_parts(self.session, target, wanted) {
            Ok(Found::Places(places)) => places,
            Ok(Found::Value(_)) => {
                return Err(Error::argument(format!("`{}` gives a value, not nodes", target.value))
                    .hint("search for nodes: `//item[@id]` and not `count(//item)`"));
            }
            Err(error) if error.kind() == Kind::TargetNotFound => return Ok((Vec::new(), 0)),
            // Other formats have other regions, so a missing region is not an error.
            Err(error)
                if target.kind == TargetKind::Region
                    && matches!(error.kind(), Kind::InvalidTarget | Kind::InvalidArgument) =>
            {
                return Ok((Vec::new(), 0));
            }
            Err(error) => return Err(error),
        };
        let hit = |place: &crate::document::NodeLocation| Hit {
            span: place.span(),
            captures: Vec::new(),
            place: Some((place.address().to_owned(), target.kind, place.kind().to_owned())),
        };
        // A missing region has an empty span at the position where it would be inserted. Such a region has no matches.
        let is_there =
            |place: &&crate::document::NodeLocation| target.kind != TargetKind::Region || !place.span().is_empty();
        let hits: Vec<Hit> = places.list.iter().filter(is_there).map(hit).collect();
        let missing = places.list.len() - hits.len();
        Ok((hits, places.total - missing))
    }

    /// Opens a file to show its matches.
    pub(super) fn open(&self, path: &str) -> Result<OpenFile> {
        let source: Source = self.session.files.read(path)?;
        self.session.open_source(source)
    }
}

/// Returns whether a search also finds targets of a kind in embedded parts, such as a rule in a style of a component.
fn may_be_embedded(kind: TargetKind) -> bool {
    matches!(kind, TargetKind::Selector | TargetKind::Symbol)
}

/// The first word of a selector or a symbol, which every text with the target contains. Empty if another sign precedes
/// it, such as the `:` of `:first-child`, which a page does not contain.
fn first_word(target: &str) -> &str {
    let word = target.trim_start().trim_start_matches(['.', '#']);
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_');
    word.split(|c: char| !is_part(c)).next().unwrap_or_default()
}

fn unsupported_everywhere(kind: TargetKind) -> Error {
    Error::argument(format!("none of these files supports targets by `{}`", kind.name()))
        .hint("`marq plugin list` shows the targets of each format; `text` searches any file")
}

/// Key for the dialect of a file: the extension, or the whole name of a file without an extension.
fn file_ending(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.rfind('.').filter(|at| *at > 0).map_or(name, |at| &name[at..])
}

/// Returns the sorted files to search, and the folders and globs that could not be walked. Sizes and times are read
/// only if `stamped` is set.
fn files(session: &Session, given: Option<&[String]>, stamped: bool) -> Result<(Arc<[FileStamp]>, Vec<String>)> {
    let unstamped = |path: String| FileStamp { path, size: 0, modified: 0 };
    let Some(given) = given.filter(|given| !given.is_empty()) else {
        let WalkedFiles { files, skipped } = if stamped {
            session.files.walk_with_skipped("")?
        } else {
            let WalkedNames { files, skipped } = session.files.walk_names("")?;
            WalkedFiles { files: files.into_iter().map(unstamped).collect(), skipped }
        };
        session.work.note_walk(&files);
        let skipped = skipped.into_iter().map(|entry| format!("{}: {}", entry.path, entry.reason));
        return Ok((files, skipped.collect()));
    };
    let stamps = if stamped { session.files.walk("")? } else { Vec::new() };
    let mut given = given.to_vec();
    if given.iter().all(|glob| glob.trim().starts_with('!')) {
        given.push("**".to_owned());
    }
    let selection = session.select(&given)?;
    let stamp = |path: String| match stamps.binary_search_by(|stamp| stamp.path.as_str().cmp(&path)) {
        Ok(index) => stamps[index].clone(),
        // The file was given by path and is ignored, or its stamp is not needed.
        Err(_) => unstamped(path),
    };
    let (mut files, mut missing) = (Vec::new(), Vec::new());
    for file in selection.files {
        match file.named.then(|| session.existing_path(&file.path)) {
            Some(Err(error)) => missing.push(error),
            named => {
                if named.is_some() {
                    session.work.name_file(&file.path);
                }
                files.push(stamp(file.path));
            }
        }
    }
    if let Some(error) = missing.first().filter(|_| files.is_empty()) {
        return Err(error.clone());
    }
    files.sort_unstable_by(|a, b| a.path.cmp(&b.path));
    let mut skipped: Vec<String> = selection.unmatched.into_iter().map(|(_, error)| error.to_string()).collect();
    skipped.extend(missing.iter().map(|error| {
        let Content { message, candidates, .. } = error.content();
        if candidates.is_empty() { message.clone() } else { format!("{message}; near: {}", candidates.join(", ")) }
    }));
    Ok((files.into(), skipped))
}
