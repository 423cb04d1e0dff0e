"""Second parsers: what marq made of a file is read by them."""

import json
import re
import tomllib
import xml.parsers.expat

try:
    import yaml
except ImportError:
    yaml = None


def parse_json(text):
    return json.loads(text)


def parse_yaml(text):
    """The documents as lists and dictionaries. Tags stay, aliases are replaced by what they name."""
    documents = [yaml_value(node, ()) for node in yaml.compose_all(text, Loader=yaml.SafeLoader)]
    return documents[0] if len(documents) == 1 else documents


def yaml_value(node, above):
    if node is None or id(node) in above:
        return None
    above = (*above, id(node))
    if isinstance(node, yaml.ScalarNode):
        return (node.tag, node.value)
    if isinstance(node, yaml.SequenceNode):
        return [yaml_value(child, above) for child in node.value]
    return {key_name(key): yaml_value(value, above) for key, value in node.value}


def key_name(key):
    return key.value if isinstance(key, yaml.ScalarNode) else repr(yaml_value(key, ()))


def parse_xml(text):
    """All nodes in document order, each with its depth."""
    nodes, depth = [], 0
    parser = xml.parsers.expat.ParserCreate()
    parser.ordered_attributes = True
    parser.buffer_text = True

    def start(name, attributes):
        nonlocal depth
        nodes.append((depth, "element", name, tuple(attributes)))
        depth += 1

    def end(_):
        nonlocal depth
        depth -= 1

    def add(kind):
        return lambda *parts: nodes.append((depth, kind, *(" ".join(part.split()) for part in parts)))

    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.CommentHandler, parser.ProcessingInstructionHandler = add("comment"), add("instruction")
    parser.CharacterDataHandler = lambda text: add("text")(text) if text.strip() else None
    parser.Parse(text.encode(), True)
    return nodes


# By extension: the parser, and whether its result is data that JSONPath addresses.
PARSERS = {
    "json": (parse_json, True),
    "toml": (tomllib.loads, True),
    "xml": (parse_xml, False),
    "csproj": (parse_xml, False),
    "svg": (parse_xml, False),
}
if yaml:
    PARSERS |= {"yaml": (parse_yaml, True), "yml": (parse_yaml, True)}

STEP = re.compile(r"\.([^.\[\]]+)|\[(\d+)\]|\['((?:[^'\\]|\\.)*)'\]")


def steps(address):
    """The keys and indices of a normalized JSONPath; `None` for another address."""
    found, at = [], 1
    while at < len(address):
        step = STEP.match(address, at)
        if not step:
            return None
        name, index, quoted = step.groups()
        found.append(int(index) if index else name or re.sub(r"\\(.)", r"\1", quoted))
        at = step.end()
    return found


def value_at(data, path):
    for step in path:
        data = data[step]
    return data
