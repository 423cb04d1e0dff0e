//! Lists links that could not be resolved and may refer to a moved file: undefined aliases, computed addresses, texts.

use marquetry_graph::{Entry, LinkFact, POSSIBLE, Target, Workspace};
use marquetry_model::{Relocations, Result};

use super::{Relinked, followed};
use crate::{session::Session, spelled_paths::Going};

impl Session {
    /// Lists unresolved links that may refer to a moved file.
    pub(super) fn leave_mentions(
        &self,
        workspace: &Workspace,
        moves: &Relocations,
        relinked: &mut Relinked,
    ) -> Result<()> {
        let going = Going::moving(workspace, moves);
        for entry in workspace.files().filter(|entry| !moves.replaces(&entry.path)) {
            self.work.check()?;
            for (_, link, target) in followed(entry) {
                let why = match target {
                    Target::Unknown(why) if going.may_mean(entry, link) => why.as_str(),
                    Target::External if going.is_aliased(entry, link) => "no configuration defines this alias",
                    _ => continue,
                };
                relinked.leave(&self.files, (entry, &moves.of(&entry.path)), link, why);
            }
        }
        Ok(())
    }
}

impl Going<'_> {
    /// Returns whether an unresolved link may refer to a file that is moved or deleted, or may break because its own
    /// file moves.
    pub(crate) fn may_mean(&self, entry: &Entry, link: &LinkFact) -> bool {
        if link.kind.split(' ').next() == Some(POSSIBLE) {
            return self.is_told(&entry.path, fixed(&link.specifier));
        }
        let path = link.specifier.split(['?', '#']).next().unwrap_or_default();
        let computed = path.rfind(['}', ')', '>', '%']).map(|at| &path[at + 1..]);
        match computed {
            Some(tail) => {
                let turns = path.starts_with("./") || path.starts_with("../");
                self.is_named_by(tail.trim_start_matches('/')) || turns && self.leaves_its_folder(&entry.path)
            }
            // The name of a workspace package whose files were not found.
            None => self.is_told(&entry.path, path) || package_part(path).is_some_and(|part| self.is_end(part)),
        }
    }

    /// Returns whether an external name ends like the path of a file that is moved or deleted.
    pub(crate) fn is_aliased(&self, entry: &Entry, link: &LinkFact) -> bool {
        let name = link.specifier.split(['?', '#']).next().unwrap_or_default();
        let name = if name.is_empty() { link.specifier.as_str() } else { name };
        !name.starts_with('.') && name.contains('/') && !name.contains(':') && self.means_it_anywhere(name)
            || link.kind.starts_with("script") && self.is_told(&entry.path, name)
    }
}

/// The part of a path before any wildcard.
fn fixed(path: &str) -> &str {
    match path.find(['*', '?', '{', '[']) {
        Some(wild) => path[..wild].rsplit_once('/').map_or("", |(folder, _)| folder),
        None => path,
    }
}

/// The part after the name of a package: `ssg` in `@scope/name/ssg`.
fn package_part(specifier: &str) -> Option<&str> {
    let named = specifier.strip_prefix('@').and_then(|scoped| scoped.split_once('/')).map(|(_, named)| named);
    let (_, part) = named.filter(|_| !specifier.starts_with("@/"))?.split_once('/')?;
    (!part.is_empty()).then_some(part)
}

#[cfg(test)]
mod tests {
    use super::{fixed, package_part};

    #[test]
    fn package_part_is_after_the_package_name() {
        for (specifier, part) in [
            ("@t/react/ssg", Some("ssg")),
            ("@t/react/a/b", Some("a/b")),
            ("@t/react", None),
            ("react/a", None),
            ("@/a/b", None),
            ("./a/b", None),
        ] {
            assert_eq!(package_part(specifier), part, "{specifier}");
        }
    }

    #[test]
    fn fixed_part_ends_before_the_wildcard() {
        for (path, expected) in [("a/b/*.ts", "a/b"), ("a/b.ts", "a/b.ts"), ("*.ts", ""), ("a/{b,c}/d", "a")] {
            assert_eq!(fixed(path), expected);
        }
    }
}
