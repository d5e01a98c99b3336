"""croissant.json: the tables for the tools of machine learning, as Croissant 1.0 (ML Commons). It says what datapackage.json says.

Two properties that the standard asks for are left out, since nobody knows them when the candidate is sealed: `url`, and `datePublished`,
which stands in the attestation.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import quote

from headgate.core.published_form.file_parts import TABLES
from tasks.reporting.data_dictionary import FieldDescription
from tasks.reporting.package import DataPackage, License, Resource

CONFORMS_TO = "http://mlcommons.org/croissant/1.0"
# As the standard's appendix and mlcroissant 1.1.1 have it.
CONTEXT: Mapping[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "equivalentProperty": "cr:equivalentProperty",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileProperty": "cr:fileProperty",
    "fileObject": "cr:fileObject",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "parentField": "cr:parentField",
    "path": "cr:path",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "samplingRate": "cr:samplingRate",
    "sc": "https://schema.org/",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
}
DATA_TYPES = {"integer": "sc:Integer", "number": "sc:Float", "date": "sc:Date", "string": "sc:Text"}
READABLE = ("csv", "apache-parquet")  # by tools of Croissant


def croissant(package: DataPackage) -> bytes:
    """A file object per file, a file set per table in parts, and a record set per table."""
    described = {
        "@context": CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": CONFORMS_TO,
        "name": package.name,
        "alternateName": package.title,
        "description": package.description if package.purpose is None else f"{package.purpose.rstrip('.')}. {package.description}",
        "version": package.version,
        "dateCreated": package.created,
        "isLiveDataset": False,
        **_about(package),
        "distribution": [item for resource in package.resources for item in _distribution(resource)],
        "recordSet": list(_tables(package)),
    }
    return (json.dumps(described, ensure_ascii=False, indent=2) + "\n").encode()


def _about(package: DataPackage) -> dict[str, Any]:
    contact = package.contributors[0].title if package.contributors else None
    said = {
        "license": _license(package.licenses[0]) if package.licenses else None,
        "citeAs": package.citation,
        "creator": None if contact is None else {"@type": "sc:Organization", "name": contact},
        "temporalCoverage": package.period,
        "conditionsOfAccess": " ".join(text for text in (package.recipients, package.controls) if text) or None,
    }
    return {name: value for name, value in said.items() if value is not None}


def _license(licence: License) -> str:
    return licence.title or f"https://spdx.org/licenses/{licence.name}.html"


def _distribution(resource: Resource) -> Iterator[dict[str, Any]]:
    encoding = "application/x-parquet" if resource.format == "apache-parquet" else resource.mediatype
    for file in resource.files:
        yield {
            "@type": "cr:FileObject",
            "@id": file.path,
            "name": file.path.removeprefix(TABLES),
            "contentUrl": file.path,
            "contentSize": f"{file.bytes} B",
            "encodingFormat": encoding,
            "sha256": file.hash.removeprefix("sha256:"),
        }
    if resource.parts is not None:
        yield {
            "@type": "cr:FileSet",
            "@id": _parts(resource),
            "name": _parts(resource).removeprefix(TABLES),
            "containedIn": [{"@id": file.path} for file in resource.parts],
            "encodingFormat": encoding,
            "includes": _parts(resource),
        }


def _parts(resource: Resource) -> str:
    """All files of a table in parts, as a pattern."""
    return resource.files[0].path.replace("/part-00000.", "/part-*.")


def _tables(package: DataPackage) -> Iterator[dict[str, Any]]:
    """The first file of each table that tools can read."""
    seen = set()
    for resource in package.resources:
        table = resource.table
        if resource.format not in READABLE or table in seen or resource.table_schema is None:
            continue
        seen.add(table)
        yield {
            "@type": "cr:RecordSet",
            "@id": table,
            "name": table,
            "description": f"One row per released record; sensitive: {resource.title}.",
            "field": [_field(field, table, resource) for field in resource.table_schema.fields],
        }


def _field(field: FieldDescription, table: str, resource: Resource) -> dict[str, Any]:
    place = {"fileObject": {"@id": resource.path}} if resource.parts is None else {"fileSet": {"@id": _parts(resource)}}
    return {
        "@type": "cr:Field",
        "@id": f"{table}/{quote(field.name, safe='')}",
        "name": field.name,
        "description": field.description,
        "dataType": DATA_TYPES[field.type],
        "source": {**place, "extract": {"column": field.name}},
    }
