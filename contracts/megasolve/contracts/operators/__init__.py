"""What each kind of operator is: its sizes, its work, its bytes."""
