"""Guards: before anything is measured on a machine, that what hangs can be stopped there and that what meets is resident together."""
