import Captures

extension RecordedURL {
    /// Whether it is an absolute URI without a fragment, as a resource is (RFC 8707, section 2) and a redirect URI (RFC 6749, section
    /// 3.1.2).
    var isAbsoluteWithoutFragment: Bool { !(scheme ?? "").isEmpty && !text.utf8.contains(0x23) }

    /// Whether it is no place: a browser that is led there runs or shows what the address itself says, in the name of the page that
    /// led it (HTML, section 7.4.2.3.2).
    var isContent: Bool { ["data", "javascript", "vbscript"].contains(scheme?.lowercased() ?? "") }
}
