//! Tests the derive macro on types like those that the bindings generator creates.
#![expect(missing_docs, reason = "types of a test")]

use marquetry_shapes::Json;

#[derive(Debug, Clone, Copy, PartialEq, Json)]
#[repr(u8)]
pub enum FailureKind {
    /// Documented.
    TargetNotFound,
    Unsupported,
}

#[derive(Debug, Clone, PartialEq, Json)]
pub struct Failure {
    pub kind: FailureKind,
    /// Documented.
    pub type_: Option<String>,
    pub name_at: Option<u32>,
}

#[derive(Debug, Clone, PartialEq, Json)]
pub enum Operation {
    ReplaceBody(String),
    Delete,
    Because(Failure),
}

#[track_caller]
fn check(value: &Operation, json: &str) {
    assert_eq!(serde_json::to_string(value).expect("written"), json);
    assert_eq!(serde_json::from_str::<Operation>(json).expect("read"), *value);
}

#[test]
fn json_names_match_the_contract() {
    check(&Operation::ReplaceBody("x".to_owned()), r#"{"replace_body":"x"}"#);
    check(&Operation::Delete, r#""delete""#);
    let failure = Failure { kind: FailureKind::TargetNotFound, type_: Some("T".to_owned()), name_at: Some(3) };
    check(&Operation::Because(failure), r#"{"because":{"kind":"target_not_found","type":"T","name_at":3}}"#);
    let short: Failure = serde_json::from_str(r#"{"kind":"unsupported"}"#).expect("optional fields may be left out");
    assert_eq!(short, Failure { kind: FailureKind::Unsupported, type_: None, name_at: None });
}

#[test]
fn record_is_read_from_a_list_of_its_fields() {
    let read = serde_json::from_str::<Failure>;
    let whole = Failure { kind: FailureKind::Unsupported, type_: Some("T".to_owned()), name_at: Some(3) };
    assert_eq!(read(r#"["unsupported","T",3]"#).expect("a list with all fields"), whole);
    let short = Failure { name_at: None, ..whole };
    assert_eq!(read(r#"["unsupported","T"]"#).expect("a list without the last optional field"), short);
    let shorter = Failure { type_: None, ..short };
    assert_eq!(read(r#"["unsupported"]"#).expect("a list without any optional field"), shorter);
    for wrong in ["[]", r#"["unsupported",3]"#, r#"["unsupported","T",3,4]"#] {
        assert!(read(wrong).is_err(), "{wrong}");
    }
}
