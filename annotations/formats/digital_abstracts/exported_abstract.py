"""A structured digital abstract with everything that its files say about the article and the entries in it."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from annotations.digital_abstract import DigitalAbstract, Participant
from annotations.formats.articles.annotated_article import AnnotatedArticle
from annotations.schema import EntityId


@dataclass(frozen=True, slots=True)
class ParticipantNames:
    """What databases say about a participant; empty if unknown. synonyms: besides the symbol and the name."""

    symbol: str = ""
    name: str = ""
    synonyms: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ExportedAbstract:
    """A digital abstract to export.

    article: with its references and text; its results are not exported. terms: the name of each PSI-MI term in the
    record by its identifier; organisms: the scientific name of each NCBI Taxonomy id; entries: of the participants
    and other entities. url: the address of the article's page, which identifies the record.
    """

    article: AnnotatedArticle
    abstract: DigitalAbstract
    url: str
    terms: Mapping[str, str] = field(default_factory=dict)
    organisms: Mapping[int, str] = field(default_factory=dict)
    entries: Mapping[EntityId, ParticipantNames] = field(default_factory=dict)

    def get_term_name(self, term: str) -> str:
        """The name of a PSI-MI term, or its identifier if no table with its name was loaded."""
        return self.terms.get(term, term)

    def get_entity_name(self, entity: EntityId) -> str:
        """The symbol or name of an entry, or the name of a term; "" if there is none."""
        entry = self.entries.get(entity, ParticipantNames())
        return entry.symbol or entry.name or self.terms.get(entity.identifier, "")

    def get_participant_name(self, participant: Participant) -> str:
        """The name in the article, the symbol or name of its entry, or its identifier: the first that there is."""
        return participant.name or self.get_entity_name(participant.entity) or participant.entity.identifier
