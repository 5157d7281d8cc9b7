/// Times, versions and addresses as programs' own logs write them.
package enum ForeignTime {
    /// A time in seconds since 1970; nil outside of what a capture can have.
    package static func seconds(_ value: Double) -> Timestamp? {
        guard value.isFinite, value > 0, value < 9_000_000_000 else { return nil }
        // In microseconds, which a Double of this size still holds.
        return Timestamp(nanoseconds: Int64((value * 1e6).rounded()) * 1000)
    }

    /// A time span in seconds; nil where it goes backwards.
    static func span(from start: Double, to end: Double) -> Duration? {
        let span = end - start
        guard span.isFinite, span >= 0, span < 1e9 else { return nil }
        return .microseconds(Int64((span * 1e6).rounded()))
    }

    /// `HTTP/2` for `h2`; empty for nil.
    static func httpVersion(_ name: String?) -> String {
        switch name?.lowercased() {
        case "h2", "http/2.0", "http/2": "HTTP/2"
        case "h3", "h3-29", "http/3", "http/3.0": "HTTP/3"
        case "http/1.1": "HTTP/1.1"
        case "http/1.0": "HTTP/1.0"
        default: name ?? ""
        }
    }

    /// `TLSv1.3` for `TLS 1.3`.
    static func tlsVersion(_ name: String) -> String {
        name.hasPrefix("TLS ") ? "TLSv\(name.dropFirst(4))" : name
    }

    /// `ADDRESS:PORT`, in brackets for IPv6.
    static func address(_ host: String, port: Int64?) -> String {
        guard let port, port > 0, port < 65536 else { return URLAuthority.bracketed(host) }
        return URLAuthority.text(host, port: Int(port))
    }
}
