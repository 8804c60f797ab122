"""The properties of a spec."""

from __future__ import annotations

from megasolve.contracts import JsonObject

from .table import IGNORE, Properties

_REPEAT: JsonObject = {"name": "layer", "times": 28, "groups": ["attention", "mlp"]}
_OUTSIDE: JsonObject = {"what": "sampling", "time_us": 12.5, "because": "on the host"}

SPEC: Properties = {
    "Spec": {
        "megasolve": ("the kind of this file", "spec/v1"),
        "ignore": IGNORE,
        "name": ("the name of the spec, as results say it", "nh_tts"),
        "title": ("free text: what is planned", "NH-TTS, streaming text to speech"),
        "notes": ("free text: what to know before quoting a figure", "records reconstructed from published totals"),
        "device": ("the device to plan for: a shipped name, a name in devices/ beside the spec, or a path", "h100_nvl"),
        "other_devices": ("further devices that --device may choose", ["h200"]),
        "precision": ("the precision that all records are of", "bf16"),
        "batches": ("the batch sizes to plan for", [1, 32, 64]),
        "objective": (
            "the time to minimise, or the capacity; of a list the first decides, and each further one among equals",
            "first_publication",
        ),
        "constraints": ("what a plan must keep to", {"megakernels": {"at_most": 2}}),
        "groups": ("the phases of the model, in order", [{"name": "B", "role": "producer"}]),
        "edges": ("what waits for what; without edges inside a step the groups are a chain in their order", [{"from": "P", "to": "B"}]),
        "repeat": (
            "a block of groups of one role that runs several times in a row, or a list of such blocks",
            _REPEAT,
        ),
        "symbols": ("whole numbers by name, for the sizes of operators", {"layers": 16}),
        "stream": ("when the first chunk can start and when it is published", {"delay": 5, "first_chunk": 2, "lookahead": 1}),
        "arrivals": ("how often requests come: what a queue in front of the best design adds is simulated", {"requests_per_s": 2.5}),
        "publication": ("without a consumer: what the first output waits for", {"group": "P"}),
        "policies": ("how regions may share the GPU", ["serial", "dynamic"]),
        "budget_pairs": ("the splits X/Y that the implementations support", [{"producer_ctas": 88, "consumer_ctas": 44}]),
        "partition_pairs": ("the SM partitions X/Y to try under the policy `partition`", [{"producer_sms": 88, "consumer_sms": "rest"}]),
        "partition_by": ("what makes the partitions", "green_context"),
        "streams": ("how the consumers on a second stream are launched, where policies lists streams", {"waits_for": ["step", "stream"]}),
        "hosts": ("the threads of the host and whose launches each issues; one by default", {"main": ["P", "T"], "vocoder": ["C"]}),
        "contracts": ("patterns of contract files, relative to the spec", ["nh_tts/contracts/*.yaml"]),
        "records": ("patterns of files with records, relative to the spec", ["nh_tts/records/*.yaml"]),
        "compiled": ("patterns of files with what the compiler reports; check compares contracts with them", ["nh_tts/compiled.yaml"]),
        "measured": (
            "patterns of files with measured runs; they are shown beside the scores of the same, and enter none",
            ["nh_tts/measured/*.jsonl"],
        ),
        "profiles": ("patterns of profiles of what ran; check compares contracts and records with them", ["traces/*.json.gz"]),
        "attribution": ("how the kernels of profiles are told apart", {"steps": "marks:ProfilerStep#*"}),
        "outside": (
            "time that a profile has and this plan does not; it enters no score",
            [_OUTSIDE],
        ),
        "assume": ("megakernels that nobody built, and what they would be like", [{"fuse": ["attn", "mlp"], "wait_us": 1.2}]),
    },
    "GroupSpec": {
        "name": ("the name of the group, as ids of candidates say it", "B"),
        "role": ("when it runs: once per request, once per step, or once per chunk", "producer"),
        "title": ("free text: what it is", "Nemotron-H backbone"),
        "calls": ("how many calls one occurrence has", 8),
        "shapes": ("sizes that its records must carry", {"context": 4096}),
        "left_context_frames": ("frames before its chunk that a consumer decodes again", 25),
    },
    "Edge": {
        "from": ("the group that is waited for", "L"),
        "to": ("the group that waits", "C"),
        "distance": ("0 within a step, 1 where the loop carries it to the next one", 1),
        "kind": ("data, state, or publication: what the first publication waits for", "data"),
    },
    "StreamChoices": {
        "waits_for": ("what the first chunk waits for: an event of step r, or the whole next step of the stream; both are tried", ["step"]),
        "inside": ("whether regions of one role that no path of edges joins run on two streams, too", True),
        "priority": ("whose kernel starts first where two become ready at one instant", "consumer"),
    },
    "RepeatedBlock": {
        "name": ("the name of the block", "layer"),
        "times": ("how often it runs in a row", 28),
        "groups": ("its groups, all of one role", ["attention", "mlp"]),
    },
    "StreamSchedule": {
        "delay": ("steps before the first frame", 5),
        "first_chunk": ("frames of the first chunk", 2),
        "lookahead": ("further steps that publication alone waits for", 1),
        "right_context": ("further steps that the consumer itself needs", 0),
        "next_chunk": ("frames of a later chunk", 8),
        "interleave": ("frames per steps, where a frame takes more than a step", {"steps": 2, "frames": 1}),
        "length_steps": ("the steps of a whole request", 650),
        "frame_us": ("how long one frame plays, in microseconds", 80000),
    },
    "Interleave": {
        "steps": ("producer steps of a turn", 2),
        "frames": ("frames that such a turn makes", 1),
    },
    "Publication": {
        "group": ("the group that the first output waits for", "P"),
        "step": ("of a producer, after which step", 1),
    },
    "BudgetPair": {
        "producer_ctas": ("the CTAs of the producers: a count or a range", 88),
        "consumer_ctas": ("the CTAs of the consumers: a count, a range, or the rest", 44),
    },
    "Arrivals": {"requests_per_s": ("requests per second, on average", 2.5)},
    "PartitionPair": {
        "producer_sms": ("the SMs of the producers, or a range of them", 88),
        "consumer_sms": ("the SMs of the consumers, a range of them, or the rest", "rest"),
    },
    "BudgetRange": {
        "from": ("the first count", 60),
        "to": ("the last count that may be reached", 124),
        "step": ("how far counts are apart", 4),
    },
    "Constraints": {
        "megakernels": ("the most regions that are megakernels", {"at_most": 2}),
        "new_megakernels": ("the most megakernels without a measured record", {"at_most": 1}),
        "conventional": ("groups that are in no megakernel", ["C"]),
        "entries": ("the entry, or the implementation, that runs a group", {"B": "B_v2"}),
        "together": ("groups that share one region", [["B", "L"]]),
        "apart": ("groups of which no two share a region", [["P", "B"]]),
        "requires": ("entries that need another one in the plan", [{"entry": "T_mega", "needs": "P_for_mega"}]),
        "excludes": ("entries of which a plan has at most one", [["X", "Y"]]),
        "workspace_bytes": ("the most bytes that all entries of a plan keep for themselves", 1073741824),
        "limits": ("the longest times, whatever is minimised", {"first_publication_us": 30000}),
    },
    "AtMost": {"at_most": ("the largest number that is allowed", 2)},
    "Requirement": {
        "entry": ("the entry that needs another one", "T_mega"),
        "needs": ("the entry that it needs", "P_for_mega"),
    },
    "TimeLimits": {
        "first_publication_us": ("the longest time to the first publication, in microseconds", 30000),
        "producer_step_us": ("the longest steady time from step to step, in microseconds", 12500),
        "chunk_interval_us": ("the longest steady time from chunk to chunk, in microseconds", 80000),
    },
    "Attribution": {
        "steps": ("where steps begin: whole, replays, marks:GLOB, period:N or period:auto", "marks:ProfilerStep#*"),
        "skip": ("steps to leave out at the start", 2),
        "gpu": ("the number of the GPU, where a profile has several", 0),
        "order": ("how places in a step are counted: as kernels start, or as the host called for them", "launch"),
        "groups": ("the kernels of each group", [{"group": "P", "ranges": ["prefill*"]}]),
    },
    "GroupAttribution": {
        "group": ("the group", "P"),
        "ranges": ("patterns of annotations around the launch of its kernels", ["prefill*"]),
        "names": ("patterns of the names of its kernels", ["*flash_fwd*"]),
        "part": ("kernels before the first step, or after the last one", "before"),
        "at": ("kernels at these places of a step", {"first": 0, "kernels": 12}),
    },
    "KernelPlaces": {
        "first": ("the place of the first kernel in a step, from 0", 0),
        "kernels": ("how many kernels in a row", 12),
        "every": ("after how many kernels the same places come again", 24),
        "times": ("how often they come in all", 28),
    },
    "OutsideTime": {
        "what": ("what takes the time", "a wait before 'sampling'"),
        "time_us": ("how long, in microseconds", 12.5),
        "because": ("why it is in no record and no gap", "no launch costs it"),
    },
}
