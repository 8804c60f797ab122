"""Compositions that others built step by step and timed, beside their parts: first chunks, frames, pipelines."""

from __future__ import annotations

from megasolve.contracts import PS_PER_MS
from megasolve.solver import plan

from .published_derived import changed, score_ms, shipped_study
from .published_row import Published, Row

VOICE = Published("ladder", "techbyhemant/voice-megakernel at 1f1a7b18: RTX 5090, Qwen3-TTS 0.6B, medians of 7 runs", "ms")
MEGA, GRAPH = "c:P/m:Q/m:T/c:C@serial", "c:P+Q/m:T/c:C@serial"
FIRST_MS = {1: 47.9, 2: 52.8, 4: 63.0, 6: 72.0, 8: 82.0}
FIRST_GRAPH_MS = {1: 55.0, 2: 64.0, 4: 84.0}
FITTED_CHUNKS = (1, 8)
GRAPH_HOST = "each launch of the predictor's graph has host time that the megakernel does not; nobody published how much"
GLUE = (
    "the graphed talker solved from the first rung, and 1.2 ms a frame of host time (0.9 to 1.5) from real time factors of totals: "
    "counts for nothing"
)
RUNGS_MS = (82.0, 67.0, 54.0, 43.0)
RUNGS = ("graphs and an eager codec", "talker as a megakernel", "and the predictor", "and the codec as a graph")
NO_HOST = "the host's part, 7 to 8 ms here, is not published as a part of this machine"


def ladder_rows() -> list[Row]:
    """Return what was built of the talker, the code predictor and the codec, part by part."""
    return [*_voice_rows(), *_second_machine_rows(), *_others(), *_jetson_rows(), *_batch_rows()]


def _voice_rows() -> list[Row]:
    fit = "71.4 us a frame and 6.53 ms once of host time, fitted to the chunks of 1 and 8 frames"
    rows = []
    for frames, theirs in FIRST_MS.items():
        ours, figure = first_ms(MEGA, frames), f"two megakernels, eager codec, first chunk of {frames}"
        if frames in FITTED_CHUNKS:
            rows.append(VOICE.fitted(figure, theirs, ours, basis=fit))
        else:
            rows.append(VOICE.predicted(figure, theirs, ours, basis=fit))
    graph = (
        VOICE.predicted(f"predictor as a graph, first chunk of {frames}", theirs, first_ms(GRAPH, frames), basis=fit, reason=GRAPH_HOST)
        for frames, theirs in FIRST_GRAPH_MS.items()
    )
    return [*rows, *graph]


def _second_machine_rows() -> list[Row]:
    """The other machine has a slower host: parts alone say how far off a plan without host time is."""
    basis = "parts only, no host time"
    host_ms = first_ms(MEGA, 2) - sum((20.5, 2 * (0.985 + 3.815), 16.0))
    slow_predictor_ms = first_ms(GRAPH, 2) - host_ms + 2 * (10.7 - 8.575)
    return [
        VOICE.predicted("second machine, predictor as a graph, chunk of 2", 67.0, slow_predictor_ms, basis=basis, reason=NO_HOST),
        VOICE.predicted("second machine, eager codec, chunk of 2", 54.0, first_ms(MEGA, 2) - host_ms, basis=basis, reason=NO_HOST),
        VOICE.predicted(
            "second machine, codec as a graph", 43.0, first_ms(MEGA, 2, codec="C_graph") - host_ms, basis=basis, reason=NO_HOST
        ),
        *(
            VOICE.fitted(f"second machine with glue, {rung}", theirs, ours, basis=GLUE)
            for rung, theirs, ours in zip(RUNGS, RUNGS_MS, rungs_ms(), strict=True)
        ),
    ]


def rungs_ms() -> list[float]:
    """Return the scores of the build order of the second machine, from nothing new to all that was built."""
    (batch,) = plan(shipped_study("published/voice_ladder")).batches
    return [float(row.best.score_ps) / PS_PER_MS for row in batch.order.rows]


def first_ms(candidate: str, frames: int, *, codec: str = "C_eager") -> float:
    """Return the time to the first chunk of *frames* frames of *candidate* of the voice megakernel."""
    study = shipped_study("published/voice_megakernel")
    value = study.spec.value
    stream = value.stream and value.stream.model_copy(update={"first_chunk": frames})
    return score_ms(changed(study, stream=stream), candidate, entries={"C": codec})


E3 = Published("ladder", "pratham7711/e3-megakernel-tts-takehome at 32a9ca34: RTX 5090, Qwen3-TTS 1.7B, 5 runs", "ms")
CODES = Published("ladder", "jayanth-kumar-morem/qwen-megakernel-tts at 8cbdd2f0: RTX 5090, Qwen3-TTS 0.6B", "ms")
TURBO = Published("ladder", "Imtoocompedidiv/qwen-tts-turbo at c18181e7: Qwen3-TTS 1.7B, cached prefix, p50", "ms")
SLOW_FIRST = "the first talker step and the first frame of the predictor take 3.1 and 13.0 ms there, later ones 1.0 and 10.35"


def _others() -> list[Row]:
    codes = score_ms(shipped_study("published/qwen_megakernel_tts"), "c:K/m:P/m:T/m:Q/c:C@serial")
    turbo = {name: score_ms(shipped_study("published/qwen_tts_turbo", name), "c:S/m:Q/c:C@serial") for name in ("rtx_5090", "h100_sxm")}
    return [
        E3.predicted(
            "e3, a frame with the talker as a megakernel", 11.62, score_ms(shipped_study("published/e3_tts"), "c:Q/m:T/c:S+R@serial")
        ),
        E3.missing("e3, a frame with the talker as a graph", 14.5, lacks="a time of the talker as a graph"),
        E3.missing("e3, first chunk", 25.32, lacks="a time of the prefill"),
        CODES.predicted("first codes", 50.5, codes - 38.0, reason=SLOW_FIRST),
        CODES.predicted("first audio", 81.6, codes),
        TURBO.predicted("first sound on an RTX 5090", 11.0, turbo["rtx_5090"], reason="its parts are rounded to a millisecond"),
        TURBO.predicted("first sound on an H100", 16.0, turbo["h100_sxm"]),
    ]


JETSON = Published("ladder", "andimarafioti/faster-qwen3-tts at a70afc0f: Qwen3-TTS 0.6B on a Jetson AGX Orin, by frames of a chunk", "ms")
JETSON_MS = {1: 240.0, 2: 266.0, 4: 362.0, 8: 556.0, 12: 753.0}
JETSON_SPEEDS = {1: 0.750, 2: 1.042, 4: 1.251, 8: 1.384, 12: 1.449}
"""Seconds of sound a second."""

JETSON_FITTED = (2, 12)
FRAME_MS = 80.0
FRONT_PAGE_MS, EAGER_MS = 597.0, 3641.0
AGAIN = "measured at another time: the same chunk takes 556 ms in the sweep, which the fit is from"
INSIDE = "the host's part of an eager frame is published inside of a sum only, and its first audio is of other code that streams"
WHOLE_RUN = "a whole run has its prefill in every frame, and caches that grow; an interval has neither"
COSY = Published("ladder", "FunAudioLLM/CosyVoice pull request 1850: L20, whole pipeline by batch", "s")
COSY_S = {1: 19.48, 2: 14.91, 4: 11.43, 8: 9.53, 16: 8.83}
COSY_FITTED_BATCH = 1


def _jetson_rows() -> list[Row]:
    """Parts as graphs and eager; what a frame and a chunk have beside them is fitted to two chunks of the sweep."""
    parts = "talker 12 and predictor 26 ms a frame as graphs; 10.7 ms beside them and 168.6 ms once are fitted to chunks of 2 and 12"
    again = "of what comes once, 51.8 ms are of each chunk: fitted to the difference of chunks of 2 and 12"
    eager = "talker 75 and predictor 190 ms a frame, the rest as fitted to the graphs"
    return [
        *(
            _jetson_row(f"Qwen3-TTS graphs, first chunk of {frames}", JETSON_MS[frames], frames, first_audio_ms(frames), parts)
            for frames in JETSON_MS
        ),
        *(
            _jetson_row(f"a frame of a run in chunks of {frames}", FRAME_MS / speed, frames, frame_ms(frames), again, reason=WHOLE_RUN)
            for frames, speed in JETSON_SPEEDS.items()
        ),
        JETSON.predicted("the front page's first chunk of 8", FRONT_PAGE_MS, first_audio_ms(8), basis=parts, reason=AGAIN),
        JETSON.predicted("eager, first chunk of 8", EAGER_MS, first_audio_ms(8, "eager"), basis=eager, reason=INSIDE),
    ]


def _jetson_row(figure: str, theirs: float, frames: int, ours: float, basis: str, *, reason: str = "") -> Row:
    return (JETSON.fitted if frames in JETSON_FITTED else JETSON.predicted)(figure, theirs, ours, basis=basis, reason=reason)


def first_audio_ms(frames: int, way: str = "graph") -> float:
    """Return the first audio of chunks of *frames* on the Jetson, talker and predictor as graphs or eager."""
    return _jetson_ms(frames, way, "first_publication")


def frame_ms(frames: int) -> float:
    """Return what a frame takes on the Jetson once chunks of *frames* follow each other."""
    return _jetson_ms(frames, "graph", "chunk_interval") / frames


def _jetson_ms(frames: int, way: str, objective: str) -> float:
    study = shipped_study("published/jetson_qwen3_tts")
    stream = study.spec.value.stream
    chunks = stream and stream.model_copy(update={"first_chunk": frames, "next_chunk": frames})
    return score_ms(changed(study, stream=chunks), "c:P/c:Q/c:T/c:G/c:C@serial", entries={"Q": way, "T": way}, objective=objective)


def _batch_rows() -> list[Row]:
    study, basis = shipped_study("published/cosyvoice"), "both stages, and 0.55 s beside them, from batch 1"
    return [
        (COSY.fitted if batch == COSY_FITTED_BATCH else COSY.predicted)(
            f"CosyVoice pipeline, batch {batch}", theirs, score_ms(study, "c:A/c:W@serial", batch=batch) / 1000, basis=basis
        )
        for batch, theirs in COSY_S.items()
    ]
