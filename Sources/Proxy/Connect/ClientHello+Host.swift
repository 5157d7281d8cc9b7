internal import Captures
internal import TLS

extension ClientHello {
    /// The host that the client asks for, as certificates name it; nil where it names none.
    ///
    /// RFC 6066, section 3, has no final dot there. Chromium sends the one that stands in the address bar, and leaves it out
    /// when it compares the certificate.
    var host: String? {
        guard let name = serverName.map({ String($0.withoutFinalDot) }), Origin.isHostName(name) else {
            return nil
        }
        return name
    }
}
