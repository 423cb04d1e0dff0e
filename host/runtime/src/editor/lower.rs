//! Converts the model's events to generated ones for an integration.

use marquetry_model::editor::{self as model, Level, Reveal};

use crate::bindings::editor::marquetry::editor::types as wit;

pub(crate) fn event(event: model::Event) -> wit::Event {
    match event {
        model::Event::Opened => wit::Event::Opened,
        model::Event::Received(bytes) => wit::Event::Received(bytes),
        model::Event::Closed(why) => wit::Event::Closed(why),
        model::Event::Accepted => wit::Event::Welcome,
        model::Event::Request(id, request_data) => {
            wit::Event::Request(wit::RequestMessage { id, request: request(request_data) })
        }
        model::Event::Cancelled(id) => wit::Event::Cancelled(id),
        model::Event::TimerExpired(id) => wit::Event::Woken(id),
    }
}

fn point(point: model::Point) -> wit::Point {
    wit::Point { line: point.line, column: point.column }
}

fn region(region: model::Region) -> wit::Region {
    wit::Region { start: point(region.start), end: point(region.end) }
}

fn side(side: model::DiffSide) -> wit::Side {
    wit::Side { path: side.path, text: side.text.map(|text| text.to_string()), label: side.label }
}

fn open(file: model::OpenFile) -> wit::OpenFile {
    let reveal = match file.reveal {
        Reveal::Nothing => wit::Reveal::Nothing,
        Reveal::Region(at) => wit::Reveal::Region(region(at)),
        Reveal::Text { start, end, to_line_end } => wit::Reveal::Text(wit::TextRange { start, end, to_line_end }),
    };
    wit::OpenFile { path: file.path, reveal, preview: file.preview, focus: file.focus }
}

fn edits(edits: model::FileEdits) -> wit::Edits {
    let all = edits.edits.into_iter();
    let all = all.map(|edit| wit::TextEdit { region: region(edit.region), old: edit.old, new: edit.new });
    wit::Edits { path: edits.path, edits: all.collect(), save: edits.save }
}

fn request(request: model::Request) -> wit::Request {
    use model::Request as From;
    match request {
        From::Open(file) => wit::Request::Open(open(file)),
        From::ShowDiff(diff) => wit::Request::ShowDiff(wit::Diff {
            id: diff.id.0,
            title: diff.title,
            left: side(diff.left),
            right: side(diff.right),
            decide: diff.decide,
            focus: diff.focus,
        }),
        From::CloseDiff(id) => wit::Request::CloseDiff(id.0),
        From::CloseTab(path) => wit::Request::CloseTab(path),
        From::Tabs => wit::Request::Tabs,
        From::Selection => wit::Request::Selection,
        From::Dirty(path) => wit::Request::Dirty(path),
        From::Text(path) => wit::Request::Text(path),
        From::Save(path) => wit::Request::Save(path),
        From::Folders => wit::Request::Folders,
        From::Diagnostics(path) => wit::Request::Diagnostics(path),
        From::Apply(files) => wit::Request::Apply(files.into_iter().map(edits).collect()),
        From::Show(message) => wit::Request::Show(wit::Message {
            level: match message.level {
                Level::Error => wit::Level::Error,
                Level::Warning => wit::Level::Warning,
                Level::Info => wit::Level::Info,
            },
            text: message.text,
        }),
    }
}
