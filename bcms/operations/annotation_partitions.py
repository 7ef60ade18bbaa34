"""The partitions of annotations, each for the results of twenty million ids: some sixty million annotations, 10 GB."""

from bcms.database.numbered_partitions import NumberedTable

ANNOTATIONS = NumberedTable(
    "annotations_annotation",
    "result_id",
    owner="annotations_result",
    size=20_000_000,
    statistics={"annotation_texts": "annotations_folded_text(text)"},
)
