import Captures
import Flows

/// A provider's page in a frame of another site's page, where it may not be shown: the browser shows an empty frame in its place.
enum FramedPage {
    /// What forbids it (Content Security Policy Level 3, section 6.4.2; RFC 7034); nil of a page that may be shown, or is in no such frame.
    static func ban(on page: Int, in flow: Flow) -> Evidence? {
        guard FramedRequest.evidenceOfOtherSite(of: page, in: flow) != nil else { return nil }
        return ban(on: page, allowingAtMost: ["'none'", "'self'"], or: ["deny", "sameorigin"], in: flow)
    }

    /// What forbids a page to be shown in any frame, be it one of its own site; nil of one that may be, or is in no frame.
    static func banOfAll(on page: Int, in flow: Flow) -> Evidence? {
        guard FramedRequest.evidence(of: page, in: flow)?.place.name == "Sec-Fetch-Dest" else { return nil }
        return ban(on: page, allowingAtMost: ["'none'"], or: ["deny"], in: flow)
    }

    /// `ancestors`: of `frame-ancestors`, before which browsers do not look at the other header.
    private static func ban(
        on page: Int,
        allowingAtMost ancestors: Set<String>,
        or options: Set<String>,
        in flow: Flow
    ) -> Evidence? {
        guard let headers = flow.capture[page].response?.headers else { return nil }
        if let allowed = ContentSecurityPolicy(headers).frameAncestors {
            guard ancestors.isSuperset(of: allowed) else { return nil }
            return evidence(
                "Content-Security-Policy",
                "frame-ancestors " + allowed.joined(separator: " "),
                page
            )
        }
        guard let option = headers.first("x-frame-options"), options.contains(option.asciiLowercased()) else {
            return nil
        }
        return evidence("X-Frame-Options", option, page)
    }

    private static func evidence(_ name: String, _ value: String, _ page: Int) -> Evidence {
        Evidence(
            place: Place(exchange: page, part: .responseHeader, name: name),
            value: value,
            note: "loaded into a frame, where browsers do not show it then"
        )
    }

    static let words = Violation.Words(
        title: "The sign-in page is not shown in the frame that it was loaded into",
        explanation: """
            A page of another site loaded the provider's sign-in page into a frame. The provider forbids that, since whoever frames it could have the user click \
            on what they do not see, and the browser shows an empty frame, or that the provider refused to connect. Nobody can sign in there.
            """,
        fix: """
            Send the whole window to the provider, or open a window of its own. A page that is a frame itself (in Teams, SharePoint, an LMS) has to do so by a click of the user's. \
            Google and Entra are never shown in frames; with others it is a setting, for sites that one trusts: frame-ancestors at Keycloak (Realm settings, Security defenses), \
            trusted origins at Okta.
            """
    )
}
