"""The form with which a reader marks entries as read."""

from django import forms


class ReadForm(forms.Form):
    up_to = forms.IntegerField(min_value=0, max_value=2**63 - 1, widget=forms.HiddenInput)
