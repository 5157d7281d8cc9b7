// Removed when the first real file of JOSE lands.
