"""The demo's input files: downloaded once, or those of a folder."""

from pathlib import Path

from bcms.demo.data_archives import DemoFiles, download_and_unpack_missing_demo_files

# In the order of the fields of DemoFiles.
FILE_NAMES = ("older.xml.gz", "newer.xml.gz", "hgnc.tsv", "mgi.tsv", "rgd.tsv", "mesh.tsv")


def get_archives(folder: str) -> DemoFiles:
    """The files with the names above in this folder, or those of the demo if it is empty."""
    return (
        DemoFiles(*(Path(folder) / name for name in FILE_NAMES)) if folder else download_and_unpack_missing_demo_files()
    )
