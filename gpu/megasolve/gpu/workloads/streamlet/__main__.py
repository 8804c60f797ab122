"""Write the contracts of streamlet, the manifest of its kernels and their resource table: `python -m megasolve.gpu.workloads.streamlet`."""

from __future__ import annotations

import sys
from pathlib import Path

from ...compile import resource_table
from . import contract_files


def refresh(spec_file: Path) -> None:
    """Write all of them into the folder beside *spec_file*.

    The table is of kernels that the contracts declare, and the contracts state the registers that the table reports.
    """
    contract_files.write(spec_file)
    resource_table.write(spec_file)
    # Again, with the registers of the new table.
    contract_files.write(spec_file)


if __name__ == "__main__":
    resource_table.run_on_spec(refresh, sys.argv[1:])
