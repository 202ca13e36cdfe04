"""The `nirls` section of an editor's settings, as settings of the checks.

    {"validation": {"enable": true},
     "passes": {"opt_varyings": "hint", "inline_uniforms": "off", "opt_dce": true},
     "severity": {"dead-output": "warning"},
     "options": {"opt_varyings": {"NAME": "VALUE"}},
     "everySnapshot": false}

What is malformed is ignored: an editor shows its own complaints about its settings.
"""

from __future__ import annotations

from collections.abc import Mapping

from nirls.ir.finding import Severity
from nirls.passes import registry
from nirls.server.engine.checking import CheckSettings
from nirls.server.engine.editor_settings import EVERY_SNAPSHOT, EditorSettings

_SEVERITIES = {severity.value: severity for severity in Severity}


def check_settings_of(section: object) -> CheckSettings:
    """The settings of a section as it came from a client, whatever it is."""
    given = section if isinstance(section, Mapping) else {}
    severities: dict[str, Severity] = {}
    validation = given.get("validation")
    if isinstance(validation, Mapping) and validation.get("enable") is False:
        from nirls.ir.validation import KINDS

        severities.update(dict.fromkeys(KINDS, Severity.OFF))
    passes: dict[str, bool] = {}
    for name, value in _mapping(given, "passes").items():
        if isinstance(value, bool):
            passes[name] = value
        elif isinstance(value, str) and value in _SEVERITIES:
            passes[name] = _SEVERITIES[value] is not Severity.OFF
            declared = registry.find(name) if passes[name] else None
            if declared is not None:
                severities.update({code.code: _SEVERITIES[value] for code in declared.codes})
    for code, word in _mapping(given, "severity").items():
        if isinstance(word, str) and word in _SEVERITIES:
            severities[code] = _SEVERITIES[word]
    options = {
        name: dict(values)
        for name, values in _mapping(given, "options").items()
        if isinstance(values, Mapping)
    }
    return CheckSettings(severities, passes, options, EditorSettings.of(section).is_on(EVERY_SNAPSHOT))


def _mapping(section: Mapping[object, object], key: str) -> dict[str, object]:
    value = section.get(key)
    if not isinstance(value, Mapping):
        return {}
    return {str(name): entry for name, entry in value.items()}
