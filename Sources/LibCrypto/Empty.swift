// Removed when the first real file of LibCrypto lands.
