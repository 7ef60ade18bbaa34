"""The files of scoring options: homonyms, organisms, Swiss-Prot and accepted alternatives."""

from argparse import Namespace
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import BinaryIO

from annotations.formats.result_sniffing import sniff_result_format_else_tsv
from annotations.formats.tsv.faults import FieldFaults
from annotations.formats.tsv.map_reader import (
    read_accession_set,
    read_homonyms_by_accession_map,
    read_taxon_by_accession_map,
)
from annotations.schema import Span
from evaluation.commands.files.inputs import InputFiles, open_regular_input_file
from evaluation.commands.files.table_columns import convert_gold_table, list_article_of_each_row
from evaluation.commands.files.task_files import TaskFiles
from evaluation.measures.lists.accession_mapping import list_accessions_of_identifier_or_pair


@dataclass(frozen=True, slots=True)
class ScoringMaps:
    """The contents of the files of scoring options, each None when the option is not used."""

    homonyms: Mapping[str, Sequence[str]] | None = None
    organisms: Mapping[str, str] | None = None
    swissprot: Collection[str] | None = None
    alternatives: Mapping[str, Collection[Span]] | None = None


def read_scoring_maps_noting_faults(options: Namespace, inputs: InputFiles, files: TaskFiles) -> ScoringMaps:
    """Read the files of the options; their errors are collected in inputs.

    Without --alternatives and --spans, the alternatives are those of the gold standard, if it has any.
    """
    gold_alternatives = None if getattr(options, "spans", None) else files.alternatives
    return ScoringMaps(
        inputs.read_input(options.homonyms, read_homonyms_by_accession_map) if options.homonyms else None,
        inputs.read_input(options.organisms, read_taxon_by_accession_map) if options.organisms else None,
        inputs.read_input(options.swissprot.path, read_accession_set) if options.swissprot else None,
        inputs.read_input(options.alternatives, _read_accepted_alternatives)
        if options.alternatives
        else gold_alternatives,
    )


def _read_accepted_alternatives(stream: BinaryIO, source: str) -> Mapping[str, Collection[Span]]:
    """{sentence: spans accepted instead of genes}."""
    # Imported here because only gene mentions have such a file.
    from annotations.entity_types import GENE_TYPES
    from annotations.formats.annotated_text.document_results import ALTERNATIVE_TYPES
    from annotations.formats.annotated_text.readers import ANNOTATED_TEXT_FORMATS
    from annotations.formats.gene_eval.reader import read_alternative_spans_by_sentence
    from evaluation.commands.files.mention_files import group_spans_by_document

    if (result_format := sniff_result_format_else_tsv(stream)) in ANNOTATED_TEXT_FORMATS:
        annotated = ANNOTATED_TEXT_FORMATS[result_format].read(stream, source)
        return group_spans_by_document(annotated, ALTERNATIVE_TYPES) or group_spans_by_document(annotated, GENE_TYPES)
    alternatives = read_alternative_spans_by_sentence(stream, source)
    return {
        sentence: frozenset(Span(*offsets) for offsets in offset_pairs)
        for sentence, offset_pairs in alternatives.items()
    }


def note_faults_of_gold_accessions_without_organism(
    options: Namespace, files: TaskFiles, maps: ScoringMaps, inputs: InputFiles
) -> None:
    """Collect an error in inputs for each gold accession without an organism.

    Accessions of documents without results are not checked, unless the figures of each organism are computed.
    """
    if files.gold is None or maps.organisms is None:
        return
    answered = {name for run_file in files.runs for name in run_file.table.article.names}
    gold_items = convert_gold_table(files.gold).item
    looked_up = [
        gold_items.names[code]
        for article, code in zip(list_article_of_each_row(files.gold), gold_items.codes.tolist(), strict=True)
        if options.per_organism or article in answered
    ]
    faults = FieldFaults()
    for name in dict.fromkeys(name for item in looked_up for name in list_accessions_of_identifier_or_pair(item)):
        if name not in maps.organisms:
            faults.add(
                "R615", 0, 0, f"accession {name} of the gold standard has no organism - add a line with its taxon"
            )
    with open_regular_input_file(options.organisms) as stream:
        inputs.faults += faults.list_faults(stream, options.organisms)
