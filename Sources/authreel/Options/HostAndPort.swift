import Captures
import Foundation

/// `HOST:PORT`, as options take it: an address to listen on, or a proxy to connect to.
struct HostAndPort: Sendable, Hashable {
    /// Without the brackets of an IPv6 address.
    var host: String
    var port: Int

    /// Reads the value of an option; without a host it is this machine.
    ///
    /// - Parameters:
    ///   - text: `HOST:PORT`, `:PORT` or `PORT`; an IPv6 address best in brackets.
    ///   - ports: those that make sense; 0 picks a free one where one is listened on.
    ///   - option: as the user wrote it: `--listen`.
    ///   - example: a command line that would do.
    /// - Throws: ``CommandFailure``.
    init(_ text: String, ports: ClosedRange<Int> = 0...65535, option: String, example: String) throws {
        let failure = CommandFailure.unfit(text, for: option, taking: "HOST:PORT", hint: example)
        let colon = text.lastIndex(of: ":")
        let digits = colon.map { text[text.index(after: $0)...] } ?? text[...]
        guard let port = Int(digits) else { throw failure }
        let host = colon.map { String(text[..<$0].withoutBrackets) } ?? ""
        // Of "::1" without a port the last colon is none before a port.
        guard !host.contains(":") || Self.isIPv6(host) else { throw failure }
        guard ports.contains(port) else {
            throw CommandFailure(
                .usage,
                "\(option): there is no port \(port)",
                hint: "ports go from \(ports.lowerBound) to \(ports.upperBound): \(example)"
            )
        }
        self.host = host.isEmpty ? "127.0.0.1" : host
        self.port = port
    }

    private static func isIPv6(_ host: String) -> Bool {
        var address = in6_addr()
        return inet_pton(AF_INET6, String(host.prefix { $0 != "%" }), &address) == 1
    }
}
