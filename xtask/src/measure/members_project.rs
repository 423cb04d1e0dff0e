//! Generated TypeScript projects whose members have common names: `type`, `name`, `key`, a private `logService` in
//! every class, and a method that every fourth or fifth file inherits and calls.

use std::{fmt::Write, fs, path::Path};

use anyhow::Result;

use super::subject::{Member, Question, Subject};

/// Files in one folder.
const FOLDER: usize = 50;
/// Maximum number of files that call the inherited method.
const CALLERS: usize = 1_238;
/// The version of this generator. Increment it when the generator changes.
const GENERATION: u32 = 1;

const LIFECYCLE: &str = "src/base/lifecycle.ts";
const OPTIONS: &str = "src/base/options.ts";

/// Writes the project unless the folder already contains it, and returns the calls to measure.
pub(crate) fn make(folder: &Path, files: usize) -> Result<Subject> {
    let parts = files.saturating_sub(3).max(FOLDER);
    let done = folder.join("made");
    let stamp = format!("{files} files with members, {GENERATION}");
    if fs::read_to_string(&done).is_ok_and(|text| text == stamp) {
        return Ok(subject(parts));
    }
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    fs::create_dir_all(folder.join("src/base"))?;
    fs::write(folder.join("package.json"), "{ \"name\": \"members\", \"type\": \"module\" }\n")?;
    fs::write(folder.join("tsconfig.json"), super::typescript_project::TSCONFIG)?;
    for (path, text) in [(LIFECYCLE, LIFECYCLE_TEXT), (OPTIONS, OPTIONS_TEXT), ("src/base/event.ts", EVENT_TEXT)] {
        fs::write(folder.join(path), text)?;
    }
    for index in 0..parts {
        let path = folder.join(path_of(index));
        if index % FOLDER == 0 {
            fs::create_dir_all(path.parent().expect("a file has a folder"))?;
        }
        fs::write(path, part(index, parts))?;
    }
    fs::write(done, stamp)?;
    Ok(subject(parts))
}

/// Returns calls on members of a class from the middle of the project, which other files use, and on members of the
/// base class.
fn subject(parts: usize) -> Subject {
    let middle = (parts / 3..parts).find(|index| !calls(*index, parts)).unwrap_or_default();
    let member = |name: &str, file: &str, at: String, question| Member {
        name: name.to_owned(),
        file: file.to_owned(),
        at,
        question,
    };
    let rename = |new_name: &str| Question::Rename { new_name: new_name.to_owned() };
    let own = path_of(middle);
    Subject {
        members: vec![
            member("method", LIFECYCLE, "protected |_register".to_owned(), rename("_own")),
            member("type", &own, "readonly |type: Kind".to_owned(), rename("sort")),
            member("name", &own, "  |name: string".to_owned(), rename("title")),
            member("private", &own, "private readonly |logService".to_owned(), rename("log")),
            member("implement", LIFECYCLE, "interface |IDisposable".to_owned(), Question::Implementations),
        ],
        ..Subject::for_members(path_of(parts - 1))
    }
}

fn path_of(index: usize) -> String {
    format!("src/area{}/part{index}.ts", index / FOLDER)
}

/// Returns whether the class of a part inherits the method and calls it.
fn calls(index: usize, parts: usize) -> bool {
    let every = (parts / CALLERS).max(1);
    index.is_multiple_of(every) && index / every < CALLERS
}

const LIFECYCLE_TEXT: &str = "export interface IDisposable {\n  dispose(): void;\n}\n\nexport class DisposableStore implements IDisposable {\n  private readonly items = new \
                              Set<IDisposable>();\n\n  add<T extends IDisposable>(item: T): T {\n    this.items.add(item);\n    return item;\n  }\n\n  dispose(): void {\n    for (const item of \
                              this.items) {\n      item.dispose();\n    }\n    this.items.clear();\n  }\n}\n\nexport abstract class Disposable implements IDisposable {\n  private readonly store = new \
                              DisposableStore();\n\n  protected _register<T extends IDisposable>(item: T): T {\n    return this.store.add(item);\n  }\n\n  dispose(): void {\n    \
                              this.store.dispose();\n  }\n}\n";

const OPTIONS_TEXT: &str = "export type Kind = \"file\" | \"folder\" | \"link\";\n\nexport interface ILogService {\n  info(message: string): void;\n  readonly name: string;\n}\n\nexport interface Located \
                            {\n  readonly key: string;\n}\n";

const EVENT_TEXT: &str = "import { type IDisposable } from \"./lifecycle.js\";\n\nexport type Event<T> = (listener: (event: T) => void) => IDisposable;\n\nexport class Emitter<T> implements IDisposable \
                          {\n  private readonly listeners: ((event: T) => void)[] = [];\n\n  readonly event: Event<T> = (listener) => {\n    this.listeners.push(listener);\n    return this;\n  };\n\n  \
                          fire(event: T): void {\n    for (const listener of this.listeners) {\n      listener(event);\n    }\n  }\n\n  dispose(): void {\n    this.listeners.length = 0;\n  }\n}\n";

/// Returns a module of about eighty lines: an interface and a class with the common names, and uses of members of three
/// other modules.
fn part(index: usize, parts: usize) -> String {
    let mut others: Vec<usize> =
        [index / 2, index * 2 / 3, index / 5].into_iter().filter(|other| *other != index).collect();
    others.dedup();
    let specifier = |other: usize| {
        if other / FOLDER == index / FOLDER {
            format!("./part{other}.js")
        } else {
            format!("../area{}/part{other}.js", other / FOLDER)
        }
    };
    let mut text = String::from(
        "import { Emitter, type Event } from \"../base/event.js\";\nimport { Disposable, type IDisposable } from \"../base/lifecycle.js\";\nimport { type ILogService, type Kind, type \
         Located } from \"../base/options.js\";\n",
    );
    for other in &others {
        let _ = writeln!(text, "import {{ Part{other}, type Options{other} }} from \"{}\";", specifier(*other));
    }
    let caller = calls(index, parts);
    // Every second caller inherits the method through the class of another module.
    let base = others.first().copied().filter(|other| caller && index % 2 == 1 && calls(*other, parts));
    let (extends, begin) = match (caller, base) {
        (true, Some(base)) => (format!(" extends Part{base}"), "super(log);"),
        (true, None) => (" extends Disposable".to_owned(), "super();"),
        (false, _) => (" implements IDisposable".to_owned(), ""),
    };
    let service = if base.is_some() { format!("log{index}") } else { "logService".to_owned() };
    let parameter =
        if base.is_some() { "log: ILogService".to_owned() } else { format!("private readonly {service}: ILogService") };
    let begin = if base.is_some() { format!("{begin}\n    this.{service} = log;") } else { begin.to_owned() };
    let field = if base.is_some() { format!("  private readonly {service}: ILogService;\n") } else { String::new() };
    let keep = if caller { "this._register(new Emitter" } else { "(new Emitter" };
    let _ = write!(
        text,
        "\nexport interface Options{index} extends Located {{\n  readonly type: Kind;\n  name: string;\n  parent?: Options{index};\n}}\n\nexport class Part{index}{extends} {{\n  private readonly \
         items{index} = new Map<string, Options{index}>();\n{field}  readonly changed{index}: Event<Options{index}> = {keep}<Options{index}>()).event;\n\n  constructor({parameter}) {{\n    {begin}\n    \
         this.changed{index}((event) => this.{service}.info(event.type + event.name));\n  }}\n\n  add{index}(options: Options{index}): void {{\n    const {{ type, name }} = options;\n    if (type === \
         \"folder\" && options.parent?.type !== \"link\") {{\n      this.items{index}.set(options.key, options);\n    }}\n    this.{service}.info(`${{type}} ${{name}} of \
         ${{this.{service}.name}}`);\n  }}\n\n  all{index}(kind: Kind): Options{index}[] {{\n    return [...this.items{index}.values()].filter((item) => item.type === kind && item.key !== item.name);\n  \
         }}\n\n  make{index}(name: string): Options{index} {{\n    return {{ type: \"file\", name, key: `${{name}}{index}` }};\n  }}\n"
    );
    if !caller {
        text += "\n  dispose(): void {}\n";
    }
    text += "}\n";
    for other in &others {
        let _ = write!(
            text,
            "\nexport function from{other}Of{index}(part: Part{other}, options: Options{other}): string {{\n  part.add{other}({{ type: options.type, name: options.name, key: options.key }});\n  const \
             found = part.all{other}(\"link\").find((item) => item.type === options.type);\n  return found === undefined ? options.name : `${{found.name}} ${{found.key}}`;\n}}\n"
        );
    }
    text
}
