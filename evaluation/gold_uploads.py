"""Files that are uploaded are kept in memory and never written to a disk before they are read."""

from io import BytesIO
from typing import Any

from django.core.files.uploadedfile import InMemoryUploadedFile
from django.core.files.uploadhandler import FileUploadHandler, StopUpload

# A little more than the form takes, so that it is the form that says so.
MOST_BYTES = 21 * 1024 * 1024


class InMemoryOnly(FileUploadHandler):
    """Takes every file into memory; the reading of one that is far too large ends."""

    def new_file(self, *args: Any, **kwargs: Any) -> None:
        super().new_file(*args, **kwargs)
        self.file = BytesIO()

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        if start + len(raw_data) > MOST_BYTES:
            raise StopUpload(connection_reset=True)
        self.file.write(raw_data)

    def file_complete(self, file_size: int) -> InMemoryUploadedFile:
        self.file.seek(0)
        name, kind = self.file_name or "", self.content_type or ""
        return InMemoryUploadedFile(self.file, self.field_name, name, kind, file_size, self.charset)
