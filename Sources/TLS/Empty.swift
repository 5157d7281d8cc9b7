// Removed when the first real file of TLS lands.
