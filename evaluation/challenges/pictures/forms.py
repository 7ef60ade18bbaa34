"""The forms of the pictures of a challenge, and the check of a description that shows them."""

from time import monotonic
from typing import Any

from django import forms
from django.core.files.uploadedfile import UploadedFile

from bcms.lib.forms.file_fields import MultipleFileField, MultipleFileInput
from bcms.lib.forms.text_fields import OneLineField
from bcms.lib.pictures.page_picture import LARGEST_WIDTH, PagePicture, PictureError
from bcms.lib.pictures.sandbox import PictureReaderError, read_picture_in_sandbox
from bcms.lib.text import clip_text_replacing_unprintable, replace_unstorable_characters
from bcms.lib.writing.markdown import list_pictures_in_markdown
from evaluation.challenges.models import Challenge
from evaluation.challenges.pictures.storage import MEBIBYTE, MOST_FILE_BYTES, MOST_FILES, NewPicture

ACCEPTED_TYPES = "image/png,image/jpeg,image/webp,image/gif"
ALTERNATIVE_TEXT_HELP = "What the picture shows, for people who do not see it."
# A thread of the web server that reads pictures answers nobody else.
MOST_SECONDS = 20
# A description with hundreds of wrong pictures is not read to its end.
MOST_LISTED_FAULTS = 20
LONGEST_SOURCE = 200


class PictureUploadForm(forms.Form):
    """Pictures, which become NewPictures in cleaned_data. All are read before any is stored."""

    pictures = MultipleFileField(
        label="New pictures",
        max_length=250,
        widget=MultipleFileInput(attrs={"accept": ACCEPTED_TYPES}),
        help_text=f"PNG, JPEG, WebP or GIF, at most {MOST_FILE_BYTES // MEBIBYTE} MiB each and {MOST_FILES} at a time. "
        f"Wider ones are scaled down to {LARGEST_WIDTH:,} pixels. Metadata, such as where a photo was taken, is "
        "removed.",
        error_messages={
            "required": "Choose a picture.",
            "empty": "A file is empty. Check that you chose the right one.",
            "max_length": "A file name has %(length)d characters. Shorten it to at most %(max)d.",
        },
    )
    alternative_text = OneLineField(max_length=500, required=False, help_text=ALTERNATIVE_TEXT_HELP)

    def clean_pictures(self) -> list[NewPicture]:
        files = self.cleaned_data["pictures"]
        if len(files) > MOST_FILES:
            raise forms.ValidationError(f"You chose {len(files)} files. Upload at most {MOST_FILES} at a time.")
        new, errors, began = [], [], monotonic()
        for file in files:
            name = replace_unstorable_characters(file.name or "picture")
            if monotonic() - began > MOST_SECONDS:
                errors.append(f"{name}: Reading these pictures takes too long. Upload fewer at a time.")
                break
            try:
                new.append(NewPicture(name, _read_picture_file(file)))
            except PictureReaderError as error:
                # Ten of them would keep a thread of the web server for minutes.
                errors.append(f"{name}: {error}")
                break
            except PictureError as error:
                errors.append(f"{name}: {error}")
        if errors:
            raise forms.ValidationError(errors)
        return new

    def list_new_pictures(self) -> list[NewPicture]:
        """The pictures, with the alternative text if one was sent with them."""
        text = self.cleaned_data["alternative_text"]
        return [NewPicture(each.file_name, each.picture, text) for each in self.cleaned_data["pictures"]]

    def list_notes(self) -> list[str]:
        """What is otherwise than in the files."""
        animated = [each.file_name for each in self.cleaned_data["pictures"] if each.picture.is_animated]
        return [f"{name} was animated: its first frame was kept." for name in animated]


def _read_picture_file(file: "UploadedFile[Any]") -> PagePicture:
    if (file.size or 0) > MOST_FILE_BYTES:
        raise PictureError(
            f"The file is larger than {MOST_FILE_BYTES // MEBIBYTE} MiB. Scale the picture down, or save it as JPEG."
        )
    return read_picture_in_sandbox(file.read())


class AlternativeTextForm(forms.Form):
    alternative_text = OneLineField(max_length=500, required=False, help_text=ALTERNATIVE_TEXT_HELP)


def list_picture_faults(challenge: Challenge, description: str) -> list[str]:
    """What is wrong with the pictures in a description: no alternative text, or not one of this challenge."""
    known = set(challenge.pictures.values_list("name", flat=True))
    faults = []
    for picture in list_pictures_in_markdown(description):
        source = clip_text_replacing_unprintable(picture.source, LONGEST_SOURCE)
        text = clip_text_replacing_unprintable(picture.alternative_text or "text", LONGEST_SOURCE)
        if picture.name not in known and picture.is_elsewhere:
            faults.append(
                f"Pictures of other sites are not shown: upload {source} to this challenge, or write a link to it, "
                f"[{text}]({source})."
            )
        elif picture.name not in known:
            faults.append(f"The challenge has no picture {source}. Upload it, or correct its name.")
        elif not picture.alternative_text:
            faults.append(
                f"The picture {picture.name} has no alternative text. Write what it shows between the brackets: "
                f"![What it shows]({picture.name})."
            )
    return list(dict.fromkeys(faults))[:MOST_LISTED_FAULTS]
