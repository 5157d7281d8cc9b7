internal import Captures
internal import NIOCore

/// Hosts as options name them: `login.example`, or `*.example` for everything below it (and itself), in any case and with a final dot
/// or without.
package struct HostPattern: Sendable, Hashable, CustomStringConvertible {
    package let description: String
    private let name: String
    private let includesSubdomains: Bool

    package init(_ text: String) {
        description = text
        var name = Substring(text.lowercased())
        var includesSubdomains = false
        if name.utf8.starts(with: "*.".utf8) {
            name = name.dropFirst(2)
            includesSubdomains = true
        } else if name.utf8.first == 0x2e {
            name = name.dropFirst()
            includesSubdomains = true
        }
        self.name = String(name.withoutFinalDot)
        self.includesSubdomains = includesSubdomains
    }

    /// Whether a text can match anything: a name or an address, without scheme, port and path.
    package static func isOne(_ text: String) -> Bool {
        let name =
            text.utf8.starts(with: "*.".utf8)
            ? text.dropFirst(2) : text.dropFirst(text.hasPrefix(".") ? 1 : 0)
        guard !name.utf8.starts(with: ".".utf8) else { return false }
        return Origin.isHostName(String(name))
            || (try? SocketAddress(ipAddress: String(name), port: 0)) != nil
    }

    /// Compares without regard to case and to a final dot.
    package func matches(_ host: String) -> Bool {
        let host = host.lowercased().withoutFinalDot
        if host == name { return true }
        return includesSubdomains && host.utf8.count > name.utf8.count && host.hasSuffix("." + name)
    }
}
