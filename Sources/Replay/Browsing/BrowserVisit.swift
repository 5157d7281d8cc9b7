package import Captures

/// A way through the provider's pages that a real browser is to go: from a request of the app's to the response to
/// it.
package struct BrowserVisit: Sendable {
    /// What the app opens.
    package var url: RecordedURL
    /// Where the response goes: requests to it are caught; nil where there is none.
    package var target: RedirectTarget?
    /// Whether the recording has a response; without one the visit ends where nothing more happens.
    package var expectsResponse: Bool
    package var entries: PersonsEntries
    /// Cookies that the browser has to have besides those that it got itself.
    package var cookies: [Cookie]
    /// Whether somebody signs in by hand, where the browser can be seen.
    package var isForPerson: Bool
    /// Whether a request may go there.
    package var allows: @Sendable (RecordedURL) -> Bool

    /// A cookie as a browser takes it.
    package struct Cookie: Sendable, Hashable {
        package var name: String
        package var value: String
        package var domain: String
        package var isHostOnly: Bool
        package var path: String
        package var isSecure: Bool
        package var isHTTPOnly: Bool
        package var sameSite: String?
        package var expiresAt: Timestamp?

        package init(
            name: String,
            value: String,
            domain: String,
            isHostOnly: Bool = true,
            path: String = "/",
            isSecure: Bool = false,
            isHTTPOnly: Bool = false,
            sameSite: String? = nil,
            expiresAt: Timestamp? = nil
        ) {
            self.name = name
            self.value = value
            self.domain = domain
            self.isHostOnly = isHostOnly
            self.path = path
            self.isSecure = isSecure
            self.isHTTPOnly = isHTTPOnly
            self.sameSite = sameSite
            self.expiresAt = expiresAt
        }
    }

    package init(
        url: RecordedURL,
        target: RedirectTarget? = nil,
        expectsResponse: Bool = true,
        entries: PersonsEntries = PersonsEntries(),
        cookies: [Cookie] = [],
        isForPerson: Bool = true,
        allows: @escaping @Sendable (RecordedURL) -> Bool
    ) {
        self.url = url
        self.target = target
        self.expectsResponse = expectsResponse
        self.entries = entries
        self.cookies = cookies
        self.isForPerson = isForPerson
        self.allows = allows
    }

    /// How a visit ended.
    package enum Ending: Sendable, Hashable {
        /// The response was caught on its way to the app.
        case answered(QueryItems)
        /// Nothing more happens, and nothing more was expected.
        case settled
        /// A page on which nothing of the recording can be done, or that does not move on.
        case stuck(url: String, title: String, fields: [String])
        /// A page of somebody who is no part of the replay was about to be opened.
        case leadsElsewhere(url: String)
        /// The person closed the window.
        case closed
        /// The browser could not do it.
        case failed(reason: String)
    }

    /// What came of a visit.
    package struct Outcome: Sendable {
        package var ending: Ending
        /// What the browser sent and was answered, as a recorder writes it, in the order in which it was sent.
        package var exchanges: [Exchange]

        package init(_ ending: Ending, _ exchanges: [Exchange] = []) {
            self.ending = ending
            self.exchanges = exchanges
        }
    }

    /// What is to be said during a visit.
    package enum Notice: Sendable, Hashable {
        /// Somebody has to sign in.
        case awaitsPerson(at: String)
        /// A page wanted something of a host that is no part of the replay.
        case refused(host: String)
    }
}
