"""The form by which organizers and administrators upload files of articles."""

from typing import Any

from django import forms

from annotations.formats.articles.article_sniffing import ArticleFormat
from annotations.formats.articles.parsed_article import parse_article_id_or_empty
from bcms.article_uploads.article_import import MEBIBYTES
from bcms.article_uploads.upload_processing import MOST_FILES
from bcms.lib.forms.file_fields import MultipleFileField

FORMAT_TITLES = {
    ArticleFormat.PUBMED: "PubMed XML",
    ArticleFormat.JATS: "JATS XML (PubMed Central)",
    ArticleFormat.BIOC_XML: "BioC XML",
    ArticleFormat.BIOC_JSON: "BioC JSON",
    ArticleFormat.PUBTATOR: "PubTator",
    ArticleFormat.PUBANNOTATION: "PubAnnotation JSON",
    ArticleFormat.BRAT: "brat standoff (zip)",
    ArticleFormat.XMI: "UIMA XMI",
    ArticleFormat.WEB_ANNOTATION: "Web Annotation (JSON-LD)",
    ArticleFormat.WEB_ANNOTATION_TURTLE: "Web Annotation (Turtle)",
    ArticleFormat.HTML: "HTML",
    ArticleFormat.PDF: "PDF",
    ArticleFormat.DOCX: "DOCX",
    ArticleFormat.TEXT: "plain text",
}
FORMAT_CHOICES = [
    ("", "detect automatically"),
    *((file_format.value, title) for file_format, title in FORMAT_TITLES.items()),
]


class ArticleUploadForm(forms.Form):
    file = MultipleFileField(
        label="Files",
        max_length=250,
        help_text="PubMed XML, JATS, BioC, PubTator, PubAnnotation, brat standoff (zip), UIMA XMI, Web Annotation, "
        "HTML, PDF, DOCX or plain text, optionally gzipped; "
        f"at most {MEBIBYTES} MiB in total.",
        error_messages={
            "required": "Choose a file.",
            "empty": "A file is empty. Check that you chose the right one.",
            "max_length": "A file name has %(length)d characters. Shorten it to at most %(max)d.",
        },
    )
    format = forms.ChoiceField(label="Format", choices=FORMAT_CHOICES, required=False)
    name = forms.CharField(
        label="PMID, PMCID or DOI",
        max_length=250,
        required=False,
        help_text="Only for a single file with one article that does not contain its identifier, such as a PDF.",
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{"label_suffix": ""} | kwargs)

    def clean(self) -> dict[str, Any]:
        values = super().clean() or {}
        files, name = values.get("file", []), values.get("name", "")
        if len(files) > MOST_FILES:
            self.add_error("file", f"You chose {len(files)} files. Upload at most {MOST_FILES} at a time.")
        if name and not parse_article_id_or_empty(name):
            self.add_error("name", "Enter a PMID, PMCID or DOI, such as 16054130, PMC3460867 or 10.1000/x.")
        elif name and len(files) > 1:
            self.add_error("name", "An identifier can be given for a single file only.")
        return values
