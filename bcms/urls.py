from django.urls import URLPattern, URLResolver, include, path

from bcms import becalm, xmlrpc
from bcms.health import health
from bcms.pages import article, exporting, finding, home, manual, results, server, starters, trying

urlpatterns: list[URLPattern | URLResolver] = [
    path("", home.home, name="home"),
    path("articles/", finding.search, name="search"),
    path("articles/<str:ident>/", article.article, name="article"),
    path("articles/<str:ident>/live/", article.article_live, name="article-live"),
    path("articles/<str:ident>/ask/", article.article_ask, name="article-ask"),
    path("articles/<str:ident>/export/<slug:slug>/", exporting.export, name="article-export"),
    path("articles/<str:ident>/results/", results.results, name="article-results"),
    path("articles/<str:ident>/results/<int:result_id>/", results.result, name="article-result"),
    path("articles/<str:ident>/results/<int:result_id>/reply", results.reply, name="article-reply"),
    path("api/saveAnnotations/<str:form>", becalm.save_annotations, name="becalm-save"),
    path("api/documents/", becalm.documents, name="becalm-documents"),
    path("documents/<str:source>/<str:identifier>/", becalm.document, name="document"),
    path("manual/", manual.manual, name="manual"),
    path("manual/starters/<str:name>", starters.starter, name="starter"),
    path("", include("bcms.accounts.urls")),
    path("servers/register/", trying.register, name="server-register"),
    path("servers/trials/<int:trial_id>/", trying.trial, name="server-trial"),
    path("servers/trials/<int:trial_id>/live/", trying.live, name="server-trial-live"),
    path("servers/trials/<int:trial_id>/save/", trying.save, name="server-trial-save"),
    path("servers/<slug:slug>/try/", trying.try_again, name="server-try"),
    path("", include("servers.urls")),
    path("servers/<slug:slug>/", server.server, name="server"),
    path("servers/<slug:slug>/live/", server.live, name="server-live"),
    path("servers/<slug:slug>/load/", server.load, name="server-load"),
    path("servers/<slug:slug>/attempts/", server.attempts, name="server-attempts"),
    path("servers/<slug:slug>/log/", server.download_log, name="server-log"),
    path("servers/<slug:slug>/attempts/<int:attempt_id>/", server.attempt, name="server-attempt"),
    path("", include("evaluation.urls")),
    path("api/v1/", include("bcms.api.urls")),
    path("xmlrpc/", xmlrpc.service, name="xmlrpc"),
    path("healthz", health, name="health"),
]
