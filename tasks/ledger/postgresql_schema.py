"""A ledger's tables in PostgreSQL, in a schema of their own, and what keeps them append-only; and whether a database has exactly these.

What is there is compared by what the catalog says that it does, not by its name: a trigger that is disabled, or whose function does
nothing, has the right name too.
"""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, Connection, Float, Index, MetaData, Table, Text, UniqueConstraint, text

SCHEMA = "headgate"
METADATA = MetaData(schema=SCHEMA)
REVISION = "0001"


def _text(name: str) -> Column[str]:
    """Compared byte by byte, whatever the database's own language."""
    return Column(name, Text(collation="C"), nullable=False)


EVENTS = Table(
    "events",
    METADATA,
    Column("seq", BigInteger, primary_key=True, autoincrement=False),
    _text("release"),
    Column("version", BigInteger, nullable=False),
    *map(_text, ("type", "at", "actor", "payload", "release_previous", "previous", "hash", "subject")),
    UniqueConstraint("release", "version", name="events_own_place"),
    UniqueConstraint("hash", name="events_hash"),
    Index("events_by_subject", "type", "subject", "seq"),
)
LOCKS = Table(
    "locks",
    METADATA,
    Column("dataset", Text(collation="C"), primary_key=True),
    *map(_text, ("release", "holder", "machine")),
    Column("process", BigInteger, nullable=False),
    _text("started"),
    Column("beat", Float(53), nullable=False),
)

REFUSE_CHANGE = " BEGIN RAISE EXCEPTION 'events are append-only' USING ERRCODE = '23000'; END "
ONLY_APPEND = """
BEGIN
    IF NEW.seq <> (SELECT COALESCE(MAX(seq), 0) + 1 FROM headgate.events)
       OR NEW.version <> (SELECT COALESCE(MAX(version), 0) + 1 FROM headgate.events WHERE release = NEW.release) THEN
        RAISE EXCEPTION 'events are append-only' USING ERRCODE = '23000';
    END IF;
    RETURN NEW;
END
"""
FUNCTIONS = {"events_refuse_change": REFUSE_CHANGE, "events_only_append": ONLY_APPEND}
GUARDS = (
    *(
        f"CREATE FUNCTION headgate.{name}() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog AS $guard${body}$guard$"
        for name, body in FUNCTIONS.items()
    ),
    "CREATE TRIGGER events_no_change BEFORE UPDATE OR DELETE ON headgate.events FOR EACH ROW "
    "EXECUTE FUNCTION headgate.events_refuse_change()",
    "CREATE TRIGGER events_no_truncate BEFORE TRUNCATE ON headgate.events EXECUTE FUNCTION headgate.events_refuse_change()",
    "CREATE TRIGGER events_only_append BEFORE INSERT ON headgate.events FOR EACH ROW EXECUTE FUNCTION headgate.events_only_append()",
)
# What the catalog says: bits of tgtype are row 1, before 2, insert 4, delete 8, update 16, truncate 32; O is enabled as usual.
TRIGGERS = {
    ("trigger", "events_no_change", "events 27 O headgate.events_refuse_change - -"),
    ("trigger", "events_no_truncate", "events 34 O headgate.events_refuse_change - -"),
    ("trigger", "events_only_append", "events 7 O headgate.events_only_append - -"),
}
INDEXES = {
    ("index", "events_by_subject", "events {type,subject,seq} f - -"),
    ("index", "events_hash", "events {hash} t - -"),
    ("index", "events_own_place", "events {release,version} t - -"),
    ("index", "events_pkey", "events {seq} t - -"),
    ("index", "locks_pkey", "locks {dataset} t - -"),
}
CATALOG = text("""
SELECT 'table', relname::text, concat_ws(' ', relkind, relpersistence, relrowsecurity, relhasrules, relhassubclass)
  FROM pg_catalog.pg_class WHERE relnamespace = to_regnamespace('headgate') AND relkind NOT IN ('i', 'I') AND relname <> 'alembic_version'
UNION ALL
SELECT 'column', c.relname || '.' || a.attname, concat_ws(' ', format_type(a.atttypid, a.atttypmod), a.attnotnull, a.atthasdef, l.collname)
  FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_class c ON c.oid = a.attrelid
  LEFT JOIN pg_catalog.pg_collation l ON l.oid = a.attcollation
  WHERE c.relnamespace = to_regnamespace('headgate') AND c.relkind = 'r' AND c.relname <> 'alembic_version' AND a.attnum > 0
    AND NOT a.attisdropped
UNION ALL
SELECT 'index', i.relname::text, concat_ws(' ', c.relname,
       ARRAY(SELECT a.attname FROM unnest(x.indkey::int[]) WITH ORDINALITY AS k(number, place)
             LEFT JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.number ORDER BY k.place)::text,
       x.indisunique AND x.indisvalid AND x.indimmediate, COALESCE(x.indexprs::text, '-'), COALESCE(x.indpred::text, '-'))
  FROM pg_catalog.pg_index x JOIN pg_catalog.pg_class i ON i.oid = x.indexrelid JOIN pg_catalog.pg_class c ON c.oid = x.indrelid
  WHERE c.relnamespace = to_regnamespace('headgate') AND c.relname <> 'alembic_version'
UNION ALL
SELECT 'trigger', t.tgname::text, concat_ws(' ', c.relname, t.tgtype, t.tgenabled, n.nspname || '.' || p.proname,
       COALESCE(NULLIF(t.tgattr::text, ''), '-'), COALESCE(t.tgqual::text, '-'))
  FROM pg_catalog.pg_trigger t JOIN pg_catalog.pg_class c ON c.oid = t.tgrelid JOIN pg_catalog.pg_proc p ON p.oid = t.tgfoid
  JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace WHERE c.relnamespace = to_regnamespace('headgate') AND NOT t.tgisinternal
UNION ALL
SELECT 'function', p.proname::text, concat_ws(' ', l.lanname, p.prosecdef, p.proconfig::text, p.prosrc)
  FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_language l ON l.oid = p.prolang WHERE p.pronamespace = to_regnamespace('headgate')
""")
KINDS = {"BIGINT": "bigint t f", "TEXT": "text t f C", "FLOAT": "double precision t f"}
RIGHTS = text("""
SELECT current_user::text, current_setting('fsync'),
       (SELECT rolsuper FROM pg_catalog.pg_roles WHERE rolname = current_user)
       OR pg_has_role(current_user, (SELECT relowner FROM pg_catalog.pg_class WHERE oid = 'headgate.events'::regclass), 'USAGE')
       OR has_table_privilege('headgate.events', 'UPDATE, DELETE, TRUNCATE, TRIGGER')
       OR has_any_column_privilege('headgate.events', 'UPDATE')
""")


def expected() -> frozenset[tuple[str, str, str]]:
    tables = {("table", table.name, "r p f f f") for table in (EVENTS, LOCKS)}
    columns = {
        ("column", f"{table.name}.{column.name}", KINDS[str(column.type).split(" ")[0].split("(")[0]])
        for table in (EVENTS, LOCKS)
        for column in table.columns
    }
    functions = {("function", name, f"plpgsql f {{search_path=pg_catalog}} {body}") for name, body in FUNCTIONS.items()}
    return frozenset(tables | columns | INDEXES | TRIGGERS | functions)


def definitions_of(connection: Connection) -> frozenset[tuple[str, str, str]]:
    return frozenset((kind, name, said) for kind, name, said in connection.execute(CATALOG))


def exists(connection: Connection) -> bool:
    return bool(connection.execute(text("SELECT to_regclass('headgate.events') IS NOT NULL")).scalar_one())


def create(connection: Connection) -> None:
    METADATA.create_all(connection)
    for guard in GUARDS:
        connection.execute(text(guard))


def weaknesses_of(connection: Connection) -> tuple[str, ...]:
    """What the database does not protect the ledger from, though it could."""
    role, synced, may_change = connection.execute(RIGHTS).one()
    said = []
    if may_change:
        said.append(f"The database role {role} may change or delete events: give headgate a role that may only read and insert them.")
    if synced != "on":
        said.append("The database does not wait for its disk (fsync is off): events may be lost with the power.")
    return tuple(said)
