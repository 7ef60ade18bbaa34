"""The people, corpora, tasks and challenge of the demo."""

from collections.abc import Mapping
from dataclasses import dataclass

from annotations.schema import Kind
from evaluation.measures.task_settings import TaskSettings


@dataclass(frozen=True, slots=True)
class DemoPerson:
    name: str
    email: str
    role_description: str


@dataclass(frozen=True, slots=True)
class DemoCorpus:
    name: str
    description: str
    blind: bool = False
    featured: bool = False


@dataclass(frozen=True, slots=True)
class DemoTask:
    name: str
    title: str
    kind: Kind
    primary_measure: str
    note: str
    settings: TaskSettings | None = None

    @property
    def gold_suffix(self) -> str:
        """How the names of its gold standards end, after that of the corpus."""
        return f"{self.name.lower()}.{'tsv' if self.settings is None else 'json'}"


@dataclass(frozen=True, slots=True)
class DemoChallenge:
    name: str
    slug: str
    description: str
    facts: Mapping[str, str]


PEOPLE = (
    DemoPerson("alice", "alice@example.org", "manager of Team Lexicon: dictionaries and patterns"),
    DemoPerson("bob", "bob@example.org", "manager of Team Bayes: article classification and titles"),
    DemoPerson("olga", "olga@example.org", "organizer of the challenge"),
    DemoPerson("curt", "curt@example.org", "curator, on no team"),
    DemoPerson("ember", "ember@example.org", "journal that sends manuscripts"),
)
# In the folder of the demo: the token of the link for the author of its manuscript.
MANUSCRIPT_TOKEN_FILE = "manuscript-token"
TEAMS = {"Team Lexicon": "alice", "Team Bayes": "bob"}
CORPORA = {
    "training": DemoCorpus("Training articles", "300 abstracts of 1976-79 with an organism among their MeSH headings."),
    "test": DemoCorpus("Test articles", "300 abstracts of 1976-79, disjoint from the training articles.", blind=True),
    "reading": DemoCorpus(
        "Reading articles", "300 abstracts of 2021 that mention at least two genes often.", featured=True
    ),
}
CHALLENGE = DemoChallenge(
    "Indexing challenge",
    "indexing",
    "Which organisms, diseases and chemicals is an article about, and is it about protein binding? "
    "The articles are real abstracts; the gold standard is their MeSH headings in MEDLINE.",
    {
        "organizer_names": "Olga Example",
        "contact": "olga@example.org",
        "citation": "O. Example: Indexing challenge. Demo of the BioCreative Meta-Server.",
        "data_licence": "MEDLINE citations, courtesy of the U.S. National Library of Medicine",
    },
)
TASKS = (
    DemoTask(
        "ACT",
        "Article classification: protein binding",
        Kind.CLASSIFICATION,
        "mcc",
        "The gold standard is a substitute: an article is positive when MEDLINE indexed it with the heading "
        "Protein Binding. It is not a gold standard of protein interactions.",
    ),
    DemoTask(
        "TX",
        "Focus organisms",
        Kind.TAXON,
        "macro_f1",
        "The gold standard is the MeSH headings at species level that MEDLINE's indexers gave each article.",
    ),
    DemoTask(
        "DIS",
        "Diseases",
        Kind.ENTITY,
        "micro_f1",
        "The gold standard is the MeSH headings with tree numbers in C that MEDLINE's indexers gave each article. They "
        "name what it is about, also where its text says it in other words, and not all diseases that it mentions.",
        TaskSettings(entity_types=("Disease",), namespaces=("mesh",)),
    ),
    DemoTask(
        "CHEM",
        "Chemicals",
        Kind.ENTITY,
        "micro_f1",
        "The gold standard is the MeSH headings with tree numbers in D that MEDLINE's indexers gave each article; "
        "proteins and classes of drugs are among them.",
        TaskSettings(entity_types=("Chemical",), namespaces=("mesh",)),
    ),
)
