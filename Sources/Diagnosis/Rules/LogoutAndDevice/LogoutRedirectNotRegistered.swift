import Captures
import Flows
import JOSE
import JSON
import OAuth

/// The address to return to after the logout is not registered for the client.
///
/// It has to be registered on its own, apart from the redirect URIs of logins (OpenID Connect RP-Initiated
/// Logout, section 3.1). Known from the provider's words, or from a registration in the capture.
struct LogoutRedirectNotRegistered: Rule {
    static let info = RuleInfo(
        id: "logout-redirect-not-registered",
        title: "The post-logout redirect URI is not registered",
        severity: .error,
        explanation: """
            The provider does not send users to addresses it does not know. The one that the logout request names is not among those that are \
            registered for returning after a logout.
            """,
        fix: """
            Register the address as a post-logout redirect URI of this client, exactly as it is sent; the redirect URIs for logins are another \
            list.
            """,
        badExample: """
            GET /logout?id_token_hint=…&post_logout_redirect_uri=https%3A%2F%2Fapp.example%2Fbye
            400 Invalid redirect uri
            """,
        goodExample: """
            registered: "post_logout_redirect_uris":["https://app.example/bye"]
            GET /logout?id_token_hint=…&post_logout_redirect_uri=https%3A%2F%2Fapp.example%2Fbye
            302 Location: https://app.example/bye
            """,
        specifications: [RPInitiatedLogout.section3]
    )

    func verdict(on flow: Flow) -> Verdict {
        for logout in LogoutCall.all(in: flow)
        where logout.course.end != .sentBack && !logout.course.isDeclined && !logout.isMisnamed {
            let words = saysSo(logout, flow)
            guard let wanted = logout.course.wanted else {
                // Cognito has to be told where to go on, and says so.
                guard words != nil else { continue }
                let missing = Evidence(
                    place: Place(exchange: logout.call.exchange, part: .requestQuery, name: "logout_uri"),
                    value: "none",
                    note: "this provider wants one that is registered"
                )
                let evidence = [missing, logout.answer(quoting: words, in: flow)]
                return .violated(Violation(evidence, exchange: logout.call.exchange))
            }
            let registered = registered(for: logout, flow)
            let isUnlisted =
                wanted.name == "post_logout_redirect_uri"
                && registered.map { !$0.uris.contains(bytesOf: wanted.value) } ?? false
            guard words != nil || isUnlisted && logout.course.end != .unanswered else { continue }
            var evidence = [Evidence(wanted)]
            if let registered {
                let nearest = registered.uris.max {
                    $0.commonPrefixLength(with: wanted.value) < $1.commonPrefixLength(with: wanted.value)
                }
                evidence.append(
                    Evidence(
                        place: registered.place,
                        value: registered.uris.isEmpty
                            ? "none" : registered.uris.prefix(5).joined(separator: ", "),
                        note: nearest.map {
                            "against \(registered.uris.count == 1 ? "it" : $0) the one sent: "
                                + Difference.note(expected: $0, seen: wanted.value)
                        }
                    )
                )
            }
            evidence.append(logout.answer(quoting: words, in: flow))
            return .violated(Violation(evidence, exchange: logout.call.exchange))
        }
        return .holds
    }

    // MARK: - The registration

    private struct Registered {
        var uris: [String]
        var place: Place
    }

    private func registered(for logout: LogoutCall, _ flow: Flow) -> Registered? {
        let hinted = logout.hint.flatMap { JSONWebToken.parse($0.value)?.audience.first }
        guard let client = logout.call.parameters["client_id"] ?? flow.clientID ?? hinted,
            let registered = flow.registeredClient(client, before: logout.call.exchange),
            let member = registered.answered("post_logout_redirect_uris"),
            let uris = registered.list("post_logout_redirect_uris")
        else { return nil }
        return Registered(uris: Array(uris.prefix(100)), place: member.place)
    }

    // MARK: - Providers' words

    private func saysSo(_ logout: LogoutCall, _ flow: Flow) -> String? {
        let text = logout.refusalText
        guard !text.isEmpty else { return nil }
        if let words = Self.texts.first(where: text.containsBytes) { return words }
        // A page of errors that names the parameter before it says what it thinks of its value.
        if let page = logout.refusingPage(in: flow), page.containsBytes(Self.parameter) {
            return Self.parameter
        }
        if Self.isTurnedDown(in: text) { return Self.parameter }
        // Cognito says no more than this.
        guard logout.dialect == .cognito else { return nil }
        let isNamed = logout.call.parameters.contains("logout_uri")
        return (isNamed ? Self.cognito : Array(Self.cognito.prefix(1))).first(where: text.containsBytes)
    }

    /// Whether a text goes on behind the parameter's name, which it does not use in an address, to say that the value is not taken.
    private static func isTurnedDown(in text: String) -> Bool {
        var rest = text.utf8[...]
        for _ in 0..<20 {
            guard let name = rest.firstRange(of: Array(parameter.utf8)) else { return false }
            rest = rest[name.upperBound...]
            guard rest.first != UInt8(ascii: "="), rest.first != UInt8(ascii: "%") else { continue }
            let words = ends.reduce(String(decoding: rest.prefix(60), as: UTF8.self)) { words, end in
                words.utf8.firstRange(of: Array(end.utf8)).map { String(words[..<$0.lowerBound]) } ?? words
            }
            if judgements.contains(where: words.containsBytes) { return true }
        }
        return false
    }

    /// With which words about something else begin.
    private static let ends = [
        "<", ",", ";", "\n", ". ", "invalid id_token", "id_token", "invalid client", "client_id",
        "invalid session",
    ]

    private static let judgements = [
        "not valid", "invalid", "not registered", "not allowed", "not permitted", "whitelisted", "not match",
    ]
    private static let parameter = "post_logout_redirect_uri"
    private static let texts = [
        "invalid redirect uri", "post logout uri does not match", "must be a logout redirect uri",
        "is not defined as a valid url in", "aadsts50011", "invalid post_logout_redirect_uri",
        "post_logout_redirect_uri is not registered", "post_logout_redirect_uri not registered",
        "post_logout_redirect_uri is invalid", "post_logout_redirect_uri not allowed",
        "does not have this redirect uri registered", "unregistered post_logout_redirect_uri",
        "invalid parameter: post_logout_redirect_uri", "pe_unauthorizedurl",
        // Spring Authorization Server names the parameter alone.
        "logout request parameter: post_logout_redirect_uri",
        // ForgeRock.
        "redirect_uri_mismatch", "does not match a pre-registered value",
        // idpyoidc, of a client that has none and of one that has others.
        "no registered post_logout_redirect_uri", "match any registered uris",
    ]

    private static let cognito = [
        "required string parameter 'redirect_uri' is not present", "redirect_mismatch", "invalid_request",
    ]
}
