internal import COpenSSL

/// What libcrypto said when a call failed; its queue is empty afterwards, so nothing leaks into the next
/// call.
package struct OpenSSLError: Error, Equatable, CustomStringConvertible {
    /// What was tried, in a few words.
    let what: String
    /// libcrypto's reason; empty where it gave none.
    let reason: String

    package init(what: String, reason: String) {
        self.what = what
        self.reason = reason
    }

    package var description: String { reason.isEmpty ? what : "\(what): \(reason)" }

    static func draining(_ what: String) -> OpenSSLError {
        let code = ERR_get_error()
        ERR_clear_error()
        let reason = code == 0 ? nil : ERR_reason_error_string(code).map { String(cString: $0) }
        return OpenSSLError(what: what, reason: reason ?? "")
    }
}
