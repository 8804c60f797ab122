"""What a region without megakernel evidence could save: today's time, its floor, its break-even, and in which order to build."""
