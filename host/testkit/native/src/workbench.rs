//! A workbench without files, for tests of front ends: its roots are empty and have a history, and the undo of one
//! change runs until it is cancelled.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use marquetry_graph::Graph;
use marquetry_model::{
    Change, ChangeEffects, Error, Kind, Outcome, Result, Work,
    pack::{Description, TargetHelp, TargetKind},
    ports::{EntryKind, FileStamp, Files, Pack, Packs, PastChange, PluginInfo, Roots, Source},
};
use marquetry_tools::Workbench;

/// ID of a change whose undo runs until it is cancelled. Undos of longer IDs that start with it are also counted
/// ([`waiting`]).
pub const SLOW: &str = "slow";
/// Path for which the search for a pack runs until it is cancelled.
pub const STUCK: &str = "stuck";
/// Number of undos in progress that are counted.
static WAITING: AtomicUsize = AtomicUsize::new(0);

/// Returns the number of undos in progress of changes whose ID is longer than [`SLOW`]. It is counted per process, so
/// only one test may use it.
pub fn waiting() -> usize {
    WAITING.load(Ordering::SeqCst)
}

/// Upper bound for the slow operations.
const MOST: Duration = Duration::from_secs(20);

/// A workbench with these roots.
pub fn idle_workbench(roots: &[&str]) -> Workbench {
    let roots = Arc::new(TestRoots(roots.iter().map(ToString::to_string).collect()));
    Workbench::new(roots, Arc::new(Formats), Graph::new(std::env::temp_dir().join("marq-no-index")))
}

struct TestRoots(Vec<String>);

impl Roots for TestRoots {
    fn open(&self, root: Option<&str>) -> Result<Arc<dyn Files>> {
        let root = root.or(self.0.first().map(String::as_str)).unwrap_or_default();
        if self.0.iter().any(|served| served == root) {
            return Ok(Arc::new(Empty(root.to_owned())));
        }
        Err(Error::new(Kind::OutsideWorkspace, format!("the root `{root}` is not served")).candidates(self.0.clone()))
    }

    fn served(&self) -> Vec<String> {
        self.0.clone()
    }

    fn restricted_to(&self, uris: &[String]) -> Option<Arc<dyn Roots>> {
        let uris: Vec<&str> = uris.iter().filter_map(|uri| uri.strip_prefix("file://")).collect();
        let kept: Vec<String> = self.0.iter().filter(|root| uris.contains(&root.as_str())).cloned().collect();
        (!kept.is_empty()).then(|| Arc::new(TestRoots(kept)) as Arc<dyn Roots>)
    }

    fn root_of(&self, path: &str) -> Option<String> {
        self.0.iter().find(|root| path.starts_with(&format!("{root}/"))).cloned()
    }
}

/// A root without readable files.
struct Empty(String);

fn not_found<T>(path: &str) -> Result<T> {
    Err(Error::new(Kind::FileNotFound, format!("`{path}` does not exist")).hint("these roots have no files"))
}

/// Counts an undo while this exists.
struct Waiting;

impl Waiting {
    fn begin() -> Waiting {
        WAITING.fetch_add(1, Ordering::SeqCst);
        Waiting
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        WAITING.fetch_sub(1, Ordering::SeqCst);
    }
}

fn test_change(id: &str, root: &str) -> PastChange {
    let (id, title) = (id.to_owned(), format!("Edited a.txt in {root}"));
    PastChange {
        id,
        title,
        time: 0,
        files: vec!["a.txt".to_owned()],
        undone: false,
        interrupted: None,
        origin: None,
        purged: Vec::new(),
    }
}

impl Files for Empty {
    fn root(&self) -> &str {
        &self.0
    }

    fn is_on_disk(&self) -> bool {
        false
    }

    fn locate(&self, path: &str) -> Result<String> {
        let below = path.strip_prefix(&self.0).and_then(|below| below.strip_prefix('/'));
        match below {
            None if path.starts_with('/') => {
                Err(Error::new(Kind::OutsideWorkspace, format!("`{path}` is outside of {}", self.0)))
            }
            below => Ok(below.unwrap_or(path).to_owned()),
        }
    }

    fn read(&self, path: &str) -> Result<Source> {
        if path == STUCK {
            return Ok(Source { path: path.to_owned(), text: Arc::from(""), hash: String::new(), size: 0 });
        }
        not_found(&format!("{}/{path}", self.0))
    }

    fn read_bytes(&self, path: &str) -> Result<Vec<u8>> {
        not_found(path)
    }

    /// Returns a kind for two files, which exist but cannot be read.
    fn stat(&self, path: &str) -> Option<EntryKind> {
        ["a.ts", "b c.md"].contains(&path).then_some(EntryKind::File)
    }

    fn entries(&self, _path: &str) -> Vec<(String, EntryKind)> {
        Vec::new()
    }

    fn walk(&self, _below: &str) -> Result<Vec<FileStamp>> {
        Ok(Vec::new())
    }

    fn apply(&self, _change: &Change, _dry_run: bool, _work: &Work) -> Result<ChangeEffects> {
        Err(Error::new(Kind::PermissionDenied, "nothing can be written here"))
    }

    fn undo(&self, id: Option<&str>, dry_run: bool, work: &Work) -> Result<(PastChange, ChangeEffects)> {
        let id = id.unwrap_or("latest");
        let started = Instant::now();
        let stage = work.stage("waiting", 1_000_000);
        if let Some(alone) = id.strip_prefix(SLOW) {
            let _waiting = (!alone.is_empty()).then(Waiting::begin);
            while started.elapsed() < MOST {
                stage.step()?;
                std::thread::sleep(Duration::from_millis(1));
            }
        }
        if id == "panic" {
            panic!("as requested by the test");
        }
        let outcome = if dry_run { Outcome::DryRun } else { Outcome::Applied };
        Ok((
            test_change(id, &self.0),
            ChangeEffects { id: None, outcome, files: Vec::new(), directories_created: Vec::new() },
        ))
    }

    fn history(&self, limit: usize) -> Result<Vec<PastChange>> {
        Ok((1..=3).take(limit).map(|n| test_change(&format!("change-{n}"), &self.0)).collect())
    }
}

/// A single format that handles no file.
struct Formats;

impl Packs for Formats {
    fn for_path(&self, files: &Arc<dyn Files>, path: &str) -> Result<Arc<dyn Pack>> {
        let started = Instant::now();
        while path == STUCK && started.elapsed() < MOST {
            files.work().map_or(Ok(()), Work::check)?;
            std::thread::sleep(Duration::from_millis(1));
        }
        not_found(path)
    }

    fn for_language(&self, _files: &Arc<dyn Files>, language: &str) -> Result<Arc<dyn Pack>> {
        not_found(language)
    }

    fn descriptions(&self, _files: &Arc<dyn Files>) -> Vec<Arc<Description>> {
        let target = TargetHelp { kind: TargetKind::Lines, syntax: String::new(), examples: vec!["7-12".to_owned()] };
        vec![Arc::new(Description {
            id: "list".to_owned(),
            name: "List".to_owned(),
            version: "1.0.0".to_owned(),
            files: vec!["*.list".to_owned()],
            targets: vec![target],
            regions: Vec::new(),
            templates: Vec::new(),
            settings_schema: String::new(),
            relinks: false,
            help: "# List\n\nLines of a list.\n".to_owned(),
            refactors: Vec::new(),
        })]
    }

    fn plugins(&self, _files: &Arc<dyn Files>) -> Vec<PluginInfo> {
        Vec::new()
    }
}
