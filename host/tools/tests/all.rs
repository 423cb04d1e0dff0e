//! One binary for all integration tests of the crate: linking each one separately takes seconds.

mod budgets;
mod definitions;
mod every_address;
mod every_pack;
mod file_set;
mod git;
mod guard;
mod moves;
mod open;
mod parallel;
mod second;
mod server_files;
mod table;
mod unsaved;
