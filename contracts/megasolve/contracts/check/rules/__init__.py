"""The rules of files, a module for each family: a rule is the function that checks it, see `model.rules`."""
