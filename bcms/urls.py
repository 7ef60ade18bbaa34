"""The URLs of the site: the pages of this app, and those of the other apps, the API and XML-RPC."""

from django.urls import URLPattern, URLResolver, include, path, re_path

from bcms.about import views as about_views
from bcms.administration.admin import ADMINISTRATION_URLS
from bcms.article_page import views as article_page_views
from bcms.article_page.comparison import views as comparison_views
from bcms.article_page.results import views as results_views
from bcms.article_requests import views as article_requests_views
from bcms.article_uploads import views as article_uploads_views
from bcms.audit_trail import views as audit_trail_views
from bcms.becalm import views as becalm_views
from bcms.challenge_review import views as challenge_review_views
from bcms.challenge_webhooks import views as challenge_webhooks_views
from bcms.corpus_files import views as corpus_files_views
from bcms.curation import views as curation_views
from bcms.curation.continuation import views as continuation_views
from bcms.curation.review import views as curation_review_views
from bcms.data_sets import views as data_sets_views
from bcms.digital_abstracts import views as digital_abstracts_views
from bcms.error_pages import views as error_pages_views
from bcms.health import views as health_views
from bcms.home import views as home_views
from bcms.manual import views as manual_views
from bcms.manuscripts import views as manuscripts_views
from bcms.metrics import views as metrics_views
from bcms.operations import views as operations_views
from bcms.pasted_texts import views as pasted_texts_views
from bcms.search import views as search_views
from bcms.search.exports import views as exports_views
from bcms.server_page import views as server_page_views
from bcms.server_page.editing import views as editing_views
from bcms.server_page.review import views as review_views
from bcms.server_page.trials import views as trials_views
from bcms.widget import views as widget_views
from bcms.xmlrpc import views as xmlrpc_views
from evaluation.agreement import views as agreement_views
from servers.kit import views as kit_views

handler400 = error_pages_views.show_bad_request
handler404 = error_pages_views.show_not_found
handler500 = error_pages_views.show_server_error
urlpatterns: list[URLPattern | URLResolver] = [
    path("", home_views.show_home, name="home"),
    path("articles/", search_views.show_search_or_redirect_to_article, name="search"),
    path(
        "articles/ask/", article_requests_views.open_rate_limited_request_unless_article_exists, name="article-ask-for"
    ),
    path(
        "articles/requests/<int:request_id>/",
        article_requests_views.show_article_request_until_fetched,
        name="article-request",
    ),
    path(
        "articles/requests/<int:request_id>/live/",
        article_requests_views.poll_article_request,
        name="article-request-live",
    ),
    path("articles/upload/", article_uploads_views.upload_article_files, name="article-upload"),
    path("articles/uploads/<int:upload_id>/", article_uploads_views.show_upload_report, name="article-upload-report"),
    path(
        "articles/uploads/<int:upload_id>/live/",
        article_uploads_views.poll_upload_report,
        name="article-upload-live",
    ),
    path("", include("bcms.challenge_definitions.urls")),
    path("", include("bcms.weekly_report.urls")),
    path(
        "challenges/<slug:slug>/corpora/<slug:corpus>/upload/",
        article_uploads_views.upload_blind_article_files,
        name="challenge-corpus-upload",
    ),
    path(
        "challenges/<slug:slug>/corpus-file/",
        corpus_files_views.upload_corpus_file,
        name="challenge-corpus-file",
    ),
    path(
        "challenges/<slug:slug>/corpus-file/set-up/",
        corpus_files_views.confirm_corpus_file_or_show_progress,
        name="challenge-corpus-file-set-up",
    ),
    path(
        "challenges/<slug:slug>/corpus-file/set-up/live/",
        corpus_files_views.poll_corpus_file,
        name="challenge-corpus-file-live",
    ),
    path("articles/<str:ident>/", article_page_views.show_article, name="article"),
    path("articles/<str:ident>/live/", article_page_views.poll_article, name="article-live"),
    path("articles/<str:ident>/compare/", comparison_views.compare_two_servers_on_article, name="article-compare"),
    path("articles/<str:ident>/ask/", article_page_views.ask_missing_servers_or_skip_blind_article, name="article-ask"),
    path(
        "articles/<str:ident>/export/<slug:slug>/", exports_views.download_public_article_export, name="article-export"
    ),
    path("articles/<str:ident>/results/", results_views.show_current_and_replaced_results, name="article-results"),
    path("articles/<str:ident>/results/<int:result_id>/", results_views.show_article_result, name="article-result"),
    path(
        "articles/<str:ident>/results/<int:result_id>/reply",
        results_views.download_result_reply_as_masked_text,
        name="article-reply",
    ),
    path("articles/<str:ident>/curate/", curation_views.begin_curation, name="curation-begin"),
    path(
        "articles/<str:ident>/digital-abstract/withdraw/",
        digital_abstracts_views.withdraw_abstract,
        name="article-digital-abstract-withdraw",
    ),
    # After the other URLs, as a DOI contains slashes.
    re_path(
        r"^articles/(?P<doi>10\.[0-9]+/.+)/$",
        article_page_views.redirect_doi_to_article_or_open_request_else_offer,
        name="article-doi",
    ),
    path("corpora/<slug:slug>/compare/", agreement_views.show_producer_comparison_on_corpus, name="corpus-compare"),
    path("curation/review/", curation_review_views.show_proposed_curations, name="curation-review-list"),
    path("curation/review/<int:pk>/", curation_review_views.review_curation, name="curation-review"),
    path("curation/", include("bcms.curation_projects.urls")),
    path("curation/<int:pk>/", curation_views.show_curation, name="curation"),
    path("curation/<int:pk>/live/", curation_views.report_open_window, name="curation-live"),
    path("curation/<int:pk>/item/", curation_views.show_item, name="curation-item"),
    path("curation/<int:pk>/decide/", curation_views.decide, name="curation-decide"),
    path("curation/<int:pk>/continue/", curation_views.continue_record, name="curation-continue"),
    path("curation/<int:pk>/file/", continuation_views.continue_from_file, name="curation-file"),
    path("curation/<int:pk>/finish/", curation_views.finish, name="curation-finish"),
    path("curation/<int:pk>/reopen/", curation_views.reopen, name="curation-reopen"),
    path("curation/<int:pk>/propose/", curation_views.propose, name="curation-propose"),
    path("curation/<int:pk>/notes/", curation_views.save_notes, name="curation-notes"),
    path("curation/<int:pk>/sight/", curation_views.report_sight, name="curation-sight"),
    path("data/", data_sets_views.show_data_sets, name="data-sets"),
    path("data/curations/", digital_abstracts_views.show_curations_data_set, name="curations-data"),
    path("data/new/", data_sets_views.create_data_set_from_form, name="data-set-new"),
    path("data/<int:pk>/", data_sets_views.show_data_set, name="data-set"),
    path("data/<int:pk>/live/", data_sets_views.poll_data_set, name="data-set-live"),
    path("data/<int:pk>/files/<slug:slug>/", data_sets_views.download_data_set, name="data-set-file"),
    path("data/<int:pk>/update/", data_sets_views.update_data_set, name="data-set-update"),
    path("data/<int:pk>/propose/", data_sets_views.propose_data_set_for_publication, name="data-set-propose"),
    path("data/<int:pk>/review/", data_sets_views.publish_or_decline_data_set, name="data-set-review"),
    path("data/<int:pk>/withdraw/", data_sets_views.withdraw_data_set_once_confirmed, name="data-set-withdraw"),
    path("data/<int:pk>/baseline/", data_sets_views.enter_data_set_as_baseline, name="data-set-baseline"),
    path("data/<int:pk>/run/", data_sets_views.enter_data_set_as_run, name="data-set-run"),
    path("api/saveAnnotations/<str:form>", becalm_views.store_posted_becalm_annotations, name="becalm-save"),
    path("api/documents/", becalm_views.list_public_documents_by_posted_pmids, name="becalm-documents"),
    path("documents/<str:source>/<str:identifier>/", becalm_views.show_becalm_document, name="document"),
    path("manuscripts/open/<str:token>/", manuscripts_views.open_manuscript_link, name="manuscript-link"),
    path("manuscripts/<int:pk>/", manuscripts_views.show_manuscript, name="manuscript"),
    path("manuscripts/<int:pk>/live/", manuscripts_views.poll_manuscript, name="manuscript-live"),
    path("manuscripts/<int:pk>/comment/", manuscripts_views.comment_on_manuscript, name="manuscript-comment"),
    path(
        "manuscripts/<int:pk>/comments/<int:comment>/done/",
        manuscripts_views.mark_comment_of_manuscript,
        name="manuscript-comment-done",
    ),
    path(
        "manuscripts/<int:pk>/questionnaire/",
        manuscripts_views.answer_questionnaire_of_author,
        name="manuscript-questionnaire",
    ),
    path("manuscripts/<int:pk>/refuse/", manuscripts_views.refuse_to_take_part, name="manuscript-refuse"),
    path("annotate/", pasted_texts_views.show_form_or_send_text, name="annotate"),
    path("annotate/<uuid:key>/", pasted_texts_views.show_answers, name="pasted-text"),
    path("annotate/<uuid:key>/live/", pasted_texts_views.poll_answers, name="pasted-text-live"),
    path("annotate/<uuid:key>/delete/", pasted_texts_views.delete_text, name="pasted-text-delete"),
    path("manual/", manual_views.show_manual_contents_and_search, name="manual"),
    path("manual/starters/<str:name>", kit_views.show_starter_file, name="starter"),
    path("manual/bcms.py", kit_views.show_client_file, name="client"),
    path("manual/<slug:slug>/", manual_views.show_manual_page, name="manual-page"),
    path("", include("bcms.accounts.urls")),
    path("administration/", ADMINISTRATION_URLS),
    path("audit/", audit_trail_views.show_site_trail, name="audit"),
    path("operations/", operations_views.show_operations, name="operations"),
    path(
        "challenges/<slug:slug>/webhooks/", challenge_webhooks_views.show_challenge_webhooks, name="challenge-webhooks"
    ),
    *challenge_webhooks_views.challenge_webhook_pages.make_urls("challenges/<slug:slug>/"),
    path("challenges/<slug:slug>/audit/", audit_trail_views.show_challenge_trail, name="challenge-audit"),
    path("teams/<slug:slug>/audit/", audit_trail_views.show_team_trail, name="team-audit"),
    path("servers/register/", trials_views.show_registration_form_or_start_trial, name="server-register"),
    path("servers/trials/<int:trial_id>/", trials_views.show_trial, name="server-trial"),
    path("servers/trials/<int:trial_id>/live/", trials_views.poll_trial, name="server-trial-live"),
    path(
        "servers/trials/<int:trial_id>/save/", trials_views.register_server_of_finished_trial, name="server-trial-save"
    ),
    path("servers/review/", review_views.show_servers_by_review, name="review-list"),
    path("servers/review/challenges/", challenge_review_views.show_challenges_by_review, name="challenge-review-list"),
    path(
        "challenges/<slug:slug>/review/",
        challenge_review_views.show_challenge_evidence_or_decide,
        name="challenge-review",
    ),
    path("servers/<slug:slug>/review/", review_views.show_evidence_or_decide, name="server-review"),
    path("servers/<slug:slug>/visibility/", review_views.change_visibility, name="server-visibility"),
    path("servers/<slug:slug>/edit/", editing_views.edit_server_and_rename_unpublished_runs, name="server-edit"),
    path("servers/<slug:slug>/try/", trials_views.start_trial_of_registered_server, name="server-try"),
    path("", include("servers.urls")),
    path("servers/<slug:slug>/", server_page_views.show_server_to_public_or_team, name="server"),
    path("servers/<slug:slug>/live/", server_page_views.poll_server, name="server-live"),
    path("servers/<slug:slug>/load/", server_page_views.enqueue_chosen_articles_in_live_queue, name="server-load"),
    path("servers/<slug:slug>/attempts/", server_page_views.show_attempts, name="server-attempts"),
    path("servers/<slug:slug>/log/", server_page_views.download_attempts_as_json_lines, name="server-log"),
    path("servers/<slug:slug>/attempts/<int:attempt_id>/", server_page_views.show_attempt, name="server-attempt"),
    path("", include("evaluation.urls")),
    path("api/v1/", include("bcms.api.urls")),
    path("xmlrpc/", xmlrpc_views.answer_xmlrpc_call_or_list_methods, name="xmlrpc"),
    path("widget/v1.js", widget_views.send_widget_script, name="widget-script"),
    path("widget/articles/<str:ident>/", widget_views.show_article_widget, name="widget-article"),
    path("about/", about_views.show_about_page, name="about"),
    path("about/privacy/", about_views.show_privacy, name="privacy"),
    path("about/terms/", about_views.show_terms, name="terms"),
    path("about/accessibility/", about_views.show_accessibility, name="accessibility"),
    path("about/signing-key.pem", about_views.download_signing_key, name="signing-key"),
    path("about/status/", about_views.show_status, name="status"),
    path("healthz", health_views.show_health, name="health"),
    path("readyz", health_views.show_readiness, name="readiness"),
    path("metrics", metrics_views.show_metrics, name="metrics"),
]
