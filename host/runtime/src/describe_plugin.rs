//! Runs a plugin for its description.

use marquetry_model::{Result, pack::Description};

use crate::{convert::AnswerValidator, instance::Instance, limits::PluginLimits, load::LoadedPlugin, sandbox::Sandbox};

/// Asks a plugin for its description.
pub(crate) fn describe(
    sandbox: &Sandbox,
    loaded: &LoadedPlugin,
    id: &str,
    bounds: &PluginLimits,
) -> Result<Description> {
    let mut instance = Instance::new(sandbox, loaded, bounds).map_err(|fault| fault.error)?;
    let _ticking = instance.begin_call(sandbox, bounds, 0, None);
    let raw = instance.describe().map_err(|error| instance.call_failure(&error, "describing itself").error)?;
    let mut description = AnswerValidator::new(id, "").description(raw)?;
    let refactors = instance.refactors();
    if let Some(raw) = refactors.map_err(|error| instance.call_failure(&error, "listing its refactors").error)? {
        description.refactors = AnswerValidator::new(id, "").refactors(raw)?;
    }
    Ok(description)
}
