//! Names by which texts of any format refer to files, in addition to links and paths: modules and packages in settings,
//! commands and strings. The packs of the files know these names and find their occurrences ([`Interface::Mentions`]).
//! Such an occurrence is not certainly a reference, so it is only listed.

use std::{borrow::Cow, collections::BTreeMap, sync::Arc};

use marquetry_graph::{Entry, Workspace, parallel_map_with};
use marquetry_model::{
    Error, Interface, Kind, Relocations, Result, Span, is_below,
    mentions::{Mention, SearchedText, TextName},
    ports::Pack,
    text::Lines,
};

use crate::{
    generated_files::is_generated,
    mentioned_names::MAX_SEARCHED_SIZE,
    mentioned_paths::{MentionedPath, RelocatedPaths},
    result_types::Location,
    session::Session,
    undecodable::undecodable_text,
    words::whole_word_offsets,
};

/// Names of some files and folders, from one pack.
struct FileNames {
    pack: Arc<dyn Pack>,
    names: Vec<TextName>,
}

impl FileNames {
    fn may_be_in(&self, entry: &Entry) -> bool {
        self.names.iter().any(|it| entry.may_hold(&it.name))
    }

    /// The occurrences in a text, in order, each with a term for the kind of thing that the name refers to.
    fn places(&self, source: SearchedText<'_>) -> Result<Vec<(Mention, &str)>> {
        let is_present = |it: &&TextName| memchr::memmem::find(source.text.as_bytes(), it.name.as_bytes()).is_some();
        let present: Vec<&TextName> = self.names.iter().filter(is_present).collect();
        if present.is_empty() {
            return Ok(Vec::new());
        }
        let mut found = if self.pack.may_receive(source.path) {
            let asked: Vec<TextName> = present.iter().copied().cloned().collect();
            self.pack.find_mentions(&asked, source)?
        } else {
            whole_names(&present, source.text)
        };
        found.sort_by_key(|mention| (mention.span.start, mention.span.end));
        found.dedup_by_key(|mention| mention.span.start);
        Ok(found.into_iter().map(|mention| (mention, present[mention.name].kind.as_str())).collect())
    }
}

/// The occurrences of names in a text that the pack may not receive. A name that is a single word could mean anything,
/// so it is left out.
fn whole_names(names: &[&TextName], text: &str) -> Vec<Mention> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
    let several = names.iter().enumerate().filter(|(_, it)| !it.name.chars().all(is_part));
    let places = several.flat_map(|(name, it)| {
        let length = it.name.len();
        let mention = move |at: usize| Mention { name, span: Span::new(at, at + length), member: None };
        whole_word_offsets(text, &it.name).into_iter().map(mention)
    });
    places.collect()
}

impl Session {
    /// Finds texts that mention relocated files by name.
    pub(crate) fn text_mentions(&self, going: &RelocatedPaths<'_>) -> Result<Vec<MentionedPath>> {
        let is_searched = |entry: &Entry| going.moves.is_some() || !going.is_relocated(&entry.path);
        let files = (going.workspace, going.paths.as_slice(), going.moves);
        self.search_text_names(files, is_searched, |entry, text, (place, kind)| MentionedPath {
            file: entry.path.clone(),
            line: Lines::new(text).position(place.span.start).line,
            path: place.span.slice(text).to_owned(),
            why: format!("not updated: the text names the {kind}").into(),
        })
    }

    /// Finds texts that name a declaration together with its file: `"shop.views.index"`, `shop.views:index`.
    /// Returns the offset and the location of the name itself.
    pub(crate) fn member_mentions(
        &self,
        workspace: &Workspace,
        file: &str,
        name: &str,
    ) -> Result<Vec<(usize, Location)>> {
        let is_searched = |entry: &Entry| entry.may_hold(name);
        let found = self.search_text_names((workspace, &[file], None), is_searched, |entry, text, (place, _)| {
            let member = place.member.filter(|member| member.slice(text) == name)?;
            Some((member.start, Location::new(&entry.path, Lines::new(text).position(member.start))))
        })?;
        Ok(found.into_iter().flatten().collect())
    }

    fn search_text_names<T: Send>(
        &self,
        (workspace, paths, moves): (&Workspace, &[&str], Option<&Relocations>),
        is_searched: impl Fn(&Entry) -> bool,
        shown: impl Fn(&Entry, &str, (Mention, &str)) -> T + Sync,
    ) -> Result<Vec<T>> {
        let mut all = Vec::new();
        for names in self.file_names(workspace, paths, moves)? {
            let mut read: Vec<(&Entry, bool)> = Vec::new();
            for entry in workspace.files() {
                if names.may_be_in(entry) && !is_generated(&entry.path) && is_searched(entry) {
                    read.push((entry, self.is_code(entry)?));
                }
            }
            let stage = self.work.stage("looking for names of files", read.len());
            let found = parallel_map_with(
                &read,
                || self.files.reader(),
                |reader, (entry, is_code): &(&Entry, bool)| {
                    stage.step()?;
                    let text = match reader.text(&entry.path, MAX_SEARCHED_SIZE) {
                        Err(error) if error.kind() == Kind::Unsupported => {
                            undecodable_text(self.files.as_ref(), &entry.path, entry.size).map(Cow::Owned)
                        }
                        text => text?,
                    };
                    let Some(text) = text.as_deref() else { return Ok(Vec::new()) };
                    let places = names.places(SearchedText { path: &entry.path, text, is_code: *is_code })?;
                    Ok::<_, Error>(places.into_iter().map(|place| shown(entry, text, place)).collect())
                },
            );
            for found in found {
                match found {
                    Ok(found) => all.extend::<Vec<T>>(found),
                    // A file that was deleted meanwhile contains no names.
                    Err(error) if error.kind() == Kind::FileNotFound => {}
                    Err(error) => return Err(error),
                }
            }
        }
        Ok(all)
    }

    /// The names of files and folders, from the packs of these files and of the files in the folders. Names that do not
    /// change when the files move are left out.
    fn file_names(&self, workspace: &Workspace, paths: &[&str], moves: Option<&Relocations>) -> Result<Vec<FileNames>> {
        // For each pack, the path of one of its files, and the paths to get names for.
        let mut by_pack: BTreeMap<&str, (&str, Vec<&str>)> = BTreeMap::new();
        for path in paths {
            let below = workspace.files_from(path).take_while(|entry| entry.path.starts_with(path));
            let own = below.filter(|entry| entry.path == *path || is_below(&entry.path, path));
            for entry in own.filter(|entry| !entry.engine.is_empty()) {
                let (_, known) = by_pack.entry(&entry.engine).or_insert_with(|| (&entry.path, Vec::new()));
                if known.last() != Some(path) {
                    known.push(path);
                }
            }
        }
        let mut all = Vec::new();
        for (file, paths) in by_pack.into_values() {
            let pack = self.packs.for_path(&self.files, file)?;
            if !pack.has_interface(Interface::Mentions) {
                continue;
            }
            let mut names = pack.text_names(&paths)?;
            if let Some(moves) = moves.filter(|_| !names.is_empty()) {
                let after: Vec<String> = paths.iter().map(|path| moves.path_after(path)).collect();
                let kept = pack.text_names(&after.iter().map(String::as_str).collect::<Vec<_>>())?;
                names.retain(|it| kept.iter().all(|after| after.name != it.name));
            }
            all.push(FileNames { pack, names });
        }
        Ok(all)
    }

    /// Returns whether a file is code, in which a name outside of quotes may be an expression of its language.
    fn is_code(&self, entry: &Entry) -> Result<bool> {
        if entry.engine.is_empty() {
            return Ok(false);
        }
        let pack = self.packs.for_path(&self.files, &entry.path)?;
        Ok(pack.has_interface(Interface::Search))
    }
}
