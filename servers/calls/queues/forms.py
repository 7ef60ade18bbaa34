"""The form that loads articles into a queue."""

from typing import Any

from django import forms
from django.db.models import QuerySet

from annotations.articles.article_ids import (
    format_first_items_and_remaining_count,
    parse_distinct_pmids_refusing_too_many,
)
from annotations.articles.models import Article, Corpus, CorpusArticle
from annotations.articles.queries import list_unknown_pmids


class LoadForm(forms.Form):
    """The articles to load: a corpus, or PMIDs."""

    corpus = forms.ModelChoiceField(Corpus.objects.none(), required=False, empty_label="None, use the PMIDs below")
    pmids = forms.CharField(
        label="PMIDs",
        required=False,
        strip=True,
        widget=forms.Textarea(attrs={"rows": 2, "placeholder": "16054130 15733859"}),
        help_text="Separated by spaces, commas or line breaks.",
    )

    def __init__(self, *args: Any, articles: QuerySet[Article], corpora: QuerySet[Corpus], **kwargs: Any) -> None:
        """articles, corpora: those that the user may load."""
        super().__init__(*args, **{"label_suffix": ""} | kwargs)
        self.articles = articles
        self.fields["corpus"].queryset = corpora  # type: ignore[attr-defined]

    def clean_pmids(self) -> list[int]:
        try:
            pmids = parse_distinct_pmids_refusing_too_many(self.cleaned_data["pmids"])
        except ValueError as error:
            raise forms.ValidationError(str(error)) from error
        if unknown := list_unknown_pmids(pmids, self.articles):
            raise forms.ValidationError(
                f"Not in this database: PMID {format_first_items_and_remaining_count(unknown)}. "
                "Remove them, or have them imported first."
            )
        return pmids

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if not self.errors and bool(cleaned["corpus"]) == bool(cleaned["pmids"]):
            raise forms.ValidationError("Either select a corpus or enter PMIDs.")
        return cleaned

    def article_ids(self) -> list[int]:
        """The ids of the articles in the order of the corpus or as entered."""
        if corpus := self.cleaned_data["corpus"]:
            rows = CorpusArticle.objects.filter(corpus=corpus, article__in=self.articles.values("pk"))
            return list(rows.order_by("position").values_list("article_id", flat=True))
        by_pmid = dict(self.articles.filter(pmid__in=self.cleaned_data["pmids"]).values_list("pmid", "pk"))
        return [by_pmid[pmid] for pmid in self.cleaned_data["pmids"]]
