import Captures
import Flows
import JOSE
import JSON
import OAuth

/// The first logout of a flow whose address to return to the provider does not know, or does not take: by its words, or by a registration in
/// the capture.
struct RefusedLogoutRedirect: Sendable {
    /// The addresses that are registered for returning after a logout, and where that is said.
    struct Registered: Sendable {
        var uris: [String]
        var place: Place
    }

    let logout: LogoutCall
    /// The provider's; nil where the registration alone shows it.
    let words: String?
    /// Nil where the capture does not have it, or no address was sent.
    let registered: Registered?

    init?(in flow: Flow) {
        guard let found = flow.derived.value({ Found(first: Self.first(in: flow)) }).first else { return nil }
        self = found
    }

    /// Looked for once, whatever came of it.
    private struct Found: Sendable {
        var first: RefusedLogoutRedirect?
    }

    private init(_ logout: LogoutCall, words: String?, registered: Registered?) {
        self.logout = logout
        self.words = words
        self.registered = registered
    }

    private static func first(in flow: Flow) -> RefusedLogoutRedirect? {
        for logout in LogoutCall.all(in: flow)
        where logout.course.end != .sentBack && !logout.course.isDeclined && !logout.isMisnamed {
            let words = saysSo(logout, flow)
            guard let wanted = logout.course.wanted else {
                // Cognito has to be told where to go on, and says so.
                guard words != nil else { continue }
                return RefusedLogoutRedirect(logout, words: words, registered: nil)
            }
            let registered = registered(for: logout, flow)
            let isUnlisted =
                wanted.name == "post_logout_redirect_uri"
                && registered.map { !$0.uris.contains(bytesOf: wanted.value) } ?? false
            guard words != nil || isUnlisted && logout.course.end != .unanswered else { continue }
            return RefusedLogoutRedirect(logout, words: words, registered: registered)
        }
        return nil
    }

    // MARK: - The registration

    private static func registered(for logout: LogoutCall, _ flow: Flow) -> Registered? {
        let hinted = logout.hint.flatMap { JSONWebToken.parse($0.value)?.audience.first }
        guard let client = logout.client?.value ?? flow.clientID ?? hinted,
            let registered = flow.registeredClient(client, before: logout.call.exchange),
            let member = registered.answered("post_logout_redirect_uris"),
            let uris = registered.list("post_logout_redirect_uris")
        else { return nil }
        return Registered(uris: Array(uris.prefix(100)), place: member.place)
    }

    // MARK: - Providers' words

    private static func saysSo(_ logout: LogoutCall, _ flow: Flow) -> String? {
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
