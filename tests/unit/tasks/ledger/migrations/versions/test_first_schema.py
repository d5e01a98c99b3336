from __future__ import annotations

from pathlib import Path

from alembic.config import Config
from alembic.script import ScriptDirectory

from tasks.ledger import migrations
from tasks.ledger.migrations.versions import first_schema
from tasks.ledger.postgresql_schema import REVISION


def test_the_revisions_are_one_line_that_ends_at_the_present_schema() -> None:
    config = Config()
    config.set_main_option("script_location", str(Path(migrations.__file__).parent))
    assert ScriptDirectory.from_config(config).get_current_head() == first_schema.revision == REVISION
