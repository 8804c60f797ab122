"""Rules about launches: for a contract alone, and for a contract on a device."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ...limits.grids import budget_faults, grid_faults
from ...limits.launches import shape_faults
from ...limits.occupancy import rounded_down, rounded_up
from ...limits.workers import PIPELINE_KEYS, REGISTER_BYTES, in_flight_bytes, most_bytes_held
from ...model.contract import DERIVED, Contract, Launch, Role
from ...model.device import Device
from ...model.findings import Fault
from ...model.rules import check, rule
from ..subjects import CONTRACT, LAUNCH
from .wording import listed

# What `setmaxnreg` can set and who must execute it together: PTX ISA, "setmaxnreg".
_REGISTER_UNIT = 8
_LEAST_REGISTERS, _MOST_REGISTERS = 24, 248
_WARPGROUP_THREADS = 128


@rule("LIM-01", "launch-not-declared", "A megakernel states threads and registers, or why they are unknown.", on=CONTRACT)
def launch_declared(contract: Contract) -> Iterator[Fault]:
    """Without threads and registers nothing says that the persistent grid can be resident at all."""
    launch = contract.launch
    missing = [name for name in ("threads", "registers") if getattr(launch, name) is None]
    if contract.backend == "megakernel" and missing and launch.unverified is None:
        message = f"a megakernel without {' and '.join(missing)}; give the figure, or say in `unverified` why it is unknown"
        yield Fault(launch_declared, ("launch",), message, at_key=True)


@rule("LIM-02", "roles-do-not-sum", "The threads of the roles sum to the threads of the launch.", on=CONTRACT)
def roles_sum_to_launch(contract: Contract) -> Iterator[Fault]:
    """Every thread of the launch has one role."""
    launch = contract.launch
    together = sum(role.threads for role in launch.roles)
    if launch.roles and launch.threads not in (None, together):
        terms = " + ".join(str(role.threads) for role in launch.roles)
        message = f"roles of {terms} = {together} threads in a launch of {launch.threads}; make the two equal"
        yield Fault(roles_sum_to_launch, ("launch", "roles"), message)


@rule("LIM-03", "role-registers-not-settable", "Registers moved between roles are a multiple of 8 from 24 to 248.", on=CONTRACT)
def role_registers_settable(contract: Contract) -> Iterator[Fault]:
    """A role that keeps the compiled count changes nothing and may have any; one that changes it is bound by the instruction."""
    for index, role in _changed_roles(contract.launch):
        registers = role.registers
        if registers % _REGISTER_UNIT or not _LEAST_REGISTERS <= registers <= _MOST_REGISTERS:
            nearest = min(max(rounded_down(registers, _REGISTER_UNIT), _LEAST_REGISTERS), _MOST_REGISTERS)
            legal = f"a multiple of {_REGISTER_UNIT} from {_LEAST_REGISTERS} to {_MOST_REGISTERS}"
            message = f"{registers} registers for role '{role.name}'; what it can be set to is {legal}: {nearest}?"
            yield Fault(role_registers_settable, ("launch", "roles", index, "registers"), message)


@rule("LIM-04", "role-not-whole-warpgroups", "Registers are moved by whole warpgroups of 128 threads.", on=CONTRACT)
def roles_are_warpgroups(contract: Contract) -> Iterator[Fault]:
    """Roles with the same count may share a warpgroup: all of its warps execute the same instruction."""
    threads: dict[int, int] = {}
    first: dict[int, int] = {}
    for index, role in _changed_roles(contract.launch):
        first.setdefault(role.registers, index)
        threads[role.registers] = threads.get(role.registers, 0) + role.threads
    for registers, together in threads.items():
        if together % _WARPGROUP_THREADS:
            message = (
                f"{together} threads at {registers} registers; registers move by whole warpgroups: "
                f"{rounded_up(together, _WARPGROUP_THREADS)} threads, or roles at the launch's own count"
            )
            yield Fault(roles_are_warpgroups, ("launch", "roles", first[registers], "threads"), message)


@rule("LIM-05", "roles-exceed-allocation", "The roles together hold no more registers than the launch allocated.", on=CONTRACT)
def roles_within_allocation(contract: Contract) -> Iterator[Fault]:
    """Roles share the registers that the launch allocated; none can come from elsewhere."""
    launch = contract.launch
    if not launch.roles or launch.threads is None or launch.registers is None:
        return
    held = sum(role.threads * role.registers for role in launch.roles)
    per_thread = rounded_up(launch.registers, _REGISTER_UNIT)
    if not any(_changed_roles(launch)) or held <= launch.threads * per_thread:
        return
    index, hungriest = max(enumerate(launch.roles), key=lambda pair: pair[1].registers)
    terms = " + ".join(f"{role.threads} x {role.registers}" for role in launch.roles)
    message = (
        f"roles hold {terms} = {held:,} registers > {launch.threads} x {per_thread} = {launch.threads * per_thread:,} "
        f"allocated at launch; {_role_repair(launch, hungriest)}"
    )
    yield Fault(roles_within_allocation, ("launch", "roles", index, "registers"), message)


def role_register_limit(launch: Launch, role: Role) -> int | None:
    """Return the most registers that *role* can take while the other roles keep theirs; None if the launch does not state it.

    What the launch allocated, less what the others hold, per thread, rounded down to the unit of 8.
    """
    if launch.threads is None or launch.registers is None:
        return None
    allocated = launch.threads * rounded_up(launch.registers, _REGISTER_UNIT)
    others = sum(other.threads * other.registers for other in launch.roles if other is not role)
    return min(rounded_down(max(allocated - others, 0) // role.threads, _REGISTER_UNIT), _MOST_REGISTERS)


def _role_repair(launch: Launch, role: Role) -> str:
    limit = role_register_limit(launch, role)
    if limit is not None and limit >= _LEAST_REGISTERS:
        return f"role '{role.name}' can take at most {limit}"
    even = _even_registers(launch)
    return f"lower several roles: all of them fit at {even}" if even >= _LEAST_REGISTERS else "launch with more registers"


def _even_registers(launch: Launch) -> int:
    """Return the registers that every role can take at once."""
    allocated = (launch.threads or 0) * rounded_up(launch.registers or 0, _REGISTER_UNIT)
    together = sum(role.threads for role in launch.roles)
    return min(rounded_down(allocated // together, _REGISTER_UNIT), _MOST_REGISTERS)


def _changed_roles(launch: Launch) -> Iterator[tuple[int, Role]]:
    for index, role in enumerate(launch.roles):
        if role.registers != launch.registers:
            yield index, role


@rule("LIM-06", "budget-not-whole-clusters", "A budget and a grid are whole clusters.", on=CONTRACT)
def whole_clusters(contract: Contract) -> Iterator[Fault]:
    """A cluster is launched whole, so a count of CTAs is a multiple of its size."""
    size = contract.launch.cluster_ctas
    counts = contract.stated_budgets if contract.budgets_ctas is not None else ()
    grids = [(("grid_ctas",), contract.grid_ctas)] if contract.grid_ctas is not None else []
    for path, ctas in (*counts, *grids):
        if ctas % size:
            below = rounded_down(ctas, size)
            near = f"{below} or {below + size}" if below else str(size)
            yield Fault(whole_clusters, path, f"{ctas} CTAs are no whole number of clusters of {size}: {near}?")


@rule("LIM-14", "in-flight-exceeds-cta", "Bytes in flight have a place in the CTA that waits for them.", on=CONTRACT)
def in_flight_fits(contract: Contract) -> Iterator[Fault]:
    """What is under way is written to shared memory, or without any to registers, when it arrives: the place is taken beforehand."""
    under_way, place = in_flight_bytes(contract), _place_for_loads(contract.launch)
    if under_way is not None and place is not None and under_way > place[0]:
        yield _too_much_in_flight(contract, under_way, *place)


@check(on=LAUNCH)
def in_flight_fits_device(contract: Contract, device: Device) -> Iterator[Fault]:
    """A launch that states neither shared memory nor registers has no more of them than the device gives to one CTA."""
    under_way = in_flight_bytes(contract)
    if under_way is None or _place_for_loads(contract.launch) is not None:
        return
    held = most_bytes_held(contract, device)
    if under_way > held:
        place = f"{held:,} B of shared memory or registers of a CTA, {contract.launch.ctas_per_sm} per SM on {device.name}"
        yield _too_much_in_flight(contract, under_way, held, place)


def _place_for_loads(launch: Launch) -> tuple[int, str] | None:
    """Return how many bytes the CTA of *launch* has a place for, and what that is; None where the launch does not say."""
    if launch.shared_bytes:
        return launch.shared_bytes, f"shared_bytes {launch.shared_bytes:,}"
    if launch.threads is None or launch.registers is None:
        return None
    held = launch.threads * launch.registers * REGISTER_BYTES
    return held, f"{launch.threads} threads x {launch.registers} registers = {held:,} B"


def _too_much_in_flight(contract: Contract, under_way: int, held: int, place: str) -> Fault:
    derived = ", derived from the geometry," if contract.in_flight_bytes == DERIVED else ""
    message = f"{under_way:,} B in flight{derived} > {place}; at most {held:,}: what arrives has to have a place"
    return Fault(in_flight_fits, ("in_flight_bytes",), message)


@rule("LIM-15", "in-flight-not-derivable", "Bytes in flight are derived from a geometry that states its stages.", on=CONTRACT)
def in_flight_derivable(contract: Contract) -> Iterator[Fault]:
    """Without the tile and the stages of its pipeline nothing says what a CTA has under way, and nothing is guessed."""
    if contract.in_flight_bytes == DERIVED and in_flight_bytes(contract) is None:
        stated = contract.geometry or {}
        missing = [key for key in PIPELINE_KEYS if key not in stated]
        because = (
            f"geometry states no {listed(missing)}" if missing else f"geometry states {listed(PIPELINE_KEYS)}, but not as whole numbers"
        )
        yield Fault(in_flight_derivable, ("in_flight_bytes",), f"'derived', but {because}; add it, or state the bytes")


@check(on=LAUNCH)
def shape_fits(contract: Contract, device: Device) -> Iterator[Fault]:
    """One CTA fits, and as many per SM as declared."""
    yield from shape_faults(device, contract)


@check(on=LAUNCH)
def budgets_fit(contract: Contract, device: Device) -> Iterator[Fault]:
    """Every declared budget is resident as a whole, and no grid outgrows it."""
    for path, budget in contract.stated_budgets:
        for fault in budget_faults(device, contract, budget):
            yield replace(fault, path=path)
    # One grid is one value in the file: the first budget that it outgrows says enough.
    per_budget = (grid_faults(device, contract, budget) for budget in contract.budgets or (None,))
    yield from next((found for found in per_budget if found), ())
