"""Forms that fold the fields that most people leave as they are."""

from collections.abc import Collection
from typing import ClassVar

from django import forms


class FoldingForm(forms.BaseForm):
    """A form whose page shows folded_fields in a <details> element below the others.

    FOLDED: their names; one that the form does not have is left out.
    """

    FOLDED: ClassVar[Collection[str]] = ()

    @property
    def shown_fields(self) -> list[forms.BoundField]:
        return [field for field in self if field.name not in self.FOLDED]

    @property
    def folded_fields(self) -> list[forms.BoundField]:
        return [field for field in self if field.name in self.FOLDED]

    @property
    def unfolded(self) -> bool:
        """Whether the folded fields are shown at once, because one of them has an error."""
        return any(field.errors for field in self.folded_fields)
