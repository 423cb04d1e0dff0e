//! Comments with directives for tools. A directive for a file or a region of it does not describe the statement below
//! it.

/// Tools whose directives are separate words after the name of the tool, such as `istanbul ignore start`.
const TOOLS: [&str; 9] =
    ["istanbul", "c8", "v8", "clang-format", "purgecss", "autoprefixer", "yamllint", "coverage", "nosonar"];

/// First words of comments about a file or a region.
const FILE: [&str; 15] = [
    "region",
    "endregion",
    "copyright",
    "@copyright",
    "@license",
    "@preserve",
    "@file",
    "@fileoverview",
    "@flow",
    "@format",
    "@ts-check",
    "@ts-nocheck",
    "spdx-license-identifier",
    "-*-",
    "vim",
];

/// Prefixes of the first word of comments about a file.
const FILE_STARTS: [&str; 4] = ["@jsx", "@jest-environment", "@vitest-environment", "yaml-language-server"];

/// Words that mark a directive for a region or a file. They are the end of its first word (`eslint-disable`) or, after
/// a tool of [`TOOLS`], a separate word (`istanbul ignore start`).
const REGION_ENDS: [&str; 13] = [
    "disable",
    "enable",
    "start",
    "end",
    "begin",
    "stop",
    "define",
    "on",
    "off",
    "file",
    "all",
    "ignore-file",
    "ignore-all",
];

/// Returns whether a comment is about a file or a region of it, such as `eslint-disable`, `prettier-ignore-start`,
/// `#region`, or a comment with the `$schema` of the file for the editor. The comment includes its delimiters.
pub fn is_about_region(comment: &str) -> bool {
    let signs = ['/', '*', '#', '<', '!', '-', ';', ' ', '\t', '\r', '\n', '%'];
    // A space after `#:` begins the documentation of an attribute in Python; `#:schema` is a setting in TOML.
    let is_setting = comment.strip_prefix("#:").is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_alphabetic()));
    if is_setting || comment.starts_with("/*!") || comment.starts_with("//!") {
        return true;
    }
    if comment.trim_start_matches(['/', '*', '#', ';', ' ', '\t']).starts_with("-*-") {
        return true;
    }
    if is_block_marker(comment) {
        return true;
    }
    let words = comment.trim_start_matches(signs).trim_end_matches(signs).trim_end_matches('>');
    let mut words = words.split_whitespace().map(|word| word.trim_end_matches(['-', '>', ',']));
    let Some(first) = words.next() else { return false };
    let has_colon = first.ends_with(':');
    let first = first.trim_end_matches(':').to_ascii_lowercase();
    if FILE.contains(&first.as_str()) || FILE_STARTS.iter().any(|start| first.starts_with(start)) {
        return first != "vim" || has_colon;
    }
    if TOOLS.contains(&first.as_str()) {
        // `istanbul ignore next` is about the statement below, `istanbul ignore start` is not.
        return words.take(3).any(|word| REGION_ENDS.contains(&word.to_ascii_lowercase().as_str()));
    }
    let is_directive = |end: &str| {
        let before = first.strip_suffix(end).unwrap_or_default();
        before.ends_with(['-', ':'])
            && before.trim_end_matches(['-', ':']).bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b':')
    };
    REGION_ENDS.iter().any(|end| is_directive(end))
        || (has_colon && first.ends_with("linter") && words.next().is_some())
        || (first.starts_with("rtl:") && (first.contains(":begin:") || first.contains(":end:")))
}

/// Words after `end` in markers of tools, such as `endbuild`.
const ENDED: [&str; 5] = ["build", "inject", "snippet", "block", "section"];

/// Returns whether a comment marks the start or the end of a block: `BEGIN x`, `END x`, `<snippet>`, `</snippet>`,
/// `build:js`, `endbuild`.
fn is_block_marker(comment: &str) -> bool {
    let delimiters = [("<!--", "-->"), ("/*", "*/"), ("//", ""), ("#", ""), (";", "")];
    let inside = delimiters.iter().find_map(|(open, close)| comment.strip_prefix(open)?.strip_suffix(close));
    let Some(inside) = inside.map(|inside| inside.trim_matches(['*', '#', '/', '-', '=', ' ', '\t', '\r', '\n']))
    else {
        return false;
    };
    let tag = inside.strip_prefix('<').and_then(|tag| tag.strip_suffix('>'));
    if tag
        .is_some_and(|tag| tag.starts_with(|c: char| c == '/' || c.is_ascii_alphabetic()) && !tag.contains(['<', '>']))
    {
        return true;
    }
    let Some(first) = inside.split_whitespace().next() else { return false };
    let ends_tool = first.strip_prefix("end").is_some_and(|ended| ENDED.contains(&ended.trim_end_matches(':')));
    matches!(first, "BEGIN" | "END")
        || ends_tool
        || first.starts_with("build:") && first.len() > "build:".len()
        || first.starts_with("inject:") && first.len() > "inject:".len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn block_markers_are_recognized() {
        for comment in [
            "// <snippet>",
            "// </snippet>",
            "/* <docs id=a> */",
            "# BEGIN x",
            "# END x",
            "# END ANSIBLE MANAGED BLOCK",
            "<!-- BEGIN x -->",
            "<!-- END x -->",
            "<!-- build:js app.js -->",
            "<!-- endbuild -->",
            "<!-- inject:css -->",
            "<!-- endinject -->",
            "// #END generated",
            "/* ==== END ==== */",
        ] {
            assert!(is_about_region(comment), "{comment}");
        }
        for comment in ["// Ends the build", "# end", "// a <b> c", "// end of the list", "// build: x", "# Begin"] {
            assert!(!is_about_region(comment), "{comment}");
        }
    }

    #[test]
    fn file_and_region_directives_are_recognized() {
        for comment in [
            "/* eslint-disable */",
            "/* eslint-disable no-alert, no-console */",
            "// eslint-enable",
            "/* stylelint-disable block-no-empty */",
            "/* stylelint-enable */",
            "// tslint:disable",
            "<!-- markdownlint-disable MD013 -->",
            "<!-- markdownlint-disable-file -->",
            "<!-- prettier-ignore-start -->",
            "# prettier-ignore-end",
            "# yamllint disable rule:line-length",
            "# yaml-language-server: $schema=https://example.com/a.json",
            "#:schema ./a.json",
            "/* istanbul ignore start */",
            "/* c8 ignore stop */",
            "/* purgecss start ignore */",
            "/* autoprefixer: off */",
            "/*rtl:begin:ignore*/",
            "/* postcss-bem-linter: define Button */",
            "// #region Helpers",
            "// #endregion",
            "<!-- #region -->",
            "/*! normalize.css */",
            "/** @license MIT */",
            "# SPDX-License-Identifier: MIT",
            "# Copyright 2026 A",
            "# -*- mode: yaml -*-",
            "# vim: ts=2",
            "// @ts-nocheck",
            "/** @jsxImportSource x */",
            "// deno-lint-ignore-file",
            "// biome-ignore-all lint: x",
            "/** @fileoverview x */",
            "// clang-format off",
        ] {
            assert!(is_about_region(comment), "{comment}");
        }
    }

    #[test]
    fn statement_directives_are_recognized() {
        for comment in [
            "// eslint-disable-next-line no-console",
            "/* stylelint-disable-next-line */",
            "// tslint:disable-next-line",
            "<!-- prettier-ignore -->",
            "// biome-ignore lint: x",
            "// deno-lint-ignore no-explicit-any",
            "/* istanbul ignore next */",
            "/* c8 ignore next 3 */",
            "// @ts-expect-error x",
            "// @ts-ignore",
        ] {
            assert!(!is_about_region(comment), "{comment}");
        }
    }

    #[test]
    fn plain_comments_are_not_directives() {
        for comment in [
            "// Start of the table",
            "/* end */",
            "# the region of the bucket",
            "/* on */",
            "# file: a",
            "#: The name of an attribute.",
            "#:",
            "// vim is an editor",
            "<!-- all -->",
            "# enable x",
            "/**",
            "#",
            "",
            "// ---- Helpers ----",
            "# well-known end",
            "/* colour: off */",
            "// c8",
        ] {
            assert!(!is_about_region(comment), "{comment}");
        }
    }
}
