//! Cost of the sandbox: opens a document and finds one node in it, with the same pack natively and as a component.
//!
//! `ratio ROUNDS FILE TARGET` prints the native median, the median of the component (both in milliseconds) and their
//! ratio.

use std::{path::Path, sync::Arc, time::Instant};

use marquetry_json::Json;
use marquetry_markdown::Markdown;
use marquetry_model::{pack, ports::Packs};
use marquetry_sdk::{Document as _, LanguagePack, Query, Target, TargetKind};
use marquetry_testkit::{MemoryFiles, default_packs};
use marquetry_typescript::TypeScript;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let rounds = arguments.next().and_then(|rounds| rounds.parse().ok()).expect("ROUNDS is a number");
    let (file, target) = (arguments.next().expect("FILE"), arguments.next().expect("TARGET"));
    let packs = default_packs();
    let files = MemoryFiles::from_files([]);
    let text = std::fs::read_to_string(&file).expect("a text file");
    let name = Path::new(&file).file_name().expect("a name").to_string_lossy().into_owned();
    let native = match name.rsplit('.').next() {
        Some("json") => {
            median(rounds, |round| native_median::<Json>(&name, &vary(&text, round), TargetKind::Path, &target))
        }
        Some("md") => {
            median(rounds, |round| native_median::<Markdown>(&name, &vary(&text, round), TargetKind::Heading, &target))
        }
        _ => {
            median(rounds, |round| native_median::<TypeScript>(&name, &vary(&text, round), TargetKind::Symbol, &target))
        }
    };
    let pack = packs.for_path(&files, &name).expect("a pack");
    let kind = pack.description().targets[0].kind;
    let component = median(rounds, |round| {
        let text: Arc<str> = Arc::from(vary(&text, round));
        let started = Instant::now();
        let query = pack::Query { target: pack::Target { kind, value: target.clone() }, limit: 10, values: false };
        pack.clone().open(&name, &text).expect("opened").find(&query).expect("found");
        started.elapsed().as_secs_f64() * 1e3
    });
    println!("{native:.3} {component:.3} {:.2}", component / native);
}

/// Returns another text in each round, so that no answer comes from a document that is already open.
fn vary(text: &str, round: usize) -> String {
    format!("{text}{}", "\n".repeat(round))
}

fn native_median<P: LanguagePack>(name: &str, text: &str, kind: TargetKind, target: &str) -> f64 {
    let text = text.to_owned();
    let started = Instant::now();
    let document = P::open(name, text, "{}");
    document
        .find(&Query { target: Target { kind, value: target.to_owned() }, limit: 10, values: false })
        .expect("found");
    started.elapsed().as_secs_f64() * 1e3
}

fn median(rounds: usize, mut run: impl FnMut(usize) -> f64) -> f64 {
    let mut times: Vec<f64> = (0..rounds).map(&mut run).collect();
    times.sort_by(f64::total_cmp);
    times[rounds / 2]
}
