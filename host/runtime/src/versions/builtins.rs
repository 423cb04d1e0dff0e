//! Concurrency builtins that runtimes of other languages import but packs never need: a call of one traps.
//!
//! The engine is built without support for concurrency, which reduces its attack surface. Packs do not need it, because
//! they never wait for anything. Before a component is compiled, the builtins are replaced by functions of a small
//! module that is added to it. Only task-local storage (`context.get`, `context.set`) works, because runtimes use it in
//! every call.

use std::convert::Infallible;

use wasm_encoder::{
    Alias, CanonicalFunctionSection, CodeSection, Component, ComponentAliasSection, ComponentSectionId, ConstExpr,
    ExportKind, ExportSection, Function, FunctionSection, GlobalSection, GlobalType, InstanceSection, Module,
    ModuleArg, ModuleSection, RawSection, TypeSection, ValType,
    reencode::{Error, Reencode, ReencodeComponent, component_utils},
};
use wasmparser::{CanonicalFunction, ComponentCanonicalSectionReader, Parser, Payload};

/// The builtins that trap: name, number of parameters, number of results.
const TRAPS: [(&str, usize, usize); 11] = [
    ("task.cancel", 0, 0),
    ("backpressure.inc", 0, 0),
    ("backpressure.dec", 0, 0),
    ("thread.yield", 0, 1),
    ("subtask.drop", 1, 0),
    ("subtask.cancel", 1, 1),
    ("waitable-set.new", 0, 1),
    ("waitable-set.wait", 2, 1),
    ("waitable-set.poll", 2, 1),
    ("waitable-set.drop", 1, 0),
    ("waitable.join", 2, 0),
];
/// Task-local storage: getter and setter of each of two slots.
const SLOTS: [(&str, &str); 2] = [("context.get.0", "context.set.0"), ("context.get.1", "context.set.1")];

/// Returns the component without concurrency builtins, unchanged if it has none.
///
/// # Errors
/// Fails if the component cannot be parsed.
pub(super) fn without_builtins(bytes: Vec<u8>) -> Result<Vec<u8>, String> {
    if !has_builtins(&bytes).map_err(|error| error.to_string())? {
        return Ok(bytes);
    }
    let mut component = Component::new();
    let replaced = BuiltinReplacer.parse_component(&mut component, Parser::new(0), &bytes);
    replaced.map_err(|error| error.to_string())?;
    Ok(component.finish())
}

fn has_builtins(bytes: &[u8]) -> wasmparser::Result<bool> {
    for payload in Parser::new(0).parse_all(bytes) {
        if let Payload::ComponentCanonicalSection(section) = payload? {
            for function in section {
                if replacement(&function?).is_some() {
                    return Ok(true);
                }
            }
        }
    }
    Ok(false)
}

/// Returns the replacement of a builtin; `None` if the engine supports it.
fn replacement(function: &CanonicalFunction) -> Option<&'static str> {
    use wasmparser::ValType::I32;
    Some(match function {
        CanonicalFunction::TaskCancel => "task.cancel",
        CanonicalFunction::BackpressureInc => "backpressure.inc",
        CanonicalFunction::BackpressureDec => "backpressure.dec",
        CanonicalFunction::ThreadYield => "thread.yield",
        CanonicalFunction::SubtaskDrop => "subtask.drop",
        CanonicalFunction::SubtaskCancel { .. } => "subtask.cancel",
        CanonicalFunction::WaitableSetNew => "waitable-set.new",
        CanonicalFunction::WaitableSetWait { .. } => "waitable-set.wait",
        CanonicalFunction::WaitableSetPoll { .. } => "waitable-set.poll",
        CanonicalFunction::WaitableSetDrop => "waitable-set.drop",
        CanonicalFunction::WaitableJoin => "waitable.join",
        CanonicalFunction::ContextGet { ty: I32, slot } => SLOTS.get(*slot as usize)?.0,
        CanonicalFunction::ContextSet { ty: I32, slot } => SLOTS.get(*slot as usize)?.1,
        _ => return None,
    })
}

/// Rewrites a component. Every nested component gets the module with the replacements as its first module and instance,
/// so that all other indices increase by one.
struct BuiltinReplacer;

impl Reencode for BuiltinReplacer {
    type Error = Infallible;
}

impl ReencodeComponent for BuiltinReplacer {
    fn module_index(&mut self, index: u32) -> u32 {
        index + 1
    }

    fn instance_index(&mut self, index: u32) -> u32 {
        index + 1
    }

    fn parse_component_payload(
        &mut self,
        component: &mut Component,
        payload: Payload<'_>,
        whole: &[u8],
    ) -> Result<(), Error<Infallible>> {
        match payload {
            Payload::Version { encoding: wasmparser::Encoding::Component, .. } => {
                component.section(&ModuleSection(&replacement_module()));
                let mut instances = InstanceSection::new();
                instances.instantiate(0, std::iter::empty::<(&str, ModuleArg)>());
                component.section(&instances);
                Ok(())
            }
            Payload::ComponentCanonicalSection(section) => self.replace(component, section),
            payload => component_utils::parse_component_payload(self, component, payload, whole),
        }
    }

    /// Core modules are copied unchanged.
    fn parse_component_submodule(
        &mut self,
        component: &mut Component,
        _parser: Parser,
        module: &[u8],
    ) -> Result<(), Error<Infallible>> {
        component.section(&RawSection { id: ComponentSectionId::CoreModule as u8, data: module });
        Ok(())
    }
}

impl BuiltinReplacer {
    /// Copies a section of functions in order, so that each keeps its index.
    fn replace(
        &mut self,
        component: &mut Component,
        section: ComponentCanonicalSectionReader<'_>,
    ) -> Result<(), Error<Infallible>> {
        let mut kept = CanonicalFunctionSection::new();
        for function in section {
            let function = function?;
            let Some(name) = replacement(&function) else {
                self.parse_component_canonical(&mut kept, function)?;
                continue;
            };
            if !kept.is_empty() {
                component.section(&std::mem::take(&mut kept));
            }
            let mut alias = ComponentAliasSection::new();
            alias.alias(Alias::CoreInstanceExport { instance: 0, kind: ExportKind::Func, name });
            component.section(&alias);
        }
        if !kept.is_empty() {
            component.section(&kept);
        }
        Ok(())
    }
}

/// Returns the module with all replacements.
fn replacement_module() -> Module {
    let (mut types, mut functions, mut exports) = (TypeSection::new(), FunctionSection::new(), ExportSection::new());
    let (mut globals, mut code) = (GlobalSection::new(), CodeSection::new());
    let mut add = |name: &str, takes: usize, answers: usize, write: &dyn Fn(&mut Function)| {
        let number = |count| std::iter::repeat_n(ValType::I32, count);
        let index = functions.len();
        types.ty().function(number(takes), number(answers));
        functions.function(index);
        exports.export(name, ExportKind::Func, index);
        let mut function = Function::new([]);
        write(&mut function);
        function.instructions().end();
        code.function(&function);
    };
    for (name, takes, answers) in TRAPS {
        add(name, takes, answers, &|function| {
            function.instructions().unreachable();
        });
    }
    for ((get, set), slot) in SLOTS.into_iter().zip(0..) {
        add(get, 0, 1, &|function| {
            function.instructions().global_get(slot);
        });
        add(set, 1, 0, &|function| {
            function.instructions().local_get(0).global_set(slot);
        });
        let kind = GlobalType { val_type: ValType::I32, mutable: true, shared: false };
        globals.global(kind, &ConstExpr::i32_const(0));
    }
    let mut module = Module::new();
    module.section(&types).section(&functions).section(&globals).section(&exports).section(&code);
    module
}

#[cfg(test)]
mod tests {
    use super::*;
    use wasm_encoder::{ComponentBuilder, ComponentExportKind, ImportSection, PrimitiveValType};
    use wasmtime::{
        Engine, Store,
        component::{Component as Compiled, Linker},
    };

    /// A module that uses task-local storage and cancels its task.
    fn user() -> Module {
        let (mut types, mut imports, mut functions) =
            (TypeSection::new(), ImportSection::new(), FunctionSection::new());
        let (mut exports, mut code) = (ExportSection::new(), CodeSection::new());
        let i32 = ValType::I32;
        types.ty().function([], []);
        types.ty().function([], [i32]);
        types.ty().function([i32], []);
        types.ty().function([i32], [i32]);
        for (name, ty) in [("cancel", 0), ("get", 1), ("set", 2)] {
            imports.import("", name, wasm_encoder::EntityType::Function(ty));
        }
        for (name, index, ty) in [("keep", 3, 3), ("give-up", 4, 0)] {
            functions.function(ty);
            exports.export(name, ExportKind::Func, index);
        }
        let mut keep = Function::new([]);
        keep.instructions().local_get(0).call(2).call(1).end();
        let mut give_up = Function::new([]);
        give_up.instructions().call(0).end();
        code.function(&keep).function(&give_up);
        let mut module = Module::new();
        module.section(&types).section(&imports).section(&functions).section(&exports).section(&code);
        module
    }

    /// A component as the toolchain of a language with concurrency creates it: with builtins and a module that uses
    /// them.
    fn component() -> Vec<u8> {
        let mut builder = ComponentBuilder::default();
        let (cancel, get, set) =
            (builder.task_cancel(), builder.context_get(ValType::I32, 0), builder.context_set(ValType::I32, 0));
        let func = |name, index| (name, ExportKind::Func, index);
        let builtins =
            builder.core_instantiate_exports(None, [func("cancel", cancel), func("get", get), func("set", set)]);
        let module = builder.core_module(None, &user());
        let instance = builder.core_instantiate(None, module, [("", ModuleArg::Instance(builtins))]);
        let number = wasm_encoder::ComponentValType::Primitive(PrimitiveValType::U32);
        for (name, takes) in [("keep", true), ("give-up", false)] {
            let core = builder.core_alias_export(None, instance, name, ExportKind::Func);
            let (ty, mut encoder) = builder.type_function(None);
            if takes {
                encoder.params([("number", number)]).result(Some(number));
            } else {
                encoder.params(std::iter::empty::<(&str, wasm_encoder::ComponentValType)>()).result(None);
            }
            let lifted = builder.lift_func(None, core, ty, []);
            builder.export(name, ComponentExportKind::Func, lifted, None);
        }
        builder.finish()
    }

    #[test]
    fn concurrency_builtins_trap_when_called() {
        let engine = Engine::default();
        assert!(Compiled::new(&engine, component()).is_err(), "the engine has no concurrency");
        let compiled =
            Compiled::new(&engine, without_builtins(component()).expect("it can be read")).expect("it can be compiled");
        let mut store = Store::new(&engine, ());
        let instance = Linker::new(&engine).instantiate(&mut store, &compiled).expect("it can be started");
        let keep = instance.get_typed_func::<(u32,), (u32,)>(&mut store, "keep").expect("there");
        assert_eq!(keep.call(&mut store, (7,)).expect("task-local storage must work"), (7,));
        let give_up = instance.get_typed_func::<(), ()>(&mut store, "give-up").expect("there");
        assert!(give_up.call(&mut store, ()).is_err());
    }

    #[test]
    fn component_without_builtins_is_unchanged() {
        let plain = ComponentBuilder::default().finish();
        assert_eq!(without_builtins(plain.clone()), Ok(plain));
        assert!(without_builtins(b"\0asm\x0d\0\x01\0\x08\x01".to_vec()).is_err());
    }
}
