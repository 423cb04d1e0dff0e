//! Members of classes that inherit from classes of the standard library.

use super::members::{check, check_refused};

/// A class with a base class, and a use of its members.
fn class(import: &str, base: &str, body: &str) -> String {
    format!("{import}\n\nclass C({base}):\n{body}\n")
}

#[test]
fn members_that_a_standard_class_does_not_have_are_renamed() {
    let body = "    def ‹add_item›(self): return self.‹add_item›\n\nC().‹add_item›()\n";
    for (import, base) in [
        ("from collections.abc import Mapping", "Mapping"),
        ("from typing import Mapping", "Mapping[str, int]"),
        ("import collections.abc", "collections.abc.MutableMapping"),
        ("import typing as t", "t.Iterator[str]"),
        ("from threading import Thread", "Thread"),
        ("import threading", "threading.Thread"),
        ("import unittest", "unittest.TestCase"),
        ("import json", "json.JSONEncoder"),
        ("import logging", "logging.Handler"),
        ("from typing_extensions import Sequence", "Sequence"),
        ("", "dict"),
        ("", "dict[str, int]"),
        ("", "OSError"),
        ("from contextlib import AbstractContextManager", "AbstractContextManager"),
    ] {
        check(&[("a.py", &class(import, base, body))], "C.add_item", "put");
    }
}

#[test]
fn members_that_a_standard_class_has_are_refused() {
    let refused = |import: &str, base: &str, name: &str, new: &str, message: &str| {
        let body = format!("    def {name}(self): ...\n");
        check_refused(&[("a.py", &class(import, base, &body))], &format!("C.{name}"), new, message);
    };
    refused("from typing import Mapping", "Mapping", "get", "put", "inherits from Mapping");
    refused("", "dict", "items", "put", "inherits from dict");
    refused("import threading", "threading.Thread", "run", "put", "inherits from Thread");
    refused("import threading", "threading.Thread", "_handle", "put", "inherits from Thread");
    refused("import unittest", "unittest.TestCase", "setUp", "put", "inherits from TestCase");
    // The new name.
    refused("from typing import Mapping", "Mapping", "put", "get", "a meaning for the base class Mapping");
    refused("", "dict", "put", "items", "a meaning for the base class dict");
    refused("import threading", "threading.Thread", "work", "_target", "a meaning for the base class Thread");
    refused("import unittest", "unittest.TestCase", "test_a", "check_a", "a meaning for the base class TestCase");
    refused("import unittest", "unittest.TestCase", "check_a", "test_a", "a meaning for the base class TestCase");
    // Other classes with these names.
    refused("from other import Mapping", "Mapping", "put", "set", "inherits from Mapping");
    refused("from gevent import Thread", "Thread", "put", "set", "inherits from Thread");
    refused("from typing import Protocol", "Protocol", "put", "set", "inherits from Protocol");
}

#[test]
fn tests_keep_the_start_of_their_names() {
    let body = "    def ‹test_a›(self): ...\n";
    check(&[("a.py", &class("import unittest", "unittest.TestCase", body))], "C.test_a", "test_b");
}
