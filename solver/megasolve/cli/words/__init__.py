"""What the words of a command line ask for: options that commands share, and the studies and profiles that they lead to."""
