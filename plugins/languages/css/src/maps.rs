//! Entries of SCSS maps: `$map: (key: value, …)`, including nested maps.

use crate::{
    scanner::{Scanner, TokenKind},
    tree::{Item, Kind},
};

/// Maximum nesting of maps. A map that is nested deeper is a single value.
const MAX_DEPTH: usize = 16;

/// Adds the entries of a map to the items, if the value of the item is a map.
pub(crate) fn parse_entries(scan: &mut Scanner<'_>, items: &mut Vec<Item>, parent: usize) {
    let quiet = std::mem::replace(&mut scan.quiet, true);
    add_entries(scan, items, parent, 0);
    scan.quiet = quiet;
}

fn add_entries(scan: &mut Scanner<'_>, items: &mut Vec<Item>, parent: usize, depth: usize) {
    let value = items[parent].body_start as usize;
    if depth == MAX_DEPTH || scan.byte(value) != Some(b'(') {
        return;
    }
    let (_, end) = scan.token_at(value);
    let closed = scan.byte(end - 1) == Some(b')');
    if !closed || end > items[parent].body_end as usize {
        return;
    }
    let first = items.len();
    let mut at = value + 1;
    while at < end - 1 {
        let lead = at;
        match parse_entry(scan, at, end - 1) {
            Entry::Pair { start, key, value, last, at: stop } => {
                let index = items.len();
                let offset = |at: usize| at as u32;
                items.push(Item {
                    kind: Kind::Entry,
                    block: false,
                    has_body: true,
                    parent: offset(parent),
                    next: 0,
                    trivia_start: offset(lead),
                    start: offset(start),
                    head: offset(key),
                    body_start: offset(value),
                    body_end: offset(last),
                    end: offset(last),
                    end_with_semicolon: offset(last),
                });
                add_entries(scan, items, index, depth + 1);
                items[index].next = offset(items.len());
                at = stop + 1;
            }
            Entry::Blank => break,
            Entry::Invalid => {
                items.truncate(first); // the brackets contain a list, or invalid text
                break;
            }
        }
    }
    let next = items.len() as u32;
    items[parent].next = next;
}

enum Entry {
    /// An entry: its start, the end of its key, the start and the end of its value, and the offset of the comma or the
    /// end of the map.
    Pair {
        start: usize,
        key: usize,
        value: usize,
        last: usize,
        at: usize,
    },
    Blank,
    Invalid,
}

fn parse_entry(scan: &mut Scanner<'_>, from: usize, end: usize) -> Entry {
    let start = scan.skip_trivia(from);
    if start >= end {
        return Entry::Blank;
    }
    let mut at = start;
    let mut last = start;
    let mut key = None;
    let mut value = None;
    while at < end {
        let (part, next) = scan.token_at(at);
        match part {
            TokenKind::Comma => break,
            TokenKind::Space | TokenKind::Comment => {}
            TokenKind::Colon if key.is_none() => key = Some(last),
            TokenKind::Semicolon
            | TokenKind::Open
            | TokenKind::Close
            | TokenKind::Stray
            | TokenKind::End
            | TokenKind::Colon => return Entry::Invalid,
            // The value ends after the map, so the bracket that seemed to close the map belongs to the value.
            _ if next > end => return Entry::Invalid,
            _ => {
                if key.is_some() && value.is_none() {
                    value = Some(at);
                }
                last = next;
            }
        }
        at = next;
    }
    match (key, value) {
        (Some(key), Some(value)) if key > start => Entry::Pair { start, key, value, last, at: at.min(end) },
        _ => Entry::Invalid,
    }
}
