//! Formats the new specifier of a link after a file has moved, in the style of the old specifier.

use marquetry_sdk::{FailureKind, Result, SpecifierRequest, fail, paths, urls};

use super::resolve::{INDEX_NAMES, MODULE_EXTENSIONS, PAGE_EXTENSIONS, is_module_kind, split_root_prefix};

/// The part of a path that a specifier omits or replaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OmittedPart {
    Whole,
    /// The extension is omitted.
    Bare,
    /// The name of the index file is omitted, so that the specifier names a folder.
    Folder,
    /// `.html` replaces the extension of the source file.
    Html,
}

/// Returns the new specifier.
pub(super) fn format_specifier(request: &SpecifierRequest) -> Result<String> {
    if request.kind == "label" {
        return Ok(format_label(request));
    }
    if request.kind != "front-matter" {
        return Ok(format_url(request));
    }
    let path = format_relative(&request.from, &request.to, (&request.specifier, false, false));
    if paths::could_be_path(&path.replace(' ', "_")) && !path.ends_with(' ') {
        return Ok(path);
    }
    Err(fail(FailureKind::Unsupported, format!("`{path}` may need quotes in front matter"))
        .hint("change the value by hand"))
}

/// Returns the new text of a link: relative to the root if the old text was, else to the folder of the file.
fn format_label(request: &SpecifierRequest) -> String {
    let old = request.specifier.as_str();
    if paths::join("", old).as_deref() == Some(request.was.as_str()) && !paths::is_relative(old) {
        return request.to.clone();
    }
    format_relative(&request.from, &request.to, (old, false, false))
}

/// Returns the new specifier of a link that is a URL, or of an import.
fn format_url(request: &SpecifierRequest) -> String {
    let module = is_module_kind(&request.kind);
    let (raw, suffix) = if module { (request.specifier.as_str(), "") } else { urls::split(&request.specifier) };
    if raw.is_empty() {
        return request.specifier.clone();
    }
    let old = if module { raw.into() } else { urls::decode(raw) };
    let style = omitted_part(&old, &request.was);
    let target = omit_part(&request.to, style);
    let is_file = style != OmittedPart::Folder && target != request.to;
    let mut new = format_at_root(&old, &omit_part(&request.was, style), &target)
        .unwrap_or_else(|| format_relative(&request.from, &target, (&old, module, is_file)));
    if old.ends_with('/') && !new.ends_with('/') {
        new.push('/');
    }
    if new == old {
        return request.specifier.clone();
    }
    format!("{}{suffix}", if module { escape_script_string(&new) } else { super::url::percent_encode(&new, raw) })
}

fn omitted_part(old: &str, was: &str) -> OmittedPart {
    let written = old.trim_end_matches('/').rsplit('/').next().unwrap_or(old);
    let name = was.rsplit('/').next().unwrap_or(was);
    let (stem, extension) = name.rfind('.').map_or((name, ""), |dot| name.split_at(dot));
    let known = PAGE_EXTENSIONS.contains(&extension) || MODULE_EXTENSIONS.contains(&extension);
    match written {
        written if written == name => OmittedPart::Whole,
        written if known && written == stem => OmittedPart::Bare,
        written if known && written.strip_suffix(".html") == Some(stem) => OmittedPart::Html,
        _ if known && INDEX_NAMES.contains(&stem) => OmittedPart::Folder,
        _ => OmittedPart::Whole,
    }
}

/// Returns the path without the part that specifiers of this style omit.
fn omit_part(path: &str, style: OmittedPart) -> String {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let (stem, extension) = name.rfind('.').map_or((name, ""), |dot| name.split_at(dot));
    let known = PAGE_EXTENSIONS.contains(&extension) || MODULE_EXTENSIONS.contains(&extension);
    let with = |name: &str| if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") };
    match style {
        OmittedPart::Folder if known && INDEX_NAMES.contains(&stem) => folder.to_owned(),
        OmittedPart::Bare | OmittedPart::Folder if known => with(stem),
        OmittedPart::Html if known => with(&format!("{stem}.html")),
        _ => path.to_owned(),
    }
}

/// Returns a new specifier that is relative to the root of the site, if the old one was and the file remains in the
/// site.
fn format_at_root(old: &str, was: &str, target: &str) -> Option<String> {
    let (prefix, _, rest) = split_root_prefix(old)?;
    let site = was.strip_suffix(rest.trim_end_matches('/'))?;
    Some(format!("{prefix}{}", target.strip_prefix(site)?))
}

/// Returns a relative path in the style of the old one. The path of a file without an extension may be that of a
/// folder, too.
fn format_relative(from: &str, target: &str, (old, module, is_file): (&str, bool, bool)) -> String {
    let way = if is_file { paths::relative_file } else { paths::relative };
    let path = way(paths::folder(from), target);
    let dotted = module || old.starts_with("./");
    if dotted && !path.starts_with('.') { format!("./{path}") } else { path }
}

/// Escapes a path for a JavaScript string.
fn escape_script_string(path: &str) -> String {
    path.replace('\\', "\\\\").replace('\'', "\\'").replace('"', "\\\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(kind: &str, from: &str, was: &str, to: &str, specifier: &str, expected: &str) {
        let [from, to, was, kind, specifier] = [from, to, was, kind, specifier].map(str::to_owned);
        assert_eq!(format_specifier(&SpecifierRequest { from, to, was, kind, specifier }).expect("a path"), expected);
    }

    #[test]
    fn specifier_keeps_style_of_old() {
        check("link", "a.md", "b.md", "docs/b.md", "b.md", "docs/b.md");
        check("link", "a.md", "b.md", "docs/b.md", "./b.md#x", "./docs/b.md#x");
        check("link", "docs/a.md", "docs/b.md", "b.md", "./b.md", "../b.md");
        check("link", "x/a.md", "docs/b.md", "docs/c.md", "/docs/b.md?q#x", "/docs/c.md?q#x");
        check("link", "a.md", "site/docs/b.md", "site/docs/c.md", "/docs/b", "/docs/c");
        check("link", "a.md", "site/docs/b.md", "other/c.md", "/docs/b", "other/c");
        check("link", "a.md", "docs/b.md", "docs/c.md", "docs/b", "docs/c");
        check("link", "a.md", "docs/index.md", "guide/index.md", "docs/", "guide/");
        check("link", "a.md", "docs/index.md", "guide/start.md", "./docs/", "./guide/start/");
        check("link", "a.md", "docs/b.md", "docs/c.md", "docs/b.html", "docs/c.html");
        check("link", "a.md", "docs", "guide", "docs/", "guide/");
        check("link", "b/a.md", "x.md", "x.md", "x.md", "../x.md");
        // A specifier without an extension must not mean a folder of the same name next to the page.
        check("link", "docs/b/a.md", "docs/b.md", "docs/b.md", "./b", "../b");
        check("link", "docs/b/c/a.md", "docs/b.md", "docs/b.md", "b", "../../b");
        check("link", "docs/b/a.md", "docs/b.md", "docs/b.md", "b.html", "../b.html");
        check("import", "docs/b/a.mdx", "docs/b.jsx", "docs/b.jsx", "./b", "../b");
        check("link", "docs/b/a.md", "docs/b/index.md", "docs/b/index.md", "../b/", "./");
    }

    #[test]
    fn specifier_is_encoded_for_link_kind() {
        check("link", "a.md", "b.md", "my docs/b.md", "b.md", "my%20docs/b.md");
        check("link", "a.md", "b c.md", "my docs/b.md", "b c.md", "my docs/b.md");
        check("image", "a.md", "b%20c.png", "d e.png", "b%20c.png", "d%20e.png");
        check("import", "a.mdx", "b.js", "c d/it's.js", "./b.js", "./c d/it\\'s.js");
    }

    #[test]
    fn import_specifiers_stay_relative() {
        check("front-matter", "docs/a.md", "docs/b.png", "img/b c.png", "./b.png", "../img/b c.png");
        check("import", "docs/a.mdx", "docs/b.jsx", "docs/c.jsx", "./b", "./c");
        check("import", "docs/a.mdx", "b.jsx", "docs/b.jsx", "../b.jsx", "./b.jsx");
        check("import", "docs/a.mdx", "src/b/index.js", "src/c/index.js", "@site/src/b", "@site/src/c");
    }
}
