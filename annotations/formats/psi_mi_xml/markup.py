"""Elements of PSI-MI XML that occur in many others: names, references, terms and attributes, as text."""

from collections.abc import Iterable
from typing import NamedTuple

from annotations.formats.psi_mi_xml.vocabulary import IDENTITY, PSI_MI_DATABASE, Term
from bcms.lib.xml_text import (
    escape_xml_text_replacing_invalid_characters,
    quote_xml_attribute_replacing_invalid_characters,
)


class Attribute(NamedTuple):
    """A named text. term: the identifier of the PSI-MI term that the name is of, "" for a name of our own."""

    name: str
    text: str
    term: str = ""


class Reference(NamedTuple):
    """An identifier in a database. term: the identifier of the PSI-MI term of the database, "" without one."""

    database: str
    term: str
    identifier: str


class Alias(NamedTuple):
    """A further name and what kind of name it is."""

    name: str
    type: Term


def format_element(tag: str, /, *content: str, **attributes: str | int) -> str:
    """An element with markup in it; attributes that are empty are left out."""
    written = "".join(
        f" {key}={quote_xml_attribute_replacing_invalid_characters(str(value))}"
        for key, value in attributes.items()
        if value != ""
    )
    inner = "".join(content)
    return f"<{tag}{written}>{inner}</{tag}>" if inner else f"<{tag}{written}/>"


def format_text_element(tag: str, text: str, /, **attributes: str | int) -> str:
    return format_element(tag, escape_xml_text_replacing_invalid_characters(text), **attributes)


def format_list(name: str, items: Iterable[str]) -> str:
    """An element with the items in it, or nothing if there are none."""
    inner = "".join(items)
    return format_element(name, inner) if inner else ""


def format_names(short_label: str = "", full_name: str = "", aliases: Iterable[Alias] = ()) -> str:
    return format_element(
        "names",
        format_text_element("shortLabel", short_label) if short_label else "",
        format_text_element("fullName", full_name) if full_name else "",
        *(
            format_text_element("alias", alias.name, type=alias.type.name, typeAc=alias.type.id)
            for alias in aliases
            if alias.name
        ),
    )


def format_references(references: Iterable[Reference], kind: Term = IDENTITY) -> str:
    """The references, the first of which is the primary one; nothing without one. kind: what all of them are."""
    elements = [
        format_element(
            "secondaryRef" if position else "primaryRef",
            db=reference.database,
            dbAc=reference.term,
            id=reference.identifier,
            refType=kind.name,
            refTypeAc=kind.id,
        )
        for position, reference in enumerate(references)
    ]
    return format_list("xref", elements)


def format_term(name: str, term: Term) -> str:
    """An element that a PSI-MI term is the value of."""
    reference = Reference(PSI_MI_DATABASE.name, PSI_MI_DATABASE.id, term.id)
    return format_element(name, format_names(term.name, term.name), format_references([reference]))


def format_attributes(attributes: Iterable[Attribute]) -> str:
    return format_list(
        "attributeList",
        (format_text_element("attribute", each.text, name=each.name, nameAc=each.term) for each in attributes),
    )
