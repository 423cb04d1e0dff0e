//! Tests of valid and invalid answers of an integration.

use super::*;

fn region(places: [u32; 4]) -> wit::Region {
    let [a, b, c, d] = places;
    wit::Region { start: wit::Point { line: a, column: b }, end: wit::Point { line: c, column: d } }
}

fn selected(text: &str, at: [u32; 4]) -> wit::Selected {
    let (path, mode) = ("/r/a".to_owned(), String::new());
    wit::Selected { path, region: region(at), text: text.to_owned(), truncated: false, language: String::new(), mode }
}

#[track_caller]
fn event_actions(event: wit::Notification) -> Result<Vec<Action>> {
    IntegrationValidator("e").actions(vec![wit::Action::Notify(event)], |_, _| {})
}

#[test]
fn region_that_ends_before_its_start_is_refused() {
    assert!(event_actions(wit::Notification::Selection(Some(selected("", [3, 4, 3, 4])))).is_ok());
    for lie in [[3, 4, 3, 3], [3, 4, 2, 9]] {
        let error =
            event_actions(wit::Notification::Selection(Some(selected("", lie)))).expect_err("an invalid answer");
        assert_eq!(error.content().message, "editor `e` returned a region with its end first");
    }
}

#[test]
fn long_selection_is_cut_between_characters() {
    let long = "é".repeat(limits::SELECTION_TEXT / 2 + 1);
    let actions =
        event_actions(wit::Notification::Selection(Some(selected(&long[..], [0, 0, 9, 0])))).expect("truncated");
    let [Action::Report(ReportedEvent::Selection(Some(selection)))] = actions.as_slice() else { panic!("{actions:?}") };
    assert!(selection.is_truncated && selection.text.len() <= limits::SELECTION_TEXT && selection.text.ends_with('é'));
}

#[test]
fn events_over_the_limits_are_refused() {
    let folder = || wit::Folder { name: String::new(), path: "/r".to_owned() };
    let many = (0..=limits::EDITOR_FOLDERS).map(|_| folder()).collect();
    assert_eq!(event_actions(wit::Notification::Folders(many)).expect_err("too many").kind(), Kind::PluginFailed);
    assert!(event_actions(wit::Notification::Saved("x".repeat(limits::EDITOR_NAME_BYTES + 1))).is_err());
    assert!(event_actions(wit::Notification::Saved("/r/a\0b".to_owned())).is_err());
    let accepted = wit::Decision::Accepted("x".repeat(limits::EDITOR_TEXT + 1));
    let error =
        event_actions(wit::Notification::Decided(wit::Decided { id: 1, decision: accepted })).expect_err("too long");
    assert_eq!(error.kind(), Kind::LimitExceeded);
    let lines = (0..=limits::EDITOR_ACTIONS).map(|_| wit::Action::Close(String::new())).collect();
    assert!(IntegrationValidator("e").actions(lines, |_, _| {}).is_err());
}

/// Returns the conversion of one answer.
fn answered(answer: wit::Answer) -> Result<Answer> {
    let action = wit::Action::Answer(wit::AnswerMessage { id: 7, answer: Ok(answer) });
    let actions = IntegrationValidator("e")
        .actions(vec![action], |_, _| {})
        .expect("an invalid answer must only fail its own request");
    let [Action::Answer(7, answer)] = <[Action; 1]>::try_from(actions).expect("one action") else {
        panic!("an answer to the request")
    };
    answer
}

fn tab(label: &str, path: Option<&str>) -> wit::Tab {
    wit::Tab {
        path: path.map(str::to_owned),
        label: label.to_owned(),
        language: "rust".to_owned(),
        active: true,
        dirty: false,
        untitled: path.is_none(),
        pinned: false,
        preview: true,
        group: 2,
        group_active: true,
        lines: Some(3),
    }
}

#[test]
fn valid_answers_are_converted() {
    let region = Region { start: Point { line: 1, column: 2 }, end: Point { line: 3, column: 4 } };
    let cases = [
        (wit::Answer::Done, Answer::Done),
        (
            wit::Answer::Opened(wit::Opened {
                language: "rust".to_owned(),
                lines: 9,
                revealed: wit::Revealed::StartOnly,
            }),
            Answer::Opened(Opened { language: "rust".to_owned(), lines: 9, revealed: Revealed::StartOnly }),
        ),
        (wit::Answer::Closed(wit::Closed { closed: 2, unsaved: 1 }), Answer::Closed { closed: 2, unsaved: 1 }),
        (wit::Answer::Selection(None), Answer::Selection(None)),
        (
            wit::Answer::Selection(Some(selected("x", [1, 2, 3, 4]))),
            Answer::Selection(Some(EditorSelection {
                path: "/r/a".to_owned(),
                region,
                text: Arc::from("x"),
                ..EditorSelection::default()
            })),
        ),
        (
            wit::Answer::Dirty(Some(wit::Dirtiness { dirty: true, untitled: false })),
            Answer::Dirty(Some(DirtyState { dirty: true, untitled: false })),
        ),
        (wit::Answer::Dirty(None), Answer::Dirty(None)),
        (wit::Answer::Text(Some("é".to_owned())), Answer::Text(Some(Arc::from("é")))),
        (wit::Answer::Saved(true), Answer::Saved(true)),
        (
            wit::Answer::Folders(vec![wit::Folder { name: "r".to_owned(), path: "/r".to_owned() }]),
            Answer::Folders(vec![Folder { name: "r".to_owned(), path: "/r".to_owned() }]),
        ),
    ];
    for (raw, expected) in cases {
        assert_eq!(answered(raw).expect("valid"), expected);
    }
    let Ok(Answer::Tabs(tabs)) = answered(wit::Answer::Tabs(vec![tab("a.rs", Some("/r/a.rs")), tab("new", None)]))
    else {
        panic!("tabs")
    };
    let shown = |tab: &Tab| format!("{:?} {} {} {:?}", tab.path, tab.label, tab.group, tab.lines);
    assert_eq!(tabs.iter().map(shown).collect::<Vec<_>>(), ["Some(\"/r/a.rs\") a.rs 2 Some(3)", "None new 2 Some(3)"]);
}

#[test]
fn invalid_answer_fails_only_its_own_request() {
    let false_ones = [
        wit::Answer::Tabs(vec![tab("a\0b", None)]),
        wit::Answer::Tabs(vec![tab("a", Some(&"/".repeat(limits::EDITOR_NAME_BYTES + 1)))]),
        wit::Answer::Tabs((0..=limits::EDITOR_TABS).map(|_| tab("a", None)).collect()),
        wit::Answer::Selection(Some(selected("", [2, 0, 1, 0]))),
        wit::Answer::Opened(wit::Opened { language: "\0".to_owned(), lines: 1, revealed: wit::Revealed::All }),
    ];
    for answer in false_ones {
        let error = answered(answer).expect_err("an invalid answer");
        assert_eq!(error.kind(), Kind::PluginFailed);
        let content = error.content();
        assert!(content.message.starts_with("editor `e` "), "{}", content.message);
        assert_eq!(content.hint.as_deref(), Some("this is a bug in the integration; `marq doctor` shows its version"));
    }
    let error = answered(wit::Answer::Text(Some("x".repeat(limits::EDITOR_TEXT + 1)))).expect_err("too long");
    assert_eq!((error.kind(), error.to_string().contains("larger than 8 MiB")), (Kind::LimitExceeded, true), "{error}");
}

#[test]
fn failed_request_keeps_kind_message_and_hint() {
    use wit::ErrorKind as From;
    let failed = |kind, hint: Option<&str>| {
        let message = "m".repeat(limits::EDITOR_MESSAGE + 5);
        let failure = wit::Failure { kind, message, hint: hint.map(str::to_owned) };
        let action = wit::Action::Answer(wit::AnswerMessage { id: 1, answer: Err(failure) });
        let actions = IntegrationValidator("e")
            .actions(vec![action], |_, _| {})
            .expect("a reported failure must be accepted as an answer");
        let Some(Action::Answer(1, Err(error))) = actions.into_iter().next() else { panic!("a failure") };
        error
    };
    for (kind, wanted) in [
        (From::FileNotFound, Kind::FileNotFound),
        (From::InvalidArgument, Kind::InvalidArgument),
        (From::Unsupported, Kind::Unsupported),
        (From::EditorFailed, Kind::PluginFailed),
        (From::LimitExceeded, Kind::LimitExceeded),
    ] {
        let error = failed(kind, Some("try again"));
        assert_eq!((error.kind(), error.content().hint.as_deref()), (wanted, Some("try again")));
        assert_eq!(
            error.content().message.chars().count(),
            limits::EDITOR_MESSAGE,
            "a long message must be truncated and end with `…`"
        );
        assert!(error.content().message.ends_with('…'));
    }
    assert_eq!(failed(From::Unsupported, None).content().hint, None);
}

#[test]
fn events_of_an_editor_are_converted() {
    let path = || "/r/a".to_owned();
    let decided = |decision| wit::Notification::Decided(wit::Decided { id: 4, decision });
    let mention = |lines| wit::Notification::Mentioned(wit::Mention { path: path(), lines });
    let cases = [
        (wit::Notification::Selection(None), ReportedEvent::Selection(None)),
        (wit::Notification::Saved(path()), ReportedEvent::Saved(path())),
        (wit::Notification::Changed(path()), ReportedEvent::Changed(path())),
        (wit::Notification::Focused(true), ReportedEvent::Focused(true)),
        (decided(wit::Decision::Accepted(String::new())), ReportedEvent::Accepted(DiffId(4), Arc::from(""))),
        (decided(wit::Decision::Rejected), ReportedEvent::Rejected(DiffId(4))),
        (decided(wit::Decision::Closed), ReportedEvent::Closed(DiffId(4))),
        (mention(Some((2, 5))), ReportedEvent::Mentioned(Mention { path: path(), lines: Some((2, 5)) })),
        // An inverted line range is dropped.
        (mention(Some((5, 2))), ReportedEvent::Mentioned(Mention { path: path(), lines: None })),
    ];
    for (event, expected) in cases {
        assert_eq!(event_actions(event).expect("valid"), [Action::Report(expected)]);
    }
}

#[test]
fn actions_keep_their_order_and_log_lines_are_logged() {
    let mut logged = Vec::new();
    let raw = vec![
        wit::Action::Send(vec![1, 2]),
        wit::Action::Log(wit::LogLine { level: wit::LogLevel::Warn, message: "slow".to_owned() }),
        wit::Action::Wake(wit::Wake { id: 3, milliseconds: 50 }),
        wit::Action::Introduce(wit::Introduction {
            title: "Editor 1.0".to_owned(),
            folders: Vec::new(),
            abilities: vec![wit::Ability::Text, wit::Ability::Open, wit::Ability::Text],
        }),
        wit::Action::Close("bye".to_owned()),
    ];
    let actions = IntegrationValidator("e").actions(raw, |_, line| logged.push(line.to_owned())).expect("valid");
    let introduction = EditorInfo {
        title: "Editor 1.0".to_owned(),
        folders: Vec::new(),
        abilities: vec![Capability::Open, Capability::Text],
    };
    assert_eq!(
        actions,
        [
            Action::Send(vec![1, 2]),
            Action::StartTimer(3, 50),
            Action::Introduce(introduction),
            Action::Close("bye".to_owned())
        ]
    );
    assert_eq!(logged, ["slow"]);
}

#[test]
fn diagnostics_are_counted_over_all_files() {
    let diagnostic = |severity, at| wit::Diagnostic {
        region: region(at),
        severity,
        message: "m".to_owned(),
        source: "s".to_owned(),
        code: "c".to_owned(),
    };
    let of = |path: &str, diagnostics| wit::FileDiagnostics { path: path.to_owned(), diagnostics };
    let severities = [wit::Severity::Error, wit::Severity::Warning, wit::Severity::Info, wit::Severity::Hint];
    let raw =
        vec![of("/r/a", severities.map(|severity| diagnostic(severity, [0, 0, 0, 1])).to_vec()), of("/r/b", vec![])];
    let Ok(Answer::Diagnostics(files)) = answered(wit::Answer::Diagnostics(raw)) else { panic!("diagnostics") };
    let found: Vec<Severity> = files[0].diagnostics.iter().map(|diagnostic| diagnostic.severity).collect();
    assert_eq!(found, [Severity::Error, Severity::Warning, Severity::Info, Severity::Hint]);
    assert_eq!((files.len(), files[1].diagnostics.len()), (2, 0));
    let backwards = vec![of("/r/a", vec![diagnostic(wit::Severity::Error, [1, 0, 0, 0])])];
    assert_eq!(
        answered(wit::Answer::Diagnostics(backwards)).expect_err("an invalid answer").kind(),
        Kind::PluginFailed
    );
    let many = (0..=limits::EDITOR_DIAGNOSTICS).map(|_| of("/r/a", vec![])).collect();
    let error = answered(wit::Answer::Diagnostics(many)).expect_err("too many");
    assert_eq!(error.content().hint.as_deref(), Some("request the diagnostics of one file"));
}

#[test]
fn description_of_an_integration_is_validated() {
    let description = |version: &str, channels: Vec<wit::Channel>| wit::Description {
        id: "e".to_owned(),
        name: "Editor".to_owned(),
        version: version.to_owned(),
        channels,
        abilities: vec![wit::Ability::Show, wit::Ability::Apply],
        settings_schema: "{}".to_owned(),
        help: "help".to_owned(),
    };
    let words = |list: &[&str]| list.iter().map(|word| (*word).to_owned()).collect::<Vec<String>>();
    let channels = vec![
        wit::Channel::Socket(words(&["$EDITOR_SOCKET"])),
        wit::Channel::Port(words(&["7777"])),
        wit::Channel::Websocket("/editor".to_owned()),
        wit::Channel::Program(words(&["editor", "--stdio"])),
    ];
    let validated = IntegrationValidator("e").integration_info(description("1.2.3", channels)).expect("a description");
    assert_eq!(
        validated.channels,
        [
            Channel::Socket(words(&["$EDITOR_SOCKET"])),
            Channel::Port(words(&["7777"])),
            Channel::WebSocket("/editor".to_owned()),
            Channel::Program(words(&["editor", "--stdio"])),
        ]
    );
    assert_eq!((validated.abilities.len(), validated.help.as_str()), (2, "help"));
    let refused = |validated| {
        IntegrationValidator("e").integration_info(validated).expect_err("refused").content().message.clone()
    };
    assert_eq!(refused(description("1", vec![])), "editor `e` returned `1`, which is not a version");
    let many = vec![wit::Channel::Websocket(String::new()); 17];
    assert_eq!(refused(description("1.0.0", many)), "editor `e` returned 17 channels; at most 16 are allowed");
    let many = vec![wit::Channel::Socket(vec![String::new(); limits::EDITOR_ADDRESSES + 1])];
    assert_eq!(refused(description("1.0.0", many)), "editor `e` returned 33 addresses; at most 32 are allowed");
}
