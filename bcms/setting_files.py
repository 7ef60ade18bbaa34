"""Settings from the environment, or from files that it names, as container engines and systemd give secrets."""

import environ
from django.core.exceptions import ImproperlyConfigured
from environ.fileaware_mapping import FileAwareMapping


class SettingMapping(FileAwareMapping):  # type: ignore[misc]
    """The variables of the environment. NAME_FILE is the path of a file with the value of NAME in UTF-8, without spaces
    and line breaks around it; an empty one stands for no value. ImproperlyConfigured if it cannot be read.
    """

    def __getitem__(self, key: str) -> str:
        try:
            value = str(super().__getitem__(key)).strip()
        except (OSError, UnicodeDecodeError) as error:
            reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
            path = self.env[f"{key}_FILE"]
            raise ImproperlyConfigured(f"{key}_FILE names {path}, which cannot be read: {reason}.") from error
        if not value and self.env.get(f"{key}_FILE"):
            raise KeyError(key)
        return value


class SettingEnv(environ.Env):  # type: ignore[misc]
    """Reads each setting NAME from the variable NAME or from the file that NAME_FILE names."""

    ENVIRON = SettingMapping()
