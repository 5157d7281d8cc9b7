import Captures
import Flows

/// The page by which Firebase Authentication signs in at other providers, at the same path of whatever host it is served from.
enum FirebaseHelper {
    /// Whether it is the redirect URI of such a login.
    static func isOne(_ url: RecordedURL) -> Bool { url.path == HandedOnCode.firebaseHelper }

    /// Whether the page or what it loads for itself is at an address.
    static func isPart(_ url: RecordedURL) -> Bool {
        ["/__/auth/", "/__/firebase/"].contains(where: url.path.hasPrefix)
    }
}
