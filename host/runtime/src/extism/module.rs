//! A linked and running Extism module: calls of its functions with JSON arguments and answers.

use std::{collections::HashMap, marker::PhantomData};

use marquetry_model::{Error, Kind, Result};
use serde::{
    Deserialize,
    de::{DeserializeOwned, DeserializeSeed},
};
use serde_json::{
    Deserializer, Value,
    de::{Read, SliceRead, StrRead},
    json,
};
use wasmtime::{Func, Instance, InstancePre, Linker, Store, Val, ValType};

use super::{contract, env, json_list::ListSeed, wasi, workspace};
use crate::{
    bindings::marquetry::language::{log::Level, types as wit},
    sandbox::Sandbox,
    state::InstanceState,
};

/// Start functions, called before anything else if exported. The first initializes the module's language runtime.
const START_FUNCTIONS: [&str; 2] = ["__wasm_call_ctors", "_initialize"];

/// A compiled and linked module.
pub(crate) struct LinkedModule {
    pre: InstancePre<InstanceState>,
    /// Function name and exported name.
    functions: Vec<(&'static str, String)>,
}

/// A running module.
pub(crate) struct Module {
    functions: HashMap<&'static str, (String, Func)>,
}

/// The answer of a function that may fail. As in the WIT interface, a failure is a returned value and not a trap.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Outcome<T> {
    Ok(T),
    Failure(wit::Failure),
}

impl<T> From<Outcome<T>> for std::result::Result<T, wit::Failure> {
    fn from(outcome: Outcome<T>) -> Self {
        match outcome {
            Outcome::Ok(answer) => Ok(answer),
            Outcome::Failure(failure) => Err(failure),
        }
    }
}

impl LinkedModule {
    pub(crate) fn link(sandbox: &Sandbox, id: &str, module: &wasmtime::Module) -> Result<LinkedModule> {
        let exports: Vec<&str> = module.exports().map(|export| export.name()).collect();
        LinkedModule::link_functions(sandbox, module, contract::functions(&exports))
            .map_err(|error| Error::new(Kind::PluginFailed, format!("plugin `{id}` cannot be linked: {error:#}")))
    }

    /// Links a module whose functions are called, given as function name and exported name.
    pub(super) fn link_functions(
        sandbox: &Sandbox,
        module: &wasmtime::Module,
        functions: Vec<(&'static str, String)>,
    ) -> wasmtime::Result<LinkedModule> {
        for (_, exported) in &functions {
            check_type(module, exported)?;
        }
        let mut linker: Linker<InstanceState> = Linker::new(&sandbox.engine);
        env::link(&mut linker, module)?;
        workspace::link(&mut linker)?;
        wasi::link(&mut linker, module)?;
        Ok(LinkedModule { pre: linker.instantiate_pre(module)?, functions })
    }

    pub(crate) fn instantiate(&self, store: &mut Store<InstanceState>) -> wasmtime::Result<Module> {
        let instance = self.pre.instantiate(&mut *store)?;
        run_start_functions(store, &instance)?;
        let mut functions = HashMap::new();
        for (name, exported) in &self.functions {
            let func = instance.get_func(&mut *store, exported);
            let func = func.ok_or_else(|| wasmtime::format_err!("`{exported}` is not a function"))?;
            functions.insert(*name, (exported.clone(), func));
        }
        Ok(Module { functions })
    }
}

/// Checks the type of a function: Extism functions take no parameters and return a number or nothing.
fn check_type(module: &wasmtime::Module, name: &str) -> wasmtime::Result<()> {
    let export = module.get_export(name).ok_or_else(|| wasmtime::format_err!("it does not export `{name}`"))?;
    let ty = export.func().cloned().ok_or_else(|| wasmtime::format_err!("its export `{name}` is not a function"))?;
    let results: Vec<ValType> = ty.results().collect();
    if ty.params().len() == 0 && matches!(results.as_slice(), [] | [ValType::I32]) {
        return Ok(());
    }
    Err(wasmtime::format_err!("its function `{name}` has the type `{ty}`, which no function of an Extism plug-in has"))
}

fn run_start_functions(store: &mut Store<InstanceState>, instance: &Instance) -> wasmtime::Result<()> {
    let Some(func) = START_FUNCTIONS.iter().find_map(|name| instance.get_func(&mut *store, name)) else {
        return Ok(());
    };
    func.typed::<(), ()>(&*store)?.call(store, ())
}

/// Parses a complete JSON text.
fn parse_json<'a, S: DeserializeSeed<'a>>(json: impl Read<'a>, seed: S) -> serde_json::Result<S::Value> {
    let mut json = Deserializer::new(json);
    let answer = seed.deserialize(&mut json)?;
    json.end()?;
    Ok(answer)
}

impl Module {
    /// Runs a function on an input; the answer is the output of the blocks. Returns the exported name, or `None` if the
    /// module does not have the function.
    pub(super) fn run(
        &self,
        store: &mut Store<InstanceState>,
        name: &str,
        input: &[&[u8]],
    ) -> wasmtime::Result<Option<&str>> {
        let Some((name, func)) = self.functions.get(name) else { return Ok(None) };
        let state = store.data_mut();
        state.blocks.begin(&mut state.memory, input)?;
        let mut results = [Val::I32(0)];
        let count = func.ty(&*store).results().len();
        let ended = func.call(&mut *store, &[], &mut results[..count]);
        let state = store.data_mut();
        let error_text = state.blocks.error_text();
        // The module's error message is logged first, because it also explains a trap.
        for line in error_text.iter().flat_map(|error_text| error_text.lines()) {
            state.log(Level::Error, line);
        }
        ended?;
        match results {
            [Val::I32(0)] if error_text.is_none() => Ok(Some(name)),
            [Val::I32(0)] => Err(wasmtime::format_err!("`{name}` set an error")),
            [Val::I32(code)] => Err(wasmtime::format_err!("`{name}` returned {code}")),
            [_] => Err(wasmtime::format_err!("`{name}` did not return a number")),
        }
    }

    /// Calls a function with an input and deserializes the answer. `seed` creates the deserializer from the length of
    /// the answer. `None` if the module does not have the function.
    fn call<'a, S: DeserializeSeed<'a>>(
        &self,
        store: &'a mut Store<InstanceState>,
        name: &str,
        input: &[&[u8]],
        seed: impl FnOnce(usize) -> S,
    ) -> wasmtime::Result<Option<S::Value>> {
        let Some(name) = self.run(store, name, input)? else { return Ok(None) };
        let output = store.data().blocks.output();
        let seed = seed(output.len());
        // UTF-8 is validated once for the whole answer, because an outline may have hundreds of thousands of strings.
        let answer = match std::str::from_utf8(output) {
            Ok(text) => parse_json(StrRead::new(text), seed),
            Err(_) => parse_json(SliceRead::new(output), seed),
        };
        let wrong = |error| wasmtime::format_err!("its answer to `{name}` does not match the contract: {error}");
        answer.map(Some).map_err(wrong)
    }

    /// Calls a function that cannot fail. `None` if the module does not have it.
    pub(crate) fn call_value<R: DeserializeOwned>(
        &self,
        store: &mut Store<InstanceState>,
        name: &str,
        body: &Value,
    ) -> wasmtime::Result<Option<R>> {
        self.call(store, name, &[body.to_string().as_bytes()], |_| PhantomData)
    }

    /// Calls a function that returns a list, which may be long.
    pub(crate) fn call_list<R: DeserializeOwned>(
        &self,
        store: &mut Store<InstanceState>,
        name: &str,
        body: &Value,
    ) -> wasmtime::Result<Option<Vec<R>>> {
        self.call(store, name, &[body.to_string().as_bytes()], ListSeed::for_length)
    }

    /// Calls a function that may fail. `None` if the module does not have it.
    pub(crate) fn call_fallible<R: DeserializeOwned>(
        &self,
        store: &mut Store<InstanceState>,
        name: &str,
        body: &Value,
    ) -> wasmtime::Result<Option<std::result::Result<R, wit::Failure>>> {
        Ok(self.call_value::<Outcome<R>>(store, name, body)?.map(Into::into))
    }

    /// Calls a function that returns a list of results that may have failed. `None` if the module does not have it.
    pub(crate) fn call_outcomes<R: DeserializeOwned>(
        &self,
        store: &mut Store<InstanceState>,
        name: &str,
        body: &Value,
    ) -> wasmtime::Result<Option<Vec<std::result::Result<R, wit::Failure>>>> {
        let outcomes: Option<Vec<Outcome<R>>> = self.call_value(store, name, body)?;
        Ok(outcomes.map(|outcomes| outcomes.into_iter().map(Into::into).collect()))
    }

    /// Opens a document: the input is a line of JSON followed by the text.
    pub(crate) fn open(
        &self,
        store: &mut Store<InstanceState>,
        path: &str,
        text: &str,
        settings: &str,
    ) -> wasmtime::Result<u32> {
        let settings: Value = serde_json::from_str(settings).unwrap_or_else(|_| json!({}));
        store.data_mut().blocks.set_settings(&settings);
        let header = json!({"path": path, "settings": settings}).to_string();
        let input: [&[u8]; 3] = [header.as_bytes(), b"\n", text.as_bytes()];
        let number = self.call(store, "open", &input, |_| PhantomData)?;
        number.ok_or_else(|| wasmtime::format_err!("it has no function `open`"))
    }

    /// Closes a document. The answer is ignored.
    pub(crate) fn close(&self, store: &mut Store<InstanceState>, document: u32) -> wasmtime::Result<()> {
        self.run(store, "close", &[json!({"document": document}).to_string().as_bytes()]).map(drop)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::{
        cache::Cache, guest::Guest, instance::Instance as Running, limits::PluginLimits, load::LoadedPlugin,
        logs::PluginLogs,
    };

    /// The sample pack, and the answers of Extism's own host (`examples/packs/properties-extism/transcript.mjs`).
    const PACK: &[u8] = include_bytes!("../../tests/extism/properties.wasm");
    const TRANSCRIPT: &str = include_str!("../../../../examples/packs/properties-extism/transcript.txt");

    #[test]
    fn module_answers_as_in_extism_host() {
        let cache = Cache::new(None);
        let sandbox = Sandbox::new(PluginLogs::new(cache.clone())).expect("a sandbox");
        let bounds = PluginLimits { memory: 64 << 20, time: Duration::from_secs(10) };
        let loaded = LoadedPlugin::load(&sandbox, "p", &cache, "", PACK.to_vec()).expect("it can be linked");
        let mut instance = Running::new(&sandbox, &loaded, &bounds).map_err(|fault| fault.error).expect("it starts");
        let _ticking = instance.begin_call(&sandbox, &bounds, 0, None);
        let Guest::Extism(module) = &instance.guest else { panic!("it is a module") };
        let mut lines = TRANSCRIPT.lines();
        let mut calls = 0;
        while let (Some(asked), Some(answered)) = (lines.next(), lines.next()) {
            let (name, input) = asked.strip_prefix("> ").and_then(|call| call.split_once(' ')).expect("a call");
            let name = name.strip_prefix("language_").expect("a function of every pack");
            let read = |text: &str| serde_json::from_str::<String>(text).expect("a string");
            module.run(&mut instance.store, name, &[read(input).as_bytes()]).expect("it answers");
            let output = instance.store.data().blocks.output();
            assert_eq!(String::from_utf8_lossy(output), read(answered), "{asked}");
            calls += 1;
        }
        assert_eq!(calls, 36);
    }
}
