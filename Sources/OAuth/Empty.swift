// Removed when the first real file of OAuth lands.
