import Captures
import Proxy

/// `--reverse`: the origins that are played at addresses of their own.
extension ProxyOptions {
    /// Reads the options.
    ///
    /// - Parameter proxy: where the proxy itself listens.
    /// - Returns: the origins, each with its address.
    /// - Throws: ``CommandFailure`` for what cannot be understood, or cannot be.
    func reverseOrigins(besides proxy: (host: String, port: Int)) throws -> [ReverseOrigin] {
        var taken: Set<String> = []
        // One that nobody asked for gives way.
        if listen != nil, let address = Self.address(proxy.host, proxy.port) { taken.insert(address) }
        return try reverse.map { text in
            let played = try parse(text)
            let host = played.listeningHost
            if let address = Self.address(host, played.listeningPort), !taken.insert(address).inserted {
                throw CommandFailure(
                    .usage,
                    "\(Self.bracketed(host)):\(played.listeningPort) is asked for twice",
                    hint:
                        "each --reverse wants an address of its own: --reverse \(played.url)=\(Self.bracketed(host)):0"
                )
            }
            guard allowRemote || LoopbackHost.isLoopback(host) else {
                throw CommandFailure(
                    .usage,
                    "\(host) is no loopback address: anyone on the network could use \(played.url) through it",
                    hint: "where that is wanted: \(Invocation.name) record --allow-remote --reverse \(text)"
                )
            }
            let passed = passThrough.first { HostPattern($0).matches(played.host) }
            if let passed {
                throw CommandFailure(
                    .usage,
                    "--pass-through \(passed) leaves unread what --reverse \(text) is to record",
                    hint: "leave out one of the two"
                )
            }
            return played
        }
    }

    private func parse(_ text: String) throws -> ReverseOrigin {
        do throws(ReverseOriginError) {
            return try ReverseOrigin(text)
        } catch {
            throw CommandFailure(
                .usage,
                "--reverse: \(error)",
                hint: "\(Invocation.name) record --reverse https://idp.example=127.0.0.1:9443"
            )
        }
    }

    /// What tells addresses apart; nil for one that the system picks.
    private static func address(_ host: String, _ port: Int) -> String? {
        port == 0 ? nil : "\(host == "localhost" ? "127.0.0.1" : host.lowercased()):\(port)"
    }

    /// The addresses that others on the network can reach.
    static func remote(_ configuration: ProxyConfiguration) -> [ReverseOrigin] {
        configuration.reverse.filter { !LoopbackHost.isLoopback($0.listeningHost) }
    }
}
