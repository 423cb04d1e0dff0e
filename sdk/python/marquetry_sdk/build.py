"""Builds the component of a pack: its world, the parsed WIT interface as data, and the interpreter."""

from __future__ import annotations

import importlib
import json
import re
import shutil
import subprocess
import sys
import tempfile
import traceback
from pathlib import Path

from .contract import FOLDER, Contract, read_contract
from .export import interfaces_of
from .pack import Pack

_SECTION = b"marquetry:files"
# Parts of this package that the component does not need.
_LEFT_OUT = shutil.ignore_patterns("__pycache__", "wit", "build.py", "testing.py", "__main__.py", "py.typed")
_APP = '''"""What the component runs."""
import json

from componentize_py_types import Err, Ok
from wit_world.imports import {imports}

from marquetry_sdk.export import exports_of
from marquetry_sdk.host import Host
from {module} import pack

_LEVELS = {{level.name.lower(): level for level in log.Level}}
Host.write = staticmethod(lambda level, message: log.write(_LEVELS[level], message))
Host.workspace = {workspace}
globals().update(exports_of(pack, json.loads({contract!r}), types, Ok, Err))
# Under the name of the module that has the resource.
MarquetryExported = globals()["Language"]
'''


class BuildError(Exception):
    """The reason why a build failed."""


def load(source: Path) -> tuple[Pack, bool]:
    """Loads the pack of a module. Also returns whether it uses the workspace."""
    sys.path.insert(0, str(source.parent.resolve()))
    if not source.is_file():
        raise BuildError(f"{source} does not exist")
    try:
        pack = getattr(importlib.import_module(source.stem), "pack", None)
    except Exception as error:
        raise BuildError(_description(error)) from error
    if not isinstance(pack, Pack):
        raise BuildError(f"{source} has no pack: write `pack = Pack(id=…, …)` at its top level")
    return pack, "marquetry_sdk.workspace" in sys.modules


def _description(error: Exception) -> str:
    """Describes an exception raised by the module of the pack. The stack trace starts at the module's first frame."""
    trace = traceback.TracebackException.from_exception(error)
    own = [frame for frame in trace.stack if not frame.filename.startswith("<frozen") and frame.filename != __file__]
    own = [frame for frame in own if "importlib" not in frame.filename]
    return "".join([*traceback.format_list(own), *trace.format_exception_only()]).strip()


def build(source: Path, output: Path) -> str:
    """Builds the pack of a module. Returns a summary."""
    pack, uses_workspace = load(source)
    interfaces = interfaces_of(pack)
    with tempfile.TemporaryDirectory(prefix="marquetry-") as folder:
        _write_app(Path(folder), source, interfaces, uses_workspace)
        made = Path(folder) / "made.wasm"
        _componentize(Path(folder), source, made)
        whole = made.read_bytes() + files_section(pack.files)
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_bytes(whole)
    has = ", ".join(["language", *interfaces])
    summary = f"{output}: `{pack.id}` {pack.version}, {len(whole)} bytes, for {' '.join(pack.files)}; it has {has}"
    if uses_workspace:
        summary += f'\nit reads the workspace: write `grants = ["workspace"]` under `[plugins.{pack.id}]`'
    return summary


def _write_app(folder: Path, source: Path, interfaces: list[str], uses_workspace: bool) -> None:
    contract = read_contract()
    wit = folder / "wit"
    shutil.copytree(FOLDER, wit)
    lines = ["include pack;", *(["import workspace;"] if uses_workspace else []), *(f"export {name};" for name in interfaces)]
    world = "\n  ".join(lines)
    (wit / "built.wit").write_text(f"package marquetry:language@{contract['version']};\nworld built {{\n  {world}\n}}\n")
    app = folder / "app"
    shutil.copytree(Path(__file__).parent, app / "marquetry_sdk", ignore=_LEFT_OUT)
    used = _APP.format(
        imports="log, types, workspace" if uses_workspace else "log, types",
        module=source.stem,
        workspace="workspace" if uses_workspace else "None",
        contract=json.dumps(_needed(contract, interfaces)),
    )
    (app / "marquetry_app.py").write_text(used)
    # The toolchain expects the resource in a module with the name of its interface.
    (app / "marquetry_exported.py").write_text("from marquetry_app import Document\n")


def _needed(contract: Contract, interfaces: list[str]) -> Contract:
    """The contract, restricted to the interfaces that the pack implements."""
    needed = {name: contract["interfaces"][name] for name in ["language", *interfaces]}
    return {**contract, "interfaces": needed}


def _componentize(folder: Path, source: Path, made: Path) -> None:
    program = "import sys; from componentize_py import script; sys.argv[0] = 'componentize-py'; sys.exit(script())"
    interface = f"marquetry:language/language@{read_contract()['version']}=marquetry_exported"
    paths = [str(folder / "app"), str(source.parent.resolve()), *_installed()]
    options = ["--quiet", "--wit-path", str(folder / "wit"), "--world", "built", "--export-interface-name", interface]
    command = ["componentize", "marquetry_app", "--stub-wasi", "--output", str(made)]
    command += [part for path in paths for part in ("--python-path", path)]
    run = subprocess.run([sys.executable, "-c", program, *options, *command], capture_output=True, text=True, cwd=folder)
    if run.returncode != 0:
        # Of the two stack traces, the one of the build tool is not helpful.
        raise BuildError(re.split(r"\n\s*(Caused by|Stack backtrace):", run.stderr or run.stdout)[0].strip())


def _installed() -> list[str]:
    """The folders of packages that the pack may import."""
    return [path for path in sys.path if path.endswith("site-packages")]


def files_section(files: list[str] | tuple[str, ...]) -> bytes:
    """The custom section with the file patterns of a pack, so that the host can read them without running it."""
    content = "\n".join(files).encode()
    body = _leb(len(_SECTION)) + _SECTION + content
    return b"\0" + _leb(len(body)) + body


def _leb(number: int) -> bytes:
    """Encodes an unsigned number as LEB128."""
    out = bytearray()
    while True:
        number, part = number >> 7, number & 0x7F
        out.append(part | 0x80 if number else part)
        if not number:
            return bytes(out)
