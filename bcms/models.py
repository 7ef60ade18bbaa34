"""The models of the app bcms, which are defined in its topic folders; Django finds them here."""

from bcms.accounts.models import ApiToken
from bcms.article_uploads.models import ArticleUpload, UploadedArticleFile
from bcms.mail.models import Mail

__all__ = ["ApiToken", "ArticleUpload", "Mail", "UploadedArticleFile"]
