//! A single binary for all integration tests of the crate, because linking each binary takes seconds.

mod assigned_members;
mod comment_names;
mod common_exports;
mod commonjs;
mod completeness;
mod component_macros;
mod components;
mod declaration_files;
mod external_values;
mod globals;
mod host;
mod indexed;
mod indirect_uses;
mod inferred;
mod jsdoc_types;
mod keys;
mod literal_types;
mod member_forms;
mod merged_parameters;
mod narrowed;
mod package_functions;
mod refactors;
mod related_members;
mod resolution;
mod roundtrip;
mod template_names;
