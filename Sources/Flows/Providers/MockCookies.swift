/// Cookies by which a provider that is played knows a browser, besides those that it plays.
package enum MockCookies {
    /// Of whoever is signed in.
    ///
    /// No app has one of that name: cookies are not kept apart by port, and Flask calls its own `session`.
    package static let session = "authreel_session"
    /// Of a browser on its way through pages that were recorded without any cookie.
    package static let transaction = "authreel-transaction"

    package static let all: Set<String> = [session, transaction]
}
