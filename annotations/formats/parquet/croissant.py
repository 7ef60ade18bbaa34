"""Describes a data set of Parquet files as Croissant 1.0, the vocabulary of ML Commons on top of schema.org.

Source: https://docs.mlcommons.org/croissant/docs/croissant-spec.html
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from annotations.formats.parquet.tables import ARTICLE_TABLE, ParquetTable, TableColumn

JsonLd = dict[str, object]

SPECIFICATION = "http://mlcommons.org/croissant/1.0"
# Croissant and its readers know Parquet by this name only, which is not the registered one.
PARQUET_FORMAT = "application/x-parquet"
# The context that the specification prescribes.
CROISSANT_TERMS = (
    *("citeAs", "column", "equivalentProperty", "extract", "field", "fileProperty", "fileObject", "fileSet", "format"),
    *("includes", "isLiveDataset", "jsonPath", "key", "md5", "parentField", "path", "recordSet", "references", "regex"),
    *("repeated", "replace", "samplingRate", "separator", "source", "subField", "transform"),
)
CONTEXT: Mapping[str, object] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "sc": "https://schema.org/",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "dct": "http://purl.org/dc/terms/",
    "conformsTo": "dct:conformsTo",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "examples": {"@id": "cr:examples", "@type": "@json"},
    **{term: f"cr:{term}" for term in CROISSANT_TERMS},
}


@dataclass(frozen=True, slots=True)
class DescribedFile:
    """A Parquet file of a data set. sha256: its checksum in hexadecimal; empty if the file is written for each
    download, so that it changes with what it contains."""

    table: ParquetTable
    file_name: str
    url: str
    sha256: str = ""


@dataclass(frozen=True, slots=True)
class DescribedDataSet:
    """A data set. licence: of its annotations, as a URL; empty if none is stated. publisher: the site's address."""

    name: str
    description: str
    url: str
    publisher: str
    files: Sequence[DescribedFile]
    licence: str = ""


def describe_data_set(data_set: DescribedDataSet) -> JsonLd:
    """The description as JSON-LD. It is that of a live data set if the checksum of a file is not known."""
    live = any(not file.sha256 for file in data_set.files)
    return {
        "@context": dict(CONTEXT),
        "@type": "sc:Dataset",
        "conformsTo": SPECIFICATION,
        "name": data_set.name,
        "description": data_set.description,
        "url": data_set.url,
        **({"license": data_set.licence} if data_set.licence else {}),
        "publisher": {"@type": "sc:Organization", "name": data_set.publisher, "url": data_set.publisher},
        **({"isLiveDataset": True} if live else {}),
        "distribution": [_describe_file(file) for file in data_set.files],
        "recordSet": [_describe_table(file) for file in data_set.files],
    }


def _describe_file(file: DescribedFile) -> JsonLd:
    return {
        "@type": "cr:FileObject",
        "@id": file.file_name,
        "name": file.file_name,
        "description": file.table.note,
        "contentUrl": file.url,
        "encodingFormat": PARQUET_FORMAT,
        **({"sha256": file.sha256} if file.sha256 else {}),
    }


def _describe_table(file: DescribedFile) -> JsonLd:
    table = file.table
    return {
        "@type": "cr:RecordSet",
        "@id": table.name,
        "name": table.name,
        "description": table.description,
        **({"key": {"@id": "articles/id"}} if table is ARTICLE_TABLE else {}),
        "field": [_describe_column(column, (column.name,), file) for column in table.columns],
    }


def _describe_column(column: TableColumn, path: Sequence[str], file: DescribedFile) -> JsonLd:
    """The column, or the member of a column that is at this path of names."""
    identifier = "/".join((file.table.name, *path))
    described: JsonLd = {
        "@type": "cr:Field",
        "@id": identifier,
        "name": identifier,
        "description": _describe_meaning(column),
        **({"repeated": True} if column.repeated else {}),
    }
    if column.members:
        described["subField"] = [
            _describe_column(member, (*path, member.name), file) for member in column.members if not member.members
        ]
        return described
    name, *inner = path
    return described | {
        "dataType": column.type.value,
        "source": {
            "fileObject": {"@id": file.file_name},
            "extract": {"column": name},
            **({"transform": {"jsonPath": ".".join(inner)}} if inner else {}),
        },
        **({"references": {"field": {"@id": "articles/id"}}} if identifier == "annotations/article" else {}),
    }


def _describe_meaning(column: TableColumn) -> str:
    """The meaning of the column. Readers of Croissant fail at lists in lists, so these are named here only."""
    inner = [member.name for member in column.members if member.members]
    lists = f". In the file, each also has lists of {' and '.join(inner)}" if inner else ""
    return f"{column.description}{lists}"
