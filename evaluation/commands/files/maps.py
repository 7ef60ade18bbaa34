"""The files that options name besides runs and gold standard, and whether they have what the gold standard needs."""

from argparse import Namespace
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import BinaryIO

from annotations.formats.annotated_text import TEXT_FORMATS
from annotations.formats.gene_eval import read_alternatives
from annotations.formats.maps_tsv import read_accessions, read_homonyms, read_organisms
from annotations.formats.sniffing import format_of
from annotations.formats.text_results import ALTERNATIVE_TYPES, GENE_TYPES
from annotations.formats.tsv_faults import Notes
from evaluation.commands.files.columns import articles, gold_columns
from evaluation.commands.files.inputs import Inputs, opened
from evaluation.commands.files.mentions import spans_of
from evaluation.commands.files.runs import Files
from evaluation.measures.mapping import accessions
from evaluation.measures.spans import Span


@dataclass(frozen=True, slots=True)
class Maps:
    """What the options name besides runs and gold standard, each None when it is not asked for."""

    homonyms: Mapping[str, Sequence[str]] | None = None
    organisms: Mapping[str, str] | None = None
    swissprot: Collection[str] | None = None
    alternatives: Mapping[str, Collection[Span]] | None = None


def read_maps(options: Namespace, inputs: Inputs, files: Files) -> Maps:
    """The files that the options name, and the alternatives that a gold standard of mentions has, unless others are
    named or a way in which spans match is; what is wrong with them is gathered in inputs."""
    own = None if getattr(options, "spans", None) else files.alternatives
    return Maps(
        inputs.read(options.homonyms, read_homonyms) if options.homonyms else None,
        inputs.read(options.organisms, read_organisms) if options.organisms else None,
        inputs.read(options.swissprot.path, read_accessions) if options.swissprot else None,
        inputs.read(options.alternatives, accepted) if options.alternatives else own,
    )


def accepted(stream: BinaryIO, source: str) -> Mapping[str, Collection[Span]]:
    """{sentence: Spans accepted in place of genes}."""
    if (form := format_of(stream)) in TEXT_FORMATS:
        own = TEXT_FORMATS[form].read(stream, source)
        return spans_of(own, ALTERNATIVE_TYPES) or spans_of(own, GENE_TYPES)
    found = read_alternatives(stream, source)
    return {sentence: frozenset(Span(*place) for place in places) for sentence, places in found.items()}


def check_organisms(options: Namespace, files: Files, maps: Maps, inputs: Inputs) -> None:
    """Every accession of the gold standard that is looked up has an organism: of documents with results, or all."""
    if files.gold is None or maps.organisms is None:
        return
    answered = {name for own in files.runs for name in own.table.article.names}
    right = gold_columns(files.gold).item
    looked_up = [
        right.names[code]
        for article, code in zip(articles(files.gold), right.codes.tolist(), strict=True)
        if options.per_organism or article in answered
    ]
    faults = Notes()
    for name in dict.fromkeys(name for item in looked_up for name in accessions(item)):
        if name not in maps.organisms:
            faults.add(
                "R615", 0, 0, f"accession {name} of the gold standard has no organism - add a line with its taxon"
            )
    with opened(options.organisms) as stream:
        inputs.faults += faults.told(stream, options.organisms)
