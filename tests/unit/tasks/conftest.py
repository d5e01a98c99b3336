"""Fixtures for all rooms of tasks: the clinic's data, and a small world of releases."""

from tests.unit.mariadb import mariadb
from tests.unit.postgresql import database, postgresql
from tests.unit.tasks.clinic import canary, clinic, refusal, write_csv
from tests.unit.tasks.mixed_table import frame
from tests.unit.tasks.stores.s3_server import s3_address, s3_server
from tests.unit.tasks.stores.schema_server import schema_address
from tests.unit.tasks.world import key_folder, keys, made, made_in_parts, world

__all__ = [
    "canary",
    "clinic",
    "database",
    "frame",
    "key_folder",
    "keys",
    "made",
    "made_in_parts",
    "mariadb",
    "postgresql",
    "refusal",
    "s3_address",
    "s3_server",
    "schema_address",
    "world",
    "write_csv",
]
