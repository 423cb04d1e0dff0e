use marquetry_files::DiskRoots;
use marquetry_model::{ports::*, *};
use std::time::Instant;
fn main() {
    let dir = std::path::PathBuf::from(std::env::args().nth(1).unwrap());
    let _ = std::fs::remove_dir_all(&dir);
    for i in 0..2000 {
        let d = dir.join(format!("root/lib/x/m{}/k", i % 40));
        std::fs::create_dir_all(&d).unwrap();
        std::fs::write(d.join(format!("f{i}.ts")), "x".repeat(5000)).unwrap();
    }
    let a = std::sync::Arc::new(std::sync::Mutex::new((
        Instant::now(),
        "start",
        std::collections::BTreeMap::<&str, (u128, u32)>::new(),
    )));
    let b = a.clone();
    let roots = DiskRoots::new(dir.join("root"), dir.join("state")).probed(move |w| {
        let mut g = b.lock().unwrap();
        let e = g.0.elapsed().as_micros();
        let k = g.1;
        let x = g.2.entry(k).or_default();
        x.0 += e;
        x.1 += 1;
        g.0 = Instant::now();
        g.1 = w;
    });
    let f = roots.open(None).unwrap();
    let t = Instant::now();
    f.apply(
        &Change {
            title: "t".into(),
            steps: (0..2000)
                .map(|n| Step::Move {
                    from: format!("lib/x/m{}/k/f{n}.ts", n % 40),
                    to: format!("y/m{}/k/f{n}.ts", n % 40),
                    overwrite: false,
                })
                .collect(),
        },
        false,
    )
    .unwrap();
    println!("moved {:?}", t.elapsed());
    a.lock().unwrap().2.clear();
    f.apply(&Change { title: "t".into(), steps: vec![Step::Delete { path: "y".into(), recursive: true }] }, false)
        .unwrap();
    println!("{:?}", a.lock().unwrap().2);
    let t = Instant::now();
    f.undo(None, false).unwrap();
    println!("undo {:?} {:?}", t.elapsed(), a.lock().unwrap().2);
}
