//! Classes of characters in stylesheets, and the dialects CSS, SCSS and LESS.

pub(crate) use marquetry_sdk::stylesheet::chars::{
    Dialect, escape_end, ident_end, ident_start, is_break, is_escape, is_name, is_name_start, is_space, name_end,
    unescape,
};
