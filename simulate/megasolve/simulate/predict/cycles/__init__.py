"""What a steady cycle takes, by thread of the host and by side."""
