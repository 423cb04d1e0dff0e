//! Lists links that could not be resolved and may refer to a moved file: undefined aliases, computed addresses, and
//! texts.

use globset::{GlobBuilder, GlobMatcher};
use marquetry_graph::{Entry, LinkFact, POSSIBLE_LINK, Target, Workspace};
use marquetry_model::{Relocations, Result, is_below};

use super::{Relinked, links_with_targets};
use crate::{
    mentioned_paths::RelocatedPaths,
    path_parts::{folder, resolve_relative},
    possible_paths::without_alias,
    session::Session,
};

/// Reason for a link that starts like an alias.
const NO_CONFIGURATION: &str = "no configuration defines this alias";

impl Session {
    /// Lists unresolved links that may refer to a moved file.
    pub(super) fn add_uncertain_links(
        &self,
        workspace: &Workspace,
        moves: &Relocations,
        relinked: &mut Relinked,
    ) -> Result<()> {
        let going = RelocatedPaths::moving(workspace, moves);
        for entry in workspace.files().filter(|entry| !moves.overwrites(&entry.path)) {
            self.work.check()?;
            for (_, link, target) in links_with_targets(entry) {
                let why = match target {
                    Target::Unknown(why) if going.may_refer_to(entry, link) => why.as_str(),
                    Target::Missing(path) if is_left_behind(moves, entry, (link, path)) => {
                        "no file exists there yet, but its folder moves"
                    }
                    Target::External if going.is_aliased(entry, link) => NO_CONFIGURATION,
                    // A pack without support for aliases interprets `@/a` as a path from the folder of the file.
                    Target::Missing(_) if going.has_alias_mark(link) => NO_CONFIGURATION,
                    _ => continue,
                };
                relinked.add_unresolved(&self.files, (entry, &moves.path_after(&entry.path)), link, why);
            }
        }
        Ok(())
    }
}

impl RelocatedPaths<'_> {
    /// Returns whether an unresolved link may refer to a file that is moved or deleted, or may break because its own
    /// file moves.
    pub(crate) fn may_refer_to(&self, entry: &Entry, link: &LinkFact) -> bool {
        if link.kind.split(' ').next() == Some(POSSIBLE_LINK) {
            // The specifier `./` is the folder of the file itself: the code computes paths relative to this folder.
            if link.specifier == "./" {
                return self.is_relocated(&entry.path) && self.is_affected(&entry.path, "./");
            }
            return self.is_affected(&entry.path, before_wildcard(&link.specifier))
                || self.is_lost_by_pattern(&entry.path, &link.specifier);
        }
        let path = link.specifier.split(['?', '#']).next().unwrap_or_default();
        let computed = path.rfind(['}', ')', '>', '%']).map(|at| &path[at + 1..]);
        match computed {
            Some(tail) => {
                let turns = path.starts_with("./") || path.starts_with("../");
                self.matches_computed_tail(tail.trim_start_matches('/')) || turns && self.leaves_its_folder(&entry.path)
            }
            // The specifier may start with the name of a workspace package whose files were not found.
            None => {
                self.is_affected(&entry.path, path)
                    || package_part(path).is_some_and(|part| self.matches_path_end(part))
            }
        }
    }

    /// Returns whether a pattern in a file that is not relocated matches a file before a move but not after it. The
    /// pattern is relative to the folder of the file, or to the root.
    fn is_lost_by_pattern(&self, file: &str, pattern: &str) -> bool {
        if !pattern.contains(WILDCARDS) || self.is_relocated(file) {
            return false;
        }
        let bases = [folder(file), ""].into_iter().filter(|base| {
            let fixed = resolve_relative(base, before_wildcard(pattern));
            fixed.is_some_and(|fixed| self.may_hold_relocated(&fixed))
        });
        let patterns = bases.filter_map(|base| resolve_relative(base, pattern));
        let globs = patterns.filter_map(|glob| GlobBuilder::new(&glob).literal_separator(true).build().ok());
        let matchers: Vec<GlobMatcher> = globs.map(|glob| glob.compile_matcher()).collect();
        self.moved_files().any(|(from, to)| matchers.iter().any(|glob| glob.is_match(from) && !glob.is_match(&to)))
    }

    /// Returns whether an external name ends like the path of a relocated file.
    pub(crate) fn is_aliased(&self, entry: &Entry, link: &LinkFact) -> bool {
        let name = unprefixed(&link.specifier);
        let may_be_aliased = !name.starts_with('.') && name.contains('/') && !name.contains(':');
        let is_script = link.kind.starts_with("script");
        may_be_aliased && (self.matches_from_any_file(name) || !is_script && self.matches_path_end(name))
            || (is_script || link.specifier.contains('!')) && self.is_affected(&entry.path, name)
    }

    /// Returns whether a link starts like an alias and ends like the path of a relocated file.
    pub(crate) fn has_alias_mark(&self, link: &LinkFact) -> bool {
        let name = unprefixed(&link.specifier);
        name.contains('/') && without_alias(name).is_some_and(|rest| self.matches_path_end(rest))
    }
}

/// A specifier without the loaders before the path (`raw-loader!./a`), the query and the fragment. The first character
/// may be part of an alias (`#a`).
fn unprefixed(specifier: &str) -> &str {
    let path = specifier.rsplit('!').next().unwrap_or_default();
    let end = path.char_indices().skip(1).find(|(_, c)| matches!(c, '?' | '#')).map(|(at, _)| at);
    &path[..end.unwrap_or(path.len())]
}

/// Returns whether a file or folder that does not exist would be in a folder that moves, while the linking file does
/// not move with it. Such a file is output of a tool or ignored.
fn is_left_behind(moves: &Relocations, entry: &Entry, (link, path): (&LinkFact, &str)) -> bool {
    let base = link.kind.split_once(" in ").and_then(|(_, base)| resolve_relative(folder(&entry.path), base));
    let base = base.as_deref().unwrap_or(&entry.path);
    moves.as_slice().iter().any(|one| is_below(path, &one.from) && base != one.from && !is_below(base, &one.from))
}

/// Characters that make a path a pattern.
const WILDCARDS: [char; 4] = ['*', '?', '{', '['];

/// The part of a path before any wildcard.
fn before_wildcard(path: &str) -> &str {
    match path.find(WILDCARDS) {
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
    use super::{before_wildcard, package_part, unprefixed};

    #[test]
    fn loaders_queries_and_fragments_are_no_part_of_the_path() {
        for (specifier, path) in [
            ("raw-loader!./a?x", "./a"),
            ("!!a!b!@/c", "@/c"),
            ("~@/a.svg#icon", "~@/a.svg"),
            ("#a/b", "#a/b"),
            ("#", "#"),
            ("", ""),
        ] {
            assert_eq!(unprefixed(specifier), path, "{specifier}");
        }
    }

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
            assert_eq!(before_wildcard(path), expected);
        }
    }
}
