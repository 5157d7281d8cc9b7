package import Captures
package import OAuth

/// An answer that the server at the redirect URI sends on to its app, by a scheme of the app's own.
package enum RelayedAnswer {
    /// Where it is sent on to; nil where the answer's code does not go there.
    package static func target(of response: AuthorizationResponse, in capture: Capture) -> RecordedURL? {
        guard let code = response.code, !code.isEmpty, !response.parameters.contains("id_token"),
            let callback = response.callback, let location = capture[callback].response?.location
        else { return nil }
        let url = capture[callback].request.url.resolving(location)
        return !url.isWeb && url.queryItems.first("code") == code ? url : nil
    }
}
