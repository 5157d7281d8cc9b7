import Captures

/// The processes of browsers: a connection that failed has mostly no user agent of its own.
struct BrowserProcesses {
    private let names: Set<String>

    init(_ capture: Capture) {
        names = Set(
            capture.indices.lazy.map { capture[$0] }.filter(Self.isSentByOne).compactMap(\.client.process)
        )
    }

    func contains(_ exchange: Exchange) -> Bool {
        Self.isSentByOne(exchange) || exchange.client.process.map(names.contains) ?? false
    }

    private static func isSentByOne(_ exchange: Exchange) -> Bool {
        guard let agent = exchange.request.userAgent else { return false }
        return UserAgentName.isOnDevice(agent) && !UserAgentName.isNativeApp(agent)
    }
}
