"""What is known of times: records by their exact key, times derived from programs, and what is missing."""
