"""The form to add an organizer."""

from django import forms

from evaluation.challenges.forms import PersonField


class OrganizerForm(forms.Form):
    organizer = PersonField()
