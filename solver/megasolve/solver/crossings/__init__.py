"""Where an answer changes as one whole number grows: exactly, by asking as seldom as possible."""
