"""An upload handler that keeps files in memory and never writes them to disk."""

from io import BytesIO
from typing import Any

from django.core.files.uploadedfile import InMemoryUploadedFile
from django.core.files.uploadhandler import FileUploadHandler, StopUpload

# A little more than MAX_GOLD_FILE_BYTES of the form, so that the form reports a file that is slightly too large.
MAX_GOLD_UPLOAD_BYTES = 21 * 1024 * 1024


class MemoryOnlyUploadHandler(FileUploadHandler):
    """Keep every file in memory. The connection is reset for a file larger than MAX_GOLD_UPLOAD_BYTES."""

    def new_file(self, *args: Any, **kwargs: Any) -> None:
        super().new_file(*args, **kwargs)
        self.file = BytesIO()

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        if start + len(raw_data) > MAX_GOLD_UPLOAD_BYTES:
            raise StopUpload(connection_reset=True)
        self.file.write(raw_data)

    def file_complete(self, file_size: int) -> InMemoryUploadedFile:
        self.file.seek(0)
        name, content_type = self.file_name or "", self.content_type or ""
        return InMemoryUploadedFile(self.file, self.field_name, name, content_type, file_size, self.charset)
