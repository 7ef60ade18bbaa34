"""The Arrow schema of a table, which is that of its Parquet files. pyarrow is imported only when it is needed."""

from typing import TYPE_CHECKING

from annotations.formats.parquet.tables import ColumnType, ParquetTable, TableColumn

if TYPE_CHECKING:
    import pyarrow

TYPE_ALIASES = {
    ColumnType.TEXT: "string",
    ColumnType.INTEGER: "int64",
    ColumnType.NUMBER: "float64",
    ColumnType.TRUTH: "bool",
}


def build_arrow_schema(table: ParquetTable) -> "pyarrow.Schema":
    """The columns of the table; the metadata say what the file leaves out."""
    import pyarrow

    metadata = {"description": table.description, "note": table.note}
    return pyarrow.schema([_build_arrow_field(column) for column in table.columns], metadata)


def _build_arrow_field(column: TableColumn) -> "pyarrow.Field":
    import pyarrow

    if column.members:
        item = pyarrow.struct([_build_arrow_field(member) for member in column.members])
    else:
        item = pyarrow.type_for_alias(TYPE_ALIASES[column.type])
    return pyarrow.field(column.name, pyarrow.list_(item) if column.repeated else item)
