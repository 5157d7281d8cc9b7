internal import Captures

/// What became of a packet capture.
package struct PacketImportReport: Sendable {
    /// How many there were of what.
    package struct Counts: Sendable, Equatable {
        package var packets = 0
        package var connections = 0
        package var tlsConnections = 0
        /// In TLS, without keys for it.
        package var unreadConnections = 0
        /// Of the unread ones, those of QUIC with both directions in the capture.
        package var unreadQUICConnections = 0
        /// Of the unread ones, those that begin in the capture and that the key logs have nothing of: only their keys are missing.
        package var keylessConnections = 0
        /// In TLS, of which one direction only is in the capture: no keys open them.
        package var oneWayConnections = 0
        /// In clear, of which one direction only is in the capture.
        package var oneWayClearConnections = 0
        /// Began before the capture.
        package var midStreamConnections = 0
        /// Of them, those that were not read: no request was seen to begin in them.
        package var lateConnections = 0
        /// In the capture once more, as their numbers and bytes say: their exchanges stand in it once.
        package var repeatedConnections = 0
        /// Neither TLS nor HTTP.
        package var otherConnections = 0
        package var exchanges = 0
        /// Connections that the key logs have secrets of.
        package var keys = 0

        package init() {}

        /// What else may be done where QUIC could not be read: of phones, and of most apps, there are no keys.
        package var adviceOnQUIC: String? {
            guard unreadQUICConnections > 0 else { return nil }
            let which = "\(unreadQUICConnections.counted("connection")) that could not be read"
            return
                "\(which) \(unreadQUICConnections == 1 ? "speaks" : "speak") QUIC (HTTP/3): a client whose keys cannot be had falls"
                + " back to HTTP/2 where it may not use UDP port 443, and for that a proxy will do"
        }
    }

    package var counts = Counts()
    /// What could not be read, with its place; the first hundred.
    package var losses: [PacketLoss] = []
    /// How many more there were.
    package var furtherLosses = 0

    package init() {}
}
