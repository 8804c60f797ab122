"""The properties of a contract, its programs aside."""

from __future__ import annotations

from .operators import NORM
from .table import HASH, Properties

CONTRACT: Properties = {
    "Contract": {
        "megasolve": ("the kind of this file", "contract/v1"),
        "entry": ("the name of the compiled kernel", "stage0"),
        "backend": ("one persistent launch, or one launch per kernel", "megakernel"),
        "members": ("the groups that it runs; a conventional contract has one", ["B", "L"]),
        "title": ("free text: what it is", "backbone and local transformer"),
        "implementation": ("conventional only: contracts of a group with the same one are its kernels, others are variants", "flash"),
        "order": ("conventional only: its place among the kernels of the group", 0),
        "kernels": ("conventional only: launches per call that it stands for", 12),
        "grid_ctas": ("the grid, where it is not the budget", 264),
        "budgets_ctas": ("the CTAs that a megakernel can be launched with, the largest for a device of its own", [132, 88, 80]),
        "budgets_clusters": ("the same in clusters", [66, 44]),
        "devices": ("the devices that it was built for; on any other one it does not exist", ["h100_nvl"]),
        "launch": ("what one block needs", {"threads": 256, "registers": 255, "cooperative": True}),
        "dispatch": ("what a launch costs", {"kind": "cooperative", "host_waits": True, "host_us": 45, "exposed_us": 5}),
        "loops_on_device": ("whether one launch persists over the steps", True),
        "loops_over": ("what one launch persists over, where the spec has repeats", ["repeat", "steps"]),
        "policies": ("the policies that it supports; all where none are said", ["serial", "dynamic"]),
        "partition": ("only where it partitions SMs: how", {"mechanism": "green_context"}),
        "workspace_bytes": ("device memory that it keeps for itself, beside weights and state", 67108864),
        "placement": ("what makes its blocks fill one SM before the next", {"packed": "clusters of two"}),
        "in_flight_bytes": ("what the loads of one block can have under way at a time, or `derived` from its geometry", 30720),
        "geometry": ("the tile geometry, as far as its times depend on it", {"tile_m": 64}),
        "storage": ("what stays on chip, and what is forwarded", {"on_chip": ["kv"]}),
        "synchronization": ("how its blocks wait for each other, and what that costs", {"kind": "counters", "cost_us": 1.1}),
        "build": ("how it was compiled", {"compiler": "nvcc 13.0", "flags": ["-O3"]}),
        "source": ("where its code is", {"file": "stage0.cu"}),
        "observed": ("which kernels of a profile are launches of it", {"kernels": ["stage0_*"]}),
        "workload": ("module:object of an installed package that compiles, launches and checks it", "my_kernels.stage0:workload"),
        "programs": ("by member, what one call executes, for times that nobody recorded", {"B": [{"operators": [NORM]}]}),
        "notes": ("free text", "spills at 168 registers"),
    },
    "Launch": {
        "threads": ("threads of a block", 256),
        "registers": ("registers of a thread", 255),
        "roles": ("warps with registers of their own, as setmaxnreg gives them", [{"name": "load", "threads": 128, "registers": 40}]),
        "ctas_per_sm": ("blocks that share one SM", 1),
        "cluster_ctas": ("blocks of a cluster", 2),
        "cooperative": ("whether it is launched cooperatively: all blocks at once, or none", True),
        "shared_bytes": ("shared memory of a block", 122880),
        "unverified": ("why a figure is left out; the result then says what was not checked", "the vendor prints no launch shape"),
    },
    "Role": {
        "name": ("what these warps do", "load"),
        "threads": ("their threads, whole groups of four warps", 128),
        "registers": ("registers of each of their threads", 40),
    },
    "Dispatch": {
        "kind": ("how it is launched: into a stream, in a graph, or cooperatively", "graph"),
        "host_waits": ("whether the host waits for what the launch waits for", False),
        "host_us": ("how long the host is busy with it, in microseconds; the device's figure where it is left out", 4.5),
        "exposed_us": ("how long the device waits for it, in microseconds; the device's figure where it is left out", 2),
        "gap_us": ("the time before each kernel of a graph, in microseconds; negative where it starts before the one ahead has ended", 1.3),
        "dependent": ("whether each kernel of a graph is launched while the one ahead still runs; it then states its own gap", True),
    },
    "Partition": {
        "mechanism": ("how SMs are reserved", "green_context"),
        "same_split": ("whether both sides are from one split of the SMs", True),
        "percentage": ("the active-thread percentage of an MPS client", 50),
    },
    "Placement": {"packed": ("in words, what makes its blocks fill one SM before the next", "a cluster of all blocks of an SM")},
    "Storage": {
        "policy": ("the name of the policy, where its times depend on it", "persistent"),
        "on_chip": ("tensors that stay on chip", ["kv"]),
        "forwarded": ("tensors that are handed on without a store and a load", ["hidden"]),
    },
    "Synchronization": {
        "kind": ("by what its blocks wait for each other", "counters"),
        "cost_us": ("what one wait costs, in microseconds", 1.1),
        "measured_on": ("the device on which that cost was measured", "h200"),
        "barriers_per_cta": ("how often each block meets the grid barrier", [4, 4]),
        "ordered": ("whether blocks that wait come after those that they wait for", True),
    },
    "Build": {
        "compiler": ("the compiler with its version", "nvcc 13.0"),
        "flags": ("its flags, in order", ["-O3", "--use_fast_math"]),
        "register_limit": ("the limit that it was compiled with", 128),
    },
    "Source": {
        "file": ("the file of its code, relative to the contract", "../kernels/stage0.cu"),
        "symbol": ("the name of the kernel in it", "stage0_loop"),
        "sha256": (
            "the hash of that file; records with another one are stale",
            HASH,
        ),
    },
    "Observed": {"kernels": ("patterns of the names of kernels in a profile", ["stage0_*"])},
    "BudgetRange": {
        "from": ("the first count", 60),
        "to": ("the last count that may be reached", 124),
        "step": ("how far counts are apart", 4),
    },
}
