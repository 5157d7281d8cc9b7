/// Ports at which something else than HTTP is to be expected.
///
/// A connection that came about shows by its bytes what it is for; of one that did not there is nothing but the port.
enum OtherPorts {
    /// Whether who is refused there may have wanted to speak HTTP.
    static func mayBeWeb(_ port: UInt16) -> Bool {
        port < 1024 ? web.contains(port) : !others.contains(port)
    }

    /// Of the well-known ports (RFC 6335, section 6) those of HTTP.
    private static let web: Set<UInt16> = [80, 81, 443, 591, 832]

    /// Databases, brokers, caches, directories, mail, telemetry: what servers of logins have beside them.
    private static let others: Set<UInt16> = [
        1433, 1434, 1521, 1883, 2049, 2181, 2375, 2376, 2379, 2380, 3268, 3269, 3306, 3389, 4222, 4317, 5060,
        5222, 5353,
        5432, 5433, 5671, 5672, 5900, 6379, 6380, 6432, 7199, 8125, 9042, 9092, 9093, 9300, 11211, 11311,
        15672,
        26257, 26379, 27017, 27018, 27019, 33060, 61613, 61616,
    ]
}
