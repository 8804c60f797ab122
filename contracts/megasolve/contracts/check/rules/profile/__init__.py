"""Rules for profiles beside contracts and records: what ran is what they say."""
