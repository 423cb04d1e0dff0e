//! Roots whose files the embedding program provides.

use std::sync::Arc;

use marquetry_model::{
    Error, Kind, Result,
    ports::{Files, Roots},
};

/// Roots with files of other implementations. The first one is the default.
pub(crate) struct OwnRoots(pub(crate) Vec<Arc<dyn Files>>);

impl Roots for OwnRoots {
    fn open(&self, root: Option<&str>) -> Result<Arc<dyn Files>> {
        let found = match root {
            None => self.0.first(),
            Some(root) => self.0.iter().find(|files| files.root() == root.strip_prefix("file://").unwrap_or(root)),
        };
        found.cloned().ok_or_else(|| {
            Error::new(Kind::OutsideWorkspace, format!("the root `{}` is not served", root.unwrap_or_default()))
                .hint("use one of the candidates, or leave out `root`")
                .candidates(self.served())
        })
    }

    fn served(&self) -> Vec<String> {
        self.0.iter().map(|files| files.root().to_owned()).collect()
    }

    fn restricted_to(&self, uris: &[String]) -> Option<Arc<dyn Roots>> {
        let names: Vec<&str> = uris.iter().map(|uri| uri.strip_prefix("file://").unwrap_or(uri)).collect();
        let kept: Vec<_> = self.0.iter().filter(|files| names.contains(&files.root())).cloned().collect();
        (!kept.is_empty()).then(|| Arc::new(OwnRoots(kept)) as Arc<dyn Roots>)
    }

    fn root_of(&self, path: &str) -> Option<String> {
        let is_in = |root: &&str| path.strip_prefix(*root).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        let roots = self.0.iter().map(|files| files.root()).filter(is_in);
        roots.max_by_key(|root| root.len()).map(str::to_owned)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MemoryFiles;

    #[test]
    fn files_are_found_by_their_root() {
        let files: Arc<dyn Files> = Arc::new(MemoryFiles::new([("a.txt", "")]));
        let root = files.root().to_owned();
        let roots = OwnRoots(vec![files]);
        for named in [None, Some(root.as_str()), Some(&format!("file://{root}"))] {
            assert_eq!(roots.open(named).expect("served").root(), root, "{named:?}");
        }
        let error = roots.open(Some("/elsewhere")).err().expect("refused");
        assert_eq!((error.kind(), error.content().candidates.clone()), (Kind::OutsideWorkspace, vec![root.clone()]));
        assert_eq!(roots.root_of(&format!("{root}/a.txt")), Some(root.clone()));
        assert_eq!(roots.root_of(&format!("{root}2/a.txt")), None);
        assert!(roots.restricted_to(&["file:///elsewhere".to_owned()]).is_none());
        assert_eq!(roots.restricted_to(&[format!("file://{root}")]).expect("served").served(), [root]);
    }
}
