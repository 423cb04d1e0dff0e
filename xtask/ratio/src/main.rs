//! What the sandbox costs: opening a document and finding one node in it, by the same pack natively and as a component.
//! Each line: file, native p50, sandboxed p50 (milliseconds), ratio.

use std::{path::Path, sync::Arc, time::Instant};

use marquetry_json::Json;
use marquetry_markdown::Markdown;
use marquetry_model::{pack, ports::Packs};
use marquetry_sdk::{Document as _, LanguagePack, Query, Target, TargetKind};
use marquetry_testkit::{MemoryFiles, default_packs};
use marquetry_typescript::TypeScript;

const ROUNDS: usize = 15;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let packs = default_packs();
    let files = MemoryFiles::of([]);
    while let (Some(file), Some(target)) = (arguments.next(), arguments.next()) {
        let text = std::fs::read_to_string(&file).expect("a text file");
        let name = Path::new(&file).file_name().expect("a name").to_string_lossy().into_owned();
        let native = match name.rsplit('.').next() {
            Some("json") => median(|round| native::<Json>(&name, &varied(&text, round), TargetKind::Path, &target)),
            Some("md") => {
                median(|round| native::<Markdown>(&name, &varied(&text, round), TargetKind::Heading, &target))
            }
            _ => median(|round| native::<TypeScript>(&name, &varied(&text, round), TargetKind::Symbol, &target)),
        };
        let pack = packs.for_path(&files, &name).expect("a pack");
        let kind = pack.description().targets[0].kind;
        let sandboxed = median(|round| {
            let text: Arc<str> = Arc::from(varied(&text, round));
            let started = Instant::now();
            let query = pack::Query { target: pack::Target { kind, value: target.clone() }, limit: 10, values: false };
            pack.clone().open(&name, &text).expect("opened").find(&query).expect("found");
            started.elapsed().as_secs_f64() * 1e3
        });
        println!("{name} {native:.3} {sandboxed:.3} {:.2}", sandboxed / native);
    }
}

/// Another text each time, so that nothing is answered from what is open already.
fn varied(text: &str, round: usize) -> String {
    format!("{text}{}", "\n".repeat(round))
}

fn native<P: LanguagePack>(name: &str, text: &str, kind: TargetKind, target: &str) -> f64 {
    let text = text.to_owned();
    let started = Instant::now();
    let document = P::open(name, text, "{}");
    document
        .find(&Query { target: Target { kind, value: target.to_owned() }, limit: 10, values: false })
        .expect("found");
    started.elapsed().as_secs_f64() * 1e3
}

fn median(mut run: impl FnMut(usize) -> f64) -> f64 {
    let mut times: Vec<f64> = (0..ROUNDS).map(&mut run).collect();
    times.sort_by(f64::total_cmp);
    times[ROUNDS / 2]
}
