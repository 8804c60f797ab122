"""What planners say of the candidates: as it was frozen before anybody measured, or as it is now."""
