"""Writes digital abstracts as PSI-MI XML 2.5.4 or 3.0.0: an entry for each article, in the compact form.

The compact form lists each interactor and each experiment of an entry once and refers to them, so what it says about a
participant of several interactions cannot differ. An experiment is a detection method with its passages; interactions
that share both share it. Passages and figures are attributes of the experiment, comments are those of the interaction.
What PSI-MI has no term for, such as the state of the record, is in attributes whose names begin with `sda-`; other
programs ignore them, and the reader restores the record from them. The name of a participant in the article is an alias
of the participant, the names of its entry are those of the interactor.

PSI-MI has no entry without interactions: digital abstracts without any are left out. Characters that XML does not allow
become U+FFFD. Sources: Kerrien et al. 2007, BMC Biology 5, 44; Sivade et al. 2018, BMC Bioinformatics 19, 134.
"""

import json
import re
from collections.abc import Iterable, Iterator

from annotations.digital_abstract import AbstractState, Contributor, DigitalAbstract
from annotations.digital_abstract_json import build_annotation_json
from annotations.formats.digital_abstracts.exported_abstract import ExportedAbstract
from annotations.formats.psi_mi_xml.markup import (
    Attribute,
    Reference,
    format_attributes,
    format_element,
    format_list,
    format_names,
    format_references,
)
from annotations.formats.psi_mi_xml.vocabulary import (
    ANNOTATION_ATTRIBUTE,
    AUTHOR_LIST,
    CONTRIBUTOR_ATTRIBUTE,
    DOI_DATABASE,
    JOURNAL,
    NOTHING_FOUND_ATTRIBUTE,
    ORGANISM_ATTRIBUTE,
    ORGANISM_SOURCE_ATTRIBUTE,
    PRIMARY_REFERENCE,
    PSI_MI_NAMESPACES,
    PSI_MI_ROOT,
    PUBMED,
    PUBMED_CENTRAL,
    STATE_ATTRIBUTE,
    TITLE,
    TRUE_VALUE,
    UPDATED_ATTRIBUTE,
    URL,
    YEAR,
    PsiMiVersion,
    Term,
)
from annotations.formats.psi_mi_xml.written_interactions import WrittenInteractions

XML_HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'
SOURCE_NAME = "BioCreative Meta-Server"
ISO_DATE = re.compile(r"[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])(?=T|$)", re.ASCII)


def write_psi_mi_xml(abstracts: Iterable[ExportedAbstract], version: PsiMiVersion) -> Iterator[str]:
    """One file, in one piece for each digital abstract with interactions.

    Without any, the file has no entry, which the schemas do not allow.
    """
    level, number, minor = version.value.split(".")
    attributes = f'level="{level}" version="{number}" minorVersion="{minor}"'
    yield f'{XML_HEAD}<{PSI_MI_ROOT} xmlns="{PSI_MI_NAMESPACES[version]}" {attributes}>\n'
    for exported in abstracts:
        if exported.abstract.interactions:
            yield _format_entry(exported) + "\n"
    yield f"</{PSI_MI_ROOT}>\n"


def format_contributor(contributor: Contributor) -> str:
    """`curator 0000-0002-1825-0097 Josiah Carberry`, with `-` in place of an ORCID that is not given."""
    return f"{contributor.origin} {contributor.orcid or '-'} {contributor.name}"


def _format_entry(exported: ExportedAbstract) -> str:
    written = WrittenInteractions(exported, _format_publication(exported))
    interactions = [written.format_interaction(each) for each in exported.abstract.interactions]
    return format_element(
        "entry",
        _format_entry_source(exported.abstract),
        format_list("experimentList", written.experiments.values()),
        format_list("interactorList", written.interactors.values()),
        format_list("interactionList", interactions),
        format_attributes(_iter_entry_attributes(exported)),
    )


def _format_entry_source(abstract: DigitalAbstract) -> str:
    date = ISO_DATE.match(abstract.updated)
    return format_element("source", format_names(SOURCE_NAME), releaseDate=date[0] if date else "")


def _format_publication(exported: ExportedAbstract) -> str:
    """The reference of the article: its public identifiers, or without any what else is known of it.

    PSI-MI XML 2.5 takes one or the other.
    """
    ids = exported.article.ids
    given = ((PUBMED, str(ids.pmid or "")), (DOI_DATABASE, ids.doi), (PUBMED_CENTRAL, ids.pmcid))
    references = [Reference(database.name, database.id, value) for database, value in given if value]
    if references:
        return format_element("bibref", format_references(references, PRIMARY_REFERENCE))
    return format_element("bibref", format_attributes(_iter_publication_attributes(exported)))


def _iter_publication_attributes(exported: ExportedAbstract) -> Iterator[Attribute]:
    article = exported.article
    yield _make_attribute(URL, exported.url)
    title = article.passages[0].text if article.passages and article.passages[0].type == "title" else ""
    values = (
        (TITLE, title),
        (AUTHOR_LIST, ", ".join(article.authors)),
        (JOURNAL, article.journal),
        (YEAR, str(article.year or "")),
    )
    for term, value in values:
        if value:
            yield _make_attribute(term, value)


def _make_attribute(term: Term, text: str) -> Attribute:
    return Attribute(term.name, text, term.id)


def _iter_entry_attributes(exported: ExportedAbstract) -> Iterator[Attribute]:
    """What the digital abstract has besides its interactions. The state is always written: it marks our entries."""
    abstract = exported.abstract
    yield _make_attribute(URL, exported.url)
    yield Attribute(STATE_ATTRIBUTE, AbstractState(abstract.state).value)
    if abstract.updated:
        yield Attribute(UPDATED_ATTRIBUTE, abstract.updated)
    if abstract.nothing_found:
        yield Attribute(NOTHING_FOUND_ATTRIBUTE, TRUE_VALUE)
    for taxon in abstract.organisms:
        yield Attribute(ORGANISM_ATTRIBUTE, str(taxon))
    for taxon, sources in abstract.organism_sources.items():
        for source in sources:
            yield Attribute(ORGANISM_SOURCE_ATTRIBUTE, f"{taxon} {source.origin} {source.name}")
    for contributor in abstract.contributors:
        yield Attribute(CONTRIBUTOR_ATTRIBUTE, format_contributor(contributor))
    for annotation in abstract.annotations:
        yield Attribute(ANNOTATION_ATTRIBUTE, json.dumps(build_annotation_json(annotation), ensure_ascii=False))
