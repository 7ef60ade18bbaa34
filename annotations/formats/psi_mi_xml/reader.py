"""Reads PSI-MI XML 2.5.3, 2.5.4 and 3.0.0, expanded or compact, as one digital abstract for each article.

No schema is needed: the structure of what is read is checked here. What a digital abstract has no place for is left
out and listed: sets of molecules and candidates, complexes without an identifier, stoichiometries, features,
parameters, scores of databases. Interactions of an article in several entries become one digital abstract.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import BinaryIO

from annotations.formats.annotated_text.faults import PositionedFaults
from annotations.formats.annotated_text.mentions import LeftOut
from annotations.formats.digital_abstracts.parsed_abstract import ParsedAbstract, Publication
from annotations.formats.errors import RefusedFileError
from annotations.formats.psi_mi_xml.entry_builder import EntryBuilder
from annotations.formats.psi_mi_xml.parser import parse_psi_mi_xml


@dataclass(frozen=True, slots=True)
class PsiMiXmlFile:
    """The digital abstracts of a file, in its order, and what was left out. Files without experiments have none."""

    abstracts: Sequence[ParsedAbstract]
    left_out: Sequence[LeftOut]


def read_psi_mi_xml(stream: BinaryIO, source: str) -> PsiMiXmlFile:
    """The content of a seekable stream; source: the file's name.

    RefusedFileError with all faults (R663, R664, R741 to R745), up to the first XML error if there is one.
    """
    faults = PositionedFaults(source)
    content = read_psi_mi_xml_noting_faults(stream, faults)
    if faults:
        raise RefusedFileError(faults.list_faults())
    return content


def read_psi_mi_xml_noting_faults(stream: BinaryIO, faults: PositionedFaults) -> PsiMiXmlFile:
    """What can be read of a seekable stream; faults get what is wrong."""
    builder = EntryBuilder(faults)
    parse_psi_mi_xml(stream, faults, builder.take_unit, builder.finish_entry)
    return PsiMiXmlFile(_unite_by_article(builder.abstracts), builder.left_out)


def _unite_by_article(parsed: Iterable[ParsedAbstract]) -> list[ParsedAbstract]:
    """One digital abstract for each article; apart from the interactions, the first counts."""
    united: dict[Publication, ParsedAbstract] = {}
    for each in parsed:
        first = united.get(each.publication)
        if first is None:
            united[each.publication] = each
            continue
        interactions = (*first.abstract.interactions, *each.abstract.interactions)
        abstract = replace(first.abstract, interactions=interactions)
        united[each.publication] = replace(first, abstract=abstract, lines=(*first.lines, *each.lines))
    return list(united.values())
