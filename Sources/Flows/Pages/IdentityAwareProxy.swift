import Captures

/// Google's Identity-Aware Proxy, which signs users in for the apps behind it and then looks whether the app is theirs.
package enum IdentityAwareProxy {
    /// The answer by which the proxy lets nobody through where a callback led to; nil where the app answered, or anything else.
    package static func refusal(behind callback: Int, in index: CaptureIndex) -> Int? {
        for next in index.redirects(behind: callback, atMost: mostRedirects) {
            guard let answer = index.capture[next].response else { return nil }
            if answer.status == 403, isItsOwn(answer) { return next }
        }
        return nil
    }

    /// What it sets in answers that are not the app's.
    package static let mark = "X-Goog-IAP-Generated-Response"

    private static func isItsOwn(_ answer: RecordedResponse) -> Bool {
        answer.headers.first(mark)?.equalsIgnoringASCIICase("true") ?? false
    }

    private static let mostRedirects = 5
}
