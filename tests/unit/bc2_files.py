"""Files in BioCreative II XML, what is read of them, and what is said of their faults."""

from io import BytesIO

import pytest

from annotations.formats.bc2_xml.reader import read_bc2_gold_refusing_iss, read_bc2_run
from annotations.formats.errors import RefusedFileError

# The sample of the subtask's description (BioCreative II, interaction sentences).
PUBLISHED = """
<ENTRY>
<PPI_SUB_TASK_ID> BC2_PPI_ISS </PPI_SUB_TASK_ID>
<TEAM_ID> T1_BC2_PPI </TEAM_ID>
<RUN_NR> 1 </RUN_NR>
<PMID> 10924507 </PMID>
<INTERACTION_PAIR>
<INTERACTOR_1> Q9UBU9 </INTERACTOR_1>
<INTERACTOR_2> Q08211 </INTERACTOR_2>
</INTERACTION_PAIR>
<SENTENCE_RANK> 1 </SENTENCE_RANK>
<SENTENCE_PASSAGE>
Specific interaction between RNA helicase A and Tap, two cellular proteins that bind to
the constitutive transport element of type D retrovirus.
</SENTENCE_PASSAGE>
</ENTRY>
"""
HELICASE = (
    "Specific interaction between RNA helicase A and Tap, two cellular proteins that bind to the constitutive "
    "transport element of type D retrovirus."
)
NAMES = {"GRB2_HUMAN": "P62993", "Two  hybrid": "MI:0018"}


def pair(a="Q08211", b="Q9UBU9", rank="1"):
    ranked = f"<RANK>{rank}</RANK>" if rank else ""
    return (
        f"<INTERACTION_PAIR><INTERACTOR_1>{a}</INTERACTOR_1><INTERACTOR_2>{b}</INTERACTOR_2>{ranked}</INTERACTION_PAIR>"
    )


def method(term="MI:0018", rank="1"):
    return f"<INT_DET_METHOD><INT_DET_METHOD_ID>{term}</INT_DET_METHOD_ID><RANK>{rank}</RANK></INT_DET_METHOD>"


def entry(*results, pmid="11"):
    return f"<ENTRY><PMID>{pmid}</PMID>{''.join(results)}</ENTRY>\n"


def passage(text="They bind.", rank="1", more=""):
    ranked = f"<SENTENCE_RANK>{rank}</SENTENCE_RANK>" if rank else ""
    return entry(pair(rank=""), ranked, f"<SENTENCE_PASSAGE>{text}</SENTENCE_PASSAGE>", more)


def stream(text):
    return BytesIO(text if isinstance(text, bytes) else text.encode())


def run(text, task="ipt", **options):
    return read_bc2_run(stream(text), task, "run.xml", **options)


def gold(text, task="ipt", **options):
    return read_bc2_gold_refusing_iss(stream(text), task, "gold.xml", **options)


def list_refusal_lines(text, task="ipt", **options):
    with pytest.raises(RefusedFileError) as refused:
        run(text, task, **options)
    return str(refused.value).split("\n")


def faults(text, task="ipt", **options):
    return [
        line.split(" ", 1)[0].removeprefix("run.xml:") + line.split(" ")[1]
        for line in list_refusal_lines(text, task, **options)
    ]


def rows(table):
    articles = [table.article.names[code] for code in table.article.codes]
    items = [table.item.names[code] for code in table.item.codes]
    ranks = [None] * len(table) if table.rank is None else table.rank.tolist()
    return list(zip(articles, items, ranks, strict=True))


def read_repaired_run(text, task="ipt", **options):
    """The rows, and what is said of each repair."""
    table = run(text, task, repair=True, **options)
    assert all(str(repair).startswith("run.xml:") for repair in table.repairs)
    return rows(table), [f"{own.line}:{own.column}:{own.rule} {own.message}" for own in table.repairs]


def both(text, task="ipt", **options):
    """Where the file is refused, and what mending says of it."""
    found, repairs = read_repaired_run(text, task, **options)
    assert faults(text, task) == [repair.split(" ")[0] for repair in repairs]
    return found, [repair.split(" ", 1)[1] for repair in repairs]
