//! The changes of a command: one set for each root, which the tools apply completely or not at all.

use std::path::{Path, PathBuf};

use marquetry_model::{Error, Kind, Result};
use marquetry_tools::{FileSetArgs, FileSetResult, Workbench};

use crate::{
    agents,
    entry::{self, Connection, SERVER_NAME, text_of},
    hook,
    machine::{Machine, PROGRAM},
    outcome::Outcome,
    select::{Choice, Selection, choose, find},
    skill,
    table::{Client, Scope},
};

/// Parts that are installed in addition to the configuration.
#[derive(Debug, Clone, Copy, Default)]
pub struct Extras {
    /// The skill.
    pub skill: bool,
    /// The paragraph in `AGENTS.md`.
    pub agents: bool,
    /// The hook of Claude Code.
    pub hook: bool,
}

/// One line of the answer.
#[derive(Debug, Clone)]
pub struct Row {
    /// The client, or an extra that is installed (skill, hook …).
    pub name: String,
    /// The client; `None` for other things.
    pub client: Option<&'static Client>,
    /// Scope of the file.
    pub scope: Scope,
    /// The file.
    pub file: PathBuf,
    /// The effect.
    pub outcome: Outcome,
}

/// Changes below one root.
#[derive(Debug, Clone)]
pub struct RootChange {
    /// The root.
    pub root: PathBuf,
    /// Owner of the files.
    pub scope: Scope,
    /// Names of the clients, for the command that undoes the change.
    pub clients: Vec<&'static str>,
    /// The changes.
    pub set: FileSetArgs,
    /// Their diff.
    pub diff: String,
}

/// All changes of a command.
#[derive(Debug, Clone, Default)]
pub struct Plan {
    /// Effect on each file.
    pub rows: Vec<Row>,
    /// The changes, without those that change nothing.
    pub changes: Vec<RootChange>,
}

/// Texts of a file without any value, without white space.
const EMPTY_DOCUMENTS: [&str; 2] = ["", "{}"];

/// Plans the changes that connect the selected clients, or that disconnect them.
///
/// # Errors
/// Fails if a file has syntax errors, or an entry with the name of marq runs another program. Nothing is written.
pub fn plan(
    (bench, machine): (&Workbench, &Machine),
    selection: &Selection,
    (extras, scope): (Extras, Scope),
    remove: bool,
) -> Result<Plan> {
    let mut planner = Planner { bench, machine, remove, plan: Plan::default() };
    for choice in &selection.chosen {
        planner.client(choice)?;
    }
    planner.extras(selection, extras, scope)?;
    planner.finish(selection)
}

struct Planner<'a> {
    bench: &'a Workbench,
    machine: &'a Machine,
    remove: bool,
    plan: Plan,
}

impl Planner<'_> {
    fn client(&mut self, choice: &Choice) -> Result<()> {
        let (root, file) = self.locate(&choice.file, choice.scope);
        let choice = &Choice { file, ..choice.clone() };
        let name = choice.client.name.to_owned();
        let row = |outcome| Row {
            name,
            client: Some(choice.client),
            scope: choice.scope,
            file: choice.file.clone(),
            outcome,
        };
        let is_shared = |row: &Row| {
            let known = row.client.and_then(|client| client.place(row.scope));
            row.file == choice.file && known.is_some_and(|place| place.key == choice.place.key)
        };
        if let Some(first) = self.plan.rows.iter().find(|row| is_shared(row)) {
            let outcome = first.outcome;
            self.plan.rows.push(row(outcome));
            return Ok(());
        }
        let existing = entry::read(self.bench, &root, choice)?;
        let connection = existing.as_ref().and_then(Connection::of_entry);
        if existing.is_some() && !connection.as_ref().is_some_and(Connection::is_marq) {
            return Err(foreign_entry(choice, connection.as_ref()));
        }
        let set = self.set(&root, choice.scope, choice.client.id);
        let outcome = if self.remove {
            let path = format!("{}.{SERVER_NAME}", choice.place.key);
            if existing.is_none() {
                Outcome::Absent
            } else {
                let path = entry::outermost_path(self.bench, &root, &choice.file, &path)?;
                self.plan.changes[set].set.edits.push(entry::delete_value(&text_of(&choice.file), path));
                Outcome::Removed
            }
        } else {
            let members = entry::wanted(self.machine, choice, existing.as_ref());
            let edits = entry::edits(&text_of(&choice.file), choice, &members);
            let outcome = match (edits.is_empty(), existing.is_some()) {
                (true, _) => Outcome::Unchanged,
                (false, true) => Outcome::Updated,
                (false, false) => Outcome::Added,
            };
            self.plan.changes[set].set.edits.extend(edits);
            outcome
        };
        self.plan.rows.push(row(outcome));
        Ok(())
    }

    /// Adds the requested extras, or removes them if the command disconnects.
    fn extras(&mut self, selection: &Selection, extras: Extras, scope: Scope) -> Result<()> {
        let has_claude = selection.chosen.iter().any(|choice| choice.client.id == "claude-code");
        if extras.skill {
            for choice in &selection.chosen {
                let Some(folders) = choice.client.skills else { continue };
                let folder = if choice.scope == Scope::Project { folders.0 } else { folders.1 };
                self.extra("skill", &format!("{folder}/{}", skill::FILE), choice.scope, (skill::add, skill::remove))?;
            }
            if !self.plan.rows.iter().any(|row| row.name == "skill") {
                return Err(Error::new(Kind::Unsupported, "none of these clients has a folder for skills")
                    .hint("leave out `--skill`, and use `--agents-md`"));
            }
        }
        if extras.agents {
            if scope == Scope::User {
                return Err(Error::new(Kind::Unsupported, format!("{} is a file of a project", agents::FILE))
                    .hint("use `--scope project`, or leave out `--agents-md`"));
            }
            self.extra(agents::FILE, agents::FILE, scope, (agents::add, agents::remove))?;
        }
        if extras.hook {
            if !has_claude {
                return Err(Error::new(Kind::Unsupported, "only Claude Code has hooks")
                    .hint("add `--client claude-code`, or leave out `--hook`"));
            }
            let machine = self.machine;
            let add = |bench: &Workbench, root: &Path, file: &Path, set: &mut FileSetArgs| {
                hook::add((bench, machine, scope), root, file, set)
            };
            self.extra("hook", hook::template(scope), scope, (add, hook::remove))?;
        }
        Ok(())
    }

    fn extra<A, R>(&mut self, name: &str, template: &str, scope: Scope, (add, remove): (A, R)) -> Result<()>
    where
        A: Fn(&Workbench, &Path, &Path, &mut FileSetArgs) -> Result<Outcome>,
        R: Fn(&Workbench, &Path, &Path, &mut FileSetArgs) -> Result<Outcome>,
    {
        let Some(file) = self.machine.expand(template) else { return Ok(()) };
        let (root, file) = self.locate(&file, scope);
        if self.plan.rows.iter().any(|row| row.file == file && row.client.is_none()) {
            return Ok(());
        }
        let set = self.set(&root, scope, "");
        let set = &mut self.plan.changes[set].set;
        let outcome =
            if self.remove { remove(self.bench, &root, &file, set)? } else { add(self.bench, &root, &file, set)? };
        self.plan.rows.push(Row { name: name.to_owned(), client: None, scope, file, outcome });
        Ok(())
    }

    /// Returns the root and the real path of a file. Files of the user are below the home folder if possible, so that
    /// they are one change.
    fn locate(&self, file: &Path, scope: Scope) -> (PathBuf, PathBuf) {
        let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let project = real(&self.machine.project);
        if scope == Scope::Project {
            let below = file.strip_prefix(&self.machine.project).unwrap_or(file);
            let file = project.join(below);
            return (project, file);
        }
        let existing = file.ancestors().find(|path| path.exists()).unwrap_or(file);
        let path = match file.strip_prefix(existing) {
            Ok(rest) if !rest.as_os_str().is_empty() => real(existing).join(rest),
            _ => real(existing),
        };
        let home = self.machine.home.as_deref().map(real).filter(|home| path.starts_with(home));
        let folder = if existing == file { path.parent().map(Path::to_owned) } else { Some(real(existing)) };
        (home.or(folder).unwrap_or_else(|| path.clone()), path)
    }

    /// Returns the index of the changes below a root.
    fn set(&mut self, root: &Path, scope: Scope, client: &'static str) -> usize {
        let index = self.plan.changes.iter().position(|change| change.root == root).unwrap_or_else(|| {
            let set = FileSetArgs { root: Some(text_of(root)), ..FileSetArgs::default() };
            let (root, clients) = (root.to_owned(), Vec::new());
            self.plan.changes.push(RootChange { root, scope, clients, set, diff: String::new() });
            self.plan.changes.len() - 1
        });
        if !client.is_empty() && !self.plan.changes[index].clients.contains(&client) {
            self.plan.changes[index].clients.push(client);
        }
        index
    }

    /// Computes the diffs, and drops the roots where nothing changes.
    fn finish(mut self, selection: &Selection) -> Result<Plan> {
        let names: Vec<&str> = selection.chosen.iter().map(|choice| choice.client.name).collect();
        let verb = if self.remove { "Disconnected marq from" } else { "Connected marq with" };
        for change in &mut self.plan.changes {
            change.set.title = format!("{verb} {}", names.join(", "));
            if self.remove {
                delete_emptied(self.bench, &mut change.set)?;
            }
            change.diff = dry_run(self.bench, &change.set)?.diff;
        }
        self.plan.changes.retain(|change| !change.diff.is_empty());
        Ok(self.plan)
    }
}

/// Deletes the files that would not contain any value.
fn delete_emptied(bench: &Workbench, set: &mut FileSetArgs) -> Result<()> {
    let files = bench.files(set.root.as_deref())?;
    let is_empty = |text: &str| EMPTY_DOCUMENTS.contains(&text.split_whitespace().collect::<String>().as_str());
    for (path, _) in dry_run(bench, set)?.texts.into_iter().filter(|(_, text)| is_empty(text)) {
        set.edits.retain(|edit| files.locate(&edit.file).ok().as_ref() != Some(&path));
        set.deleted.push(path);
    }
    Ok(())
}

fn dry_run(bench: &Workbench, set: &FileSetArgs) -> Result<FileSetResult> {
    bench.file_set(&FileSetArgs { dry_run: true, ..set.clone() })
}

/// Error for an entry that has the name of marq and runs something else.
fn foreign_entry(choice: &Choice, connection: Option<&Connection>) -> Error {
    let runs = connection.map_or_else(|| "has no command".to_owned(), |known| format!("runs `{}`", known.command));
    let (file, path) = (choice.file.display(), format!("{}.{SERVER_NAME}", choice.place.key));
    Error::new(Kind::OverwriteBlocked, format!("`{path}` of {file} {runs}, not `marq mcp`"))
        .hint(format!("rename the entry, or delete it: marq edit {file} '{path}' delete"))
}

/// Returns the configuration of a client as the text of a new file, and the path of that file. `folder` is an empty
/// folder.
///
/// # Errors
/// Fails if the client is unknown, or has no configuration in the scope.
pub fn snippet(
    (bench, machine): (&Workbench, &Machine),
    name: &str,
    scope: Option<Scope>,
    folder: &Path,
) -> Result<(PathBuf, String)> {
    let client = find(name)?;
    let usual = if client.project.is_some() { Scope::Project } else { Scope::User };
    let choice = choose(machine, client, scope.unwrap_or(usual))?;
    // The path below the folder ends like the real one, because packs recognize dialects by it.
    let below = choice.file.strip_prefix(&machine.project).or_else(|_| choice.file.strip_prefix("/"));
    let file = folder.join(below.unwrap_or(&choice.file));
    let edits = entry::edits(&text_of(&file), &choice, &entry::wanted(machine, &choice, None));
    let set = FileSetArgs { root: Some(text_of(folder)), edits, ..FileSetArgs::default() };
    let text = dry_run(bench, &set)?.texts.into_iter().next().map(|(_, text)| text);
    Ok((choice.file, text.ok_or_else(|| Error::internal("the entry has no text"))?))
}

impl Choice {
    /// Returns the command that the entry of marq runs. `None` if the file has no such entry.
    ///
    /// Files of a project are untrusted. From them, only the name of this program is used, and no variables, because a
    /// path or a variable could start code of the project.
    ///
    /// # Errors
    /// Fails if the file cannot be read, or if the entry runs another program.
    pub fn connection(&self, bench: &Workbench, machine: &Machine) -> Result<Option<Connection>> {
        let planner = Planner { bench, machine, remove: false, plan: Plan::default() };
        let (root, file) = planner.locate(&self.file, self.scope);
        let choice = Choice { file, ..self.clone() };
        let Some(entry) = entry::read(bench, &root, &choice)? else { return Ok(None) };
        let Some(connection) = Connection::of_entry(&entry).filter(Connection::is_marq) else {
            return Err(foreign_entry(&choice, Connection::of_entry(&entry).as_ref()));
        };
        if self.scope == Scope::User {
            return Ok(Some(connection));
        }
        if connection.command != PROGRAM {
            let message = format!("`{}` may be code of the project, and was not started", connection.command);
            return Err(Error::new(Kind::PermissionDenied, message)
                .hint(format!("a file of a project has the command `{PROGRAM}`: run `marq init`")));
        }
        Ok(Some(Connection { environment: Vec::new(), ..connection }))
    }
}
