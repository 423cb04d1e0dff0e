"""Parses the WIT files: the types, and the functions of each interface."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "wit"
# The optional interfaces.
OPTIONAL = ("links", "symbols", "refactors", "hover", "search", "mentions")

Contract = dict[str, Any]


def read_contract(folder: Path = FOLDER) -> Contract:
    """Parses the WIT files into `version`, `types` and `interfaces`."""
    contract: Contract = {"version": "", "types": {}, "interfaces": {}}
    for file in sorted(folder.glob("*.wit")):
        _Reader(file.read_text("utf-8"), contract).file()
    return contract


class _Reader:
    def __init__(self, text: str, contract: Contract) -> None:
        self.contract = contract
        self.tokens = re.findall(r"%?[a-z][a-z0-9-]*|->|@?[0-9][0-9.]*|\S", re.sub(r"//.*", "", text))
        self.at = 0

    def next(self, expected: str | None = None) -> str:
        token = self.tokens[self.at]
        if expected not in (None, token):
            raise ValueError(f"expected `{expected}` in the contract, not `{token}`")
        self.at += 1
        return token.removeprefix("%")

    def take(self, token: str) -> bool:
        found = self.tokens[self.at] == token
        self.at += found
        return found

    def skip_to(self, token: str) -> None:
        while self.next() != token:
            pass

    def file(self) -> None:
        while self.at < len(self.tokens):
            word = self.next()
            if word == "package":
                while not self.take(";"):
                    token = self.next()
                    if token.startswith("@"):
                        self.contract["version"] = token[1:]
            elif word == "interface":
                self.body(self.contract["interfaces"].setdefault(self.next(), {"functions": {}, "methods": {}}))
            else:
                self.skip_to("}")

    def body(self, interface: dict[str, Any]) -> None:
        self.next("{")
        while not self.take("}"):
            word = self.next()
            if word == "use":
                self.skip_to(";")
            elif word == "resource":
                self.resource(interface["methods"])
            elif word in ("record", "enum", "variant", "type"):
                self.type(word)
            else:
                interface["functions"][word] = self.signature()

    def resource(self, methods: dict[str, Any]) -> None:
        self.next("document")
        self.next("{")
        while not self.take("}"):
            name = self.next()
            if name == "constructor":
                self.skip_to(";")
            else:
                methods[name] = self.signature()

    def signature(self) -> dict[str, Any]:
        """`: func(name: type, …) -> type;`"""
        for token in (":", "func", "("):
            self.next(token)
        params = self.list(")", self.pair)
        result = self.reference() if self.take("->") else None
        self.next(";")
        return {"params": params, "result": result}

    def type(self, word: str) -> None:
        name = self.next()
        if word == "type":
            self.next("=")
            self.contract["types"][name] = {"alias": self.reference()}
            self.next(";")
            return
        self.next("{")
        item = {"record": self.pair, "enum": self.next, "variant": self.case}[word]
        self.contract["types"][name] = {word: self.list("}", item)}

    def list(self, end: str, item: Any) -> list[Any]:
        items = []
        while not self.take(end):
            items.append(item())
            self.take(",")
        return items

    def pair(self) -> list[Any]:
        name = self.next()
        self.next(":")
        return [name, self.reference()]

    def case(self) -> list[Any]:
        name = self.next()
        if not self.take("("):
            return [name, None]
        payload = self.reference()
        self.next(")")
        return [name, payload]

    def reference(self) -> Any:
        name = self.next()
        if not self.take("<"):
            return name
        parts = self.list(">", self.reference)
        return {"result": parts} if name == "result" else {name: parts[0]}
