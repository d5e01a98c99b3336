"""Web pages for those who approve, operate and audit. It holds no rule of its own: policies/approval decides what may be done.

Where things go:
- `app.py` puts the application together; `console_settings.py` says what an operator chose; `serving.py` is `headgate console`.
- `guard/` looks at every request before a page does: host, origin, size; and writes the headers of every answer.
- `access/` knows who is there: accounts, invitations, sessions, and what operator.yaml and signers make of a principal.
- `pages/` holds one file per subject, each with an APIRouter called `router` that `app.PAGES` names. A page takes
  `person: SignedIn` and `console: Here` (pages/frame.py) and returns `page(request, "name.html.j2", **content)`. Whoever is not in
  `frame.PUBLIC` has signed in before any page is asked. Entries of the navigation are in `frame.NAVIGATION`.
- `templates/` extend `frame.html.j2` (blocks `title` and `content`); what people read is wrapped in `_()`. `static/` holds console.css and
  scripts; no page has inline style or script. A form posts to a route of its own and is answered by `see(path)`.
- Tests: `client` (tests/unit/console/conftest.py) has a home with candidates in several states; `client.sign_in("anna")`.
  Every route needs its line in tests/unit/console/route_rules.py.
"""
