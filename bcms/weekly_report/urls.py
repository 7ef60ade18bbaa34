"""The URLs of weekly reports."""

from django.urls import path

from bcms.weekly_report import views

urlpatterns = [
    path("teams/<slug:slug>/weekly-report/", views.choose_weekly_report, name="team-weekly-report"),
    path("mail/reports/<str:token>/", views.show_or_confirm_end_of_reports, name="weekly-report-unsubscribe"),
]
