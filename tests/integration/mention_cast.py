"""A task of gene mentions in sight: three abstracts, what is right in them, and two runs."""

from functools import partial

from annotations.schema import Kind
from evaluation.challenges.setup import creation
from tests.integration.evaluation_cast import create_listed_challenge, make_corpus_of_texts, write_pubtator

TEXTS = {
    201: ("Loss of CDH1 in mice", "CDH1 binds beta catenin."),
    202: ("No gene here", "Nor here."),
    203: ("p53 and Mdm2", "The p53 protein is degraded."),
}
pubtator = partial(write_pubtator, TEXTS)
GOLD = pubtator(
    _201=("8\t12\tCDH1\tGene", "16\t20\tmice\tSpecies\t10090", "21\t25\tCDH1\tGene", "32\t44\tbeta catenin\tProtein"),
    _203=("0\t3\tp53\tGene", "8\t12\tMdm2\tGene", "17\t20\tp53\tGene"),
)
# What is accepted: catenin, the whole name of a protein, and both genes of the title together.
ALTERNATIVES = b"201|29 35|catenin\n203|13 22|p53 protein\n203|0 9|p53 and Mdm2\n"
# One gene at its place, one by half of its name, one with a word too many, a false alarm, and two genes at once.
RUN = pubtator(
    _201=("8\t12\tCDH1\tGene", "16\t20\tmice\tSpecies", "37\t44\tcatenin\tGene", "21\t31\tCDH1 binds\tGene"),
    _202=("3\t7\tgene\tGene",),
    _203=("0\t12\tp53 and Mdm2\tGene", "17\t28\tp53 protein\tGene"),
)
OTHER = pubtator(_201=("8\t12\tCDH1\tGene", "21\t25\tCDH1\tGene"), _203=("0\t3\tp53\tGene",))


def make_mention_task(organizer, sort="training"):
    """The task and its phase, which has no gold standard yet."""
    challenge = create_listed_challenge("Genes", "genes", "Where are genes mentioned?", organizer)
    task = creation.create_task(challenge, "GM", Kind.MENTION, "Mentions of genes")
    corpus = make_corpus_of_texts("abstracts", TEXTS, blind=sort == "test")
    return task, creation.create_phase_claiming_blind_corpus(challenge, sort, corpus)
