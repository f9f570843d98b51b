"""Reads small XML documents of strangers: elements, attributes and text, everything else of XML is off. Pure.

Expat does the reading. What makes XML dangerous is refused before or as soon as it comes: a document type declaration,
and with it every entity but the five that XML has itself, processing instructions, other encodings, depth, numbers.
Nothing is ever fetched.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final
from xml.parsers import expat

MAX_ELEMENTS: Final = 5_000
MAX_DEPTH: Final = 16
MAX_ATTRIBUTES: Final = 16
"""Attributes of one element."""
MAX_ATTRIBUTE: Final = 1_000
"""Characters of one attribute."""

# Atomic and possessive, so that no document makes it go back. Before the root, nothing but a document type
# declaration (or what is not XML) begins with `<!` and is not a comment.
_DECLARATION = re.compile(r"(?>\s+|<!--.*?-->|<\?.*?\?>)*+<!", re.DOTALL)


class NotReadable(ValueError):  # noqa: N818 - named after what it is about, as callers read it
    """A text that isn't an XML document of this simple kind; says why, without any of the text."""


@dataclass(slots=True)
class Node:
    """An element. ``parts`` is the text directly in it, without that of its children."""

    name: str
    attributes: Mapping[str, str]
    children: "list[Node]" = field(default_factory=list)
    parts: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """Return the text directly in the element, as it is written."""
        return "".join(self.parts)

    def all(self, name: str) -> "list[Node]":
        """Return the children of this name."""
        return [child for child in self.children if child.name == name]

    def find(self, *path: str) -> "Node | None":
        """Return the first child of the first name, its first of the second, and so on; None if one is missing."""
        node: Node | None = self
        for name in path:
            node = next((child for child in node.children if child.name == name), None) if node else None
        return node


def read_tree(text: str) -> Node:
    """Return the root of a document; white space around it and a byte order mark are allowed. Raises `NotReadable`."""
    document = text.removeprefix("\ufeff").strip(" \t\r\n")
    if _DECLARATION.match(document):
        raise NotReadable("A document type declaration is not allowed.")
    builder = _Builder()
    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.XmlDeclHandler = builder.xml_declaration
    parser.StartDoctypeDeclHandler = builder.document_type
    parser.ProcessingInstructionHandler = builder.instruction
    parser.StartElementHandler = builder.start
    parser.EndElementHandler = builder.end
    parser.CharacterDataHandler = builder.characters
    try:
        parser.Parse(document, True)
    except UnicodeEncodeError:
        raise NotReadable("The document is not Unicode text.") from None
    except expat.ExpatError as error:
        reason = expat.ErrorString(error.code)
        raise NotReadable(f"Not well-formed: {reason}, line {error.lineno}, column {error.offset + 1}.") from None
    return builder.top.children[0]


class _Builder:
    """What Expat tells, put together; every handler may refuse."""

    def __init__(self) -> None:
        self.top = Node("", {})
        self._open = [self.top]
        self._elements = 0

    def xml_declaration(self, _version: str, encoding: str | None, _standalone: int) -> None:
        if encoding is not None and encoding.upper() != "UTF-8":
            raise NotReadable("The encoding must be UTF-8.")

    def document_type(self, *_: object) -> None:
        raise NotReadable("A document type declaration is not allowed.")

    def instruction(self, _target: str, _data: str) -> None:
        raise NotReadable("A processing instruction is not allowed.")

    def start(self, name: str, attributes: dict[str, str]) -> None:
        self._elements += 1
        if self._elements > MAX_ELEMENTS:
            raise NotReadable(f"A document has at most {MAX_ELEMENTS} elements.")
        if len(self._open) > MAX_DEPTH:
            raise NotReadable(f"Elements are nested at most {MAX_DEPTH} deep.")
        if len(attributes) > MAX_ATTRIBUTES or any(len(value) > MAX_ATTRIBUTE for value in attributes.values()):
            limits = f"{MAX_ATTRIBUTES} attributes of {MAX_ATTRIBUTE} characters"
            raise NotReadable(f"An element has at most {limits}.")
        node = Node(name, attributes)
        self._open[-1].children.append(node)
        self._open.append(node)

    def end(self, _name: str) -> None:
        self._open.pop()

    def characters(self, text: str) -> None:
        self._open[-1].parts.append(text)
