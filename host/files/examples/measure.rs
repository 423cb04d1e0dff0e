use marquetry_files::DiskRoots;
use marquetry_model::{ports::*, *};
use std::time::Instant;
fn edit(f: &dyn Files, p: &str, n: usize) -> Step {
    let s = f.read(p).unwrap();
    let e = Edit { span: Span::new(0, 1), text: format!("{}", n % 10) };
    Step::Edit { path: p.into(), base: s.hash, edits: EditSet::new(&s.text, vec![e]).unwrap() }
}
fn t<T>(what: &str, n: u32, mut f: impl FnMut(usize) -> T) {
    let mut v: Vec<_> = (0..n)
        .map(|i| {
            let a = Instant::now();
            f(i as usize);
            a.elapsed()
        })
        .collect();
    v.sort();
    println!("{what}: median {:?} min {:?} max {:?}", v[v.len() / 2], v[0], v[v.len() - 1]);
}
fn main() {
    let dir = std::path::PathBuf::from(std::env::args().nth(1).unwrap());
    let _ = std::fs::remove_dir_all(&dir);
    for i in 0..2000 {
        let d = dir.join(format!("root/src/m{}/k", i % 40));
        std::fs::create_dir_all(&d).unwrap();
        std::fs::write(d.join(format!("f{i}.ts")), "x".repeat(5000)).unwrap();
    }
    std::fs::write(dir.join("root/big.txt"), "x".repeat(10 << 20)).unwrap();
    let a = Instant::now();
    let roots = DiskRoots::new(dir.join("root"), dir.join("state"));
    let f = roots.open(None).unwrap();
    f.read("src/m1/k/f1.ts").unwrap();
    println!("open + first read {:?}", a.elapsed());
    t("open again", 1000, |_| roots.open(None).unwrap());
    t("read 5k", 1000, |_| f.read("src/m1/k/f1.ts").unwrap());
    t("locate", 1000, |_| f.locate("src/m1/k/f1.ts").unwrap());
    t("read 10M", 20, |_| f.read("big.txt").unwrap());
    t("missing", 20, |_| f.read("src/m1/k/g1.ts").is_err());
    t("walk", 20, |_| f.walk("").unwrap().len());
    let apply = |steps| f.apply(&Change { title: "t".into(), steps }, false).unwrap();
    t("edit one", 200, |i| apply(vec![edit(&*f, "src/m1/k/f1.ts", i)]));
    t("dry edit", 200, |i| {
        f.apply(&Change { title: "t".into(), steps: vec![edit(&*f, "src/m1/k/f1.ts", i + 1)] }, true).unwrap()
    });
    t("undo one", 50, |_| f.undo(None, false).unwrap());
    t("history", 20, |_| f.history(1000).unwrap());
    t("create", 100, |i| {
        apply(vec![Step::Create { path: format!("n{i}"), content: vec![1], overwrite: false, directories: true }])
    });
    t("edit ten", 20, |i| apply((0..10).map(|n| edit(&*f, &format!("src/m{}/k/f{n}.ts", n % 40), i)).collect()));
    t("edit 500", 5, |i| apply((0..500).map(|n| edit(&*f, &format!("src/m{}/k/f{n}.ts", n % 40), i)).collect()));
    t("undo 500", 3, |_| f.undo(None, false).unwrap());
    t("edit 2000", 2, |i| apply((0..2000).map(|n| edit(&*f, &format!("src/m{}/k/f{n}.ts", n % 40), i)).collect()));
    t("edit 10M", 3, |i| apply(vec![edit(&*f, "big.txt", i)]));
    t("move dir", 1, |_| apply(vec![Step::Move { from: "src".into(), to: "lib/x".into(), overwrite: false }]));
    t("move 2000 files", 1, |_| {
        apply(
            (0..2000)
                .map(|n| Step::Move {
                    from: format!("lib/x/m{}/k/f{n}.ts", n % 40),
                    to: format!("y/m{}/k/f{n}.ts", n % 40),
                    overwrite: false,
                })
                .collect(),
        )
    });
    t("delete dir", 1, |_| apply(vec![Step::Delete { path: "y".into(), recursive: true }]));
    t("undo delete", 1, |_| f.undo(None, false).unwrap());
}
