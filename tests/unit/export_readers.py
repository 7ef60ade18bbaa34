"""Exports read back by the formats' own definitions, with nothing of the writers: what they say, and of what text."""

import csv
import json
import re
import zipfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from io import BytesIO

import pyarrow.parquet
import rdflib
from lxml import etree

from annotations.formats.articles.annotated_article import (
    EXPORTED_ANNOTATION_FIELDS,
    ExportedProducer,
    UpdatedAnnotation,
)
from annotations.schema import AnnotationData, EntityId, Kind, RelationArgument, Span, make_relation

READ = {
    **dict.fromkeys(("rank", "start", "end", "taxon"), int),
    "confidence": float,
    "relevant": lambda value: value if isinstance(value, bool) else value == "yes",
}
TSV_ESCAPE = re.compile(r"\\(.)")
PLAIN = {"t": "\t", "n": "\n", "r": "\r"}


@dataclass
class ReadExport:
    """One article: its text and passages as far as the format has them, who says what, and who found nothing."""

    text: str | None = None
    passages: list[tuple[str, str]] | None = None
    said: set[tuple[ExportedProducer, AnnotationData]] = field(default_factory=set)
    silent: set[tuple[ExportedProducer, Kind]] = field(default_factory=set)

    def take(self, told: Mapping[str, object], **placed: object) -> None:
        producer = parse_producer(told)
        kind = Kind(str(told["kind"]))
        fields = {**{name: told[name] for name in EXPORTED_ANNOTATION_FIELDS if name in told}, **placed}
        make = UpdatedAnnotation if "reported" in fields else AnnotationData
        values = {name: READ.get(name, str)(own) for name, own in fields.items()}
        self.said.add((producer, make(kind, **values, **read_open_members(told))))

    def hush(self, told: Mapping[str, object]) -> None:
        self.silent.add((parse_producer(told), Kind(told["kind"])))


def read_open_members(told: Mapping[str, object]) -> dict[str, object]:
    """The fields of AnnotationData that members of open annotations make."""
    fields = {"spans": read_spans(told.get("spans", ())), "identifiers": read_ids(told.get("identifiers", ()))}
    if "arguments" in told:
        arguments = [
            RelationArgument(
                own.get("role", ""),
                read_ids(own.get("identifiers", ())),
                read_spans(own.get("spans", ())),
                own.get("type", ""),
                own.get("text", ""),
            )
            for own in told["arguments"]
        ]
        fields["relation"] = make_relation(
            "",
            arguments,
            directed=told.get("directed", False),
            qualifiers=told.get("qualifiers"),
            evidence=read_spans(told.get("evidence", ())),
        ).relation
    return fields


def read_spans(pairs) -> tuple[Span, ...]:
    return tuple(Span(*pair) for pair in pairs)


def read_ids(named) -> tuple[EntityId, ...]:
    return tuple(EntityId(own["database"], own["identifier"]) for own in named)


def parse_producer(told: Mapping[str, object]) -> ExportedProducer:
    server, version = (str(told.get(name, "")) for name in ("server", "stated_version"))
    return ExportedProducer(str(told["producer"]), str(told["sort"]), server, version)


def bioc_json(content: bytes) -> dict[str, ReadExport]:
    return {document["id"]: bioc(document) for document in json.loads(content)["documents"]}


def bioc(document) -> ReadExport:
    passages = [(passage["infons"]["type"], passage["text"]) for passage in document["passages"]]
    back = ReadExport("\n".join(text for _, text in passages), passages)
    for passage in document["passages"]:
        assert back.text[passage["offset"] :].startswith(passage["text"])
        for own in passage["annotations"]:
            [place] = own["locations"]
            start, end = int(place["offset"]), int(place["offset"]) + int(place["length"])
            back.take(own["infons"], start=start, end=end, text=own["text"])
    for relation in document["relations"]:
        told = {key: value for key, value in relation["infons"].items() if key != "type"}
        (back.hush if relation["infons"]["type"] == "none" else back.take)(told)
    return back


def bioc_xml(content: bytes) -> dict[str, ReadExport]:
    root = etree.fromstring(content, etree.XMLParser(huge_tree=True))
    return {document.findtext("id"): bioc(convert_bioc_document(document)) for document in root.iter("document")}


def convert_bioc_document(document):
    """The document in the shape of BioC's JSON."""
    return {
        "passages": [
            {
                "infons": infons(passage),
                "offset": int(passage.findtext("offset")),
                "text": passage.findtext("text"),
                "annotations": [
                    {
                        "infons": infons(own),
                        "text": own.findtext("text"),
                        "locations": [dict(place.attrib) for place in own.iter("location")],
                    }
                    for own in passage.iter("annotation")
                ],
            }
            for passage in document.iter("passage")
        ],
        "relations": [{"infons": infons(relation)} for relation in document.iter("relation")],
    }


def infons(element):
    return {own.get("key"): own.text or "" for own in element.findall("infon")}


def pubannotation(content: bytes) -> dict[str, ReadExport]:
    read = json.loads(content)
    documents = read if isinstance(read, list) else [read]
    return {document["sourceid"]: document_back(document) for document in documents}


def document_back(document) -> ReadExport:
    text = document["text"]
    spans = [(part["label"], part["span"]["begin"], part["span"]["end"]) for part in document["divisions"]]
    back = ReadExport(text, [(label, text[begin:end]) for label, begin, end in spans])
    for track in document.get("tracks", [document] if "producer" in document else []):
        by = {name: track[name] for name in ("producer", "sort", "server", "stated_version")}
        attributes = defaultdict(dict, {own["id"]: own for own in track["relations"]})
        for own in track["attributes"]:
            attributes[own["subj"]][own["pred"]] = own["obj"]
        heard = set()
        for own in (*track["denotations"], *track["relations"]):
            if told := attributes[own["id"]] if "kind" in attributes[own["id"]] else None:
                heard.add(told["kind"])
                back.take(by | told, **read_mention_span(own, told, text))
        for kind in set(track["kinds"]) - heard:
            back.hush(by | {"kind": kind})
    return back


def read_mention_span(own, told, text):
    if told["kind"] != "mention":
        return {}
    start, end = own["span"]["begin"], own["span"]["end"]
    kind = told.get("type", "" if own["obj"] == "mention" else own["obj"])
    return {"start": start, "end": end, "text": text[start:end], "type": kind}


def tsv(content: bytes) -> dict[str, ReadExport]:
    backs: dict[str, ReadExport] = defaultdict(ReadExport)
    rows = csv.DictReader(content.decode().split("\n")[:-1], delimiter="\t", quoting=csv.QUOTE_NONE)
    for row in rows:
        told = {
            key: TSV_ESCAPE.sub(lambda found: PLAIN.get(found[1], found[1]), value)
            for key, value in row.items()
            if value
        }
        backs[row["article"]].take(told | json.loads(told.pop("details", "{}")))
    return backs


def ndjson(content: bytes) -> dict[str, ReadExport]:
    return {article["id"]: article_back(article) for article in lines(content)}


def lines(content: bytes) -> Iterator[dict]:
    return map(json.loads, content.decode().split("\n")[:-1])


def article_back(article) -> ReadExport:
    passages = [(passage["type"], passage["text"]) for passage in article["passages"]]
    back = ReadExport("\n".join(text for _, text in passages), passages)
    for result in article["results"]:
        told = result["producer"] | {"stated_version": result["stated_version"], "kind": result["kind"]}
        for own in result["annotations"]:
            back.take(told | own)
        if not result["annotations"]:
            back.hush(told)
    return back


def ndjson_annotations(content: bytes) -> dict[str, ReadExport]:
    backs: dict[str, ReadExport] = defaultdict(ReadExport)
    for own in lines(content):
        backs[own["article"]].take(own)
    return backs


def brat(content: bytes) -> dict[str, ReadExport]:
    archive = zipfile.ZipFile(BytesIO(content))
    names = [name.removesuffix(".txt") for name in archive.namelist() if name.endswith(".txt")]
    return {
        name: standoff_back(archive.read(f"{name}.txt").decode(), archive.read(f"{name}.ann").decode())
        for name in names
    }


def standoff_back(text: str, standoff: str) -> ReadExport:
    back = ReadExport(text)
    for line in standoff.split("\n")[:-1]:
        name, what, *told = line.split("\t", 2)
        if name.startswith("T"):
            places = [tuple(map(int, place.split())) for place in what.split(" ", 1)[1].split(";")]
            assert [" ".join(text[start:end] for start, end in places)] == told, "brat refuses what is not its text"
            assert len(told[0].splitlines()) == 1
        elif name.startswith("#"):
            note_back(back, json.loads(told[0]))
    return back


def note_back(back: ReadExport, found) -> None:
    if "article" in found:
        back.passages = [(own["type"], back.text[own["start"] : own["end"]]) for own in found["passages"]]
    elif found.pop("found", "") == "nothing":
        back.hush(found)
    elif found["kind"] != "argument":
        back.take(found)


def web_annotation(content: bytes) -> dict[str, ReadExport]:
    backs: dict[str, ReadExport] = {}
    for own in json.loads(content)["items"]:
        assert {"id", "type", "target", "body"} <= set(own)
        if "article" in own:
            take_article(backs, own["article"], own["body"]["value"])
            continue
        found = own["finding"]
        backs[found["article"]].take(found)
        if found["kind"] == "mention":
            targets = own["target"] if isinstance(own["target"], list) else [own["target"]]
            places = [target["selector"] for target in targets]
            assert [[place["start"], place["end"]] for place, _ in places] == found.get(
                "spans", [[found["start"], found["end"]]]
            )
            text = backs[found["article"]].text
            assert all(text[place["start"] : place["end"]] == quote["exact"] for place, quote in places)
    return backs


def take_article(backs: dict[str, ReadExport], told, text: str) -> None:
    passages = [(own["type"], text[own["start"] : own["end"]]) for own in told["passages"]]
    backs[told["article"]] = ReadExport(text, passages)
    for own in told["found_nothing"]:
        backs[told["article"]].hush(own)


def web_annotation_turtle(content: bytes) -> dict[str, ReadExport]:
    graph = rdflib.Graph().parse(data=content.decode(), format="turtle")
    anno, own = rdflib.Namespace("http://www.w3.org/ns/oa#"), rdflib.Namespace("tag:bcms,2026:")
    backs: dict[str, ReadExport] = {}
    for node, record in graph.subject_objects(own.article):
        take_article(backs, json.loads(record), str(graph.value(graph.value(node, anno.hasBody), rdflib.RDF.value)))
    for node, found in graph.subject_objects(own.finding):
        assert graph.value(node, anno.hasTarget, any=True)
        backs[json.loads(found)["article"]].take(json.loads(found))
    return backs


def uima_xmi(content: bytes) -> dict[str, ReadExport]:
    archive = zipfile.ZipFile(BytesIO(content))
    types = etree.fromstring(archive.read("TypeSystem.xml")).iter("{*}typeDescription")
    declared = {
        own.findtext("{*}name"): [name.text for name in own.iterfind(".//{*}features//{*}name")] for own in types
    }
    names = [name for name in archive.namelist() if name.endswith(".xmi")]
    return {name.removesuffix(".xmi"): cas_back(archive.read(name), declared) for name in names}


def cas_back(content: bytes, declared) -> ReadExport:
    root = etree.fromstring(content, etree.XMLParser(huge_tree=True))
    [sofa], [view] = root.findall("{http:///uima/cas.ecore}Sofa"), root.findall("{http:///uima/cas.ecore}View")
    back = ReadExport(sofa.get("sofaString", ""), [])
    units = back.text.encode("utf-16-le")
    elements = {own.get("{http://www.omg.org/XMI}id"): own for own in root.iterchildren("{http:///bcms.ecore}*")}

    def find_span(own):
        return [len(units[: 2 * int(own.get(name))].decode("utf-16-le")) for name in ("begin", "end")]

    def convert(own):
        """An element as JSON would have it."""
        told = {name: value for name, value in own.attrib.items() if name not in ("sofa", "begin", "end")}
        told.pop("{http://www.omg.org/XMI}id")
        assert set(told) <= set(declared[f"bcms.{etree.QName(own).localname}"])
        for name in {"spans", "identifiers", "arguments", "qualifiers", "evidence"} & set(told):
            referred = [elements[element_id] for element_id in told[name].split()]
            told[name] = [find_span(each) if name in ("spans", "evidence") else convert(each) for each in referred]
        if "qualifiers" in told:
            told["qualifiers"] = {each["name"]: each.get("value", "") for each in told["qualifiers"]}
        for each in told.get("identifiers", ()):
            each.setdefault("database", "")
        if "directed" in told:
            told["directed"] = told["directed"] == "yes"
        return told

    for element_id in view.get("members").split():
        own = elements[element_id]
        told, (start, end) = convert(own), find_span(own)
        if own.tag.endswith("Passage"):
            back.passages.append((told.get("type", ""), back.text[start:end]))
        elif own.tag.endswith("Finding"):
            if told.pop("found", "") == "nothing":
                back.hush(told)
            else:
                back.take(told, **({"start": start, "end": end} if told["kind"] == "mention" else {}))
    return back


def parquet_annotations(content: bytes) -> dict[str, ReadExport]:
    backs: dict[str, ReadExport] = defaultdict(ReadExport)
    for row in pyarrow.parquet.read_table(BytesIO(content)).to_pylist():
        told = flatten_records({name: value for name, value in row.items() if value is not None})
        told["arguments"] = list(map(flatten_records, told["arguments"]))
        told["qualifiers"] = {own["name"]: own["value"] for own in told["qualifiers"]}
        if told["kind"] != "relation":
            del told["arguments"]
        backs[row["article"]].take(told)
    return backs


def flatten_records(told: Mapping[str, object]) -> dict[str, object]:
    """The members with spans as the pairs of NDJSON."""
    spans = {name: [(own["start"], own["end"]) for own in told[name]] for name in ("spans", "evidence") if name in told}
    return {**told, **spans}


READERS: Mapping[str, Callable[[bytes], Mapping[str, ReadExport]]] = {
    "bioc-xml": bioc_xml,
    "bioc-json": bioc_json,
    "pubannotation": pubannotation,
    "brat": brat,
    "tsv": tsv,
    "web-annotation": web_annotation,
    "web-annotation-turtle": web_annotation_turtle,
    "uima-xmi": uima_xmi,
    "ndjson": ndjson,
    "ndjson-annotations": ndjson_annotations,
    "parquet-annotations": parquet_annotations,
}
