"""UIMA CAS XMI: a zip archive with a CAS for each article and the type system that they share.

A `bcms.Passage` is a part of the text, a `bcms.Finding` what a producer says: of a mention at its place, else of the
whole text. UIMA counts UTF-16 code units, so that positions behind an astral character are higher than elsewhere.
Characters that XML cannot hold become U+FFFD, one for one. Source: OASIS, UIMA Version 1.0 (XMI for CAS).
"""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from itertools import count
from xml.sax.saxutils import quoteattr

from annotations.formats.archives import Archive
from annotations.formats.collected import BY, SAID, AnnotatedArticle, said_in, words_of
from annotations.formats.writing_bioc import NOT_IN_XML, REPLACEMENT
from annotations.kinds import Kind

HEAD = (
    '<?xml version="1.0" encoding="UTF-8"?>\n'
    '<xmi:XMI xmlns:xmi="http://www.omg.org/XMI" xmlns:cas="http:///uima/cas.ecore" xmlns:bcms="http:///bcms.ecore" '
    'xmi:version="2.0">\n<cas:NULL xmi:id="0"/>\n'
)
SOFA = 1
# These are UIMA's own, as begin and end.
PLACE = ("start", "end")
FEATURES = {
    "bcms.Passage": ("type",),
    "bcms.Finding": (*BY, "kind", *(name for name in SAID if name not in PLACE)),
}
ASTRAL = 0xFFFF


def write_xmi(articles: Iterable[AnnotatedArticle]) -> Iterator[bytes]:
    """The archive in pieces; in memory stay the names of its files."""
    archive = Archive()
    for article in articles:
        archive.add(article.id, "xmi", "".join(cas_of(article)))
        yield archive.taken()
    archive.add("TypeSystem", "xml", type_system())
    yield archive.finished()


class Units:
    """Where code points of a text are in UTF-16."""

    def __init__(self, text: str) -> None:
        self.astral = [place for place, letter in enumerate(text) if ord(letter) > ASTRAL]

    def at(self, place: int) -> int:
        return place + bisect_left(self.astral, place)


def cas_of(article: AnnotatedArticle) -> Iterator[str]:
    text = article.text
    units, ids, members = Units(text), count(SOFA + 1), []

    def element(name: str, start: int, end: int, features: Mapping[str, str]) -> str:
        members.append(next(ids))
        own = {"xmi:id": str(members[-1]), "sofa": str(SOFA), "begin": str(units.at(start)), "end": str(units.at(end))}
        return f"<bcms:{name}{attributes({**own, **features})}/>\n"

    yield HEAD
    for start, passage in article.placed():
        yield element("Passage", start, start + len(passage.text), {"type": passage.type})
    for producer, found in article.of_kind(*Kind):
        start, end = (0, len(text)) if found.start is None or found.end is None else (found.start, found.end)
        said = {name: words_of(value) for name, value in said_in(found).items() if name not in PLACE}
        yield element("Finding", start, end, producer.told() | {"kind": found.kind.value} | said)
    sofa = {"xmi:id": str(SOFA), "sofaNum": "1", "sofaID": "_InitialView", "mimeType": "text", "sofaString": text}
    yield f"<cas:Sofa{attributes(sofa)}/>\n"
    yield f'<cas:View sofa="{SOFA}" members="{" ".join(map(str, members))}"/>\n</xmi:XMI>\n'


def attributes(values: Mapping[str, str]) -> str:
    return "".join(f" {name}={in_attribute(value)}" for name, value in values.items() if value != "")


def in_attribute(text: str) -> str:
    """Between quotes; white space as references, or XML would read blanks."""
    return quoteattr(NOT_IN_XML.sub(REPLACEMENT, text), {"\t": "&#9;", "\n": "&#10;", "\r": "&#13;"})


def type_system() -> str:
    types = "".join(type_of(name, features) for name, features in FEATURES.items())
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<typeSystemDescription xmlns="http://uima.apache.org/resourceSpecifier">\n'
        f"<types>\n{types}</types>\n</typeSystemDescription>\n"
    )


def type_of(name: str, features: Iterable[str]) -> str:
    own = "".join(
        f"<featureDescription><name>{feature}</name><description/>"
        "<rangeTypeName>uima.cas.String</rangeTypeName></featureDescription>\n"
        for feature in features
    )
    parent = "<supertypeName>uima.tcas.Annotation</supertypeName>"
    return (
        f"<typeDescription><name>{name}</name><description/>{parent}\n<features>\n{own}</features></typeDescription>\n"
    )
