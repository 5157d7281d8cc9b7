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
        // One that nobody asked for gives way.
        var taken = listen == nil ? [] : [proxy]
        return try reverse.map { text in
            let played = try parse(text)
            let host = played.listeningHost
            let address = (host: host, port: played.listeningPort)
            if let other = taken.first(where: { Self.overlap($0, address) }) {
                let isSame = other.host == host || other.host == "localhost" || host == "localhost"
                let place = URLAuthority.text(other.host, port: address.port)
                throw CommandFailure(
                    .usage,
                    "\(URLAuthority.text(host, port: address.port)) is asked for twice"
                        + (isSame ? "" : ": \(place) is at the same place"),
                    hint:
                        "each --reverse wants an address of its own: --reverse \(played.url)=\(URLAuthority.bracketed(host)):0"
                )
            }
            taken.append(address)
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

    /// Whether nobody can listen at both: they are the same, or one is every address.
    private static func overlap(_ one: (host: String, port: Int), _ other: (host: String, port: Int)) -> Bool
    {
        // The system picks 0 so that it does not.
        guard one.port == other.port, one.port != 0 else { return false }
        let hosts = [one.host, other.host].map { $0 == "localhost" ? "127.0.0.1" : $0.lowercased() }
        if hosts[0] == hosts[1] || hosts.contains("::") { return true }
        return hosts.contains("0.0.0.0") && !hosts.contains { $0.utf8.contains(0x3a) }
    }

    /// The addresses that others on the network can reach.
    static func remote(_ configuration: ProxyConfiguration) -> [ReverseOrigin] {
        configuration.reverse.filter { !LoopbackHost.isLoopback($0.listeningHost) }
    }
}
