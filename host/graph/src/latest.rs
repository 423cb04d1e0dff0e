//! The index of a root as it was made last, kept from call to call within the memory of all that is kept.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use marquetry_model::budget::{Budget, Keeper};

use crate::workspace::Workspace;

/// The latest index of one root, if it is kept.
#[derive(Default)]
pub(crate) struct Latest(Mutex<Option<Kept>>);

struct Kept {
    workspace: Arc<Workspace>,
    bytes: usize,
    used: u64,
}

impl Latest {
    fn kept(&self) -> MutexGuard<'_, Option<Kept>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn get(&self) -> Option<Arc<Workspace>> {
        let mut kept = self.kept();
        let kept = kept.as_mut()?;
        kept.used = Budget::of_process().now();
        Some(Arc::clone(&kept.workspace))
    }

    /// Keep an index, which was just used. One that is kept already is not counted again.
    pub(crate) fn keep(&self, workspace: &Arc<Workspace>) {
        let used = Budget::of_process().now();
        let mut kept = self.kept();
        if let Some(kept) = kept.as_mut().filter(|kept| Arc::ptr_eq(&kept.workspace, workspace)) {
            kept.used = used;
            return;
        }
        *kept = Some(Kept { workspace: Arc::clone(workspace), bytes: workspace.bytes(), used });
        drop(kept);
        Budget::of_process().trim();
    }
}

impl Keeper for Latest {
    fn bytes(&self) -> usize {
        self.kept().as_ref().map_or(0, |kept| kept.bytes)
    }

    fn oldest(&self) -> Option<u64> {
        self.kept().as_ref().map(|kept| kept.used)
    }

    /// Whoever asks next has it from disk, or made anew.
    fn let_go(&self) {
        *self.kept() = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_goes_when_others_need_the_room() {
        let latest = Latest::default();
        assert!((latest.bytes(), latest.oldest(), latest.get().is_none()) == (0, None, true));
        let workspace = Arc::new(Workspace::sample(100));
        latest.keep(&workspace);
        let (bytes, first) = (latest.bytes(), latest.oldest());
        assert!(bytes > 100 * size_of::<crate::Entry>(), "{bytes}");
        assert!(latest.get().is_some_and(|kept| Arc::ptr_eq(&kept, &workspace)));
        assert!(latest.oldest() > first, "it was used");
        latest.keep(&Arc::new(Workspace::sample(10)));
        assert!(latest.bytes() < bytes / 5, "a newer one takes the place of the older");
        latest.let_go();
        assert!((latest.bytes(), latest.oldest(), latest.get().is_none()) == (0, None, true));
    }
}
