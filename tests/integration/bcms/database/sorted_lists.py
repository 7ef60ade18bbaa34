"""Imports articles and a vocabulary into an empty, migrated database and prints lists that the database has sorted:
python -m tests.integration.bcms.database.sorted_lists FOLDER
"""

import io
import json
import os
import sys
from pathlib import Path

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "bcms.settings")

TITLES = (
    "ångström",
    "Zebra",
    "apple",
    "β-catenin",
    "Äpfel",
    "β-Catenin",
    "CDH1",
    "cdh-1",
    "éclair",
    "straße",
    "İ",
    "_x",
)
HOST = "localhost"


def write_pubmed_file(path: Path, suffix: str = "") -> None:
    """Citations of the titles in all their cases, which sort differently in every language."""
    records = "".join(
        f"<PubmedArticle><MedlineCitation><PMID>{pmid}</PMID><Article><Journal><Title>{title}</Title></Journal>"
        f"<ArticleTitle>{title} binds{suffix}</ArticleTitle></Article></MedlineCitation></PubmedArticle>"
        for pmid, title in enumerate(TITLES, 1)
    )
    path.write_text(f"<PubmedArticleSet>{records}</PubmedArticleSet>", encoding="utf-8")


def import_everything(folder: Path) -> list[str]:
    """What the commands print: the first file is new, the second changes every title."""
    from django.core.management import call_command

    output = io.StringIO()
    write_pubmed_file(folder / "pubmed26n0001.xml")
    call_command("import_pubmed", str(folder), stdout=output)
    write_pubmed_file(folder / "pubmed26n0002.xml", " again")
    call_command("import_pubmed", str(folder), stdout=output)
    return [line.partition(",")[0] for line in output.getvalue().splitlines()]


def list_sorted_lists() -> dict[str, object]:
    from django.db import connection
    from django.db.models.functions import Lower, Upper
    from django.test import Client

    from annotations.articles.models import Article

    articles = Article.objects.order_by("text")
    found = Client().get("/api/v1/articles/?q=binds", headers={"host": HOST}).json()["results"]
    with connection.cursor() as cursor:
        cursor.execute("SELECT array_agg(word ORDER BY word) FROM ts_stat('SELECT words FROM annotations_article')")
        words = cursor.fetchone()
    return {
        "by text": list(articles.values_list("pmid", "text_version")),
        "lower": list(articles.values_list(Lower("text"), flat=True)),
        "upper": list(articles.values_list(Upper("text"), flat=True)),
        "by lower case": list(Article.objects.order_by(Lower("text"), "pk").values_list("pmid", flat=True)),
        "without case": list(Article.objects.filter(text__icontains="ÄPFEL").values_list("pmid", flat=True)),
        "letters": list(Article.objects.filter(text__regex=r"^\w+ ").order_by("pmid").values_list("pmid", flat=True)),
        "search": [(article["pmid"], article["title"]) for article in found],
        "words": words,
    }


if __name__ == "__main__":
    import django

    django.setup()
    imported = import_everything(Path(sys.argv[1]))
    print(json.dumps({"imported": imported, **list_sorted_lists()}, ensure_ascii=False, indent=1))
