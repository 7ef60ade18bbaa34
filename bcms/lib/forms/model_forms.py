"""ModelForm and ModelChoiceField with the type parameters of django-stubs, which Django itself does not accept.

`class TaskForm(ModelForm[Task])` is checked by mypy as a form of tasks; at run time the parameter is ignored.
"""

from typing import TYPE_CHECKING

from django import forms

if TYPE_CHECKING:
    ModelForm = forms.ModelForm
    ModelChoiceField = forms.ModelChoiceField
else:

    class ModelForm(forms.ModelForm):
        def __class_getitem__(cls, model):
            return cls

    class ModelChoiceField(forms.ModelChoiceField):
        def __class_getitem__(cls, model):
            return cls
