package import Captures

/// A client that did not accept the recording proxy's certificate.
package enum RecorderRefusal {
    /// Whether an entry says so, in the words of one of the proxies that write it.
    package static func isOne(_ exchange: Exchange) -> Bool {
        guard exchange.response == nil, let words = exchange.failure?.lowercased() else { return false }
        if words.containsBytes("does not trust the proxy's certificate") { return true }
        if words.containsBytes("client tls handshake failed") && !words.containsBytes("server") { return true }
        if words.containsBytes("ssl handshake with client failed") {
            return ["certificate_unknown", "certificate unknown", "unknown_ca", "unknown ca", "bad_certificate", "bad certificate"].contains(where: words.containsBytes)
        }
        return words.containsBytes("ssl handshake failed")
    }
}
