//! Shared vocabulary of the host: plain data types with public fields, text algorithms, typed errors, limits, and the
//! ports (traits) through which the tools reach files, plugins and editors. No IO, no serialization, no async, no wasm.

pub mod budget;
pub mod change;
pub mod diff;
pub mod edit;
pub mod editor;
pub mod error;
pub mod escape;
pub mod files;
pub mod hover;
pub mod interface;
pub mod limits;
pub mod lookups;
pub mod mentions;
pub mod nearest;
pub mod origin;
pub mod pack;
pub mod ports;
pub mod reader;
pub mod refactor;
pub mod repository;
pub mod secrets;
pub mod servers;
pub mod source;
pub mod span;
pub mod stale_data;
pub mod structural_search;
pub mod text;
pub mod work;

pub use change::{Change, ChangeEffects, FileEffect, Outcome, Relocation, Relocations, Step, is_below};
pub use edit::{Edit, EditSet};
pub use error::{Error, Kind, Result};
pub use interface::Interface;
pub use origin::Origin;
pub use span::Span;
pub use stale_data::StaleData;
pub use work::{Progress, Work};
