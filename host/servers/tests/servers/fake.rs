//! A fake language server. Its answers depend on the words in the texts, and its `mood` makes it misbehave in one of
//! many ways.

use std::{
    collections::BTreeMap,
    io::{BufRead, Write},
    time::{Duration, Instant},
};

use serde_json::{Value, json};

struct Fake {
    mood: String,
    root: String,
    language: String,
    setting: String,
    /// Texts that the client has open, by URI.
    open: BTreeMap<String, String>,
    /// When loading the project began.
    loads: Option<Instant>,
    /// The text before the last change, and when it changed.
    before: Option<(String, Instant)>,
}

/// Time to load a project.
const LOADING: Duration = Duration::from_millis(600);

/// Runs the server.
pub(crate) fn serve(mood: &str) {
    let mut fake = Fake {
        mood: mood.to_owned(),
        root: String::new(),
        language: String::new(),
        setting: String::new(),
        open: BTreeMap::new(),
        loads: None,
        before: None,
    };
    let mut input = std::io::stdin().lock();
    while let Some(message) = read(&mut input) {
        fake.hear(&message);
    }
    if mood == "stubborn" {
        // Ignores the end of its input and the `exit` notification.
        std::thread::sleep(Duration::from_secs(60));
    }
}

fn read(input: &mut impl BufRead) -> Option<Value> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if input.read_line(&mut line).ok()? == 0 {
            return None;
        }
        match line.trim().strip_prefix("Content-Length: ") {
            Some(number) => length = number.parse().ok()?,
            None if line.trim().is_empty() => break,
            None => {}
        }
    }
    let mut message = vec![0; length];
    input.read_exact(&mut message).ok()?;
    serde_json::from_slice(&message).ok()
}

fn send(message: &Value) {
    let text = message.to_string();
    let mut output = std::io::stdout().lock();
    let _ = write!(output, "Content-Length: {}\r\n\r\n{text}", text.len());
    let _ = output.flush();
}

impl Fake {
    fn hear(&mut self, message: &Value) {
        let parameters = &message["params"];
        let uri = parameters["textDocument"]["uri"].as_str().unwrap_or_default().to_owned();
        match message["method"].as_str().unwrap_or_default() {
            "initialized" => {
                send(
                    &json!({ "jsonrpc": "2.0", "id": "s", "method": "workspace/configuration", "params": { "items": [{ "section": "a" }] } }),
                );
            }
            "" if message["id"] == "s" => self.setting = message["result"][0].to_string(),
            "textDocument/didOpen" => {
                let text = parameters["textDocument"]["text"].as_str().unwrap_or_default().to_owned();
                self.language = parameters["textDocument"]["languageId"].as_str().unwrap_or_default().to_owned();
                self.open.insert(uri.clone(), text);
                self.opened(&uri, &parameters["textDocument"]["version"]);
            }
            "textDocument/didChange" => {
                let text = parameters["contentChanges"][0]["text"].as_str().unwrap_or_default().to_owned();
                self.before = self.open.insert(uri.clone(), text).map(|old| (old, Instant::now()));
                self.publish(&uri, &parameters["textDocument"]["version"]);
            }
            "exit" if self.mood != "stubborn" => std::process::exit(0),
            method if !message["id"].is_null() => self.asked(method, message, &uri),
            _ => {}
        }
    }

    fn opened(&mut self, uri: &str, version: &Value) {
        if self.mood.starts_with("loading") {
            self.loads = Some(Instant::now());
            let work = |kind: &str| {
                send(
                    &json!({ "jsonrpc": "2.0", "method": "$/progress", "params": { "token": "t", "value": { "kind": kind, "title": "x" } } }),
                );
            };
            work("begin");
            if self.mood == "loading" {
                // Loading runs on a separate thread, so that requests are answered meanwhile.
                std::thread::spawn(move || {
                    std::thread::sleep(LOADING);
                    work("end");
                });
            }
        }
        self.publish(uri, version);
    }

    fn problems(&self, uri: &str) -> Value {
        if self.mood == "crossed" {
            // In this mood, every file gets one diagnostic for each file that contains "bad".
            let bad = self.texts().values().filter(|text| text.contains("bad")).count();
            return (0..bad).map(|at| json!({ "range": range(0, at, at), "message": "a bad file" })).collect();
        }
        let text = self.open.get(uri).map_or("", String::as_str);
        let found = places(text, "bad").into_iter();
        found
            .map(
                |range| json!({ "range": range, "severity": 2, "message": "this is bad", "source": "fake", "code": 7 }),
            )
            .collect()
    }

    fn publish(&self, uri: &str, version: &Value) {
        let parameters = json!({ "uri": uri, "version": version, "diagnostics": self.problems(uri) });
        send(&json!({ "jsonrpc": "2.0", "method": "textDocument/publishDiagnostics", "params": parameters }));
    }

    fn asked(&mut self, method: &str, message: &Value, uri: &str) {
        let parameters = &message["params"];
        let result = match method {
            "initialize" => {
                self.root = parameters["rootPath"].as_str().unwrap_or_default().to_owned();
                let all = json!({ "hoverProvider": true, "referencesProvider": true, "renameProvider": true, "documentSymbolProvider": true, "definitionProvider": true });
                let mut abilities = if self.mood == "bare" { json!({}) } else { all };
                if self.mood.starts_with("pull") {
                    abilities["diagnosticProvider"] = json!({ "interFileDependencies": false });
                }
                json!({ "capabilities": abilities })
            }
            "textDocument/hover" => match self.hover(uri, &parameters["position"]) {
                Some(hover) => hover,
                None => return,
            },
            "textDocument/diagnostic" if self.mood == "pull-sorry" => {
                let complaint = json!({ "type": 1, "message": "no problems: I lost my settings\nat line 7" });
                send(&json!({ "jsonrpc": "2.0", "method": "window/logMessage", "params": complaint }));
                json!({ "kind": "full", "items": [] })
            }
            "textDocument/references" => self.references(uri, &parameters["position"]),
            "textDocument/definition" => match self.definition(uri, &parameters["position"]) {
                Ok(Some(definition)) => definition,
                Ok(None) => return,
                Err(message_text) => {
                    let error = json!({ "code": -32803, "message": message_text });
                    return send(&json!({ "jsonrpc": "2.0", "id": message["id"], "error": error }));
                }
            },
            "textDocument/rename" => self.rename(uri, parameters),
            "textDocument/documentSymbol" => self.outline(uri),
            "textDocument/diagnostic" => json!({ "kind": "full", "items": self.problems(uri) }),
            "shutdown" if self.mood == "stubborn" => return,
            _ => Value::Null,
        };
        send(&json!({ "jsonrpc": "2.0", "id": message["id"], "result": result }));
    }

    /// The symbols: each line is one, named by its first word, with its other words in it.
    fn outline(&self, uri: &str) -> Value {
        let late = self.before.as_ref().filter(|(_, at)| self.mood == "late" && at.elapsed() < LOADING);
        let text = late.map_or_else(|| self.open.get(uri).map_or("", String::as_str), |(text, _)| text);
        let symbol = |line: u64, (start, end): (usize, usize), name: &str, whole: usize, inside: Value| {
            let selection = if self.mood == "lie" { range(line, end, end + 3) } else { range(line, start, end) };
            json!({
                "name": name, "kind": 12, "range": range(line, start, whole), "selectionRange": selection,
                "children": inside,
            })
        };
        let words = |line: &str| -> Vec<(usize, usize)> {
            let is_start = |at: &usize| *at == 0 || line.is_char_boundary(at - 1) && line[..*at].ends_with(' ');
            let starts = (0..line.len()).filter(|at| line.is_char_boundary(*at)).filter(is_start);
            starts.map(|at| (at, at + line[at..].find(' ').unwrap_or(line.len() - at))).collect()
        };
        let lines = text.lines().enumerate().filter(|(_, line)| line.is_ascii() && !line.is_empty());
        lines
            .map(|(number, line)| {
                let all = words(line);
                let inside =
                    all[1..].iter().map(|word| symbol(number as u64, *word, &line[word.0..word.1], word.1, json!([])));
                let (first, inside) = (all[0], inside.collect());
                symbol(number as u64, first, &line[first.0..first.1], line.len(), inside)
            })
            .collect()
    }

    fn hover(&self, uri: &str, position: &Value) -> Option<Value> {
        match self.mood.as_str() {
            "hang" => return None,
            "die" => {
                eprintln!("I am dying");
                std::process::exit(3);
            }
            "lie" => return Some(json!({ "contents": "x", "range": range(999, 0, 3) })),
            "lie-shape" => return Some(json!({ "contents": 7 })),
            "picture" => return Some(json!({ "contents": "one ![x](data:image/png;base64,AAAA) two" })),
            "flood" => print!("Content-Length: 999999999999\r\n\r\n"),
            "chatter" => println!("Hello, I am a server."),
            "greedy" => {
                let mut taken = Vec::new();
                for _ in 0..400 {
                    taken.push(vec![1_u8; 1 << 20]);
                    std::thread::sleep(Duration::from_millis(5));
                }
                return Some(json!({ "contents": taken.len().to_string() }));
            }
            _ => {}
        }
        let (word, place) = self.word(uri, position)?;
        let process = if word == "two" { format!(" process {}", std::process::id()) } else { String::new() };
        Some(
            json!({ "contents": { "kind": "markdown", "value": format!("**{word}** {} {}{process}", self.language, self.setting) }, "range": place }),
        )
    }

    /// The word at a position, and its range.
    fn word(&self, uri: &str, position: &Value) -> Option<(String, Value)> {
        let text = self.open.get(uri)?;
        let line = text.split('\n').nth(usize::try_from(position["line"].as_u64()?).ok()?)?;
        let units: Vec<u16> = line.encode_utf16().collect();
        let at = usize::try_from(position["character"].as_u64()?).ok()?;
        let is_word = |unit: &u16| char::from_u32(u32::from(*unit)).is_some_and(char::is_alphanumeric);
        let start = units[..at].iter().rposition(|unit| !is_word(unit)).map_or(0, |before| before + 1);
        let end = units[at..].iter().position(|unit| !is_word(unit)).map_or(units.len(), |after| at + after);
        Some((String::from_utf16_lossy(&units[start..end]), range(position["line"].as_u64()?, start, end)))
    }

    /// The texts of all files in the root; for open files the client's version.
    fn texts(&self) -> BTreeMap<String, String> {
        let mut texts = BTreeMap::new();
        for entry in std::fs::read_dir(&self.root).into_iter().flatten().flatten() {
            let uri = format!("file://{}", encoded(&entry.path().display().to_string()));
            let text = self.open.get(&uri).cloned();
            texts.insert(uri, text.unwrap_or_else(|| std::fs::read_to_string(entry.path()).unwrap_or_default()));
        }
        texts
    }

    fn references(&self, uri: &str, position: &Value) -> Value {
        if self.mood == "lie" {
            let outside = json!({ "uri": "file:///etc/hosts", "range": range(0, 0, 1) });
            let other = json!({ "uri": "git://x/y", "range": range(0, 0, 1) });
            return json!([outside, other, { "uri": uri, "range": range(0, 0, 3) }]);
        }
        if self.mood == "many" {
            return (0..100_001).map(|at| json!({ "uri": uri, "range": range(0, at, at) })).collect();
        }
        let Some((word, _)) = self.word(uri, position) else { return Value::Null };
        let places = self.texts().into_iter().flat_map(|(uri, text)| {
            places(&text, &word).into_iter().map(move |range| json!({ "uri": uri, "range": range }))
        });
        // While the project is loading, only the first location is returned.
        let loads = self.loads.is_some_and(|since| self.mood == "loading-for-ever" || since.elapsed() < LOADING);
        places.take(if loads { 1 } else { usize::MAX }).collect()
    }

    /// The first place of the word; no answer in some moods, and an error for the word "bad".
    fn definition(&self, uri: &str, position: &Value) -> Result<Option<Value>, &'static str> {
        let loads = self.loads.is_some_and(|since| self.mood == "loading-for-ever" || since.elapsed() < LOADING);
        let Some((word, _)) = self.word(uri, position).filter(|_| !loads) else { return Ok(Some(Value::Null)) };
        match self.mood.as_str() {
            "hang" => return Ok(None),
            "hang-two" if word == "two" => return Ok(None),
            "lie" => return Ok(Some(json!([{ "uri": uri, "range": range(999, 0, 3) }]))),
            "lie-shape" => return Ok(Some(json!({ "uri": 7 }))),
            "many" => {
                return Ok(Some((0..100_001).map(|at| json!({ "uri": uri, "range": range(0, at, at) })).collect()));
            }
            "die" => std::process::exit(3),
            _ if word == "bad" => return Err("no project has this file"),
            _ => {}
        }
        let all = self.texts();
        let first = |(uri, text): (&String, &String)| Some((uri.clone(), places(text, &word).first()?.clone()));
        let Some((uri, range)) = all.iter().find_map(first) else { return Ok(Some(Value::Null)) };
        Ok(Some(match self.mood.as_str() {
            "links" => {
                let whole = json!({ "start": { "line": 0, "character": 0 }, "end": range["end"] });
                let link = |uri: &str| json!({ "targetUri": uri, "targetRange": whole, "targetSelectionRange": range });
                json!([link(&uri), link("file:///etc/hosts"), link("git://x/y"), link(&format!("{uri}.gone"))])
            }
            "list" => json!([{ "uri": uri, "range": range }]),
            _ => json!({ "uri": uri, "range": range }),
        }))
    }

    fn rename(&self, uri: &str, parameters: &Value) -> Value {
        let new = parameters["newName"].as_str().unwrap_or_default();
        match self.mood.as_str() {
            "lie" => {
                let edits =
                    json!([{ "range": range(0, 0, 3), "newText": "x" }, { "range": range(0, 1, 4), "newText": "y" }]);
                return json!({ "changes": { uri: edits } });
            }
            "lie-outside" => {
                return json!({ "changes": { "file:///etc/hosts": [{ "range": range(0, 0, 1), "newText": "x" }] } });
            }
            "lie-shape" => return json!({ "documentChanges": [{ "kind": "delete", "uri": uri }] }),
            _ => {}
        }
        let Some((word, _)) = self.word(uri, &parameters["position"]) else { return Value::Null };
        let changes = self.texts().into_iter().map(|(uri, text)| {
            let edits: Vec<Value> =
                places(&text, &word).into_iter().map(|range| json!({ "range": range, "newText": new })).collect();
            json!({ "textDocument": { "uri": uri, "version": null }, "edits": edits })
        });
        json!({ "documentChanges": changes.collect::<Vec<_>>() })
    }
}

fn range(line: u64, start: usize, end: usize) -> Value {
    json!({ "start": { "line": line, "character": start }, "end": { "line": line, "character": end } })
}

/// The ranges of a word in a text.
fn places(text: &str, word: &str) -> Vec<Value> {
    let mut found = Vec::new();
    for (number, line) in text.split('\n').enumerate() {
        for (at, _) in line.match_indices(word) {
            let start = line[..at].encode_utf16().count();
            found.push(range(number as u64, start, start + word.encode_utf16().count()));
        }
    }
    found
}

fn encoded(path: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/-._~".contains(&byte);
    path.bytes().map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }).collect()
}
