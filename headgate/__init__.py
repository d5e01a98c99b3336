"""headgate: the science of releasing microdata safely. Nothing is imported until it is used.

import headgate as hg
p = hg.xcolor(frame, quasi=["age", "sex"], sensitive=["income"], k=10, epsilon=0.1, delta=0.6)

README's *What can be promised, and what is measured* names the function of each model.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from headgate.attacks.background_join import background_join as background_join
    from headgate.attacks.dictionary_linking import Register as Register
    from headgate.attacks.dictionary_linking import dictionary_linking as dictionary_linking
    from headgate.attacks.homogeneity import homogeneity as homogeneity
    from headgate.attacks.intersection import intersection as intersection
    from headgate.attacks.linkage import linkage_frames as linkage_frames
    from headgate.attacks.minimality import minimality as minimality
    from headgate.attacks.proximity import proximity as proximity
    from headgate.attacks.series_guessing import Outsiders as Outsiders
    from headgate.attacks.series_guessing import series_guessing as series_guessing
    from headgate.core.columns import Column as Column
    from headgate.core.columns import Kind as Kind
    from headgate.core.columns import Role as Role
    from headgate.core.columns import Table as Table
    from headgate.core.distance import Distance as Distance
    from headgate.core.encode import ColumnSpec as ColumnSpec
    from headgate.core.encode import encode_column as encode_column
    from headgate.core.encode import encode_table as encode_table
    from headgate.core.hierarchy import Hierarchy as Hierarchy
    from headgate.core.published_form.published_table import PublishedTable as PublishedTable
    from headgate.core.published_form.published_table import publish_form as publish_form
    from headgate.counting.class_counts import count as count
    from headgate.library.check_table import check as check
    from headgate.library.frame_columns import classes as classes
    from headgate.library.frame_columns import encode as encode
    from headgate.library.frame_columns import table as table
    from headgate.library.grouping_frames import codip as codip
    from headgate.library.grouping_frames import feasibility as feasibility
    from headgate.library.grouping_frames import full_domain as full_domain
    from headgate.library.grouping_frames import mondrian as mondrian
    from headgate.library.grouping_frames import xcolor as xcolor
    from headgate.library.read_release import read as read
    from headgate.library.series_frames import series as series
    from headgate.principles.alpha_k import alpha_k as alpha_k
    from headgate.principles.beta_likeness import beta_likeness as beta_likeness
    from headgate.principles.closeness import closeness as closeness
    from headgate.principles.delta_disclosure import delta_disclosure as delta_disclosure
    from headgate.principles.delta_l import delta_l as delta_l
    from headgate.principles.dissimilarity import dissimilarity as dissimilarity
    from headgate.principles.diversity import diversity as diversity
    from headgate.principles.epsilon_m import epsilon_m as epsilon_m
    from headgate.principles.k_anonymity import k_anonymity as k_anonymity
    from headgate.principles.k_e import k_e as k_e
    from headgate.principles.linkability import linkability as linkability
    from headgate.principles.linkability import worst_linkability as worst_linkability
    from headgate.principles.n_t_closeness import n_t_closeness as n_t_closeness
    from headgate.principles.proximity_shapes import proximity_shapes as proximity_shapes
    from headgate.principles.recursive import recursive_c as recursive_c
    from headgate.principles.recursive import recursive_l as recursive_l
    from headgate.principles.variance import variance as variance
    from headgate.principles.xy_linkability import Projected as Projected
    from headgate.principles.xy_linkability import xy_linkability as xy_linkability
    from headgate.principles.xy_linkability import xy_linkability_bound as xy_linkability_bound
    from headgate.projection.bitmap import bitmap as bitmap
    from headgate.projection.bitmap import unbitmap as unbitmap
    from headgate.projection.codip import codip_star as codip_star
    from headgate.released.released_tables import Release as Release
    from headgate.released.released_tables import ReleasedTable as ReleasedTable
    from headgate.risk.candidates.consistency import encode_dictionary as encode_dictionary
    from headgate.risk.disclosure.decision import bayes_risk as bayes_risk
    from headgate.risk.disclosure.decision import minimax_risk as minimax_risk
    from headgate.risk.disclosure.expected_loss import disclosure as disclosure
    from headgate.risk.disclosure.expected_loss import disclosure_risk as disclosure_risk
    from headgate.risk.disclosure.sensitivity import Sensitivity as Sensitivity
    from headgate.risk.reidentification.journalist import journalist_frames as journalist_frames
    from headgate.risk.reidentification.journalist import journalist_risk as journalist_risk
    from headgate.risk.reidentification.population import intrusion as intrusion
    from headgate.risk.reidentification.population import population_uniqueness as population_uniqueness
    from headgate.risk.reidentification.prosecutor import individual_risk as individual_risk
    from headgate.risk.reidentification.prosecutor import reidentification as reidentification
    from headgate.risk.reidentification.uniqueness import sample_uniques as sample_uniques
    from headgate.risk.reidentification.uniqueness import special_uniques as special_uniques
    from headgate.risk.suppression.min_risk import gammas as gammas
    from headgate.risk.suppression.min_risk import min_risk as min_risk
    from headgate.risk.suppression.programme import exact_per_attribute as exact_per_attribute
    from headgate.risk.suppression.programme import exact_total as exact_total
    from headgate.risk.suppression.programme import greedy_per_attribute as greedy_per_attribute
    from headgate.risk.suppression.programme import greedy_total as greedy_total
    from headgate.utility.entropy import entropy_loss as entropy_loss
    from headgate.utility.group_size import average_group_size as average_group_size
    from headgate.utility.loss import discernibility as discernibility
    from headgate.utility.loss import information_loss as information_loss
    from headgate.utility.machine_learning import classifier_accuracy as classifier_accuracy
    from headgate.utility.queries import count_query_error as count_query_error
    from headgate.utility.suppression import suppression as suppression

PUBLIC = {
    "headgate.attacks.background_join": ("background_join",),
    "headgate.attacks.dictionary_linking": ("Register", "dictionary_linking"),
    "headgate.attacks.homogeneity": ("homogeneity",),
    "headgate.attacks.intersection": ("intersection",),
    "headgate.attacks.linkage": ("linkage_frames",),
    "headgate.attacks.minimality": ("minimality",),
    "headgate.attacks.proximity": ("proximity",),
    "headgate.attacks.series_guessing": ("Outsiders", "series_guessing"),
    "headgate.core.columns": ("Column", "Kind", "Role", "Table"),
    "headgate.core.distance": ("Distance",),
    "headgate.core.encode": ("ColumnSpec", "encode_column", "encode_table"),
    "headgate.core.hierarchy": ("Hierarchy",),
    "headgate.core.published_form.published_table": ("PublishedTable", "publish_form"),
    "headgate.counting.class_counts": ("count",),
    "headgate.library.check_table": ("check",),
    "headgate.library.frame_columns": ("classes", "encode", "table"),
    "headgate.library.grouping_frames": ("codip", "feasibility", "full_domain", "mondrian", "xcolor"),
    "headgate.library.read_release": ("read",),
    "headgate.library.series_frames": ("series",),
    "headgate.principles.alpha_k": ("alpha_k",),
    "headgate.principles.beta_likeness": ("beta_likeness",),
    "headgate.principles.closeness": ("closeness",),
    "headgate.principles.delta_disclosure": ("delta_disclosure",),
    "headgate.principles.delta_l": ("delta_l",),
    "headgate.principles.dissimilarity": ("dissimilarity",),
    "headgate.principles.diversity": ("diversity",),
    "headgate.principles.epsilon_m": ("epsilon_m",),
    "headgate.principles.k_anonymity": ("k_anonymity",),
    "headgate.principles.k_e": ("k_e",),
    "headgate.principles.linkability": ("linkability", "worst_linkability"),
    "headgate.principles.n_t_closeness": ("n_t_closeness",),
    "headgate.principles.proximity_shapes": ("proximity_shapes",),
    "headgate.principles.recursive": ("recursive_c", "recursive_l"),
    "headgate.principles.variance": ("variance",),
    "headgate.principles.xy_linkability": ("Projected", "xy_linkability", "xy_linkability_bound"),
    "headgate.projection.bitmap": ("bitmap", "unbitmap"),
    "headgate.projection.codip": ("codip_star",),
    "headgate.released.released_tables": ("Release", "ReleasedTable"),
    "headgate.risk.candidates.consistency": ("encode_dictionary",),
    "headgate.risk.disclosure.decision": ("bayes_risk", "minimax_risk"),
    "headgate.risk.disclosure.expected_loss": ("disclosure", "disclosure_risk"),
    "headgate.risk.disclosure.sensitivity": ("Sensitivity",),
    "headgate.risk.reidentification.journalist": ("journalist_frames", "journalist_risk"),
    "headgate.risk.reidentification.population": ("intrusion", "population_uniqueness"),
    "headgate.risk.reidentification.prosecutor": ("individual_risk", "reidentification"),
    "headgate.risk.reidentification.uniqueness": ("sample_uniques", "special_uniques"),
    "headgate.risk.suppression.min_risk": ("gammas", "min_risk"),
    "headgate.risk.suppression.programme": ("exact_per_attribute", "exact_total", "greedy_per_attribute", "greedy_total"),
    "headgate.utility.entropy": ("entropy_loss",),
    "headgate.utility.group_size": ("average_group_size",),
    "headgate.utility.loss": ("discernibility", "information_loss"),
    "headgate.utility.machine_learning": ("classifier_accuracy",),
    "headgate.utility.queries": ("count_query_error",),
    "headgate.utility.suppression": ("suppression",),
}
_MODULE_OF = {name: module for module, names in PUBLIC.items() for name in names}
__all__ = sorted(_MODULE_OF)


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module 'headgate' has no attribute '{name}'")
    return getattr(import_module(_MODULE_OF[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


class _Library(ModuleType):
    """A room may have the name of a function (`series`): importing the room does not hide the function."""

    def __setattr__(self, name: str, value: Any) -> None:
        if not (name in _MODULE_OF and isinstance(value, ModuleType)):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Library
