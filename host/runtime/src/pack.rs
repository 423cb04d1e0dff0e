//! One language pack of one project. Each call runs on an instance from the pool.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, OnceLock, PoisonError, atomic::AtomicBool},
};

use marquetry_model::{
    Error, Interface, Kind, Relocation, Result, Work,
    mentions::{Mention, SearchedText, TextName},
    pack::{Description, Destination, SpecifierRequest},
    ports::{self, Files},
    structural_search::PatternInfo,
};

use crate::{
    bindings::marquetry::language::types as wit,
    cached_plugin::CachedPlugin,
    checked_document::CheckedDocument,
    clock::Deadline,
    convert::AnswerValidator,
    document::OpenDocument,
    file_access::FileAccess,
    guest::Handle,
    instance::Instance,
    limits::PluginLimits,
    load::LoadedPlugin,
    lower,
    pool::InstancePool,
    sandbox::Sandbox,
    settings_check::settings_problem,
    state::{Blame, CallFailure},
};

/// A plugin whose file was read and identified. It is compiled at the first call.
pub(crate) struct Plugin {
    pub(crate) id: String,
    pub(crate) sandbox: Sandbox,
    pub(crate) bounds: PluginLimits,
    /// The files that it may receive although the caller did not name them.
    pub(crate) file_access: FileAccess,
    pub(crate) settings: String,
    pub(crate) cached: CachedPlugin,
    pub(crate) description: Arc<Description>,
    pub(crate) compile: Box<dyn Fn() -> Result<LoadedPlugin> + Send + Sync>,
    pub(crate) loaded: OnceLock<LoadedPlugin>,
    /// True if the file has changed since it was read and must be read again.
    pub(crate) is_outdated: Arc<AtomicBool>,
    /// The thread that compiles the plugin holds this lock.
    pub(crate) compiling: Mutex<()>,
    pub(crate) pool: Arc<InstancePool>,
}

/// Returns a key of the plugin's bytes and settings, which together decide its answers.
pub(crate) fn answer_key(sha256: &str, settings: &str) -> String {
    format!("{sha256} {settings}")
}

/// A plugin for calls that can access one project.
pub(crate) struct WasmPack {
    pub(crate) plugin: Arc<Plugin>,
    pub(crate) files: Arc<dyn Files>,
    /// True if the pack opens embedded parts of documents that another pack handles.
    pub(crate) is_for_embedded: bool,
}

impl Plugin {
    /// Logs how the settings in the registry differ from the plugin's schema. The plugin runs nevertheless, because
    /// plugins ignore unknown settings.
    pub(crate) fn with_logged_problem(self) -> Plugin {
        if let Some(problem) = self.settings_problem() {
            tracing::error!("plugin `{}`: {problem}", self.id);
        }
        self
    }

    /// Returns the status for users: `ready`, or the reason why it is not.
    pub(crate) fn status(&self) -> String {
        self.settings_problem().unwrap_or_else(|| self.pool.status())
    }

    fn settings_problem(&self) -> Option<String> {
        settings_problem(&self.description.settings_schema, &self.settings)
    }

    pub(crate) fn loaded(&self) -> Result<&LoadedPlugin> {
        if let Some(loaded) = self.loaded.get() {
            return Ok(loaded);
        }
        // Only one thread compiles. The others wait for its result, because compiling uses all cores for seconds.
        let _one = self.compiling.lock().unwrap_or_else(PoisonError::into_inner);
        match self.loaded.get() {
            Some(loaded) => Ok(loaded),
            None => {
                let loaded = (self.compile)()?;
                Ok(self.loaded.get_or_init(|| loaded))
            }
        }
    }

    /// Runs a call on a document and validates the answer. An invalid answer is a failure of the plugin, like a trap,
    /// and its instance is not used again.
    pub(crate) fn call<R, T>(
        &self,
        subject: CallSubject<'_>,
        kept: &mut Option<Instance>,
        run: &mut dyn FnMut(&mut Instance, Option<Handle>) -> wasmtime::Result<R>,
        believe: impl FnOnce(R, &dyn Fn() -> Result<()>) -> Result<T>,
    ) -> Result<T> {
        self.pool.check_quarantine(&self.id, subject.document)?;
        let (document, work) = (subject.document, subject.files.and_then(|files| files.work()));
        let bytes = document.map_or(0, |(_, text)| text.len());
        let _inside = self.pool.enter(work)?;
        let answer = self.call_with_retry(subject, kept, run)?;
        // Validation runs on the same thread and counts against the CPU time of the call.
        let deadline = Deadline::begin(self.bounds.time_limit(bytes));
        let goes_on = || {
            work.map_or(Ok(()), Work::check)?;
            match deadline.exceeded_limit() {
                None => Ok(()),
                Some(_) => Err(self.validation_timeout_error()),
            }
        };
        let believed = believe(answer, &goes_on);
        match &believed {
            Err(error) if error.kind() == Kind::PluginFailed => {
                *kept = None;
                self.pool.record_failure(error, document, Blame::Plugin);
            }
            // Cancellation is not a failure of the plugin.
            Err(error) if error.kind() == Kind::Cancelled => {}
            _ => self.pool.record_success(document),
        }
        believed
    }

    fn validation_timeout_error(&self) -> Error {
        let message = format!("plugin `{}` returned more than could be checked within its time limit", self.id);
        Error::new(Kind::PluginFailed, message)
            .hint("raise `limits.seconds` of the plugin in registry.toml if the document is that large")
    }

    /// Returns the guest's answer. If the guest traps, the call is repeated once on a new instance. Node ids are valid
    /// only on the instance that returned them, so a call with node ids is not repeated and fails with a transient
    /// error.
    fn call_with_retry<R>(
        &self,
        subject: CallSubject<'_>,
        kept: &mut Option<Instance>,
        run: &mut dyn FnMut(&mut Instance, Option<Handle>) -> wasmtime::Result<R>,
    ) -> Result<R> {
        // The failure that ended the instance was already recorded, so it is not counted again.
        if subject.has_ids && kept.is_none() {
            let lost = Error::new(Kind::PluginFailed, format!("plugin `{}` lost its document", self.id));
            return Err(lost.hint("repeat the call").transient());
        }
        let mut first: Option<Error> = None;
        loop {
            match self.call_once(&subject, kept, run) {
                Ok(answer) => return Ok(answer),
                // The plugin did not cause the failure.
                Err(fault) if fault.blame == Blame::Nobody => {
                    *kept = None;
                    return Err(fault.error);
                }
                Err(fault) => {
                    *kept = None;
                    tracing::warn!(plugin = self.id.as_str(), "{}", fault.error);
                    if fault.retry && !subject.has_ids && first.is_none() {
                        first = Some(fault.error);
                        continue;
                    }
                    self.pool.record_failure(&fault.error, subject.document, fault.blame);
                    // After a second failure on a new instance, another repetition would fail as well.
                    let is_transient = fault.retry && first.is_none();
                    return Err(if is_transient { fault.error.transient() } else { fault.error });
                }
            }
        }
    }

    fn call_once<R>(
        &self,
        subject: &CallSubject<'_>,
        kept: &mut Option<Instance>,
        run: &mut dyn FnMut(&mut Instance, Option<Handle>) -> wasmtime::Result<R>,
    ) -> std::result::Result<R, CallFailure> {
        let loaded = self.loaded().map_err(|error| CallFailure { error, retry: false, blame: Blame::Plugin })?;
        let instance = match kept {
            Some(instance) => instance,
            None => kept.insert(Instance::new(&self.sandbox, loaded, &self.bounds)?),
        };
        let bytes = subject.document.map_or(0, |(_, text)| text.len());
        let _ticking = instance.begin_call(&self.sandbox, &self.bounds, bytes, subject.files);
        let document = match subject.document {
            Some((path, text)) => match instance.document(path, text, &self.settings) {
                Ok(document) => Some(document),
                Err(error) => return Err(instance.call_failure(&error, &format!("opening {path}"))),
            },
            None => None,
        };
        run(instance, document).map_err(|error| instance.call_failure(&error, subject.doing))
    }
}

/// Subject of a call.
pub(crate) struct CallSubject<'a> {
    pub(crate) document: Option<(&'a str, &'a Arc<str>)>,
    pub(crate) files: Option<&'a Arc<dyn Files>>,
    pub(crate) doing: &'a str,
    /// True if the call has node ids that the document returned before.
    pub(crate) has_ids: bool,
}

impl WasmPack {
    /// Calls a function that takes no document. Positions in the answer are validated against `text`.
    fn without_document<R, T>(
        &self,
        (doing, text): (&str, &str),
        run: &mut dyn FnMut(&mut Instance, Option<Handle>) -> wasmtime::Result<R>,
        believe: impl FnOnce(&AnswerValidator<'_>, R) -> Result<T>,
    ) -> Result<T> {
        let nothing: Arc<str> = Arc::from("");
        let mut instance = self.plugin.pool.take("", &nothing);
        let subject = CallSubject { document: None, files: Some(&self.files), doing, has_ids: false };
        let answer = self.plugin.call(subject, &mut instance, run, |answer, goes_on| {
            believe(&AnswerValidator::new(&self.plugin.id, text).with_continue_check(goes_on), answer)
        });
        if let Some(instance) = instance {
            self.plugin.pool.put_back(instance);
        }
        answer
    }
}

impl ports::Pack for WasmPack {
    fn description(&self) -> &Arc<Description> {
        &self.plugin.description
    }

    fn identity(&self) -> String {
        answer_key(&self.plugin.cached.sha256, &self.plugin.settings)
    }

    fn has_interface(&self, interface: Interface) -> bool {
        self.plugin.cached.interfaces.iter().any(|known| known == interface.name())
    }

    fn may_receive(&self, path: &str) -> bool {
        self.is_for_embedded
            || self.files.work().is_some_and(|work| work.is_named(path))
            || self.plugin.file_access.allows(self.files.as_ref(), path)
    }

    fn open(self: Arc<Self>, path: &str, text: &Arc<str>) -> Result<Box<dyn ports::Document>> {
        if !self.may_receive(path) {
            return Err(self.plugin.file_access.refusal(self.files.as_ref(), &self.plugin.id, path));
        }
        Ok(Box::new(CheckedDocument(OpenDocument::new(self, path, text))))
    }

    fn resolve(&self, from: &str, requests: &[(String, String)]) -> Result<Vec<Destination>> {
        // A page may repeat a link on every line; equal links are resolved once.
        let mut known: HashMap<&(String, String), usize> = HashMap::new();
        let mut requests_sent: Vec<wit::Request> = Vec::new();
        let mut places = Vec::with_capacity(requests.len());
        for request in requests {
            places.push(*known.entry(request).or_insert_with(|| {
                let (kind, specifier) = request.clone();
                requests_sent.push(wit::Request { kind, specifier });
                requests_sent.len() - 1
            }));
        }
        let context = lower::context(from, &self.plugin.settings);
        let found = self.without_document(
            ("resolving links", ""),
            &mut |instance, _| instance.resolve(&context, &requests_sent),
            |checked, found| {
                checked.destinations(checked.require_interface(Interface::Links, found)?, requests_sent.len())
            },
        )?;
        Ok(places.into_iter().map(|place| found[place].clone()).collect())
    }

    fn additional_moves(&self, relocation: &Relocation) -> Result<Vec<Relocation>> {
        let context = lower::context(&relocation.from, &self.plugin.settings);
        let sent = lower::relocation(relocation);
        self.without_document(
            ("finding additional moves", ""),
            &mut |instance, _| instance.additional_moves(&context, &sent),
            |checked, found| checked.additional_moves(relocation, checked.require_interface(Interface::Links, found)?),
        )
    }

    fn manifest_names(&self) -> Result<Vec<String>> {
        self.without_document(
            ("listing manifests", ""),
            &mut |instance, _| instance.manifest_names(),
            |checked, names| checked.manifest_names(checked.require_interface(Interface::Hover, names)?),
        )
    }

    fn format_specifiers(&self, requests: &[SpecifierRequest]) -> Result<Vec<Result<String>>> {
        let wit_requests: Vec<wit::SpecifierRequest> = requests.iter().map(lower::respelling).collect();
        let context = lower::context(requests.first().map_or("", |request| &request.from), &self.plugin.settings);
        self.without_document(
            ("formatting links", ""),
            &mut |instance, _| instance.format_specifiers(&context, &wit_requests),
            |checked, specifiers| {
                checked.formatted_specifiers(checked.require_interface(Interface::Links, specifiers)?, requests.len())
            },
        )
    }

    fn parse_pattern(&self, path: &str, pattern: &str) -> Result<PatternInfo> {
        let context = lower::context(path, &self.plugin.settings);
        // Spans of a failure refer to the pattern.
        self.without_document(
            ("reading a pattern", pattern),
            &mut |instance, _| instance.read_pattern(&context, pattern),
            |checked, read| checked.pattern_info(checked.outcome(checked.require_interface(Interface::Search, read)?)?),
        )
    }

    fn text_names(&self, paths: &[&str]) -> Result<Vec<TextName>> {
        let owned: Vec<String> = paths.iter().map(|path| (*path).to_owned()).collect();
        self.without_document(
            ("naming files", ""),
            &mut |instance, _| instance.text_names(&owned, &self.plugin.settings),
            |checked, names| checked.text_names(checked.require_interface(Interface::Mentions, names)?, paths.len()),
        )
    }

    fn find_mentions(&self, names: &[TextName], text: SearchedText<'_>) -> Result<Vec<Mention>> {
        let (wit_names, source) = (lower::text_names(names), lower::searched_text(text));
        self.without_document(
            ("looking for names of files", text.text),
            &mut |instance, _| instance.find_mentions(&wit_names, &source),
            |checked, found| checked.mentions(checked.require_interface(Interface::Mentions, found)?, names),
        )
    }
}
