/// The authority of a URL, made of a host and a port (RFC 3986, section 3.2).
package enum URLAuthority {
    /// `HOST:PORT`.
    package static func text(_ host: String, port: Int) -> String { "\(bracketed(host)):\(port)" }

    /// A host as it stands before a port: an address of IPv6 in brackets, which it may have already (section 3.2.2).
    package static func bracketed(_ host: String) -> String {
        host.utf8.contains(0x3a) && host.utf8.first != 0x5b ? "[\(host)]" : host
    }
}
