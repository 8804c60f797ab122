"""Many studies: every spec and batch a task of its own, answers in the order asked, and a store of what is finished."""
