"""Where results go: streams and files, written whole or not at all."""
