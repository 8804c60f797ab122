"""The rules of files, a module or a folder for each code prefix; what a device can hold is ruled beside its arithmetic, in `limits`."""
