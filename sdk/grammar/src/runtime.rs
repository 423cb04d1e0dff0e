//! Safe wrappers of the C runtime of tree-sitter: one function parses a text and walks its tree, another one lists the
//! names of a grammar.

#![allow(unsafe_code, reason = "the runtime is C code")]

use std::ffi::{CStr, c_char, c_void};

/// A compiled grammar of the C runtime.
#[doc(hidden)]
#[derive(Debug)]
#[repr(C)]
pub struct RawLanguage([u8; 0]);

/// The symbol of error nodes.
const ERROR: u16 = u16::MAX;
/// Number of calls of the progress callback that a text may take, in addition to one call for each `BYTES_PER_CALL`
/// bytes. Between two calls, the parser does about a hundred steps.
const FREE_CALLS: usize = 20_000;
const BYTES_PER_CALL: usize = 4;

#[repr(C)]
#[derive(Clone, Copy)]
struct Point {
    row: u32,
    column: u32,
}

#[repr(C)]
#[derive(Clone, Copy)]
struct Node {
    context: [u32; 4],
    id: *const c_void,
    tree: *const c_void,
}

#[repr(C)]
struct Cursor {
    tree: *const c_void,
    id: *const c_void,
    context: [u32; 3],
}

#[repr(C)]
struct Input {
    payload: *mut c_void,
    read: unsafe extern "C" fn(*mut c_void, u32, Point, *mut u32) -> *const c_char,
    encoding: u32,
    decode: *const c_void,
}

#[repr(C)]
struct ParseState {
    payload: *mut c_void,
    current_byte_offset: u32,
    has_error: bool,
}

#[repr(C)]
struct ParseOptions {
    payload: *mut c_void,
    progress: unsafe extern "C" fn(*mut ParseState) -> bool,
}

unsafe extern "C" {
    fn ts_parser_new() -> *mut c_void;
    fn ts_parser_delete(parser: *mut c_void);
    fn ts_parser_set_language(parser: *mut c_void, language: *const RawLanguage) -> bool;
    fn ts_parser_parse_with_options(
        parser: *mut c_void,
        old: *const c_void,
        input: Input,
        options: ParseOptions,
    ) -> *mut c_void;
    fn ts_tree_delete(tree: *mut c_void);
    fn ts_tree_root_node(tree: *const c_void) -> Node;
    fn ts_tree_cursor_new(node: Node) -> Cursor;
    fn ts_tree_cursor_delete(cursor: *mut Cursor);
    fn ts_tree_cursor_current_node(cursor: *const Cursor) -> Node;
    fn ts_tree_cursor_current_field_id(cursor: *const Cursor) -> u16;
    fn ts_tree_cursor_goto_first_child(cursor: *mut Cursor) -> bool;
    fn ts_tree_cursor_goto_next_sibling(cursor: *mut Cursor) -> bool;
    fn ts_tree_cursor_goto_parent(cursor: *mut Cursor) -> bool;
    fn ts_node_symbol(node: Node) -> u16;
    fn ts_node_start_byte(node: Node) -> u32;
    fn ts_node_end_byte(node: Node) -> u32;
    fn ts_node_is_missing(node: Node) -> bool;
    fn ts_node_is_named(node: Node) -> bool;
    fn ts_language_symbol_count(language: *const RawLanguage) -> u32;
    fn ts_language_symbol_name(language: *const RawLanguage, symbol: u16) -> *const c_char;
    fn ts_language_symbol_type(language: *const RawLanguage, symbol: u16) -> u32;
    fn ts_language_field_count(language: *const RawLanguage) -> u32;
    fn ts_language_field_name_for_id(language: *const RawLanguage, field: u16) -> *const c_char;
}

/// The names in a grammar.
#[derive(Debug)]
pub(crate) struct Names {
    /// The name of each symbol, and true if the symbol is a kind of node.
    pub(crate) symbols: Vec<(&'static str, bool)>,
    /// The name of each field; the first one is empty.
    pub(crate) fields: Vec<&'static str>,
}

/// A node of the runtime's tree.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Visited {
    /// Index of the node's symbol. `None` for an error.
    pub(crate) symbol: Option<u16>,
    pub(crate) field: u16,
    pub(crate) start: u32,
    pub(crate) end: u32,
    pub(crate) is_named: bool,
    pub(crate) is_missing: bool,
    pub(crate) is_leaf: bool,
}

/// A step of a walk through a tree.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Step {
    Enter(Visited),
    Leave,
}

/// Reads a name of a grammar.
///
/// # Safety
///
/// The pointer must be null, or point to a null-terminated string with a static lifetime.
unsafe fn static_name(name: *const c_char) -> &'static str {
    if name.is_null() {
        return "";
    }
    // SAFETY: names in grammars are null-terminated constants.
    unsafe { CStr::from_ptr(name) }.to_str().unwrap_or_default()
}

/// The names in a grammar.
pub(crate) fn names(language: fn() -> *const RawLanguage) -> Names {
    let language = language();
    // SAFETY: the pointer comes from a grammar, and the indices are less than the counts.
    unsafe {
        let symbol = |index: u16| {
            (static_name(ts_language_symbol_name(language, index)), ts_language_symbol_type(language, index) == 0)
        };
        let field = |index: u16| static_name(ts_language_field_name_for_id(language, index));
        let symbols = (0..ts_language_symbol_count(language) as u16).map(symbol).collect();
        let fields = (0..=ts_language_field_count(language) as u16).map(field).collect();
        Names { symbols, fields }
    }
}

struct Parser(*mut c_void);

impl Drop for Parser {
    fn drop(&mut self) {
        // SAFETY: the pointer comes from `ts_parser_new`, and there are no other users.
        unsafe { ts_parser_delete(self.0) }
    }
}

struct ParsedTree(*mut c_void);

impl Drop for ParsedTree {
    fn drop(&mut self) {
        // SAFETY: the pointer comes from the parser, and there are no other users.
        unsafe { ts_tree_delete(self.0) }
    }
}

struct Walk(Cursor);

impl Drop for Walk {
    fn drop(&mut self) {
        // SAFETY: the cursor comes from `ts_tree_cursor_new`.
        unsafe { ts_tree_cursor_delete(&raw mut self.0) }
    }
}

unsafe extern "C" fn read_text(payload: *mut c_void, at: u32, _point: Point, length: *mut u32) -> *const c_char {
    // SAFETY: the payload points to the text in `walk`, and `length` is an output parameter.
    unsafe {
        let text: &str = *payload.cast::<&str>();
        let rest = text.as_bytes().get(at as usize..).unwrap_or_default();
        *length = rest.len() as u32;
        rest.as_ptr().cast()
    }
}

unsafe extern "C" fn count_calls(state: *mut ParseState) -> bool {
    // SAFETY: the payload points to the counter in `walk`.
    unsafe {
        let left = (*state).payload.cast::<usize>();
        *left = (*left).saturating_sub(1);
        *left == 0
    }
}

/// Parses a text, and calls a function for each step of a walk through its tree. Returns false without calling the
/// function if the text takes too many steps to parse, or if the grammar is not compatible with this runtime.
pub(crate) fn walk(language: fn() -> *const RawLanguage, text: &str, visit: &mut dyn FnMut(Step)) -> bool {
    let mut source = text;
    let mut left = FREE_CALLS + text.len() / BYTES_PER_CALL;
    // SAFETY: only the callbacks use the payloads, and only during the call.
    let (_parser, tree) = unsafe {
        let parser = Parser(ts_parser_new());
        if !ts_parser_set_language(parser.0, language()) {
            return false;
        }
        let payload = (&raw mut source).cast();
        let input = Input { payload, read: read_text, encoding: 0, decode: std::ptr::null() };
        let options = ParseOptions { payload: (&raw mut left).cast(), progress: count_calls };
        let tree = ts_parser_parse_with_options(parser.0, std::ptr::null(), input, options);
        if tree.is_null() {
            return false;
        }
        (parser, ParsedTree(tree))
    };
    // SAFETY: the tree exists until the end of this function.
    let mut walk = unsafe { Walk(ts_tree_cursor_new(ts_tree_root_node(tree.0))) };
    let mut depth = 0_usize;
    loop {
        let is_inner = enter(&mut walk.0, visit);
        if is_inner {
            depth += 1;
            continue;
        }
        visit(Step::Leave);
        // SAFETY: the cursor belongs to the tree.
        while !unsafe { ts_tree_cursor_goto_next_sibling(&raw mut walk.0) } {
            if depth == 0 {
                return true;
            }
            depth -= 1;
            // SAFETY: the cursor belongs to the tree.
            unsafe { ts_tree_cursor_goto_parent(&raw mut walk.0) };
            visit(Step::Leave);
        }
    }
}

/// Visits the node of a cursor, and moves the cursor to the node's first child. Returns false if the node has no
/// children.
fn enter(cursor: &mut Cursor, visit: &mut dyn FnMut(Step)) -> bool {
    // SAFETY: the tree of the cursor still exists.
    unsafe {
        let node = ts_tree_cursor_current_node(cursor);
        let symbol = ts_node_symbol(node);
        let mut visited = Visited {
            symbol: (symbol != ERROR).then_some(symbol),
            field: ts_tree_cursor_current_field_id(cursor),
            start: ts_node_start_byte(node),
            end: ts_node_end_byte(node),
            is_named: ts_node_is_named(node),
            is_missing: ts_node_is_missing(node),
            is_leaf: false,
        };
        let is_inner = ts_tree_cursor_goto_first_child(cursor);
        visited.is_leaf = !is_inner;
        visit(Step::Enter(visited));
        is_inner
    }
}
