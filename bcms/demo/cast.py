"""Who and what the demo shows."""

from dataclasses import dataclass

from annotations.kinds import Kind


@dataclass(frozen=True, slots=True)
class Person:
    name: str
    email: str
    what: str


@dataclass(frozen=True, slots=True)
class DemoCorpus:
    name: str
    description: str
    blind: bool = False


@dataclass(frozen=True, slots=True)
class DemoTask:
    name: str
    title: str
    kind: Kind
    primary: str
    note: str


@dataclass(frozen=True, slots=True)
class DemoChallenge:
    name: str
    slug: str
    description: str


PEOPLE = (
    Person("alice", "alice@example.org", "manager of Team Lexicon: dictionaries and patterns"),
    Person("bob", "bob@example.org", "manager of Team Bayes: article classification"),
    Person("olga", "olga@example.org", "organizer of the challenge"),
    Person("curt", "curt@example.org", "curator, on no team"),
)
TEAMS = {"Team Lexicon": "alice", "Team Bayes": "bob"}
CORPORA = {
    "training": DemoCorpus("Training articles", "300 abstracts of 1976-79 with an organism among their MeSH headings."),
    "test": DemoCorpus("Test articles", "300 abstracts of 1976-79, disjoint from the training articles.", blind=True),
    "reading": DemoCorpus("Reading articles", "300 abstracts of 2021 that mention at least two genes often."),
}
CHALLENGE = DemoChallenge(
    "Indexing challenge",
    "indexing",
    "Which organisms is an article about, and is it about protein binding? "
    "Real abstracts, with the MeSH headings that the indexers of MEDLINE gave them as the gold standard.",
)
TASKS = (
    DemoTask(
        "ACT",
        "Article classification: protein binding",
        Kind.CLASSIFICATION,
        "mcc",
        "The gold standard is a stand-in: an article counts as positive when MEDLINE indexed it with the heading "
        "Protein Binding. It was made from indexing and is not a gold standard of protein interactions.",
    ),
    DemoTask(
        "TX",
        "Focus organisms",
        Kind.TAXON,
        "macro_f1",
        "The gold standard is the MeSH headings at species level that MEDLINE's indexers gave each article.",
    ),
)
