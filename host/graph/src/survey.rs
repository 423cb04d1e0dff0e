//! Questions about names, put to the files of a workspace by one call.

use std::sync::Arc;

use marquetry_model::{
    Result, Work,
    pack::{Renaming, Resolution, Subject},
    ports::{Document, Files, Packs},
};

use crate::{
    answers::{Answer, Answers},
    moment::{Asking, Moment},
};

/// The files of a workspace, as one call asks them. What a file answered before is recalled instead of asked again, as long
/// as the file, and everything that it was seen to look at for that answer, is what it was.
pub struct Survey {
    moment: Arc<Moment>,
    packs: Arc<dyn Packs>,
    answers: Arc<Answers>,
    work: Work,
}

impl Survey {
    pub(crate) fn new(moment: Arc<Moment>, packs: &Arc<dyn Packs>, answers: &Arc<Answers>, work: &Work) -> Survey {
        Survey { moment, packs: Arc::clone(packs), answers: Arc::clone(answers), work: work.clone() }
    }

    /// The files as these questions see them.
    pub fn files(&self) -> Arc<dyn Files> {
        Asking::new(&self.moment)
    }

    /// What the subject is in one file. None where the file's pack knows no names.
    ///
    /// # Errors
    /// Those of the file and of its pack; `Cancelled` when the call is.
    pub fn resolve(&self, path: &str, subject: &Subject) -> Result<Option<Arc<Resolution>>> {
        self.ask(path, subject, None, |document| document.resolve_symbol(subject))
    }

    /// What giving it a new name does to the file. None where the file's pack knows no names.
    ///
    /// # Errors
    /// Those of the file and of its pack, a conflict in the file among them; `Cancelled` when the call is.
    pub fn rename(&self, path: &str, subject: &Subject, new_name: &str) -> Result<Option<Arc<Renaming>>> {
        self.ask(path, subject, Some(new_name), |document| document.rename(subject, new_name))
    }

    fn ask<R: Answer>(
        &self,
        path: &str,
        subject: &Subject,
        new_name: Option<&str>,
        ask: impl FnOnce(&mut dyn Document) -> Result<R>,
    ) -> Result<Option<Arc<R>>> {
        self.work.check()?;
        let asking = Asking::new(&self.moment);
        let files: Arc<dyn Files> = Arc::<Asking>::clone(&asking);
        let pack = self.packs.for_path(&files, path)?;
        if !pack.has("symbols") {
            return Ok(None);
        }
        let about = (path, subject);
        if let Some(known) = self.answers.recall(&self.moment, pack.description(), about, new_name) {
            return Ok(Some(known));
        }
        let source = files.read(path)?;
        let answer = match silent(&source.text, subject) {
            Some(silent) => silent,
            None => ask(pack.open(path, &source.text)?.as_mut())?,
        };
        let answer = Arc::new(answer);
        self.answers.keep(&asking, pack.description(), about, new_name, &answer);
        Ok(Some(answer))
    }
}

/// The answer of a text that does not have the name of the member that is asked about.
fn silent<R: Answer>(text: &str, subject: &Subject) -> Option<R> {
    let Subject::Declared(member) = subject else { return None };
    let spelled = memchr::memmem::find(text.as_bytes(), member.name.as_bytes()).is_some();
    if spelled { None } else { R::silent(subject) }
}
