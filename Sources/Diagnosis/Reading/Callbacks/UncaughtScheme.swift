import Captures
import Flows
import OAuth

/// An answer at a scheme of an app's own that may not have come to the app for the way in which its address is written or was opened.
///
/// Not known from the traffic: it is what the address shows of why nobody used the code.
struct UncaughtScheme {
    var evidence: Evidence
    var words: Violation.Words

    /// Nil of an address that systems and libraries take as it stands.
    init?(of delivery: CodeDelivery, in flow: Flow) {
        let response = delivery.response
        let agent = flow.capture[response.exchange].request.userAgent ?? ""
        let request = flow.authorizationRequests.last { $0.state != nil && $0.state == response.state }
        let asked = request?.parameters.parameter("redirect_uri")
        let address = asked.map { RecordedURL($0.value) } ?? response.target
        guard !response.target.isWeb, !address.isWeb, let scheme = address.scheme else { return nil }
        let isOnAndroid = agent.containsBytes("Android")
        if isOnAndroid, scheme.utf8.contains(where: { (0x41...0x5a).contains($0) }) {
            evidence = Evidence(asked ?? delivery.code, note: "the scheme has upper-case letters")
            words = Self.capitals
        } else if ["iPhone", "iPad"].contains(where: agent.containsBytes),
            address.text.utf8.dropFirst(scheme.utf8.count + 1).first != 0x2f
        {
            evidence = Evidence(asked ?? delivery.code, note: "no slash behind the scheme")
            words = Self.noSlash
        } else if isOnAndroid, agent.containsBytes("Chrome/"), delivery.code.place.part == .responseBody {
            evidence = Evidence(
                place: Place(exchange: delivery.code.place.exchange, part: .responseStatus, name: ""),
                value: "\(flow.capture[response.exchange].response?.status ?? 0)",
                note: "a page that is to open the app"
            )
            words = Self.byPage
        } else {
            return nil
        }
    }

    private static let capitals = Violation.Words(
        explanation: """
            The provider sent the user back with a code, and no later request carries it. Browsers write the scheme of an address in lower case (RFC 3986, section 3.1), and \
            Android compares it letter by letter with what the app declares: an app that declares it with the capitals is not found.
            """,
        fix: """
            Write the scheme in lower case in the app: android:scheme of its intent filter, or the placeholder that makes it (appAuthRedirectScheme); best in redirect_uri and at the \
            provider as well. If it stands there so already, see that the pending login is still known to the app when the answer comes.
            """
    )

    private static let noSlash = Violation.Words(
        explanation: """
            The provider sent the user back with a code, and no later request carries it. The redirect URI has no slash behind its scheme: such an address has no path, and libraries \
            that look for theirs by scheme, host and path do not find it again (AppAuth on iOS 26 drops the answer, without an error).
            """,
        fix: """
            Write the redirect URI with a slash, com.example.app:/callback (RFC 8252, section 7.1) or com.example.app://callback, in the app and at the provider alike. If that changes \
            nothing, see that the scheme is declared, that the pending authorization session is kept, and that the URL is handed to it.
            """
    )

    private static let byPage = Violation.Words(
        explanation: """
            The provider answered with a page that is to open the app, and no later request carries its code. Chrome on Android lets no page open an app by itself unless the user \
            has just tapped something: who is signed in already, and taps nothing, stays on the page.
            """,
        fix: """
            Have the provider answer with a redirect (302) to the app, show a link to the app on the page for the user to tap, or use an https address that the app claims (App Links). \
            Without any of these, see that the app declares the scheme and keeps the pending login.
            """
    )
}
