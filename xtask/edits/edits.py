#!/usr/bin/env python3
"""Random edits of real files, verified without the packs.

    edits.py --marq PROGRAM --work FOLDER --count N --seed S FOLDER…

Each edit is a dry run. In data files (JSON, TOML, YAML), an independent parser must read the old data with exactly the
requested change. In XML, it must find the same nodes without those of the target, or with the new one. In every format, the
text outside of the target, its separators and its comments must not change. Files are only read.
"""

import argparse
import collections
import copy
import os
import random
import re

from parsers import PARSERS, steps, value_at, yaml
from rpc import Session, after_diff, readable

LARGEST = 40_000
EDITS_OF_A_FILE = 12
SHOWN = 5

DATA = {"json", "toml", "yaml", "yml"}
STYLES = {"css", "scss", "less"}
MARKUP = {"html", "htm"}
XML = {"xml", "csproj", "svg"}
CODE = {"ts", "tsx", "js", "jsx", "mjs"}
TEXT = {"md", "mdx"}
EXTENSIONS = DATA | STYLES | MARKUP | XML | CODE | TEXT

CONTAINERS = {"object", "mapping", "table", "array", "sequence"}
LISTS = {"array", "sequence"}

# Characters that an edit may add or remove beside its target: separators, brackets and quotes.
PUNCTUATION = set(",;\"'[]{}()-<>/:=|")
# Between two blocks of Markdown that would merge, without the space.
SEPARATOR = "<!---->"


def content_for(extension):
    """Return the content to insert into files of an extension that are not data."""
    for extensions, content in ((STYLES, "zz-new: 1px;"), (MARKUP, "<i>zz</i>"), (XML, "<zz/>"), (CODE, "zzNew();")):
        if extension in extensions:
            return content
    return "Zz new."


def member(extension):
    key = '"zzNew": ' if extension == "json" else "zzNew = " if extension == "toml" else "zzNew: "
    return key + '"zz"'


def arguments(node, operation, extension):
    """Return the arguments of an edit; `None` if the operation does not apply to the node."""
    parent = node["parent"]
    in_list = parent is not None and parent["kind"] in LISTS
    if operation == "delete":
        return {"operation": "delete"}
    if operation == "own":
        return {"operation": "replace", "content": node["text"]}
    if extension not in DATA:
        return {"operation": operation, "content": content_for(extension)} if operation.startswith("insert") else None
    if operation == "replace":
        return None if node["kind"] in CONTAINERS or node["has_children"] else {"operation": operation, "content": '"zz"'}
    if operation == "upsert":
        target = node["address"] + ".zzNew"
        is_table = node["kind"] in CONTAINERS - LISTS
        return {"operation": "replace", "upsert": True, "target": target, "content": '"zz"'} if is_table else None
    if operation == "insert_into":
        if node["kind"] not in CONTAINERS:
            return None
        return {"operation": operation, "content": '"zz"' if node["kind"] in LISTS else member(extension)}
    if parent is None:
        return None
    return {"operation": operation, "content": '"zz"' if in_list else member(extension)}


def expected_data(data, path, operation, new):
    """Return the data with the change. Raises if the path does not exist in it."""
    data = copy.deepcopy(data)
    container = value_at(data, path) if operation in ("insert_into", "upsert") else value_at(data, path[:-1])
    if operation in ("insert_into", "upsert"):
        if isinstance(container, list):
            container.append(new)
        else:
            container["zzNew"] = new
    elif operation == "delete":
        del container[path[-1]]
    elif operation == "replace":
        container[path[-1]] = new
    elif isinstance(container, list):
        container.insert(path[-1] + (operation == "insert_after"), new)
    else:
        container["zzNew"] = new
    return data


def without_empty(data):
    """Return the data without empty tables and lists: a TOML table without a header disappears with its last section,
    and a list of tables with its last table. `nan`, which differs from itself, becomes a text."""
    if isinstance(data, dict):
        cleaned = {key: without_empty(value) for key, value in data.items()}
        return {key: value for key, value in cleaned.items() if value not in ({}, [])}
    if isinstance(data, list):
        return [without_empty(value) for value in data]
    return "nan" if data != data else data


def judge_data(before, after, node, operation, extension):
    parse, _ = PARSERS[extension]
    path = steps(node["address"])
    if path is None or not path and operation not in ("insert_into", "upsert"):
        return None
    new = parse("a = 'zz'")["a"] if extension == "toml" else parse('"zz"')
    try:
        expected = expected_data(parse(before), path, operation, new)
    except (KeyError, IndexError, TypeError):
        return None
    found = parse(after)
    if extension == "toml":
        expected, found = without_empty(expected), without_empty(found)
    return None if expected == found else "the data is different from what was asked for"


def changed(before, after):
    """Return both lists or texts without their common start and end."""
    start, most = 0, min(len(before), len(after))
    while start < most and before[start] == after[start]:
        start += 1
    end = 0
    while end < most - start and before[-1 - end] == after[-1 - end]:
        end += 1
    return before[start : len(before) - end], after[start : len(after) - end]


def judge_nodes(before, after, operation, extension):
    """Check for XML that an insertion removes no nodes and a deletion adds none."""
    parse, _ = PARSERS[extension]
    removed, added = changed(parse(before), parse(after))
    if operation == "delete" and any(node[1] != "text" for node in added):
        return f"nodes were added: {added[:3]}"
    if operation.startswith("insert") and any(node[1] != "text" for node in removed):
        return f"nodes were removed: {removed[:3]}"
    return None


def judge_text(before, after, operation, extension):
    squeezed = [re.sub(r"\s+", "", text) for text in (before, after)]
    if extension == "md" and SEPARATOR not in squeezed[0]:
        # An empty comment keeps two lists or quotes apart that were on both sides of a deleted block.
        squeezed[1] = squeezed[1].replace(SEPARATOR, "", 1)
    removed, added = changed(*squeezed)
    if operation == "upsert" or operation.startswith("insert"):
        # A comment after the last item ends up between its new separator and the new item.
        lost = [c for c in removed if c not in PUNCTUATION]
        return f"text was removed: {removed[:200]}" if lost and not is_kept(removed, added) else None
    gained = [c for c in added if c not in PUNCTUATION]
    return f"text was added: {added[:200]}" if operation == "delete" and gained and not is_kept(added, removed) else None


def is_kept(part, whole):
    """Return whether all characters of `part` are in `whole`, in the same order."""
    rest = iter(whole)
    return all(c in rest for c in part)


def judge(before, after, node, operation, extension):
    """Return what is wrong with an edit; `None` if it is right."""
    if operation == "own":
        return None if after.rstrip("\n") == before.rstrip("\n") else "own text changes the file"
    parser, is_data = PARSERS.get(extension, (None, False))
    if is_data and (fault := judge_data(before, after, node, operation, extension)):
        return fault
    if parser and not is_data and (fault := judge_nodes(before, after, operation, extension)):
        return fault
    return judge_text(before, after, operation, extension)


# Wrong edits: the extension, the text before, the address and text of the target, the operation, and the text after.
WRONG = [
    ("yaml", "a: &x\n  b: 1\n", "$.a.b", "1", "delete", "a: !t {}\n"),
    ("yaml", "a: 1\nb: 2\n", "$.b", "2", "delete", "b: 2\n"),
    ("yaml", "a: 1 # c\n", "$.a", "1", "insert_after", "a: 1\nzzNew: \"zz\"\n"),
    ("json", '{"a": [1, 2]}', "$.a[0]", "1", "replace", '{"a": ["zz"]}'),
    ("json", '{"a": [1, 2]}', "$.a", "[1, 2]", "insert_into", '{"a": ["zz", 1, 2]}'),
    ("toml", "[a]\nb = 1\n\n[c]\nd = 2\n", "$.a", "[a]\nb = 1", "delete", "[c]\nd = 3\n"),
    ("xml", "<a><b/><c/></a>", "/a/b", "<b/>", "insert_after", "<a><zz/><c/></a>"),
    ("css", ".a { b: c }\n.d { e: f }\n", ".a", ".a { b: c }", "insert_after", ".a { b: c }\nzz-new: 1px;\n"),
    ("md", "# a\n\nx\n", "a", "# a\n\nx", "own", "# a\n\nx\n\ny\n"),
]


def check_judge():
    """Check that `judge` finds every known wrong edit."""
    for extension, before, address, text, operation, after in WRONG:
        if extension not in PARSERS and extension in DATA:
            continue
        node = {"address": address, "text": text}
        assert judge(before, after, node, operation, extension), f"{operation} of {address} in {before!r}"


class Tally:
    def __init__(self):
        self.counts = collections.defaultdict(collections.Counter)
        self.failures = []

    def fail(self, extension, column, path, call, what):
        self.counts[extension][column] += 1
        self.failures.append(f"{column}: {path} {call}: {what}")


def try_file(session, path, extension, numbers, tally):
    text = readable(open(path, encoding="utf-8", newline="").read())
    name = f"doc.{extension}"
    session.write(name, text)
    nodes = session.nodes(name, text)
    parser, _ = PARSERS.get(extension, (None, False))
    try:
        if parser:
            parser(text)
    except Exception:  # noqa: BLE001: files that the independent parser cannot read are skipped
        tally.counts[extension]["unread"] += 1
        return
    operations = ["own", "delete", "replace", "insert_into", "insert_before", "insert_after", "upsert"]
    jobs = [(node, operation) for node in nodes or [] for operation in operations]
    for node, operation in numbers.sample(jobs, min(len(jobs), EDITS_OF_A_FILE)):
        call = arguments(node, operation, extension)
        if call is None:
            continue
        call = {"target": node["address"], **call}
        result, error = session.call("file/edit", file=name, dryRun=True, **call)
        tally.counts[extension]["edits"] += 1
        if error:
            is_fault = error["kind"] in ("PluginFailed", "Internal", "Crash")
            if is_fault or operation == "own":
                tally.fail(extension, error["kind"] if is_fault else "wrong", path, call, error["message"])
            else:
                tally.counts[extension]["refused"] += 1
            continue
        try:
            fault = judge(text, after_diff(text, result.get("diff") or ""), node, operation, extension)
        except Exception as error:  # noqa: BLE001: any error of an independent parser
            fault = f"the second parser does not read it: {error}"
        if fault:
            tally.fail(extension, "wrong", path, call, fault)
        else:
            tally.counts[extension]["right"] += 1


def files_below(folders):
    found = []
    for folder in folders:
        for place, names, files in os.walk(folder):
            names[:] = sorted(name for name in names if name not in (".git", "node_modules", "target"))
            for name in sorted(files):
                extension = name.rsplit(".", 1)[-1].lower()
                path = os.path.join(place, name)
                if extension in EXTENSIONS and not os.path.islink(path) and 0 < os.path.getsize(path) <= LARGEST:
                    found.append((path, extension))
    return found


def main():
    options = argparse.ArgumentParser()
    options.add_argument("folders", nargs="+")
    options.add_argument("--marq", required=True)
    options.add_argument("--work", required=True)
    options.add_argument("--count", type=int, required=True)
    options.add_argument("--seed", type=int, default=1)
    options = options.parse_args()
    check_judge()
    numbers, tally = random.Random(options.seed), Tally()
    session = Session(options.marq, options.work)
    files = files_below(options.folders)
    numbers.shuffle(files)
    for path, extension in files:
        if sum(counts["edits"] for counts in tally.counts.values()) >= options.count:
            break
        try:
            try_file(session, path, extension, numbers, tally)
        except UnicodeDecodeError:
            tally.counts[extension]["unread"] += 1
    columns = ["edits", "right", "refused", "wrong", "PluginFailed", "Internal", "Crash", "unread"]
    print("| format | second parser | " + " | ".join(columns) + " |")
    for extension, counts in sorted(tally.counts.items()):
        parser = "yes" if extension in PARSERS else "no"
        print(f"| {extension} | {parser} | " + " | ".join(str(counts[column]) for column in columns) + " |")
    for failure in tally.failures[: SHOWN * 10]:
        print(failure[:600])
    if not yaml:
        print("not run: PyYAML is not installed, YAML is judged by its text alone")
    raise SystemExit(1 if tally.failures else 0)


if __name__ == "__main__":
    main()
