//! Restricts paths named by editors to the roots. The check is lexical: symbolic links are resolved by the code that
//! opens the file.

use marquetry_model::editor::{EditorSelection, FileDiagnostics, Folder, Request, Tab};

/// The roots in use, as absolute paths without a trailing slash.
#[derive(Debug, Clone, Default)]
pub(crate) struct Roots(pub(crate) Vec<String>);

/// Returns whether a path is equal to another one or below it.
pub(crate) fn is_at_or_below(path: &str, above: &str) -> bool {
    let above = above.trim_end_matches('/');
    path.strip_prefix(above).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Returns whether a path is absolute and has no empty, `.` or `..` components.
fn is_plain(path: &str) -> bool {
    path.starts_with('/') && path[1..].split('/').all(|part| !part.is_empty() && part != "." && part != "..")
}

impl Roots {
    /// Returns whether a path is in one of the roots.
    pub(crate) fn contain(&self, path: &str) -> bool {
        is_plain(path) && self.0.iter().any(|root| is_at_or_below(path, root))
    }

    /// Returns the first path in a request that is outside of the roots.
    pub(crate) fn first_path_outside<'a>(&self, request: &'a Request) -> Option<&'a str> {
        let paths: Vec<&str> = match request {
            Request::Open(file) => vec![&file.path],
            Request::ShowDiff(diff) => {
                [&diff.left, &diff.right].iter().filter_map(|side| side.path.as_deref()).collect()
            }
            Request::CloseTab(path) | Request::Dirty(path) | Request::Text(path) | Request::Save(path) => vec![path],
            Request::Diagnostics(path) => path.as_deref().into_iter().collect(),
            Request::Apply(files) => files.iter().map(|file| file.path.as_str()).collect(),
            Request::CloseDiff(_) | Request::Tabs | Request::Selection | Request::Folders | Request::Show(_) => vec![],
        };
        paths.into_iter().find(|path| !self.contain(path))
    }

    pub(crate) fn tabs(&self, tabs: Vec<Tab>) -> Vec<Tab> {
        tabs.into_iter().filter(|tab| tab.path.as_ref().is_none_or(|path| self.contain(path))).collect()
    }

    pub(crate) fn selection(&self, selected: Option<EditorSelection>) -> Option<EditorSelection> {
        selected.filter(|selected| self.contain(&selected.path))
    }

    pub(crate) fn diagnostics(&self, files: Vec<FileDiagnostics>) -> Vec<FileDiagnostics> {
        files.into_iter().filter(|file| self.contain(&file.path)).collect()
    }

    /// Maps an editor's folders to the roots: a folder within a root is kept; a folder above a root is replaced by
    /// that root.
    pub(crate) fn folders(&self, folders: &[Folder]) -> Vec<Folder> {
        let mut ours: Vec<Folder> = Vec::new();
        for folder in folders {
            let of_root = |root: &String| {
                let name = root.rsplit('/').next().unwrap_or(root).to_owned();
                Folder { name, path: root.clone() }
            };
            let concerns: Vec<Folder> = if self.contain(&folder.path) {
                vec![folder.clone()]
            } else {
                self.0.iter().filter(|root| overlaps(&folder.path, root)).map(of_root).collect()
            };
            for folder in concerns {
                if ours.iter().all(|known| known.path != folder.path) {
                    ours.push(folder);
                }
            }
        }
        ours
    }
}

/// Returns whether an editor that works in `folder` also works in `root`: one contains the other, and `folder` is not
/// `/`.
pub(crate) fn overlaps(folder: &str, root: &str) -> bool {
    is_at_or_below(folder, root) || (is_at_or_below(root, folder) && folder.trim_end_matches('/').len() > 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_paths_below_a_root_are_accepted() {
        let roots = Roots(vec!["/p/a".to_owned(), "/b".to_owned()]);
        for inside in ["/p/a", "/p/a/x.ts", "/b/c/d"] {
            assert!(roots.contain(inside), "{inside}");
        }
        for outside in ["/p", "/p/ab/x", "/p/a/../x", "/p/a//x", "/p/a/./x", "work/a/x", "", "/b/", "/etc/passwd"] {
            assert!(!roots.contain(outside), "{outside}");
        }
    }

    #[test]
    fn folders_are_limited_to_the_roots() {
        let roots = Roots(vec!["/p/a".to_owned(), "/p/b".to_owned()]);
        let folder = |path: &str| Folder { name: "n".to_owned(), path: path.to_owned() };
        let shown = |paths: &[&str]| {
            let folders: Vec<Folder> = paths.iter().map(|path| folder(path)).collect();
            roots.folders(&folders).into_iter().map(|folder| folder.path).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(shown(&["/p/a/src"]), "/p/a/src");
        assert_eq!(shown(&["/p"]), "/p/a /p/b");
        assert_eq!(shown(&["/"]), "", "an editor whose folder is `/` is not assigned to any root");
        assert_eq!(shown(&["/other", "/p/a", "/p/a"]), "/p/a");
    }
}
