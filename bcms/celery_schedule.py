"""What Celery's beat starts, and every how many seconds; what expires before a worker takes it is dropped."""

from typing import Any

CELERY_BEAT_SCHEDULE: dict[str, dict[str, Any]] = {
    "wake_due_servers_and_finish_halts": {
        "task": "servers.tasks.wake_due_servers_and_finish_halts",
        "schedule": 2.0,
        "options": {"expires": 2.0},
    },
    "enqueue_due_mail_and_webhook_sending": {
        "task": "servers.tasks.enqueue_due_mail_and_webhook_sending",
        "schedule": 5.0,
        "options": {"expires": 5.0},
    },
    "delete_credentials_of_lost_trials": {
        "task": "servers.tasks.delete_credentials_of_lost_trials",
        "schedule": 300.0,
        "options": {"expires": 300.0},
    },
    "enqueue_probes_of_due_servers": {
        "task": "servers.tasks.enqueue_probes_of_due_servers",
        "schedule": 10.0,
        "options": {"expires": 10.0},
    },
    "update_published_figures": {
        "task": "servers.tasks.update_published_figures",
        "schedule": 60.0,
        "options": {"expires": 60.0},
    },
    "heartbeat": {"task": "bcms.tasks.write_heartbeat_of_scheduler", "schedule": 15.0, "options": {"expires": 15.0}},
    "clock": {
        "task": "bcms.tasks.look_at_clock_of_database",
        "schedule": 10.0,
        "options": {"expires": 10.0},
    },
    "retention": {"task": "bcms.tasks.delete_due_rows_unless_busy", "schedule": 3600.0, "options": {"expires": 3600.0}},
    "visitor-changes": {"task": "bcms.tasks.unite_visitor_changes", "schedule": 60.0, "options": {"expires": 60.0}},
    "mail": {"task": "bcms.tasks.enqueue_all_due_mail", "schedule": 15.0, "options": {"expires": 15.0}},
    "unconfirmed": {
        "task": "bcms.tasks.delete_long_unconfirmed_unused_accounts",
        "schedule": 3600.0,
        "options": {"expires": 3600.0},
    },
    "weekly-reports": {
        "task": "bcms.tasks.mail_weekly_reports_unless_busy",
        "schedule": 60.0,
        "options": {"expires": 60.0},
    },
    "requested": {
        "task": "bcms.tasks.answer_all_article_requests_unless_locked",
        "schedule": 5.0,
        "options": {"expires": 5.0},
    },
    "articles": {"task": "bcms.tasks.enqueue_open_article_uploads", "schedule": 15.0, "options": {"expires": 15.0}},
    "corpus-files": {
        "task": "bcms.tasks.enqueue_waiting_corpus_files",
        "schedule": 15.0,
        "options": {"expires": 15.0},
    },
    "draft-archives": {
        "task": "bcms.tasks.enqueue_waiting_draft_archives",
        "schedule": 15.0,
        "options": {"expires": 15.0},
    },
    "data-sets": {"task": "bcms.tasks.enqueue_data_sets_to_build", "schedule": 15.0, "options": {"expires": 15.0}},
    "data-set-sweep": {
        "task": "bcms.tasks.sweep_data_sets_unless_busy",
        "schedule": 60.0,
        "options": {"expires": 60.0},
    },
    "manuscripts": {"task": "bcms.tasks.publish_due_manuscripts_unless_busy", "schedule": 60.0},
    "authors": {"task": "bcms.tasks.remind_authors_unless_busy", "schedule": 3600.0},
    "registries": {
        "task": "annotations.tasks.look_up_due_identifiers_requeueing_unless_busy",
        "schedule": 30.0,
        "options": {"expires": 30.0},
    },
    "phases": {
        "task": "evaluation.tasks.begin_or_end_phases_and_remind",
        "schedule": 15.0,
        "options": {"expires": 15.0},
    },
    "announcements": {
        "task": "evaluation.tasks.mail_announcements_unless_busy",
        "schedule": 15.0,
        "options": {"expires": 15.0},
    },
    "publish": {
        "task": "evaluation.tasks.publish_requested_phases_and_tasks_unless_busy",
        "schedule": 15.0,
        "options": {"expires": 15.0},
    },
    "article-summaries": {
        "task": "annotations.tasks.update_summaries_flushing_indexes_requeueing_unless_busy",
        "schedule": 5.0,
        "options": {"expires": 5.0},
    },
    "replaced-texts": {
        "task": "annotations.tasks.move_annotations_of_replaced_texts_requeueing_unless_busy",
        "schedule": 5.0,
        "options": {"expires": 5.0},
    },
    "annotated-terms": {
        "task": "annotations.tasks.count_articles_of_annotated_terms_unless_busy",
        "schedule": 600.0,
        "options": {"expires": 600.0},
    },
    "uploads": {
        "task": "evaluation.tasks.process_run_uploads_unless_busy",
        "schedule": 5.0,
        "options": {"expires": 5.0},
    },
    "score": {
        "task": "evaluation.tasks.score_due_runs_after_cleaning_unless_busy",
        "schedule": 5.0,
        "options": {"expires": 5.0},
    },
    "rank": {"task": "evaluation.tasks.rank_stale_boards_unless_busy", "schedule": 5.0, "options": {"expires": 5.0}},
    "archives": {
        "task": "evaluation.tasks.make_requested_archives_unless_busy",
        "schedule": 15.0,
        "options": {"expires": 15.0},
    },
    "calibrate": {
        "task": "evaluation.tasks.calibrate_stale_runs_unless_busy",
        "schedule": 60.0,
        "options": {"expires": 60.0},
    },
}
