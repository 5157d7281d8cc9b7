// Removed when the first real file of Proxy lands.
