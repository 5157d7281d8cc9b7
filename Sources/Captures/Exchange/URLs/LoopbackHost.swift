/// Names and addresses of the machine itself.
package enum LoopbackHost {
    /// `localhost`, names below it, 127.0.0.0/8 and `[::1]`.
    package static func isLoopback(_ host: String) -> Bool {
        host == "localhost" || host.hasSuffix(".localhost") || host == "[::1]" || host == "::1"
            || isLoopbackAddress(host)
    }

    /// Whether a port is one of those that a system gives to who asks for any: Linux's begin at 32768, others' higher.
    package static func isChosenAnew(port: Int) -> Bool { port >= 32768 }

    private static func isLoopbackAddress(_ host: String) -> Bool {
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        // Signs are no digits: what is no address is a name, which anybody's server may answer for.
        return parts.count == 4 && parts[0] == "127"
            && parts.allSatisfy { $0.utf8.allSatisfy(\.isASCIIDigit) && UInt8($0) != nil }
    }
}

extension RecordedURL {
    /// Whether its host is this machine under a name that is nobody else's (``LoopbackHost``).
    package var isOnLoopback: Bool { host.map(LoopbackHost.isLoopback) ?? false }
}
