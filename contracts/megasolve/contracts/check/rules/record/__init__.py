"""Rules for records, alone and as the evidence of a study."""
