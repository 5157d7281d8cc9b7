// Removed when the first real file of Provider lands.
