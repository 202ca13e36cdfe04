"""The `nirls` section of an editor's settings, as settings of the checks.

    {"validation": {"enable": true},
     "passes": {"opt_varyings": "hint", "inline_uniforms": "off", "opt_dce": true},
     "severity": {"dead-output": "warning"},
     "options": {"opt_varyings": {"NAME": "VALUE"}},
     "driver": "radv",
     "everySnapshot": false}

Malformed values are ignored: the editor reports errors in its settings itself.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache

from cattrs import Converter

from nirls.ir.finding import Severity
from nirls.passes import registry
from nirls.passes.declaration import OptionValue
from nirls.passes.varyings.driver_profiles import DETECT, NAMES
from nirls.server.engine.checking import CheckSettings
from nirls.server.engine.editor_settings import EVERY_SNAPSHOT, EditorSettings
from nirls.server.engine.structuring import converter, structure


@dataclass(frozen=True, slots=True)
class _Validation:
    enable: bool = True


@dataclass(frozen=True, slots=True)
class _Section:
    """The raw section. The value of a pass is a boolean, or the severity of its findings."""

    validation: _Validation = _Validation()
    passes: dict[str, bool | Severity] = field(default_factory=dict)
    severity: dict[str, Severity] = field(default_factory=dict)
    options: dict[str, dict[str, OptionValue]] = field(default_factory=dict)
    driver: str = DETECT


def check_settings_of(section: object) -> CheckSettings:
    """Convert a section sent by a client to check settings; malformed parts are ignored."""
    given, _ = structure(section, _Section, _converter())
    severities: dict[str, Severity] = {}
    if not given.validation.enable:
        from nirls.ir.validation import KINDS

        severities.update(dict.fromkeys(KINDS, Severity.OFF))
    for name, word in given.passes.items():
        declared = registry.find(name) if isinstance(word, Severity) and word is not Severity.OFF else None
        if declared is not None and isinstance(word, Severity):
            severities.update({code.code: word for code in declared.codes})
    passes = {
        name: word if isinstance(word, bool) else word is not Severity.OFF
        for name, word in given.passes.items()
    }
    every_snapshot = EditorSettings.of(section).is_on(EVERY_SNAPSHOT)
    settings = CheckSettings({**severities, **given.severity}, passes, given.options, every_snapshot)
    return settings.with_driver(given.driver if given.driver in NAMES else DETECT)


@cache
def _converter() -> Converter:
    made = converter(forbid_extra_keys=False)
    made.register_structure_hook(
        bool | Severity,
        lambda value, _: value if isinstance(value, bool) else made.structure(value, Severity),
    )
    return made
