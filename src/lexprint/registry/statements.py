"""How others use the registry's database: their own tables, in plain SQL, within its transactions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from lexprint.registry.records import AuditEntry


class Statements(Protocol):
    """Plain SQL within one transaction, for tables that are no part of the registry's own; values are named, as `:id`."""

    def rows(self, statement: str, **values: object) -> list[Mapping[str, Any]]: ...

    def change(self, statement: str, **values: object) -> int:
        """Returns how many rows were changed."""

    def log(self, event: str, details: Mapping[str, object]) -> AuditEntry:
        """An entry of the audit log that stands or falls with the transaction."""
