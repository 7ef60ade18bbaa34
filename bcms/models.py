"""The models of the app bcms, which are defined in its topic folders; Django finds them here."""

from bcms.accounts.models import ApiToken
from bcms.article_uploads.models import ArticleUpload, UploadedArticleFile
from bcms.corpus_files.models import CorpusFile
from bcms.mail.models import Mail
from bcms.operations.models import ClockReading
from bcms.visitor_pages.models import VisitorChange

__all__ = ["ApiToken", "ArticleUpload", "ClockReading", "CorpusFile", "Mail", "UploadedArticleFile", "VisitorChange"]
