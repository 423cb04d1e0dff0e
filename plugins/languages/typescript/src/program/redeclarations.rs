//! Declarations that are errors because the name is already declared in the scope.

use std::collections::HashSet;

use oxc_semantic::{Scoping, SymbolFlags};

/// Returns the offsets of the names in such declarations. All references to the name mean the first declaration.
pub(crate) fn redeclared_offsets(scoping: &Scoping, javascript: bool) -> HashSet<u32> {
    let mut found = HashSet::new();
    for symbol in scoping.symbol_ids() {
        let declarations = scoping.symbol_redeclarations(symbol);
        let Some((first, others)) = declarations.split_first() else { continue };
        let mut merged = first.flags;
        for declaration in others {
            if merged.intersects(conflicting_kinds(declaration.flags, javascript)) {
                found.insert(declaration.span.start);
            } else {
                merged |= declaration.flags;
            }
        }
    }
    found
}

/// Returns the kinds of symbols that a declaration cannot be merged with.
fn conflicting_kinds(flags: SymbolFlags, javascript: bool) -> SymbolFlags {
    if flags.intersects(SymbolFlags::BlockScopedVariable) {
        SymbolFlags::BlockScopedVariableExcludes
    } else if flags.intersects(SymbolFlags::FunctionScopedVariable) {
        SymbolFlags::FunctionScopedVariableExcludes
    } else if flags.is_function() {
        let also = if javascript { SymbolFlags::FunctionScopedVariable } else { SymbolFlags::None };
        SymbolFlags::FunctionExcludes - also
    } else if flags.is_class() {
        SymbolFlags::ClassExcludes
    } else if flags.is_import() || flags.is_type_import() {
        SymbolFlags::ImportBindingExcludes
    } else if flags.is_type_alias() {
        SymbolFlags::TypeAliasExcludes
    } else if flags.is_interface() {
        SymbolFlags::InterfaceExcludes
    } else if flags.is_type_parameter() {
        SymbolFlags::TypeParameterExcludes
    } else if flags.is_const_enum() {
        SymbolFlags::ConstEnumExcludes
    } else if flags.is_enum() {
        SymbolFlags::RegularEnumExcludes
    } else if flags.is_value_module() {
        SymbolFlags::ValueModuleExcludes
    } else if flags.is_enum_member() {
        SymbolFlags::EnumMemberExcludes
    } else {
        SymbolFlags::None
    }
}
