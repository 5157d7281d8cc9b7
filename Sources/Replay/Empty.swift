// Removed when the first real file of Replay lands.
