"""Makes the classes that a component exports from a pack."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import PurePosixPath
from typing import Any

from .contract import OPTIONAL, Contract
from .convert import Converter, camel, snake
from .failure import Failure
from .host import Host
from .pack import Pack
from .place import NOWHERE, Place
from .types import Case, Query, Scalar, Unknown


def interfaces_of(pack: Pack) -> list[str]:
    """The optional interfaces that a pack implements."""
    return [name for name in OPTIONAL if getattr(pack, name) is not None]


def exports_of(pack: Pack, contract: Contract, classes: Any, ok: Any, err: Any) -> dict[str, type]:
    """All exports of the component: `Language`, `Document`, `Links` …"""
    convert = Converter(contract, classes, ok, err)
    language = contract["interfaces"]["language"]
    describe = _wrap(convert, "describe", language["functions"]["describe"], lambda: _description(pack))
    exports = {
        "Language": type("Language", (), {"describe": lambda self: describe(NOWHERE, ())}),
        "Document": _document_of(pack, convert, language["methods"]),
    }
    for name in interfaces_of(pack):
        functions = contract["interfaces"][name]["functions"]
        made = {snake(word): _exported(pack, convert, name, word, how) for word, how in functions.items()}
        exports[camel(name)] = type(camel(name), (), made)
    return exports


def _description(pack: Pack) -> dict[str, Any]:
    description = {field.name: getattr(pack, field.name) for field in fields(pack)}
    if not isinstance(pack.settings_schema, str):
        description["settings_schema"] = json.dumps(pack.settings_schema)
    return description


def _exported(pack: Pack, convert: Converter, name: str, word: str, signature: dict[str, Any]) -> Callable[..., Any]:
    """A function of an optional interface. Offsets refer to the text of the document or of the source that it gets."""
    label = f"{name}.{snake(word)}"
    answer = getattr(getattr(pack, name), snake(word), None) or _absent(label, signature["result"])
    call = _wrap(convert, label, signature, answer)
    source = next((index for index, (param, _) in enumerate(signature["params"]) if param == "source"), None)

    def place_of(args: Any) -> Place:
        if source is not None:
            return Place(args[source].path, args[source].text)
        return getattr(args[0], "place", NOWHERE) if args else NOWHERE

    return lambda self, *args: call(place_of(args), args)


def _absent(label: str, result: Any) -> Callable[..., Any]:
    """The default for a function that the author omitted: an empty result, or a failure with `unsupported`."""
    refusal = Failure.unsupported(f"this pack has no `{label}`")

    def refuse(*args: Any) -> Any:
        raise refusal

    if isinstance(result, dict) and "result" in result:
        return refuse
    if label == "links.format_specifiers":
        return lambda context, requests: [refusal for _ in requests]
    if label == "links.resolve":
        return lambda context, requests: [Unknown(refusal.message) for _ in requests]
    return lambda *args: {} if isinstance(result, str) else None


def _document_of(pack: Pack, convert: Converter, methods: dict[str, Any]) -> type:
    def opened(self: Any, path: str, text: str, settings: str) -> None:
        self.place = Place(path, text)
        self.author = _reported("open", lambda: pack.open(path, text, json.loads(settings or "{}")))

    def method(word: str, signature: dict[str, Any]) -> Callable[..., Any]:
        name = snake(word)
        special = {"find": lambda document, query: _found(pack, document, query), "view": _viewed}.get(name)
        answer = special or (lambda document, *args: getattr(document, name)(*args))
        call = _wrap(convert, name, signature, answer)
        return lambda self, *args: call(self.place, args, self.author)

    made = {snake(word): method(word, signature) for word, signature in methods.items()}
    return type("Document", (), {"__init__": opened, **made})


def _viewed(document: Any, node: int, form: str) -> Case:
    answer = document.view(node, form)
    return Case("text" if isinstance(answer, str) else "span", answer)


def _found(pack: Pack, document: Any, query: Query) -> Case:
    """A list of nodes truncated to the limit, or a scalar. Fails if nothing was found."""
    kind, value = query.target.kind, query.target.value
    _refuse_other_kinds(pack, kind, value)
    answer = document.find(query)
    if isinstance(answer, Scalar):
        return Case("scalar", answer)
    nodes = list(answer or ())
    if not nodes:
        raise Failure.not_found(kind, value, [node.address for node in document.outline()])
    return Case("nodes", {"nodes": nodes[: query.limit], "total": len(nodes)})


def _refuse_other_kinds(pack: Pack, kind: str, value: str) -> None:
    if kind == "region" and any(region.name == value for region in pack.regions):
        return
    if any(target.kind == kind for target in pack.targets):
        return
    first = next(iter(pack.targets), None)
    hint = "edit it by `lines`" if first is None else f"address by `{first.kind}`: {first.syntax}"
    raise Failure.unsupported(f"{pack.name} files have no targets of the kind `{kind}`", hint)


@dataclass
class _Ways:
    """The converters of a function: one for each argument, and one for the result."""

    lifts: list[Any]
    lower: Any


def _wrap(convert: Converter, label: str, signature: dict[str, Any], call: Callable[..., Any]) -> Callable[..., Any]:
    """Wraps an author's function: converts arguments and result, and separates failures from bugs."""
    result = signature["result"]
    fails = isinstance(result, dict) and "result" in result
    params = [("offset" if name == "offset" else kind, f"{label}({snake(name)})") for name, kind in signature["params"]]
    ways = _Ways(
        [convert.of(kind, text)[1] for kind, text in params],
        convert.of(result["result"][0] if fails else result, label)[0],
    )

    def wrapped(place: Place, args: Any, *before: Any) -> Any:
        def answer() -> Any:
            lifted = [lift(value, place) for lift, value in zip(ways.lifts, args)]
            return ways.lower(call(*before, *lifted), place)

        try:
            return _reported(label, answer, fails)
        except Failure as failure:
            raise convert.err(convert.failure(failure, place)) from None

    return wrapped


def _reported(label: str, call: Callable[[], Any], fails: bool = False) -> Any:
    """Returns a `Failure` to the caller if the function can fail. Any other exception is a bug of the pack: its
    message and the relevant frames are written to the log, which `marq plugin logs` shows, and the call ends.
    """
    try:
        return call()
    except Failure as failure:
        if fails:
            raise
        _tell(label, failure)
        raise RuntimeError(f"`{label}` cannot fail: {failure}") from failure
    except Exception as error:
        _tell(label, error)
        raise


def _tell(label: str, error: BaseException) -> None:
    Host.write("error", f"{type(error).__name__} in {label}: {error}")
    calls = []
    # Does not use `traceback`, because it looks for the source files, and a component has no files.
    step = error.__traceback__
    while step is not None:
        code = step.tb_frame.f_code
        path = PurePosixPath(code.co_filename.replace("\\", "/"))
        if path.parent.name != "marquetry_sdk":
            calls.append(f"    at {code.co_name} ({path.name}:{step.tb_lineno})")
        step = step.tb_next
    for line in reversed(calls):
        Host.write("error", line)
