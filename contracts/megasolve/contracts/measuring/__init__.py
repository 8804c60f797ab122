"""What a measurement came to, as it is told: values that the GPU package makes and the report shows."""
