// Removed when the first real file lands.
