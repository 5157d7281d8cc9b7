/// Names and addresses of the machine itself.
package enum LoopbackHost {
    /// `localhost`, names below it, 127.0.0.0/8 and `[::1]`.
    package static func isLoopback(_ host: String) -> Bool {
        host == "localhost" || host.hasSuffix(".localhost") || host == "[::1]" || host == "::1"
            || isLoopbackAddress(host)
    }

    private static func isLoopbackAddress(_ host: String) -> Bool {
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }
}
