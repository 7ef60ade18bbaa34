"""The annotation servers of the demo, each a process of servers.reference."""

from dataclasses import dataclass

from annotations.schema import Kind


@dataclass(frozen=True, slots=True)
class DemoAnnotator:
    """One annotation server; arguments are for `python -m servers.reference`, with {hgnc}, {mgi}, {rgd}, {mesh} and
    {training} as placeholders for paths. entity_types: of its mentions or arguments. delay is in seconds.
    """

    slug: str
    name: str
    team: str
    description: str
    arguments: tuple[str, ...]
    kinds: tuple[Kind, ...]
    entity_types: tuple[str, ...] = ()
    delay: float = 0.0
    failure_rate: float = 0.0

    def build_command(self, port: int, **paths: object) -> list[str]:
        """The command line after the interpreter; paths are the values of the placeholders."""
        arguments = [argument.format(**paths) for argument in self.arguments]
        behaviour = ["--delay", str(self.delay), "--failure-rate", str(self.failure_rate)]
        return ["-m", "servers.reference", *arguments, *behaviour, "--port", str(port)]


LEXICON = "Team Lexicon"
BAYES = "Team Bayes"

ANNOTATORS = (
    DemoAnnotator(
        "species-words",
        "Species words",
        LEXICON,
        "Organisms, by a dictionary of their names and of words for people.",
        ("species",),
        (Kind.TAXON,),
    ),
    DemoAnnotator(
        "mention-patterns",
        "Mention patterns",
        LEXICON,
        "Gene and protein mentions, by the shape of words: symbols, -ase and -in, Greek letters, receptors.",
        ("mentions",),
        (Kind.MENTION,),
        ("Gene",),
    ),
    DemoAnnotator(
        "gene-dictionary",
        "Gene dictionary",
        LEXICON,
        "Gene mentions, by HGNC names, normalized to NCBI Gene and UniProt with regard to the organism.",
        ("genes", "--dictionary", "{hgnc}", "--mouse", "{mgi}", "--rat", "{rgd}"),
        (Kind.MENTION, Kind.NORMALIZATION),
        ("Gene",),
    ),
    DemoAnnotator(
        "disease-dictionary",
        "Disease dictionary",
        LEXICON,
        "Disease mentions, by MeSH labels and synonyms of trees C.",
        ("mesh", "--labels", "{mesh}", "--type", "Disease"),
        (Kind.MENTION,),
        ("Disease",),
    ),
    DemoAnnotator(
        "chemical-dictionary",
        "Chemical dictionary",
        LEXICON,
        "Chemical mentions, by MeSH labels and synonyms of trees D.",
        ("mesh", "--labels", "{mesh}", "--type", "Chemical"),
        (Kind.MENTION,),
        ("Chemical",),
    ),
    DemoAnnotator(
        "relation-triggers",
        "Relation triggers",
        LEXICON,
        "Relations of chemicals and diseases: both are in a sentence with a word such as “treatment” or “induced”.",
        ("relations", "--labels", "{mesh}"),
        (Kind.RELATION,),
        ("Chemical", "Disease"),
    ),
    DemoAnnotator(
        "naive-bayes",
        "Naive Bayes",
        BAYES,
        "Article classification by multinomial naive Bayes on words. It was trained on the training articles, "
        "so only its test scores show how good it is.",
        ("ppi", "--training", "{training}"),
        (Kind.CLASSIFICATION,),
    ),
    DemoAnnotator(
        "mesh-labels",
        "MeSH labels",
        BAYES,
        "Diseases and chemicals, by MeSH labels without synonyms and by the abbreviations that the article explains; "
        "related if a trigger stands between them.",
        ("mesh-labels", "--labels", "{mesh}"),
        (Kind.MENTION, Kind.RELATION),
        ("Disease", "Chemical"),
    ),
    DemoAnnotator(
        "title-terms",
        "Title terms",
        BAYES,
        "Mentions of diseases and chemicals in titles alone, by MeSH labels and synonyms.",
        ("mesh", "--labels", "{mesh}", "--type", "Disease", "--type", "Chemical", "--title-only"),
        (Kind.MENTION,),
        ("Disease", "Chemical"),
    ),
    DemoAnnotator(
        "title-species",
        "Title species",
        BAYES,
        "Organisms that the title names, by the dictionary of the species words.",
        ("species", "--title-only"),
        (Kind.TAXON,),
    ),
    DemoAnnotator(
        "keyword-interact",
        "Keyword interact",
        BAYES,
        "Baseline: relevant when a word begins with “interact”.",
        ("keyword", "--word", "interact"),
        (Kind.CLASSIFICATION,),
    ),
    DemoAnnotator(
        "keyword-bind",
        "Keyword bind",
        LEXICON,
        "Baseline: relevant when a word begins with “bind”.",
        ("keyword", "--word", "bind"),
        (Kind.CLASSIFICATION,),
    ),
    DemoAnnotator(
        "mention-patterns-slow",
        "Mention patterns (slow)",
        LEXICON,
        "The mention patterns again, but with three seconds for each article, as an example of a slow server.",
        ("mentions",),
        (Kind.MENTION,),
        ("Gene",),
        delay=3.0,
    ),
    DemoAnnotator(
        "keyword-flaky",
        "Keyword complex (flaky)",
        BAYES,
        "A third baseline. A quarter of its calls fail on purpose, as examples of diagnoses.",
        ("keyword", "--word", "complex", "--seed", "5"),
        (Kind.CLASSIFICATION,),
        failure_rate=0.25,
    ),
)
