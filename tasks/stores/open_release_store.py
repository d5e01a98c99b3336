"""The one place that chooses where series are published to: the scheme of HEADGATE_STORE names the file `store_<scheme>.py` of this
room; an address without a scheme is a folder."""

from __future__ import annotations

from typing import cast

from headgate.core.errors import StoreUnavailable
from tasks.runtime.home import Home
from tasks.runtime.named_modules import module_named
from tasks.stores.release_store import ReleaseStore

FORMS = "Set HEADGATE_STORE to a folder, to s3://bucket/prefix or to postgresql://USER@HOST/DATABASE/SCHEMA."


def open_release_store(home: Home) -> ReleaseStore:
    return release_store(home.store)


def release_store(address: str) -> ReleaseStore:
    """An address may hold a password: no message repeats more of it than its scheme."""
    scheme = address.partition("://")[0] if "://" in address else "folder"
    module = module_named("tasks.stores", "store_", scheme)
    if module is None:
        raise StoreUnavailable(f"The store {scheme[:20]}:// is not supported.", FORMS)
    return cast(ReleaseStore, module.open_store(address))
