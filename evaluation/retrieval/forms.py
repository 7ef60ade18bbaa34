"""The form for retrieval lists."""

from django import forms

from evaluation.retrieval.pasted_lists import MAX_CHARACTERS, MAX_K, MAX_K_NUMBERS

EXAMPLE = "query-1\n2\n1 9.5\n0 8.1\n1 7.7\n\nquery-2\n1\n0 9.0\n1 8.2\n0 3.3\n"


class RetrievalListsForm(forms.Form):
    lists = forms.CharField(
        label="Retrieval lists",
        max_length=MAX_CHARACTERS,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 14, "class": "mono", "spellcheck": "false", "placeholder": EXAMPLE}),
        help_text="One block for each query, separated by blank lines: the query, then optionally its weight; the "
        "number of relevant records; then one line for each record, best first: 1 if it is relevant or 0, and its "
        f"score. At most {MAX_CHARACTERS:,} characters.",
    )
    k = forms.CharField(
        label="Numbers of errors (k)",
        initial="5, 10, 20",
        max_length=100,
        help_text="Whole numbers separated by commas.",
    )
    pad = forms.BooleanField(
        required=False,
        label="Use whole lists if fewer than half of them have k errors",
        help_text="As in BioCreative III. Otherwise there is no TAP-k for that k.",
    )

    def clean_k(self) -> list[int]:
        parts = [part.strip() for part in str(self.cleaned_data["k"]).split(",")]
        if len(parts) > MAX_K_NUMBERS or not all(
            part.isascii() and part.isdigit() and 0 < int(part) <= MAX_K for part in parts
        ):
            raise forms.ValidationError(
                f"Write at most {MAX_K_NUMBERS} whole numbers from 1 to {MAX_K:,}, separated by commas."
            )
        return list(dict.fromkeys(map(int, parts)))
