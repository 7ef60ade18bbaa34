"""Parts of composite mentions, as in BioCreative V CDR: imports keep them, and scores count the composite mention."""

from io import BytesIO

import pytest

from annotations.formats.annotated_text.readers import ANNOTATED_TEXT_FORMATS
from annotations.formats.result_sniffing import ResultFormat
from annotations.schema import Kind
from evaluation.measures.task_settings import TaskSettings
from evaluation.runs.files.open_files import read_open_task_file
from evaluation.runs.files.text_annotations import list_text_annotations

TEXT = "renal and hepatic failure, or cardiac failure"
ANNOTATION = """<annotation id="{}"><infon key="type">Disease</infon>{}<infon key="MESH">{}</infon>{}<text>{}</text>
</annotation>"""


def write_annotation(number, role, identifiers, places, text):
    infon = f'<infon key="CompositeRole">{role}</infon>' if role else ""
    locations = "".join(f'<location offset="{start}" length="{length}"/>' for start, length in places)
    return ANNOTATION.format(number, infon, identifiers, locations, text)


WHOLE = write_annotation(0, "CompositeMention", "D058186|D017093", [(0, 25)], "renal and hepatic failure")
PARTS = write_annotation(1, "IndividualMention", "D058186", [(0, 5), (18, 7)], "renal failure")
PARTS += write_annotation(2, "IndividualMention", "D017093", [(10, 15)], "hepatic failure")
OTHER = write_annotation(3, "", "D006333", [(30, 15)], "cardiac failure")


def write_bioc(*annotations):
    passage = f"<passage><offset>0</offset><text>{TEXT}</text>{''.join(annotations)}</passage>"
    return f"<collection><source/><date/><key/><document><id>1</id>{passage}</document></collection>".encode()


def read_bioc(*annotations):
    return ANNOTATED_TEXT_FORMATS[ResultFormat.BIOC_XML].read(BytesIO(write_bioc(*annotations)), "a.xml")


@pytest.mark.parametrize("order", [(WHOLE, PARTS, OTHER), (PARTS, OTHER, WHOLE)])
def test_scores_count_the_composite_mention_alone(order):
    file = read_bioc(*order)
    assert len(file.mentions) == 4
    counted = {each.annotation.text: len(each.annotation.identifiers) for each in list_text_annotations(file)}
    assert counted == {"renal and hepatic failure": 2, "cardiac failure": 1}


def test_parts_without_their_composite_mention_count():
    assert len(list_text_annotations(read_bioc(PARTS, OTHER))) == 3


def test_gold_standards_and_runs_say_how_many_parts_do_not_count():
    file = read_open_task_file(BytesIO(write_bioc(WHOLE, PARTS, OTHER)), "a.xml", Kind.MENTION, TaskSettings())
    assert len(file.annotations) == 2
    assert file.note.endswith("mentions: Disease 2; links: 3; parts of composite mentions, not counted: 2")
