//! What files answered to questions about names. A pack is a pure function of a text and of what it asks for meanwhile, so
//! an answer stands as long as all of those texts, and what there is around them, are the same.

use std::{
    any::Any,
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use marquetry_model::{
    pack::{Description, Renaming, Resolution, Subject},
    ports::Files,
};

use crate::moment::{Asking, Moment};

/// Answers that are kept, and texts that they depend on, each counted once for each answer. Beyond that all are let go.
const MOST_ANSWERS: usize = 200_000;
const MOST_READS: usize = 8_000_000;

/// What is asked of a file.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Question {
    /// Whether the name means anything here: kept where it does not, whatever was asked.
    Silence,
    /// What it is here.
    Resolution,
    /// What a new name for it does here: that name.
    Renaming(String),
}

/// What is asked of which file, about what.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Key {
    path: u32,
    subject: Arc<Subject>,
    question: Question,
}

struct Kept {
    /// The pack that answered.
    pack: Arc<Description>,
    layout: u64,
    /// The versions of the texts it depends on.
    reads: Box<[(u32, Option<u64>)]>,
    /// Nothing where the file has nothing to do with the subject.
    answer: Option<Arc<dyn Any + Send + Sync>>,
}

/// The answers of one root.
#[derive(Default)]
pub(crate) struct Answers(Mutex<Inner>);

#[derive(Default)]
struct Inner {
    numbers: HashMap<Arc<str>, u32>,
    paths: Vec<Arc<str>>,
    subjects: HashMap<Arc<Subject>, Arc<Subject>>,
    kept: HashMap<Key, Kept>,
    reads: usize,
    /// The versions of the paths, by their numbers, as they are at one moment; none for those nobody asked about yet.
    current: (u64, Vec<Option<Option<u64>>>),
}

/// An answer that may be recalled.
pub(crate) trait Answer: Any + Send + Sync + Sized {
    /// Whether it says nothing: the file has nothing to do with the subject.
    fn is_silent(&self, subject: &Subject) -> bool;
    /// What has such an answer.
    fn question(new_name: Option<&str>) -> Question;
}

impl Answer for Resolution {
    fn is_silent(&self, subject: &Subject) -> bool {
        let Subject::Declared(member) = subject else { return false };
        let (name, declared, kind) = (member.name.clone(), Some(member.clone()), self.kind.clone());
        *self == Resolution { name, kind, declared, ..Resolution::default() }
    }

    fn question(_new_name: Option<&str>) -> Question {
        Question::Resolution
    }
}

impl Answer for Renaming {
    fn is_silent(&self, subject: &Subject) -> bool {
        let Subject::Declared(member) = subject else { return false };
        let (name, declared) = (member.name.clone(), Some(member.clone()));
        *self == Renaming { name, declared, ..Renaming::default() }
    }

    fn question(new_name: Option<&str>) -> Question {
        Question::Renaming(new_name.unwrap_or_default().to_owned())
    }
}

impl Answers {
    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What the file answered, if it would answer the same now; nothing where it said nothing.
    pub(crate) fn recall<R: Answer>(
        &self,
        moment: &Moment,
        pack: &Arc<Description>,
        (path, subject): (&str, &Subject),
        new_name: Option<&str>,
    ) -> Option<Option<Arc<R>>> {
        let mut inner = self.inner();
        let path = *inner.numbers.get(path)?;
        let about = Arc::clone(inner.subjects.get(subject)?);
        let key = |question| Key { path, subject: Arc::clone(&about), question };
        if inner.standing(moment, pack, &key(Question::Silence)).is_some() {
            return Some(None);
        }
        let kept = inner.standing(moment, pack, &key(R::question(new_name)))?;
        Arc::clone(kept.answer.as_ref()?).downcast().ok().map(Some)
    }

    /// Keep what the file answered; nothing where it said nothing.
    pub(crate) fn keep<R: Answer>(
        &self,
        asking: &Asking,
        pack: &Arc<Description>,
        (path, subject): (&str, &Subject),
        new_name: Option<&str>,
        answer: Option<&Arc<R>>,
    ) {
        let reads = asking.reads();
        let mut inner = self.inner();
        if inner.kept.len() >= MOST_ANSWERS || inner.reads + reads.len() > MOST_READS {
            *inner = Inner::default();
        }
        inner.reads += reads.len();
        let question = if answer.is_some() { R::question(new_name) } else { Question::Silence };
        let key = Key { path: inner.number(path), subject: inner.subject(subject), question };
        let reads = reads.into_iter().map(|(path, version)| (inner.number(&path), version)).collect();
        let answer = answer.map(|answer| Arc::clone(answer) as Arc<dyn Any + Send + Sync>);
        inner.kept.insert(key, Kept { pack: Arc::clone(pack), layout: asking.layout(), reads, answer });
    }
}

impl Inner {
    /// What is kept under a key, if everything that it depends on is as it was.
    fn standing(&mut self, moment: &Moment, pack: &Arc<Description>, key: &Key) -> Option<&Kept> {
        if self.current.0 != moment.number() {
            self.current = (moment.number(), Vec::new());
        }
        let Inner { paths, kept, current: (_, current), .. } = self;
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
