package import Captures
package import OAuth

/// Whether the page at the redirect URI is the one that a code is handed to.
extension HandedOnCode {
    /// Firebase's page that brings a code to Google's identity service, in the app's stead.
    package static let firebaseHelper = "/__/auth/handler"

    /// Whether the page that was loaded at a redirect URI is the client itself: a page of its origin asked the provider for
    /// metadata, keys or tokens, or it is Firebase's.
    package static func isForPage(
        _ response: AuthorizationResponse,
        of messages: [OAuthMessage],
        in capture: Capture
    ) -> Bool {
        guard let answer = response.callback.flatMap({ capture[$0].response }),
            answer.isSuccessful, answer.setCookies.isEmpty, isPage(answer),
            let origin = response.target.origin
        else { return false }
        if response.target.path == firebaseHelper { return isBegunByPage(at: origin, capture) }
        return messages.contains { message in
            switch message {
            case .discovery, .keySet, .token:
                capture[message.exchange].request.headers.first("origin").map {
                    RecordedURL($0).origin == origin
                }
                    ?? false
            default: false
            }
        }
    }

    /// Whether a page of a web app sent the browser to Firebase's helper; for an app on a device, which names itself (`apn`, `ibi`),
    /// that hands the code on by the app's own scheme.
    private static func isBegunByPage(at origin: String, _ capture: Capture) -> Bool {
        let begun = capture.indices.lazy.map { capture[$0].request.url }.filter { url in
            url.path == firebaseHelper && url.origin == origin && url.queryItems.first("authType") != nil
        }
        return !begun.isEmpty
            && begun.allSatisfy { $0.queryItems.first("apn") == nil && $0.queryItems.first("ibi") == nil }
    }

    private static func isPage(_ answer: RecordedResponse) -> Bool {
        var body = answer.body ?? Body(content: .missing)
        body.mediaType = body.mediaType ?? answer.headers.first("content-type")
        return body.isPage
    }
}
