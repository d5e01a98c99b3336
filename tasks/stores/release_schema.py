"""The schema of published series in PostgreSQL, and what keeps a version as it was published.

Functions that need the owner's rights run with them, so that the role which publishes owns nothing: it can neither disable a trigger nor
change a row. Tables of a version and views of the latest one are called as the files are: "people/3/table-1", "people/latest/table-1".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tasks.stores.release_store import VISIBLE_BY, WITHDRAWN

if TYPE_CHECKING:
    from psycopg import Connection

CREATING = 0x68675331  # the advisory lock of whoever makes the schema
CONFLICT = "USING ERRCODE = '23000'"
ATTESTED = f"EXISTS (SELECT FROM SCHEMA.files AS f WHERE f.target = {{0}} AND f.number = {{1}} AND f.path = '{VISIBLE_BY}')"

TABLES = f"""
CREATE TABLE SCHEMA.versions (
    target text COLLATE "C", number integer CHECK (number > 0), candidate text NOT NULL, PRIMARY KEY (target, number));
CREATE TABLE SCHEMA.files (
    target text COLLATE "C", number integer, path text COLLATE "C", part integer, content bytea NOT NULL,
    PRIMARY KEY (target, number, path, part), FOREIGN KEY (target, number) REFERENCES SCHEMA.versions);
CREATE TABLE SCHEMA.tables (
    target text COLLATE "C", number integer, name text COLLATE "C", relation text NOT NULL UNIQUE,
    PRIMARY KEY (target, number, name), FOREIGN KEY (target, number) REFERENCES SCHEMA.versions);
CREATE TABLE SCHEMA.latest (
    target text COLLATE "C" PRIMARY KEY, number integer, FOREIGN KEY (target, number) REFERENCES SCHEMA.versions);
CREATE VIEW SCHEMA.published AS SELECT target, number, candidate,
    EXISTS (SELECT FROM SCHEMA.latest AS l WHERE l.target = v.target AND l.number = v.number) AS latest,
    EXISTS (SELECT FROM SCHEMA.files AS f WHERE f.target = v.target AND f.number = v.number AND f.path = '{WITHDRAWN}') AS withdrawn
    FROM SCHEMA.versions AS v;
CREATE VIEW SCHEMA.latest_files AS SELECT target, number, path, part, content
    FROM SCHEMA.files JOIN SCHEMA.latest USING (target, number);
"""

# Each with the parameters it has, what it gives, and whether it runs with its owner's rights.
FUNCTIONS = {
    "refuse_change": ("", "trigger", False, f" BEGIN RAISE EXCEPTION 'what is published stays' {CONFLICT}; END "),
    "refuse_more": (
        "",
        "trigger",
        False,
        f"""
BEGIN
    IF {ATTESTED.format("NEW.target", "NEW.number")} <> (NEW.path = '{WITHDRAWN}') THEN
        RAISE EXCEPTION 'what is published stays' {CONFLICT};
    END IF;
    RETURN NEW;
END
""",
    ),
    "refuse_more_rows": (
        "",
        "trigger",
        False,
        f"""
BEGIN
    IF {ATTESTED.format("TG_ARGV[0]", "TG_ARGV[1]::integer")} THEN
        RAISE EXCEPTION 'what is published stays' {CONFLICT};
    END IF;
    RETURN NULL;
END
""",
    ),
    "require_attested": (
        "",
        "trigger",
        False,
        f"""
BEGIN
    IF NOT {ATTESTED.format("NEW.target", "NEW.number")} THEN
        RAISE EXCEPTION 'a version is there whole or not at all' {CONFLICT};
    END IF;
    RETURN NULL;
END
""",
    ),
    "relation_name": (
        "target text, version text, name text",
        "text",
        False,
        """
DECLARE
    whole text := target || '/' || version || '/' || name;
BEGIN
    RETURN CASE WHEN octet_length(whole) < 64 THEN whole
        ELSE left(whole, 30) || '~' || left(encode(sha256(convert_to(whole, 'UTF8')), 'hex'), 32) END;
END
""",
    ),
    "make_table": (
        "of_target text, of_number integer, of_name text, column_names text[], column_types text[]",
        "text",
        True,
        f"""
DECLARE
    made text := SCHEMA.relation_name(of_target, of_number::text, of_name);
    described text;
BEGIN
    IF {ATTESTED.format("of_target", "of_number")} OR NOT column_types <@ ARRAY['text', 'bigint', 'double precision', 'date'] THEN
        RAISE EXCEPTION 'what is published stays' {CONFLICT};
    END IF;
    SELECT string_agg(format('%I %s', n, t), ', ' ORDER BY place) INTO described
        FROM unnest(column_names, column_types) WITH ORDINALITY AS c (n, t, place);
    EXECUTE format('CREATE TABLE SCHEMA.%I (%s)', made, described);
    EXECUTE format('CREATE TRIGGER refuse_change BEFORE UPDATE OR DELETE OR TRUNCATE ON SCHEMA.%I '
                   'EXECUTE FUNCTION SCHEMA.refuse_change()', made);
    EXECUTE format('CREATE TRIGGER refuse_more BEFORE INSERT ON SCHEMA.%I EXECUTE FUNCTION SCHEMA.refuse_more_rows(%L, %L)',
                   made, of_target, of_number);
    EXECUTE format('GRANT SELECT, INSERT ON SCHEMA.%I TO %I', made, session_user);
    INSERT INTO SCHEMA.tables VALUES (of_target, of_number, of_name, made);
    RETURN made;
END
""",
    ),
    "point_latest": (
        "of_target text, to_number integer",
        "void",
        True,
        """
DECLARE
    was integer;
    shown record;
    seen text;
BEGIN
    INSERT INTO SCHEMA.latest AS l VALUES (of_target, NULL) ON CONFLICT (target) DO UPDATE SET number = l.number RETURNING number INTO was;
    UPDATE SCHEMA.latest SET number = to_number WHERE target = of_target;
    FOR shown IN SELECT name FROM SCHEMA.tables AS t WHERE t.target = of_target AND t.number = was AND NOT EXISTS
        (SELECT FROM SCHEMA.tables AS n WHERE n.target = of_target AND n.number = to_number AND n.name = t.name)
    LOOP
        EXECUTE format('DROP VIEW SCHEMA.%I CASCADE', SCHEMA.relation_name(of_target, 'latest', shown.name));
    END LOOP;
    FOR shown IN SELECT name, relation FROM SCHEMA.tables AS t WHERE t.target = of_target AND t.number = to_number
    LOOP
        seen := SCHEMA.relation_name(of_target, 'latest', shown.name);
        BEGIN
            EXECUTE format('CREATE OR REPLACE VIEW SCHEMA.%I AS SELECT * FROM SCHEMA.%I', seen, shown.relation);
        EXCEPTION WHEN invalid_table_definition THEN
            EXECUTE format('DROP VIEW SCHEMA.%I CASCADE', seen);
            EXECUTE format('CREATE VIEW SCHEMA.%I AS SELECT * FROM SCHEMA.%I', seen, shown.relation);
        END;
    END LOOP;
END
""",
    ),
}
TRIGGERS = """
CREATE TRIGGER refuse_change BEFORE UPDATE OR DELETE OR TRUNCATE ON SCHEMA.versions EXECUTE FUNCTION SCHEMA.refuse_change();
CREATE TRIGGER refuse_change BEFORE UPDATE OR DELETE OR TRUNCATE ON SCHEMA.files EXECUTE FUNCTION SCHEMA.refuse_change();
CREATE TRIGGER refuse_change BEFORE UPDATE OR DELETE OR TRUNCATE ON SCHEMA.tables EXECUTE FUNCTION SCHEMA.refuse_change();
CREATE TRIGGER refuse_more BEFORE INSERT ON SCHEMA.files FOR EACH ROW EXECUTE FUNCTION SCHEMA.refuse_more();
CREATE CONSTRAINT TRIGGER require_attested AFTER INSERT ON SCHEMA.versions DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION SCHEMA.require_attested();
"""
# What the catalog says of them: bits of tgtype are row 1, before 2, insert 4, delete 8, update 16, truncate 32; O is enabled as usual.
GUARDS = {("refuse_change", table, 58, "O", "refuse_change") for table in ("versions", "files", "tables")} | {
    ("refuse_more", "files", 7, "O", "refuse_more"),
    ("require_attested", "versions", 5, "O", "require_attested"),
}
GUARDS_THERE = """
SELECT t.tgname, c.relname, t.tgtype, t.tgenabled::text, p.proname FROM pg_trigger AS t
    JOIN pg_class AS c ON c.oid = t.tgrelid JOIN pg_proc AS p ON p.oid = t.tgfoid
    WHERE c.relnamespace = to_regnamespace(%(schema)s) AND p.pronamespace = c.relnamespace AND t.tgqual IS NULL AND t.tgattr = ''
"""
FUNCTIONS_THERE = """
SELECT proname, prosrc, prosecdef, proconfig FROM pg_proc WHERE pronamespace = to_regnamespace(%(schema)s)
"""
PATH = "pg_catalog, pg_temp"


def exists(connection: Connection, schema: str) -> bool:
    """By the catalog itself: what a session has once not found by name, it may go on not finding."""
    query = "SELECT EXISTS (SELECT FROM pg_tables WHERE schemaname = %s AND tablename = 'versions')"
    return bool(one(connection.execute(query, [schema])))


def one(rows: Any) -> Any:
    """The only cell of the only row."""
    return rows.fetchone()[0]


def create(connection: Connection, schema: str) -> None:
    """By a role that may; it owns the schema from then on."""
    connection.execute("SELECT pg_advisory_xact_lock(%s)", [CREATING])
    if exists(connection, schema):
        return
    if not one(connection.execute("SELECT EXISTS (SELECT FROM pg_namespace WHERE nspname = %s)", [schema])):
        connection.execute(_in("CREATE SCHEMA SCHEMA", schema))
    connection.execute(_in(TABLES, schema))
    for name, (parameters, gives, as_owner, body) in FUNCTIONS.items():
        rights = "SECURITY DEFINER" if as_owner else "SECURITY INVOKER"
        head = f"CREATE FUNCTION SCHEMA.{name}({parameters}) RETURNS {gives} LANGUAGE plpgsql {rights} SET search_path = {PATH}"
        connection.execute(_in(f"{head} AS $function${body}$function$", schema))
        connection.execute(_in(f"REVOKE ALL ON FUNCTION SCHEMA.{name} FROM PUBLIC", schema))
    connection.execute(_in(TRIGGERS, schema))


def is_ours(connection: Connection, schema: str) -> bool:
    """Whether what keeps versions is what headgate made, by what it does; tables of versions have their guards too."""
    named = {"schema": f'"{schema}"'}
    functions = {name: (body, owner, path) for name, body, owner, path in connection.execute(FUNCTIONS_THERE, named)}
    expected = {name: (_in(body, schema).decode(), owner, [f"search_path={PATH}"]) for name, (_, _, owner, body) in FUNCTIONS.items()}
    relations = {row[0] for row in connection.execute(_in("SELECT relation FROM SCHEMA.tables", schema))}
    guards = GUARDS | {("refuse_change", relation, 58, "O", "refuse_change") for relation in relations}
    guards |= {("refuse_more", relation, 6, "O", "refuse_more_rows") for relation in relations}
    return functions == expected and guards <= set(connection.execute(GUARDS_THERE, named).fetchall())


def _in(statement: str, schema: str) -> bytes:
    """The name of a schema is small letters, digits and '_'; it is quoted because it may be a word of SQL."""
    return statement.replace("SCHEMA.", f'"{schema}".').replace("SCHEMA SCHEMA", f'SCHEMA "{schema}"').encode()
