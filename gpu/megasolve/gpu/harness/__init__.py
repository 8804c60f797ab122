"""What every experiment needs: child processes, sessions on a device, timing, and files that are written as results come."""
