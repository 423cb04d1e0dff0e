"""Converts between the values of a pack's author and those of the WIT interface: names, omitted fields and offsets.

The rules are derived from the WIT files (`contract.py`): `lower` checks a result and fills in omitted fields,
`lift` converts arguments. The author uses indices of a `str`, the WIT interface UTF-8 byte offsets.
"""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from . import types
from .contract import Contract
from .failure import Failure
from .place import Mismatch, Place

# Offsets in the WIT interface that are not spans: a field of a record, or a case of a variant.
_OFFSET = {"selection": ("caret",), "file-location": ("offset",), "subject": ("at",)}
_SCALARS = {"string": str, "bool": bool, "u8": int, "u32": int, "u64": int}
_WORDS = {str: "a `str`", bool: "a `bool`", int: "an `int`"}

Way = Callable[[Any, Place], Any]


def snake(name: str) -> str:
    """The Python name for a WIT name."""
    return {"from": "from_"}.get(name, name.replace("-", "_"))


def camel(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("-"))


def _wrong(label: str, wanted: str, value: Any) -> Mismatch:
    got = "None" if value is None else f"a `{type(value).__name__}`"
    return Mismatch(f"`{label}` must be {wanted}, not {got}")


class Converter:
    """The converters of a contract. `classes` has the class of each type that the toolchain generates."""

    def __init__(self, contract: Contract, classes: Any, ok: Any, err: Any) -> None:
        self.types, self.classes, self.ok, self.err = contract["types"], classes, ok, err
        self._known: dict[str, tuple[Way, Way]] = {}

    def of(self, type_: Any, label: str) -> tuple[Way, Way]:
        """The functions that lower a result and lift an argument of a type."""
        if isinstance(type_, str):
            return self._named(type_) if type_ in self.types else _scalar(type_, label)
        ((kind, inner),) = type_.items()
        if kind == "list":
            return _list(*self.of(inner, label), label)
        if kind == "option":
            return _option(*self.of(inner, label))
        if kind == "borrow":
            return (lambda value, place: value), (lambda value, place: value.author)
        return self._result(self.of(inner[0], label)[0]), _no_question(label)

    def failure(self, failure: Failure, place: Place) -> Any:
        """Converts a failure to its WIT record."""
        return self._named("failure")[0](failure, place)

    def _named(self, name: str) -> tuple[Way, Way]:
        if name not in self._known:
            # Types cannot be recursive in the WIT files.
            self._known[name] = self._compile(name, self.types[name])
        return self._known[name]

    def _compile(self, name: str, type_: dict[str, Any]) -> tuple[Way, Way]:
        if name == "span":
            return _span(self.classes.Span)
        if "alias" in type_:
            return self.of(type_["alias"], name)
        if "enum" in type_:
            return _enumeration(name, type_["enum"], getattr(self.classes, camel(name)))
        if "variant" in type_:
            return self._variant(name, type_["variant"])
        lower, lift = self._record(name, type_["record"])
        return (_rewrite(lower), lift) if name == "rewrite" else (lower, lift)

    def _record(self, name: str, fields: list[Any]) -> tuple[Way, Way]:
        parts = []
        for field, type_ in fields:
            label = f"{name}.{snake(field)}"
            lower, lift = self.of("offset" if field in _OFFSET.get(name, ()) else type_, label)
            parts.append((snake(field), lower, lift))
        made, author = getattr(self.classes, camel(name)), getattr(types, camel(name), SimpleNamespace)
        lowers = [(field, lower) for field, lower, _ in parts]

        def lower(value: Any, place: Place) -> Any:
            if value is None or isinstance(value, (str, int, list, tuple)):
                raise _wrong(name, f"a `{camel(name)}`", value)
            get = value.get if isinstance(value, dict) else lambda field: getattr(value, field, None)
            if name == "file-location":
                # A place may be in another file: its offset refers to the text of that file.
                place = place.of_file(get("path"))
            return made(*[lower(get(field), place) for field, lower in lowers])

        def lift(value: Any, place: Place) -> Any:
            if name == "file-location":
                place = place.of_file(value.path)
            return author(**{field: lift(getattr(value, field), place) for field, _, lift in parts})

        return lower, lift

    def _variant(self, name: str, cases: list[Any]) -> tuple[Way, Way]:
        known: dict[str, Any] = {}
        for tag, type_ in cases:
            kind = "offset" if tag in _OFFSET.get(name, ()) else type_
            made = getattr(self.classes, f"{camel(name)}_{camel(tag)}")
            is_record = "record" in self.types.get(kind, {}) and kind != "span" if isinstance(kind, str) else False
            known[tag] = (made, None if kind is None else self.of(kind, f"{name} {tag}"), is_record)
        authors = types.CASES.get(name, {})
        tags = {author: tag for tag, author in authors.items()}

        def lower(value: Any, place: Place) -> Any:
            tag = tags.get(type(value)) or (value.tag if isinstance(value, types.Case) else None)
            if tag not in known:
                wanted = ", ".join(author.__name__ for author in authors.values()) or ", ".join(known)
                raise _wrong(name, f"one of {wanted}", value)
            made, payload, is_record = known[tag]
            if payload is None:
                return made()
            return made(payload[0](value if is_record and tag in authors else _payload(value), place))

        def lift(value: Any, place: Place) -> Any:
            tag = next(tag for tag, (made, _, _) in known.items() if isinstance(value, made))
            _, payload, is_record = known[tag]
            lifted = None if payload is None else payload[1](value.value, place)
            if tag not in authors:
                return types.Case(tag, lifted)
            if payload is None:
                return authors[tag]()
            if not is_record:
                return authors[tag](lifted)
            fields = authors[tag].__dataclass_fields__
            return authors[tag](*[getattr(lifted, field) for field in fields])

        return lower, lift

    def _result(self, lower: Way) -> Way:
        """A result within a list: the value itself, or a `Failure`."""

        def lowered(value: Any, place: Place) -> Any:
            if isinstance(value, Failure):
                return self.err(self.failure(value, place))
            return self.ok(lower(value, place))

        return lowered


def _payload(value: Any) -> Any:
    """The payload of a `Case`, or of a class with one field."""
    if isinstance(value, types.Case):
        return value.value
    (field,) = value.__dataclass_fields__
    return getattr(value, field)


def _scalar(kind: str, label: str) -> tuple[Way, Way]:
    def same(value: Any, place: Place) -> Any:
        return value

    if kind == "offset":
        return (lambda value, place: place.to_byte(value, label)), (lambda value, place: place.to_index(value))
    if kind == "bool":
        return (lambda value, place: bool(value)), same
    wanted = _SCALARS[kind]

    def lower(value: Any, place: Place) -> Any:
        if not isinstance(value, wanted):
            raise _wrong(label, _WORDS[wanted], value)
        return value

    return lower, same


def _option(lower: Way, lift: Way) -> tuple[Way, Way]:
    return (
        lambda value, place: None if value is None else lower(value, place),
        lambda value, place: None if value is None else lift(value, place),
    )


def _list(lower: Way, lift: Way, label: str) -> tuple[Way, Way]:
    def lowered(value: Any, place: Place) -> list[Any]:
        if value is None:
            return []
        if isinstance(value, (str, dict)) or not hasattr(value, "__iter__"):
            raise _wrong(label, "a list", value)
        return [lower(item, place) for item in value]

    return lowered, lambda value, place: [lift(item, place) for item in value]


def _span(made: Any) -> tuple[Way, Way]:
    def lower(value: Any, place: Place) -> Any:
        if not hasattr(value, "start"):
            raise _wrong("span", "a `Span`", value)
        start, end = place.to_byte(value.start, "span.start"), place.to_byte(value.end, "span.end")
        if start > end:
            raise Mismatch(f"a span ends at {value.end}, before it starts at {value.start}")
        return made(start, end)

    return lower, lambda value, place: types.Span(place.to_index(value.start), place.to_index(value.end))


def _enumeration(name: str, cases: list[str], made: Any) -> tuple[Way, Way]:
    members = {case: getattr(made, case.upper().replace("-", "_")) for case in cases}
    words = {member: case for case, member in members.items()}

    def lower(value: Any, place: Place) -> Any:
        if value not in members:
            raise Mismatch(f"`{value}` is not a {name}: it is one of {', '.join(cases)}")
        return members[value]

    return lower, lambda value, place: words[value]


def _rewrite(lower: Way) -> Way:
    """`name-at` is an offset in the edited text. A list of edits is a rewrite that does nothing else."""

    def lowered(value: Any, place: Place) -> Any:
        value = {"edits": value} if isinstance(value, (list, tuple)) else value
        get = value.get if isinstance(value, dict) else lambda field: getattr(value, field, None)
        made = lower(value, place)
        if get("name_at") is not None:
            made.name_at = place.after(get("edits") or []).to_byte(get("name_at"), "rewrite.name_at")
        return made

    return lowered


def _no_question(label: str) -> Way:
    def lift(value: Any, place: Place) -> Any:
        raise Mismatch(f"`{label}` is not a question")

    return lift
