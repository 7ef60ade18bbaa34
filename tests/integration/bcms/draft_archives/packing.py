"""Archives that somebody has changed, with a manifest that says nothing of it."""

import json
import zipfile
from hashlib import sha256
from io import BytesIO


def read_members(content):
    """{name: content} without the manifest."""
    with zipfile.ZipFile(BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist() if name != "manifest.json"}


def pack(members, extra=(), compression=zipfile.ZIP_DEFLATED):
    """extra: pairs of ZipInfo and content, after the members and in the manifest, too."""
    out = BytesIO()
    listed = members | {entry.filename: data for entry, data in extra}
    files = {name: {"size": len(data), "sha256": sha256(data).hexdigest()} for name, data in listed.items()}
    with zipfile.ZipFile(out, "w", compression) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
        for entry, data in extra:
            archive.writestr(entry, data)
        manifest = {"format": "bcms-challenge-2", "software": "0", "files": files}
        archive.writestr("manifest.json", json.dumps(manifest))
    return out.getvalue()


def change_json(content, name, change):
    """The archive with one of its documents changed in place."""
    members = read_members(content)
    document = json.loads(members[name])
    change(document)
    return pack(members | {name: json.dumps(document).encode()})


def change_text(content, name, change):
    members = read_members(content)
    return pack(members | {name: change(members[name].decode()).encode()})
