//! A single binary for all integration tests of the crate, because linking each binary takes seconds.

mod assigned_members;
mod commonjs;
mod completeness;
mod components;
mod declaration_files;
mod external_values;
mod host;
mod indexed;
mod indirect_uses;
mod inferred;
mod keys;
mod literal_types;
mod member_forms;
mod narrowed;
mod refactors;
mod related_members;
mod resolution;
mod roundtrip;
