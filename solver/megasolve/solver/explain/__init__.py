"""Why a candidate scores what it scores."""
