"""The annotation servers that the demo starts and registers, each a process of servers.reference."""

from dataclasses import dataclass

from annotations.kinds import Kind


@dataclass(frozen=True, slots=True)
class Annotator:
    """arguments follow `python -m servers.reference`; {hgnc}, {mgi}, {rgd}, {training} stand for paths of data."""

    slug: str
    name: str
    team: str
    description: str
    arguments: tuple[str, ...]
    kinds: tuple[Kind, ...]
    delay: float = 0.0
    failure_rate: float = 0.0

    def command(self, port: int, **paths: object) -> list[str]:
        """The arguments with the paths put in, the delay, the failure rate and the port: all but the interpreter."""
        given = [argument.format(**paths) for argument in self.arguments]
        behaviour = ["--delay", str(self.delay), "--failure-rate", str(self.failure_rate)]
        return ["-m", "servers.reference", *given, *behaviour, "--port", str(port)]


LEXICON = "Team Lexicon"
BAYES = "Team Bayes"

ANNOTATORS = (
    Annotator(
        "species-words",
        "Species words",
        LEXICON,
        "Organisms by a dictionary of their names and of words for people.",
        ("species",),
        (Kind.TAXON,),
    ),
    Annotator(
        "mention-patterns",
        "Mention patterns",
        LEXICON,
        "Gene and protein mentions by the shape of words: symbols, -ase and -in, Greek letters, receptors.",
        ("mentions",),
        (Kind.MENTION,),
    ),
    Annotator(
        "gene-dictionary",
        "Gene dictionary",
        LEXICON,
        "Gene mentions by the names of HGNC, normalized to NCBI Gene and UniProt, with the organism in mind.",
        ("genes", "--dictionary", "{hgnc}", "--mouse", "{mgi}", "--rat", "{rgd}"),
        (Kind.MENTION, Kind.NORMALIZATION),
    ),
    Annotator(
        "naive-bayes",
        "Naive Bayes",
        BAYES,
        "Article classification by multinomial naive Bayes on words. It learned from the training articles themselves, "
        "so that its test figures alone tell how good it is.",
        ("ppi", "--training", "{training}"),
        (Kind.CLASSIFICATION,),
    ),
    Annotator(
        "keyword-interact",
        "Keyword interact",
        BAYES,
        "Baseline: relevant when a word begins with “interact”.",
        ("keyword", "--word", "interact"),
        (Kind.CLASSIFICATION,),
    ),
    Annotator(
        "keyword-bind",
        "Keyword bind",
        BAYES,
        "Baseline: relevant when a word begins with “bind”.",
        ("keyword", "--word", "bind"),
        (Kind.CLASSIFICATION,),
    ),
    Annotator(
        "mention-patterns-slow",
        "Mention patterns (slow)",
        LEXICON,
        "The mention patterns again, three seconds for each article, to show what a slow server looks like.",
        ("mentions",),
        (Kind.MENTION,),
        delay=3.0,
    ),
    Annotator(
        "keyword-flaky",
        "Keyword complex (flaky)",
        BAYES,
        "A third baseline; a quarter of its calls fail on purpose, to show what diagnoses look like.",
        ("keyword", "--word", "complex", "--seed", "5"),
        (Kind.CLASSIFICATION,),
        failure_rate=0.25,
    ),
)
