"""The SQLite library in use: pysqlite3 where it is installed, as sqlite-utils chooses.

Its exceptions are not those of the standard library's sqlite3, so nobody imports that one.
"""

from __future__ import annotations

from typing import Any

import sqlite_utils.utils

sqlite3: Any = sqlite_utils.utils.sqlite3  # type: ignore[attr-defined]
