// Removed when the first real file of Wire lands.
