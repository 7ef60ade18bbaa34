"""Uploads of article files, and the report on each file."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from annotations.articles.models import Corpus


class ArticleUpload(models.Model):
    """Files of articles that a user uploaded together.

    All of their articles are stored, or none (bcms/article_uploads/upload_processing.py).
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="article_uploads")
    # The blind corpus that gets the articles as snapshots; None for public articles.
    corpus = models.ForeignKey(Corpus, null=True, blank=True, on_delete=models.CASCADE, related_name="article_uploads")
    created = models.DateTimeField(db_default=Now())
    # How often a worker started to read it: files that crash the worker are refused.
    tries = models.PositiveSmallIntegerField(default=0)
    finished = models.DateTimeField(null=True, blank=True)
    stored = models.BooleanField(default=False)

    class Meta:
        indexes = [models.Index(fields=["id"], condition=Q(finished__isnull=True), name="article_upload_open")]


class UploadedArticleFile(models.Model):
    upload = models.ForeignKey(ArticleUpload, on_delete=models.CASCADE, related_name="files")
    name = models.CharField(max_length=250)
    # The format that the user chose, then the detected one; the PMID, PMCID or DOI that the user entered.
    format = models.CharField(max_length=32, blank=True)
    ident = models.CharField(max_length=250, blank=True)
    size = models.PositiveIntegerField(help_text="bytes as it was sent")
    # Null once it is read.
    content = models.BinaryField(null=True, blank=True)
    read = models.DateTimeField(null=True, blank=True)
    # The fields of bcms.article_uploads.upload_processing.FileReport.
    report = models.JSONField(default=dict, blank=True)
