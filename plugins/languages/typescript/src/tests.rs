//! Tests of the pack on texts.

mod depth;
mod edits;
mod laws;
mod local_check;
mod outline;
mod problems;
mod templates;
mod views;

use marquetry_sdk::testing::{self, TestDocument};
use marquetry_sdk::{FailureKind, Operation, TargetKind};

use crate::TypeScript;

/// Opens a TypeScript module.
fn ts(text: &str) -> TestDocument<TypeScript> {
    testing::open("a.ts", text)
}

fn open(path: &str, text: &str) -> TestDocument<TypeScript> {
    testing::open(path, text)
}

/// Returns the texts that the address of a symbol reads.
#[track_caller]
fn read(text: &str, symbol: &str) -> Vec<String> {
    ts(text).read(TargetKind::Symbol, symbol).unwrap_or_else(|failure| panic!("`{symbol}`: {failure:?}"))
}

/// Returns the text after an operation on a symbol.
#[track_caller]
fn edited(text: &str, symbol: &str, operation: Operation) -> String {
    ts(text).edit(TargetKind::Symbol, symbol, operation).unwrap_or_else(|failure| panic!("`{symbol}`: {failure:?}"))
}

#[track_caller]
fn refused(text: &str, symbol: &str, operation: Operation) -> FailureKind {
    match ts(text).edit(TargetKind::Symbol, symbol, operation) {
        Err(failure) => failure.kind,
        Ok(after) => panic!("not refused: {after}"),
    }
}

const OPTIONS: marquetry_sdk::EditOptions = marquetry_sdk::EditOptions { include_doc: false, force: false };
