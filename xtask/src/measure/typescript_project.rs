//! Generated TypeScript projects: the same number of files gives the same project.

use std::{fmt::Write, fs, path::Path};

use anyhow::Result;

/// Files in one folder.
const FOLDER: usize = 50;
/// Number of files that import the hub, in projects of all sizes.
pub(crate) const IMPORTERS: usize = 140;

/// The file that 140 others import.
pub(crate) const HUB: &str = "src/shared/hub.ts";
/// The new path of the hub when it is moved.
pub(crate) const MOVED: &str = "src/kernel/hub.ts";

/// Writes the project unless the folder already contains it.
pub(crate) fn make(folder: &Path, files: usize) -> Result<()> {
    let done = folder.join("made");
    let stamp = format!("{files} files, {}", super::inputs::GENERATION);
    if fs::read_to_string(&done).is_ok_and(|text| text == stamp) {
        return Ok(());
    }
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    fs::create_dir_all(folder.join("src/shared"))?;
    fs::write(folder.join("package.json"), "{ \"name\": \"bench\", \"type\": \"module\" }\n")?;
    fs::write(folder.join("tsconfig.json"), TSCONFIG)?;
    fs::write(folder.join(HUB), HUB_TEXT)?;
    for index in 0..files - 1 {
        let path = folder.join(path_of(index));
        if index % FOLDER == 0 {
            fs::create_dir_all(path.parent().expect("a file has a folder"))?;
            fs::write(path.with_file_name("index.ts"), barrel_file(index, files - 1))?;
        }
        fs::write(path, module(index, files - 1))?;
    }
    fs::write(done, stamp)?;
    Ok(())
}

/// The configuration, in which all files are one project.
pub(crate) const TSCONFIG: &str = "{\n  \"compilerOptions\": {\n    \"target\": \"es2022\",\n    \"module\": \"nodenext\",\n    \"strict\": true,\n    \"noEmit\": true\n  },\n  \
                        \"include\": [\"src\"]\n}\n";

const HUB_TEXT: &str = "/** What everything stands on. */\nexport interface Clock {\n  now(): number;\n  label: string;\n}\n\nexport class Registry {\n  private readonly \
                        entries = new Map<string, Clock>();\n\n  register(name: string, clock: Clock): this {\n    this.entries.set(name, clock);\n    return this;\n  }\n\n  \
                        lookup(name: string): Clock | undefined {\n    return this.entries.get(name);\n  }\n}\n\nexport function createRegistry(): Registry {\n  return new \
                        Registry();\n}\n\nexport const defaultLabel = \"default\";\n";

fn path_of(index: usize) -> String {
    format!("src/area{}/unit{index}.ts", index / FOLDER)
}

/// Returns whether a file imports the hub. The importing files are at equal distances from each other.
fn imports_hub(index: usize, files: usize) -> bool {
    let every = (files / IMPORTERS).max(1);
    index.is_multiple_of(every) && index / every < IMPORTERS
}

fn barrel_file(first: usize, files: usize) -> String {
    (first..(first + FOLDER).min(files)).map(|index| format!("export * from \"./unit{index}.js\";\n")).collect()
}

/// Returns a module of about sixty lines: a class, an interface, functions, and imports of up to three other modules.
fn module(index: usize, files: usize) -> String {
    let mut text = String::new();
    // Imports only modules with lower numbers, because long chains of imports overflow the stack of some peers.
    let mut others: Vec<usize> =
        [index / 2, index * 2 / 3, index / 5].into_iter().filter(|other| *other != index).collect();
    others.dedup();
    for (place, other) in others.iter().enumerate() {
        let specifier = if other / FOLDER == index / FOLDER {
            format!("./unit{other}.js")
        } else {
            format!("../area{}/unit{other}.js", other / FOLDER)
        };
        let _ = writeln!(text, "import {{ make{other} as other{place}, type Shape{other} }} from \"{specifier}\";");
    }
    if imports_hub(index, files) {
        text += "import { createRegistry, defaultLabel, type Registry } from \"../shared/hub.js\";\n";
    }
    let _ = write!(
        text,
        "\n/** The shape of unit {index}. */\nexport interface Shape{index} {{\n  id: number;\n  title: string;\n  tags: readonly string[];\n  parent?: \
         Shape{index};\n}}\n\nexport class Unit{index} {{\n  private readonly items: Shape{index}[] = [];\n\n  constructor(readonly name: string) {{}}\n\n  add(item: \
         Shape{index}): this {{\n    if (item.tags.length > {index}) {{\n      throw new Error(`too many tags in ${{this.name}}`);\n    }}\n    \
         this.items.push(item);\n    return this;\n  }}\n\n  find(id: number): Shape{index} | undefined {{\n    return this.items.find((item) => item.id === \
         id);\n  }}\n\n  get size(): number {{\n    return this.items.length;\n  }}\n}}\n\nexport function make{index}(title: string): Shape{index} {{\n  return {{ \
         id: {index}, title, tags: [title, \"unit\"] }};\n}}\n"
    );
    for (place, other) in others.iter().enumerate() {
        let _ = write!(
            text,
            "\nexport function use{place}Of{index}(title: string): Shape{other} {{\n  const made = other{place}(title);\n  return {{ ...made, title: \
             `${{made.title}} of {index}` }};\n}}\n"
        );
    }
    if imports_hub(index, files) {
        let _ = write!(
            text,
            "\nexport const registry{index}: Registry = createRegistry().register(defaultLabel, {{ now: () => {index}, label: defaultLabel }});\n"
        );
    }
    text
}
