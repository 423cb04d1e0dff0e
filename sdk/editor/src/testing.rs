//! The laws (properties) that every integration must satisfy, for native tests.

use proptest::{collection::vec, prelude::*, test_runner::TestRunner};

use crate::{Action, Event, Integration, Session};

/// The actions of a session for a sequence of events.
pub fn replay<I: Integration>(settings: &str, events: &[Event]) -> Vec<Action> {
    let mut session = I::attach(settings);
    events.iter().flat_map(|event| session.handle(event.clone())).collect()
}

/// Splits received bytes into pieces. `at` contains the lengths of the pieces and is repeated as needed.
pub fn split_bytes(events: &[Event], at: &[usize]) -> Vec<Event> {
    let mut lengths = at.iter().copied().map(|length| length.max(1)).cycle();
    let mut pieces = Vec::new();
    for event in events {
        let Event::Received(bytes) = event else {
            pieces.push(event.clone());
            continue;
        };
        let mut rest = bytes.as_slice();
        while !rest.is_empty() {
            let (piece, left) = rest.split_at(lengths.next().unwrap_or(1).min(rest.len()));
            pieces.push(Event::Received(piece.to_vec()));
            rest = left;
        }
    }
    pieces
}

/// Checks that a transcript always gives the same actions, however its bytes are split.
///
/// # Panics
///
/// Panics if the integration breaks a law.
pub fn check_laws<I: Integration>(settings: &str, events: &[Event]) {
    let actions = replay::<I>(settings, events);
    assert_eq!(replay::<I>(settings, events), actions, "the same events must give the same actions");
    assert_eq!(
        replay::<I>(settings, &split_bytes(events, &[1])),
        actions,
        "splitting the bytes must not change the actions"
    );
    let mut runner = TestRunner::deterministic();
    let checked = runner.run(&vec(1_usize..2_000, 1..8), |at| {
        prop_assert_eq!(
            replay::<I>(settings, &split_bytes(events, &at)),
            actions.clone(),
            "splitting the bytes must not change the actions"
        );
        Ok(())
    });
    checked.expect("splitting the bytes must not change the actions");
}

/// Checks that random bytes inserted into a transcript cause no panic, and that splitting them does not change the
/// actions.
///
/// # Panics
///
/// Panics if the integration panics or breaks a law.
pub fn check_random_bytes<I: Integration>(settings: &str, events: &[Event], cases: u32) {
    let config = proptest::test_runner::Config { cases, failure_persistence: None, ..Default::default() };
    let rng = proptest::test_runner::TestRng::deterministic_rng(proptest::test_runner::RngAlgorithm::ChaCha);
    let mut runner = TestRunner::new_with_rng(config, rng);
    let pieces = split_bytes(events, &[7, 1, 300, 23]);
    let bytes = prop_oneof![
        vec(any::<u8>(), 0..200),
        vec(prop_oneof![Just(0x94_u8), Just(0xdd), Just(0xc4), any::<u8>()], 0..40)
    ];
    let checked = runner.run(&(0..=pieces.len(), bytes, 1_usize..9), |(place, bytes, length)| {
        let mut changed = pieces.clone();
        changed.insert(place, Event::Received(bytes));
        let actions = replay::<I>(settings, &changed);
        prop_assert_eq!(replay::<I>(settings, &split_bytes(&changed, &[length])), actions);
        Ok(())
    });
    checked.expect("random bytes must neither cause a panic nor make the actions depend on how the bytes are split");
}
