"""What to import instead of the files that other tools write; the reasons for refusing those files end in one of these."""

TRACE = "import the trace itself"
TORCH_TRACE = "import the trace that torch.profiler's export_chrome_trace writes"
RECORD = "record kernels with nsys, torch.profiler or ncu, and import that"
ROCM = "record the ROCm program with torch.profiler and import that trace"
SQLITE = "run `nsys export --type sqlite REPORT` and import what that writes"
TRTEXEC = "import what trtexec --exportProfile or --exportLayerInfo writes"
