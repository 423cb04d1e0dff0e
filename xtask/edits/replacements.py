#!/usr/bin/env python3
"""Replace nodes with their text in the next commit, and count how many replacements marq refuses, and why.

    replacements.py --marq PROGRAM --work FOLDER --count N --seed S REPOSITORY…
"""

import argparse
import collections
import os
import random
import re
import subprocess

from edits import EXTENSIONS, LARGEST
from rpc import Session, readable

COMMITS = 1500
PAIRS_OF_AN_EXTENSION = 40
NODES_OF_A_PAIR = 4
GUARD = "would replace all of"
ALLOWED = 0.005
SHOWN = 8


def git(repository, *arguments):
    return subprocess.run(["git", "-C", repository, *arguments], capture_output=True, check=False).stdout


def changed_files(repository, numbers):
    """Return the blobs before and after each change, for a sample of the changed files of recent commits."""
    flags = ["--no-merges", "--diff-filter=M", "--raw", "--no-renames", "--abbrev=40", "--format=", f"-n{COMMITS}"]
    log = git(repository, "log", *flags, "HEAD").decode("utf-8", "replace")
    found = collections.defaultdict(list)
    for before, after, path in re.findall(r"^:\d+ \d+ (\w+) (\w+) M\t(.*)$", log, re.MULTILINE):
        extension = path.rsplit(".", 1)[-1].lower()
        if extension in EXTENSIONS and "lock" not in path and ".min." not in path:
            found[extension].append((repository, before, after, path, extension))
    return [pair for pairs in found.values() for pair in numbers.sample(pairs, min(len(pairs), PAIRS_OF_AN_EXTENSION))]


def replay(session, pair, numbers, tally, refusals):
    repository, *blobs, path, extension = pair
    texts = [git(repository, "cat-file", "blob", blob) for blob in blobs]
    if any(len(text) > LARGEST for text in texts):
        return
    before, after = (readable(text.decode("utf-8")) for text in texts)
    name = f"doc.{extension}"
    session.write(name, after)
    new = {node["address"]: node["text"] for node in session.nodes(name, after) or []}
    session.write(name, before)
    old = {node["address"]: node["text"] for node in session.nodes(name, before) or []}
    differ = [address for address, text in old.items() if new.get(address, text).strip() and new.get(address, text) != text]
    for address in numbers.sample(differ, min(len(differ), NODES_OF_A_PAIR)):
        call = {"file": name, "target": address, "operation": "replace", "content": new[address], "dryRun": True}
        _, error = session.call("file/edit", **call)
        tally[extension]["replacements"] += 1
        if error:
            column = "guard" if GUARD in error["message"] else "PluginFailed" if error["kind"] == "PluginFailed" else "other"
            tally[extension][column] += 1
            refusals.append(f"{column}: {os.path.basename(repository)} {path} {blobs[0][:8]} `{address}`: {error['message']}")


def main():
    options = argparse.ArgumentParser()
    options.add_argument("repositories", nargs="+")
    options.add_argument("--marq", required=True)
    options.add_argument("--work", required=True)
    options.add_argument("--count", type=int, required=True)
    options.add_argument("--seed", type=int, default=1)
    options = options.parse_args()
    numbers, tally, refusals = random.Random(options.seed), collections.defaultdict(collections.Counter), []
    session = Session(options.marq, options.work)
    pairs = [pair for repository in options.repositories for pair in changed_files(repository, numbers)]
    numbers.shuffle(pairs)
    for pair in pairs:
        if sum(counts["replacements"] for counts in tally.values()) >= options.count:
            break
        try:
            replay(session, pair, numbers, tally, refusals)
        except UnicodeDecodeError:
            continue
    columns = ["replacements", "guard", "PluginFailed", "other"]
    print("| format | " + " | ".join(columns) + " |")
    for extension, counts in sorted(tally.items()):
        print(f"| {extension} | " + " | ".join(str(counts[column]) for column in columns) + " |")
    for refusal in refusals[: SHOWN * 4]:
        print(refusal[:300])
    total = sum(counts["replacements"] for counts in tally.values())
    guarded = sum(counts["guard"] for counts in tally.values())
    failed = sum(counts["PluginFailed"] for counts in tally.values())
    print(f"{guarded} of {total} replacements are refused with `{GUARD}`")
    raise SystemExit(1 if failed or guarded > total * ALLOWED else 0)


if __name__ == "__main__":
    main()
