// Removed when the first real file of Reports lands.
