//! Cache of the answers that packs give to questions about names. A pack is a pure function of a text and of everything
//! it reads while answering, so an answer is valid as long as all of those texts, and the layout of the workspace, are
//! unchanged.

use std::{
    any::Any,
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use marquetry_model::{
    budget::{Budget, BudgetedCache},
    hover::{Inspection, SemanticDiagnostic},
    limits,
    pack::{Description, Member, Occurrence, PackDiagnostic, RenameResult, Resolution, Subject},
    ports::Files,
};

use crate::{
    snapshot::{RecordingFiles, Snapshot},
    types::{Base, TypeFact, Types},
};

/// Estimated size of a cached answer in bytes, without its dependencies and the spans in it.
const ANSWER_BYTES: usize = 400;
/// Estimated size of the path of a dependency in bytes.
const PATH_BYTES: usize = 150;

/// The kind of question about a file.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Question {
    /// The file has no occurrence of the subject. Stored for any kind of question.
    NoOccurrence,
    /// Resolution of the subject in this file.
    Resolution,
    /// The edits in this file for a rename to a new name.
    Renaming(String),
    /// Diagnostics for the whole file.
    Inspection,
    /// The types declared in the file.
    Types,
}

/// Cache key: file, subject and kind of question.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Key {
    path: u32,
    subject: Arc<Subject>,
    question: Question,
}

struct CachedAnswer {
    /// The pack that answered.
    pack: Arc<Description>,
    layout: u64,
    /// The texts that the answer depends on, with their versions.
    reads: Box<[(u32, Option<u64>)]>,
    /// `None` if the file has no occurrence of the subject.
    answer: Option<Arc<dyn Any + Send + Sync>>,
    bytes: usize,
}

/// Cached answers of one root in two generations. An answer that is used again moves from the older to the newer
/// generation, so the older generation contains the least recently used answers.
#[derive(Default)]
pub(crate) struct Answers(Mutex<Inner>);

/// One generation of answers.
#[derive(Default)]
struct Generation {
    kept: HashMap<Key, CachedAnswer>,
    bytes: usize,
    /// Time at which the first answer of this generation was stored.
    since: u64,
}

#[derive(Default)]
struct Inner {
    numbers: HashMap<Arc<str>, u32>,
    paths: Vec<Arc<str>>,
    subjects: HashMap<Arc<Subject>, Arc<Subject>>,
    newer: Generation,
    older: Generation,
    /// Number of lasting answers that were stored after they were last listed.
    new_lasting: usize,
    /// The number of a snapshot, and the versions of paths in that snapshot, indexed by path number. A version is
    /// `None` until it is looked up.
    current: (u64, Vec<Option<Option<u64>>>),
}

/// An answer that is stored for other processes, because it does not depend on a particular declaration or new name.
pub(crate) struct Lasting {
    pub(crate) path: Arc<str>,
    /// The pack that gave the answer.
    pub(crate) pack: Arc<Description>,
    /// The texts that the answer depends on, with their versions.
    pub(crate) reads: Vec<(Arc<str>, Option<u64>)>,
    pub(crate) content: LastingContent,
}

/// Content of a lasting answer.
pub(crate) enum LastingContent {
    /// The file has no occurrence of any member with this name.
    NoMember(String),
    Types(Arc<Types>),
}

/// Returns the name if the subject is any member with this name instead of a particular member.
fn any_member_name(subject: &Subject) -> Option<&str> {
    match subject {
        Subject::Member(member) if member.locations.is_empty() && member.forms.is_empty() => Some(&member.name),
        _ => None,
    }
}

/// The type of an answer that can be cached.
pub(crate) trait Answer: Any + Send + Sync + Sized {
    /// Returns whether the answer is empty: the file has no occurrence of the subject.
    fn has_no_occurrence(&self, subject: &Subject) -> bool;
    /// Estimated size in bytes.
    fn bytes(&self) -> usize;
    /// The kind of question that has this type of answer.
    fn question(new_name: Option<&str>) -> Question;
}

impl Answer for Types {
    fn has_no_occurrence(&self, _subject: &Subject) -> bool {
        false
    }

    fn bytes(&self) -> usize {
        let base =
            |base: &Base| size_of::<Base>() + base.name.len() + base.declared.as_ref().map_or(0, |at| at.0.len());
        let one = |fact: &TypeFact| {
            size_of::<TypeFact>() + fact.name.len() + fact.address.len() + fact.bases.iter().map(base).sum::<usize>()
        };
        size_of::<Types>() + self.all.iter().map(one).sum::<usize>()
    }

    fn question(_new_name: Option<&str>) -> Question {
        Question::Types
    }
}

impl Answer for Resolution {
    fn has_no_occurrence(&self, subject: &Subject) -> bool {
        let Subject::Member(member) = subject else { return false };
        // `member` is `None` if the pack has no members of this kind.
        let (name, declared, kind) = (member.name.clone(), self.member.clone(), self.kind.clone());
        declared.as_ref().is_none_or(|declared| declared == member)
            && *self == Resolution { name, kind, member: declared, ..Resolution::default() }
    }

    fn bytes(&self) -> usize {
        size_of::<Resolution>() + self.occurrences.len() * size_of::<Occurrence>()
    }

    fn question(_new_name: Option<&str>) -> Question {
        Question::Resolution
    }
}

impl Answer for RenameResult {
    fn has_no_occurrence(&self, subject: &Subject) -> bool {
        let Subject::Member(member) = subject else { return false };
        let (name, declared) = (member.name.clone(), self.declared.clone());
        declared.as_ref().is_none_or(|declared| declared == member)
            && *self == RenameResult { name, declared, ..RenameResult::default() }
    }

    fn bytes(&self) -> usize {
        let edits = self.edits.as_slice().iter().map(|edit| size_of_val(edit) + edit.text.len());
        size_of::<RenameResult>() + edits.sum::<usize>() + size_of_val(self.unresolved.as_slice())
    }

    fn question(new_name: Option<&str>) -> Question {
        Question::Renaming(new_name.unwrap_or_default().to_owned())
    }
}

impl Answer for Inspection {
    fn has_no_occurrence(&self, _subject: &Subject) -> bool {
        false
    }

    fn bytes(&self) -> usize {
        let text = |problem: &PackDiagnostic| size_of::<PackDiagnostic>() + problem.message.len();
        let findings =
            self.semantic.diagnostics.iter().map(|finding| size_of::<SemanticDiagnostic>() + text(&finding.diagnostic));
        size_of::<Inspection>() + self.syntax.iter().map(text).sum::<usize>() + findings.sum::<usize>()
    }

    fn question(_new_name: Option<&str>) -> Question {
        Question::Inspection
    }
}

impl Answers {
    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the cached answer if it is still valid. The inner `None` means that the file has no occurrence of the
    /// subject.
    pub(crate) fn recall<R: Answer>(
        &self,
        moment: &Snapshot,
        pack: &Arc<Description>,
        (path, subject): (&str, &Subject),
        new_name: Option<&str>,
    ) -> Option<Option<Arc<R>>> {
        let mut inner = self.inner();
        let path = *inner.numbers.get(path)?;
        let about = Arc::clone(inner.subjects.get(subject)?);
        let key = |question| Key { path, subject: Arc::clone(&about), question };
        if inner.valid_answer(moment, pack, &key(Question::NoOccurrence)).is_some() {
            return Some(None);
        }
        let kept = inner.valid_answer(moment, pack, &key(R::question(new_name)))?;
        Arc::clone(kept.answer.as_ref()?).downcast().ok().map(Some)
    }

    /// Caches an answer; `None` if the file has no occurrence of the subject.
    pub(crate) fn keep<R: Answer>(
        &self,
        asking: &RecordingFiles,
        pack: &Arc<Description>,
        (path, subject): (&str, &Subject),
        new_name: Option<&str>,
        answer: Option<&Arc<R>>,
    ) {
        let reads = asking.reads();
        let mut inner = self.inner();
        if inner.newer.bytes > limits::CACHE_ANSWERS / 2 {
            inner.start_generation();
        }
        let bytes =
            ANSWER_BYTES + reads.len() * size_of::<(u32, Option<u64>)>() + answer.map_or(0, |answer| answer.bytes());
        let question = if answer.is_some() { R::question(new_name) } else { Question::NoOccurrence };
        let key = Key { path: inner.number(path), subject: inner.subject(subject), question: question.clone() };
        let reads = reads.into_iter().map(|(path, version)| (inner.number(&path), version)).collect();
        let is_lasting = question == Question::Types || answer.is_none() && any_member_name(subject).is_some();
        inner.new_lasting += usize::from(is_lasting);
        let answer = answer.map(|answer| Arc::clone(answer) as Arc<dyn Any + Send + Sync>);
        inner.older.remove(&key);
        inner.newer.insert(key, CachedAnswer { pack: Arc::clone(pack), layout: asking.layout(), reads, answer, bytes });
        drop(inner);
        Budget::global().trim();
    }
}

impl Answers {
    /// Number of lasting answers that were stored after the last call of `lasting`.
    pub(crate) fn new_lasting(&self) -> usize {
        self.inner().new_lasting
    }

    /// Returns all lasting answers that are still valid and resets the count of new ones.
    pub(crate) fn lasting(&self, moment: &Snapshot) -> Vec<Lasting> {
        let mut inner = self.inner();
        inner.new_lasting = 0;
        let Inner { paths, newer, older, .. } = &*inner;
        let all = [newer, older].into_iter().flat_map(|half| &half.kept);
        let mut versions: HashMap<u32, Option<u64>> = HashMap::new();
        let mut found = Vec::new();
        for (key, kept) in all.filter(|(_, kept)| kept.layout == moment.layout()) {
            let Some(content) = lasting_content(key, kept) else { continue };
            let mut is_same = |(path, known): &(u32, Option<u64>)| {
                let version = || moment.version(&paths[*path as usize]);
                *versions.entry(*path).or_insert_with(version) == *known
            };
            if kept.reads.iter().all(&mut is_same) {
                let path = |number: u32| Arc::clone(&paths[number as usize]);
                let reads = kept.reads.iter().map(|(read, version)| (path(*read), *version)).collect();
                found.push(Lasting { path: path(key.path), pack: Arc::clone(&kept.pack), reads, content });
            }
        }
        found
    }

    /// Adds an answer that another process stored.
    pub(crate) fn restore(&self, moment: &Snapshot, lasting: Lasting) {
        let mut inner = self.inner();
        let (subject, question, answer) = match lasting.content {
            LastingContent::NoMember(name) => {
                (Subject::Member(Member { name, ..Member::default() }), Question::NoOccurrence, None)
            }
            LastingContent::Types(types) => (Subject::At(0), Question::Types, Some(types)),
        };
        let key = Key { path: inner.number(&lasting.path), subject: inner.subject(&subject), question };
        let reads: Box<[_]> = lasting.reads.iter().map(|(path, version)| (inner.number(path), *version)).collect();
        let bytes = ANSWER_BYTES + size_of_val(reads.as_ref()) + answer.as_ref().map_or(0, |types| types.bytes());
        let answer = answer.map(|types| types as Arc<dyn Any + Send + Sync>);
        inner.newer.insert(key, CachedAnswer { pack: lasting.pack, layout: moment.layout(), reads, answer, bytes });
    }
}

/// The content of an answer, if the answer is a lasting one.
fn lasting_content(key: &Key, kept: &CachedAnswer) -> Option<LastingContent> {
    match (&key.question, &kept.answer) {
        (Question::NoOccurrence, _) => {
            any_member_name(&key.subject).map(|name| LastingContent::NoMember(name.to_owned()))
        }
        (Question::Types, Some(answer)) => Arc::clone(answer).downcast().ok().map(LastingContent::Types),
        _ => None,
    }
}

impl Generation {
    fn insert(&mut self, key: Key, kept: CachedAnswer) {
        if self.kept.is_empty() {
            self.since = Budget::global().next_timestamp();
        }
        self.bytes += kept.bytes;
        if let Some(before) = self.kept.insert(key, kept) {
            self.bytes -= before.bytes;
        }
    }

    fn remove(&mut self, key: &Key) -> Option<CachedAnswer> {
        let kept = self.kept.remove(key)?;
        self.bytes -= kept.bytes;
        Some(kept)
    }
}

impl Inner {
    /// Starts a new generation: drops the older answers, and makes the newer answers the older ones.
    fn start_generation(&mut self) {
        self.older = std::mem::take(&mut self.newer);
        if self.older.kept.is_empty() {
            // No cached answer refers to a path any more.
            *self = Inner::default();
        }
    }

    fn bytes(&self) -> usize {
        self.newer.bytes + self.older.bytes + self.paths.len() * PATH_BYTES
    }

    /// Returns the cached answer for a key if all its dependencies are unchanged.
    fn valid_answer(&mut self, moment: &Snapshot, pack: &Arc<Description>, key: &Key) -> Option<&CachedAnswer> {
        if self.current.0 != moment.number() {
            self.current = (moment.number(), Vec::new());
        }
        let Inner { paths, newer, older, current: (_, current), .. } = self;
        if let Some(kept) = older.remove(key) {
            newer.insert(key.clone(), kept);
        }
        let kept = &newer.kept;
        current.resize(paths.len(), None);
        let kept = kept.get(key).filter(|kept| Arc::ptr_eq(&kept.pack, pack) && kept.layout == moment.layout())?;
        let version = |path: usize, current: &mut Vec<Option<Option<u64>>>| {
            *current[path].get_or_insert_with(|| moment.version(&paths[path]))
        };
        let same = kept.reads.iter().all(|(path, known)| version(*path as usize, current) == *known);
        same.then_some(kept)
    }

    fn number(&mut self, path: &str) -> u32 {
        if let Some(number) = self.numbers.get(path) {
            return *number;
        }
        let number = u32::try_from(self.paths.len()).unwrap_or(u32::MAX);
        let path: Arc<str> = Arc::from(path);
        self.paths.push(Arc::clone(&path));
        self.numbers.insert(path, number);
        number
    }

    fn subject(&mut self, subject: &Subject) -> Arc<Subject> {
        if let Some(known) = self.subjects.get(subject) {
            return Arc::clone(known);
        }
        let subject = Arc::new(subject.clone());
        self.subjects.insert(Arc::clone(&subject), Arc::clone(&subject));
        subject
    }
}

impl BudgetedCache for Answers {
    fn bytes(&self) -> usize {
        self.inner().bytes()
    }

    fn oldest_use(&self) -> Option<u64> {
        let inner = self.inner();
        let half = if inner.older.kept.is_empty() { &inner.newer } else { &inner.older };
        (inner.bytes() > 0).then_some(half.since)
    }

    fn evict_oldest(&self) {
        self.inner().start_generation();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keep(answers: &Answers, path: &str, bytes: usize) {
        let mut inner = answers.inner();
        let subject = Subject::Address("x".to_owned());
        let key = Key { path: inner.number(path), subject: inner.subject(&subject), question: Question::Resolution };
        let kept = CachedAnswer { pack: Arc::default(), layout: 0, reads: Box::default(), answer: None, bytes };
        inner.newer.insert(key, kept);
    }

    #[test]
    fn oldest_answers_are_dropped_first() {
        let answers = Answers::default();
        assert_eq!((answers.bytes(), answers.oldest_use()), (0, None));
        keep(&answers, "a", 1000);
        keep(&answers, "a", 500);
        assert_eq!(answers.bytes(), 500 + PATH_BYTES, "a newer answer replaces the older one");
        let first = answers.oldest_use();
        answers.evict_oldest();
        keep(&answers, "b", 10);
        assert_eq!((answers.bytes(), answers.oldest_use()), (510 + 2 * PATH_BYTES, first));
        answers.evict_oldest();
        assert_eq!(answers.bytes(), 10 + 2 * PATH_BYTES);
        assert!(answers.oldest_use() > first);
        answers.evict_oldest();
        assert_eq!((answers.bytes(), answers.oldest_use()), (0, None), "nothing depends on any path any more");
    }
}
