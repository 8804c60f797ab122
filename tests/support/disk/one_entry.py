"""A spec of one step and the contract of its one entry, as texts."""

from __future__ import annotations

SPEC = """megasolve: spec/v1
name: one
device: h200
precision: fp32
batches: [1]
groups:
  - {name: S, role: producer}
publication: {group: S, step: 1}
contracts: [contracts/*.yaml]
records: []
"""
CONTRACT = """megasolve: contract/v1
entry: S
backend: megakernel
members: [S]
launch: {threads: 64, registers: 32}
budgets_ctas: [8]
loops_on_device: false
dispatch: {kind: stream, host_waits: false, host_us: 1, exposed_us: 1}
"""
