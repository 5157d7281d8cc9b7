package import Captures
package import OAuth

/// A code that was exchanged behind a page of errors at the redirect URI: by an app that reads the address its web view is at,
/// or by the script of a page that is served with 404.
package enum TakenCode {
    /// Whether a code was exchanged so, on the user's device: a server that answers with an error has no further use for it.
    package static func isTaken(
        _ code: String?,
        behind callback: Int,
        by tokens: [TokenRequest],
        in capture: Capture
    ) -> Bool {
        guard let code else { return false }
        let end = capture[callback].endedAt
        return tokens.contains { request in
            request.code == code && request.answer.isSuccess && request.startedAt >= end
                && UserAgentName.isOnDevice(
                    capture[request.exchange].request.userAgent ?? ""
                )
        }
    }
}
