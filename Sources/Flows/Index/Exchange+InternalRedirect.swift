package import Captures

extension Exchange {
    /// Whether it is a redirect that a browser made up, as it does for hosts that are to be asked over https alone (RFC 6797,
    /// section 8.3): nothing was sent.
    package var isInternalRedirect: Bool {
        response.map { $0.isRedirection && $0.headers.contains("non-authoritative-reason") }
            ?? false
    }
}
