"""Tables as text: no cell is a formula."""

import pytest

from bcms.lib.table_text import format_csv, format_tsv


@pytest.mark.parametrize("name", ["=1+1", "+1", "-2+3", "@SUM(A1)", "\t=1", "\r=1"])
def test_it_masks_texts_that_are_formulas(name):
    cell = format_tsv([[name]]).strip('\n"')
    assert cell.startswith("'")


def test_it_keeps_numbers_and_other_texts():
    assert format_csv([["a=b", -1, 0.5, "x,y", ""]]) == 'a=b,-1,0.5,"x,y",\r\n'
    assert format_tsv([["a", -1], ["b", None]]) == "a\t-1\nb\t\n"
