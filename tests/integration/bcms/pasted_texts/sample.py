"""A text that is nowhere else."""

TITLE = "Zyxelgenin binds CDH1"
TEXT = "In mouse cells, CDH1 was lost.\n\nZyxelgenin was not."
MENTION = {"offset": 17, "section": "title", "mention": "CDH1"}
NORMALIZATION = {"dbname": "UniProt", "dbid": "P12830", "taxid": 9606, "confidence": 0.8}
