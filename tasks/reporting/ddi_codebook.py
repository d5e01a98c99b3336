"""ddi.xml: the data dictionary as a DDI-Codebook 2.5, for data archives. It says what datapackage.json says, and nothing of the source.

The order of elements is that of the standard; the file is not validated by its schema, which does not lie in the tree.
"""

from __future__ import annotations

from collections.abc import Mapping
from xml.etree import ElementTree

from headgate.core.columns import Kind
from tasks.reporting.data_dictionary import FieldDescription
from tasks.reporting.package import DataPackage, Resource

NAMESPACE = "ddi:codebook:2_5"
NUMBERS = ("integer", "number")
_OTHER_SIGN = "\N{REPLACEMENT CHARACTER}"


def ddi_codebook(package: DataPackage) -> bytes:
    """One file description per format of a table, with all its parts; one variable per column of a table."""
    book = ElementTree.Element("codeBook", {"xmlns": NAMESPACE, "version": "2.5", "ID": _identifier(package.name)})
    _study(book, package)
    files = {resource.name: f"F{number}" for number, resource in enumerate(package.resources, 1)}
    for resource in package.resources:
        _file(book, resource, files[resource.name])
    data = ElementTree.SubElement(book, "dataDscr")
    number = 0
    for table, resources in _tables(package).items():
        of = " ".join(files[resource.name] for resource in resources)
        for field in resources[0].table_schema.fields if resources[0].table_schema is not None else ():
            number += 1
            _variable(data, field, f"V{number}", of, table)
    ElementTree.indent(book)
    content: bytes = ElementTree.tostring(book, encoding="utf-8", xml_declaration=True)
    return content + b"\n"


def _study(book: ElementTree.Element, package: DataPackage) -> None:
    study = ElementTree.SubElement(book, "stdyDscr")
    citation = ElementTree.SubElement(study, "citation")
    title = ElementTree.SubElement(citation, "titlStmt")
    _said(title, "titl", package.title)
    _said(title, "IDNo", package.name)
    version = ElementTree.SubElement(citation, "verStmt")
    _said(version, "version", package.version, date=package.created[:10])
    _said(version, "notes", package.changes)
    _said(citation, "biblCit", package.citation)
    about = ElementTree.SubElement(study, "stdyInfo")
    _said(about, "abstract", package.purpose)
    if package.period is not None:
        _said(ElementTree.SubElement(about, "sumDscr"), "timePrd", package.period)
    use = ElementTree.SubElement(ElementTree.SubElement(study, "dataAccs"), "useStmt")
    _said(use, "restrctn", " ".join(text for text in (package.recipients, package.controls) if text) or None)
    _said(use, "contact", package.contributors[0].title if package.contributors else None)
    _said(use, "conditions", (package.licenses[0].title or package.licenses[0].name) if package.licenses else None)
    _said(use, "disclaimer", package.description)


def _file(book: ElementTree.Element, resource: Resource, number: str) -> None:
    paths = " ".join(file.path for file in resource.files)
    text = ElementTree.SubElement(ElementTree.SubElement(book, "fileDscr", {"ID": number, "URI": paths}), "fileTxt")
    _said(text, "fileName", paths)
    size = ElementTree.SubElement(text, "dimensns")
    _said(size, "caseQnty", None if resource.rows is None else str(resource.rows))
    _said(size, "varQnty", None if resource.table_schema is None else str(len(resource.table_schema.fields)))
    _said(text, "fileType", resource.mediatype)


def _tables(package: DataPackage) -> Mapping[str, list[Resource]]:
    """The files of each table, by its name: the file of another format is called by the table and the format."""
    tables: dict[str, list[Resource]] = {}
    for resource in package.resources:
        tables.setdefault(resource.table, []).append(resource)
    return tables


def _variable(data: ElementTree.Element, field: FieldDescription, number: str, files: str, table: str) -> None:
    line = field.type in NUMBERS and field.kind is not None and Kind(field.kind).numeric
    variable = ElementTree.SubElement(
        data, "var", {"ID": number, "name": _plain(field.name), "files": files, "intrvl": "contin" if line else "discrete"}
    )
    _said(variable, "labl", f"{field.name} ({table})")
    bounds = field.constraints
    if bounds is not None and bounds.minimum is not None and bounds.maximum is not None:
        ElementTree.SubElement(
            ElementTree.SubElement(variable, "valrng"), "range", {"min": str(bounds.minimum), "max": str(bounds.maximum)}
        )
    _said(variable, "txt", field.description)
    for value in field.levels or (bounds.enum if bounds is not None and bounds.enum else ()):
        category = ElementTree.SubElement(variable, "catgry")
        _said(category, "catValu", str(value))
        _said(category, "labl", str(value))
    attributes = {"type": "numeric" if field.type in NUMBERS else "character", "schema": "other"}
    ElementTree.SubElement(variable, "varFormat", attributes | ({"category": "date"} if field.type == "date" else {}))


def _said(above: ElementTree.Element, name: str, text: str | None, **attributes: str) -> None:
    if text is not None:
        ElementTree.SubElement(above, name, attributes).text = _plain(text)


def _plain(text: str) -> str:
    """XML has no way to write most control characters."""
    return "".join(sign if sign in "\t\n" or (sign >= " " and sign not in "\ufffe\uffff") else _OTHER_SIGN for sign in text)


def _identifier(name: str) -> str:
    """An ID begins with a letter; a dataset may begin with a digit."""
    return name if name[0].isalpha() else f"D{name}"
