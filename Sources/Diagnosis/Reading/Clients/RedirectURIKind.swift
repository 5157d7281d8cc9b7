import Captures
import Flows
import OAuth

/// What is said of a redirect URI that is of a kind which a provider takes from nobody, or from no client of this type.
enum RedirectURIKind {
    static func fix(for sent: String?, isAtGoogle: Bool) -> String {
        let uri = RecordedURL(sent ?? "")
        if uri.scheme?.lowercased() == "urn" { return ofCopiedCodes }
        return isAtGoogle && uri.isOnLoopback ? ofLoopback : ofOtherKinds
    }

    /// What an app shows that lets its user copy the code was taken once, and a listener on the machine for every kind of client.
    static let explanation = """
        The provider looks at what kind of address a redirect_uri is before it compares it with those that are registered, and takes none \
        of this kind, or none for a client of this type.
        """
    private static let ofCopiedCodes = """
        Addresses that show the code for copying (urn:ietf:wg:oauth:2.0:oob) are no longer taken: let the app listen on http://127.0.0.1 \
        at a port of its choice, or use a private-use scheme, with a client of the type desktop or mobile. Where there is no browser, use \
        the device grant.
        """
    private static let ofLoopback = """
        Use a client of the type desktop app, for which Google takes loopback addresses. An app on Android or iOS, or an extension of a \
        browser, has a way of its own: the app's scheme, or Google's library for it.
        """
    private static let ofOtherKinds = """
        Send https for a web app, http for an address of the machine itself alone, and for an app its private-use scheme, each registered \
        under the platform that it is of.
        """
}
