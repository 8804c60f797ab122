"""`python -m megasolve.gpu.experiments.guards SPEC`: what the driver says of the device, its versions, and every guard tried once.

Exits with 1 where a guard that is needed does not hold, with 2 where nothing can be tried. With --name-device it only prints which of the
devices that SPEC names is here.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from megasolve.contracts import MegasolveError, Study, check_spec

from ...driver import EXPERIMENT_ENVIRONMENT, NoGpu, probe
from ...harness.places.places import find_place
from .trying import tried_json, tried_text, try_guards

_HELD, _NOT_HELD, _NOTHING = 0, 1, 2


def main(words: Sequence[str] | None = None) -> int:
    """Answer the command line and return the exit code."""
    asked = _parser().parse_args(words)
    try:
        if asked.name_device:
            sys.stdout.write(f"{_device_here(check_spec(asked.spec, root=asked.root)[0])}\n")
            return _HELD
        study, _ = check_spec(asked.spec, asked.device, root=asked.root)
        tried = try_guards(study, find_place(study, on_cpu=asked.backend == "cpu"), asked.entry, asked.device)
    except MegasolveError as error:
        sys.stderr.write(f"guards: {error}\n")
        return _NOTHING
    sys.stdout.write(tried_json(tried) if asked.form == "json" else tried_text(tried))
    return _HELD if tried.is_sound else _NOT_HELD


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m megasolve.gpu.experiments.guards", description="Try every guard once on the device of SPEC."
    )
    parser.add_argument("spec", metavar="SPEC")
    parser.add_argument("--root", help="the folder that the names in SPEC may lead below, where its own project is too narrow")
    parser.add_argument("--device", help="the device to plan for, another than that of SPEC")
    parser.add_argument("--entry", help="the persistent entry to try them with, by default the smallest one, of consumers if there is one")
    parser.add_argument("--backend", choices=("gpu", "cpu"), default="gpu", help="the GPU, or a stand-in that plays it on the CPU")
    parser.add_argument("--name-device", action="store_true", help="print which device of SPEC is here, and try nothing")
    parser.add_argument("-f", "--format", dest="form", choices=("text", "json"), default="text")
    return parser


def _device_here(study: Study) -> str:
    """Return the name of the first device that the driver shows and that the spec names."""
    shown = probe(EXPERIMENT_ENVIRONMENT).devices
    for facts in shown:
        for document in (study.device, *study.other_devices):
            if facts.name in document.value.driver_names:
                return document.value.name
    named = ", ".join(document.value.name for document in (study.device, *study.other_devices))
    seen = ", ".join(facts.name for facts in shown) or "none"
    raise NoGpu(f"the driver shows {seen}, and the spec plans for {named}; name the device of this GPU in the spec")


if __name__ == "__main__":
    raise SystemExit(main())
