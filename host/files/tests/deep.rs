//! Deep and wide trees.

use crate::common::*;

/// As many nested folders as the maximum path length permits.
#[test]
fn deeply_nested_folders_are_deleted_and_restored() {
    let place = fast_place(&[("a", "a")]);
    let depth = 1_500;
    let mut path = "n".to_owned();
    for _ in 1..depth {
        path.push_str("/n");
    }
    std::fs::create_dir_all(place.path(&path)).unwrap();
    place.write(&format!("{path}/f"), "deep");
    place.apply(vec![delete("n")]).unwrap();
    assert!(!place.path("n").exists());
    place.files.undo(None, false, &Work::default()).unwrap();
    assert_eq!(place.text(&format!("{path}/f")), "deep");
    place.apply(vec![rename("n", "m"), delete("a")]).unwrap();
    assert_eq!(place.text(&format!("m{}/f", &path[1..])), "deep");
}
