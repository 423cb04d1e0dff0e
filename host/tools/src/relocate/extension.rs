//! Preserves the extension of a renamed file.

/// Returns the extension that a new name without one should keep: `.ts` of `user.service.ts` for `account` and
/// `account.service`, `.d.ts` of `types.d.ts`. `None` if the rename only removes the extension, or if the old name has
/// none.
pub(super) fn kept_extension<'a>(old: &'a str, new_name: &str) -> Option<&'a str> {
    let old_name = last(old);
    let at = match old_name.strip_suffix(".ts").and_then(|rest| rest.strip_suffix(".d")) {
        Some(declarations) if !declarations.is_empty() && !new_name.ends_with(".d") => declarations.len(),
        _ => old_name.rfind('.').filter(|at| *at > 0)?,
    };
    let (stem, extension) = old_name.split_at(at);
    let role = |name: &str| name.rfind('.').filter(|at| *at > 0).map(|at| name[at..].to_owned());
    let has_own = role(new_name).is_some_and(|own| role(stem).is_none_or(|role| role != own));
    (!has_own && new_name != stem && !new_name.ends_with(extension)).then_some(extension)
}

/// Last segment of a path.
pub(super) fn last(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::kept_extension;

    #[test]
    fn new_name_without_extension_keeps_the_old_one() {
        for (old, new_name, kept) in [
            ("src/UserService.ts", "AuthService", Some(".ts")),
            ("README.md", "READ", Some(".md")),
            ("a/user.service.ts", "account", Some(".ts")),
            ("a/user.service.ts", "account.service", Some(".ts")),
            ("a/types.d.ts", "shapes", Some(".d.ts")),
            ("a/types.d.ts", "shapes.d", Some(".ts")),
            ("a/x.test.ts", "y.spec.ts", None),
            ("a/x.ts", "y.css", None),
            ("a/x.ts", "y.ts", None),
            // The new name differs only by the missing extension, so the extension is removed intentionally.
            ("LICENSE.txt", "LICENSE", None),
            ("Makefile", "GNUmakefile", None),
            (".env", ".envrc", None),
            (".eslintrc.json", ".prettierrc", Some(".json")),
        ] {
            assert_eq!(kept_extension(old, new_name), kept, "{old} {new_name}");
        }
    }
}
