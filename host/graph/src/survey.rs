//! Questions about names, put to the files of a workspace by one call.

use std::sync::Arc;

use marquetry_model::{
    Result, Work,
    insight::{Findings, Inspection},
    pack::{Member, Renaming, Resolution, Subject},
    ports::{Document, Files, Pack, Packs, Source},
};

use crate::{
    answers::{Answer, Answers},
    counts::{Count, Counted, Counts},
    moment::{Asking, Moment},
    types::Types,
};

/// The files of a workspace, as one call asks them. What a file answered before is recalled instead of asked again, as long
/// as the file, and everything that it was seen to look at for that answer, is what it was.
pub struct Survey {
    /// As they are on disk.
    files: Arc<dyn Files>,
    /// None where nothing was walked.
    walked: Option<Walked>,
    packs: Arc<dyn Packs>,
    work: Work,
}

/// The files as they were walked, with what they answered.
struct Walked {
    moment: Arc<Moment>,
    answers: Arc<Answers>,
    counts: Arc<Counts>,
}

impl Survey {
    /// Questions to so few files that no index is worth its while.
    pub fn of_few(files: &Arc<dyn Files>, packs: &Arc<dyn Packs>, work: &Work) -> Survey {
        Survey { files: Arc::clone(files), walked: None, packs: Arc::clone(packs), work: work.clone() }
    }

    pub(crate) fn of_all(
        files: &Arc<dyn Files>,
        packs: &Arc<dyn Packs>,
        work: &Work,
        moment: Arc<Moment>,
        (answers, counts): (&Arc<Answers>, &Arc<Counts>),
    ) -> Survey {
        let walked = Walked { moment, answers: Arc::clone(answers), counts: Arc::clone(counts) };
        Survey { walked: Some(walked), ..Survey::of_few(files, packs, work) }
    }

    pub(crate) fn moment(&self) -> Option<&Moment> {
        self.walked.as_ref().map(|walked| walked.moment.as_ref())
    }

    pub(crate) fn packs(&self) -> &Arc<dyn Packs> {
        &self.packs
    }

    /// The files as these questions see them.
    pub fn files(&self) -> Arc<dyn Files> {
        match &self.walked {
            Some(walked) => Asking::new(&walked.moment),
            None => Arc::clone(&self.files),
        }
    }

    /// How often what stands at a place is used, where that was counted before and would be counted the same now.
    pub fn counted(&self, place: &Counted) -> Option<Count> {
        let Walked { moment, counts, .. } = self.walked.as_ref()?;
        counts.recall(moment, place)
    }

    /// Keep what these questions counted.
    pub fn keep_count(&self, place: Counted, count: &Count) {
        if let Some(Walked { moment, counts, .. }) = &self.walked {
            counts.keep(moment, place, count);
        }
    }

    /// What the subject is in one file. None where the file has no part in it: its pack knows no names, or nothing in it can
    /// be the member that is asked about.
    ///
    /// # Errors
    /// Those of the file and of its pack; `Cancelled` when the call is.
    pub fn resolve(&self, path: &str, subject: &Subject) -> Result<Option<Arc<Resolution>>> {
        self.ask(path, subject, None, |document| document.resolve_symbol(subject))
    }

    /// What giving it a new name does to the file. None where the file has no part in it.
    ///
    /// # Errors
    /// Those of the file and of its pack, a conflict in the file among them; `Cancelled` when the call is.
    pub fn rename(&self, path: &str, subject: &Subject, new_name: &str) -> Result<Option<Arc<Renaming>>> {
        self.ask(path, subject, Some(new_name), |document| document.rename(subject, new_name))
    }

    /// Whether a file lets a member have another name: it is asked although it may not have the name of today. What it answers is
    /// not kept, for it depends on the new name.
    ///
    /// # Errors
    /// Those of the file and of its pack, a conflict in the file among them; `Cancelled` when the call is.
    pub fn accepts(&self, path: &str, member: &Member, new_name: &str) -> Result<()> {
        self.work.check()?;
        let files = self.files();
        let pack = self.packs.for_path(&files, path)?;
        if pack.has("symbols") {
            let source = files.read(path)?;
            pack.open(path, &source.text)?.rename(&Subject::Declared(member.clone()), new_name)?;
        }
        Ok(())
    }

    /// What is wrong with a file.
    ///
    /// # Errors
    /// Those of the file and of its pack; `Cancelled` when the call is.
    pub fn inspect(&self, path: &str) -> Result<Arc<Inspection>> {
        self.look(path, |pack, source| {
            let looks_further = pack.has("insight");
            let mut document = pack.open(path, &source.text)?;
            let problems = document.problems()?;
            let beyond = if looks_further { document.checks()? } else { Findings::default() };
            Ok(Inspection { problems, beyond })
        })
    }

    /// The types of a file; none where its pack knows none.
    ///
    /// # Errors
    /// Those of the file and of its pack; `Cancelled` when the call is.
    pub fn types(&self, path: &str) -> Result<Arc<Types>> {
        self.look(path, |pack, source| {
            if !pack.has("insight") {
                return Ok(Types::default());
            }
            Types::of(pack.open(path, &source.text)?.as_mut())
        })
    }

    /// What a file is as a whole, whatever is asked about in it.
    fn look<R: Answer>(&self, path: &str, look: impl Fn(Arc<dyn Pack>, &Source) -> Result<R>) -> Result<Arc<R>> {
        self.work.check()?;
        let Some(Walked { moment, answers, .. }) = &self.walked else {
            let pack = self.packs.for_path(&self.files, path)?;
            return look(pack, &self.files.read(path)?).map(Arc::new);
        };
        let asking = Asking::new(moment);
        let files: Arc<dyn Files> = Arc::<Asking>::clone(&asking);
        let pack = self.packs.for_path(&files, path)?;
        let description = Arc::clone(pack.description());
        // It is about the file as a whole, whatever stands at its start.
        let about = (path, &Subject::At(0));
        if let Some(Some(known)) = answers.recall::<R>(moment, &description, about, None) {
            return Ok(known);
        }
        let answer = Arc::new(look(pack, &files.read(path)?)?);
        answers.keep(&asking, &description, about, None, Some(&answer));
        Ok(answer)
    }

    fn ask<R: Answer>(
        &self,
        path: &str,
        subject: &Subject,
        new_name: Option<&str>,
        ask: impl FnOnce(&mut dyn Document) -> Result<R>,
    ) -> Result<Option<Arc<R>>> {
        self.work.check()?;
        let Some(Walked { moment, answers, .. }) = &self.walked else {
            let pack = self.packs.for_path(&self.files, path)?;
            let takes_part = takes_part(pack.as_ref(), path, subject);
            return if takes_part { answer(&self.files, pack, path, subject, ask) } else { Ok(None) };
        };
        let asking = Asking::new(moment);
        let files: Arc<dyn Files> = Arc::<Asking>::clone(&asking);
        let pack = self.packs.for_path(&files, path)?;
        if !takes_part(pack.as_ref(), path, subject) {
            return Ok(None);
        }
        let about = (path, subject);
        if let Some(known) = answers.recall(moment, pack.description(), about, new_name) {
            return Ok(known);
        }
        let description = Arc::clone(pack.description());
        let answer = answer(&files, pack, path, subject, ask)?;
        answers.keep(&asking, &description, about, new_name, answer.as_ref());
        Ok(answer)
    }
}

/// Whether a file is asked. Of those that are asked for their text alone, a pack is given what it may read: in the others the
/// name is looked for word by word.
fn takes_part(pack: &dyn Pack, path: &str, subject: &Subject) -> bool {
    let by_text = matches!(subject, Subject::Declared(_) | Subject::Shared(_));
    pack.has("symbols") && (!by_text || pack.covers(path))
}

fn answer<R: Answer>(
    files: &Arc<dyn Files>,
    pack: Arc<dyn Pack>,
    path: &str,
    subject: &Subject,
    ask: impl FnOnce(&mut dyn Document) -> Result<R>,
) -> Result<Option<Arc<R>>> {
    let source = files.read(path)?;
    if let Subject::Declared(member) = subject
        && !may_name(path, &source.text, member)
    {
        return Ok(None);
    }
    let answer = ask(pack.open(path, &source.text)?.as_mut())?;
    Ok(if answer.is_silent(subject) { None } else { Some(Arc::new(answer)) })
}

/// Whether a text could name the member.
pub(crate) fn may_name(path: &str, text: &str, member: &Member) -> bool {
    let holds = |word: &str| memchr::memmem::find(text.as_bytes(), word.as_bytes()).is_some();
    holds(&member.name)
        && (member.forms.is_empty()
            || member.places.iter().any(|(declares, _)| declares == path)
            || member.forms.iter().any(|form| holds(form)))
}
