"""Load the silver standard, and print how long each part takes."""

from pathlib import Path

from bcms.demo.data_archives import DemoFiles
from bcms.silver import storage
from bcms.silver.annotation_files import iter_file_rows
from bcms.silver.variants import VARIANTS
from tests.benchmarks.command_line import print_ratio
from tests.benchmarks.spent import measure_time


def load_silver_standard(archives: DemoFiles, folder: Path, times: int) -> None:
    """Identifiers, servers, articles, annotations and article summaries; prints how long each of them takes."""
    with measure_time() as registry:
        storage.store_identifier_tables(archives)
    print(f"names of genes, organisms  {registry}")
    producers = storage.register_servers()
    with measure_time() as articles:
        storage.store_articles(archives, folder, times)
    print(f"articles                   {articles}")
    with measure_time() as reading:
        for variant in VARIANTS:
            for _ in iter_file_rows(folder, variant.slug):
                pass
    with measure_time() as stored:
        for number in range(times):
            storage.store_annotations(producers, folder, number)
    print(f"annotations                {stored}")
    print_ratio("storing the annotations / reading their files", stored.clock, reading.clock * times)
    with measure_time() as analyzed:
        storage.analyze_tables()
    with measure_time() as summaries:
        storage.update_all_summaries()
    print(f"article summaries          {summaries}")
    print(f"all but names              {articles + stored + analyzed + summaries}")
