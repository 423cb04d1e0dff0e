"""Independent parsers that read the files that marq edited."""

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
    """Parse documents into lists and dictionaries. Scalars keep their tags; an alias is the same object as its anchor."""
    known = {}
    documents = [yaml_value(node, known) for node in yaml.compose_all(text, Loader=yaml.SafeLoader)]
    return documents[0] if len(documents) == 1 else documents


def yaml_value(node, known):
    if node is None:
        return None
    if id(node) in known:
        if isinstance(node, yaml.ScalarNode):
            raise ValueError("an alias of a scalar is indistinguishable from a copy")
        return known[id(node)][0]
    if isinstance(node, yaml.ScalarNode):
        value = (node.tag, node.value)
    else:
        value = [] if isinstance(node, yaml.SequenceNode) else {}
    # The node is kept alive, so that its id is not reused.
    known[id(node)] = (value, node)
    if isinstance(node, yaml.SequenceNode):
        value.extend(yaml_value(child, known) for child in node.value)
    elif isinstance(node, yaml.MappingNode):
        value.update((key_name(key, known), yaml_value(child, known)) for key, child in node.value)
    return value


def key_name(key, known):
    return key.value if isinstance(key, yaml.ScalarNode) else repr(yaml_value(key, known))


def parse_xml(text):
    """Return all nodes in document order, each with its depth."""
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


# Parsers by extension, and whether the result is data that JSONPath can address.
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
    """Return the keys and indices of a normalized JSONPath; `None` for any other address."""
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
