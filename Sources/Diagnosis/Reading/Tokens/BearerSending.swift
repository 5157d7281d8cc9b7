import Captures
import Flows
import JOSE
import OAuth

/// How the client sent the token, where that is why it was refused: in a header that nobody reads, changed, alone where the API wants
/// something beside it, or lost at a redirect.
enum BearerSending {
    /// A header in which no server finds the token.
    static func misspelled(_ call: BearerCall, _ shown: BearerEvidence, _ flow: Flow) -> Violation? {
        let exchange = call.call.exchange
        guard let unread = BearerToken.unread(in: flow.capture[exchange].request, exchange: exchange) else {
            return nil
        }
        guard unread.misspelling != .tokenless else { return ofScheme(alone: unread.token, call, shown) }
        let isTwice = unread.misspelling == .schemeTwice
        return Violation(
            shown.saying(isTwice ? "behind its scheme twice" : "without a scheme", of: call.token),
            explanation: Self.unread,
            fix: isTwice ? twiceFix : schemelessFix,
            title: isTwice
                ? "The access token is sent behind its scheme twice"
                : "The access token is sent without its scheme",
            exchange: exchange
        )
    }

    /// A call with something else than a token that was issued, where it shows what became of that: nothing behind the scheme, or another
    /// string.
    static func withoutIssuedToken(_ call: BearerCall, _ shown: BearerEvidence, _ flow: Flow) -> Violation? {
        let exchange = call.call.exchange
        if let unread = BearerToken.unread(in: flow.capture[exchange].request, exchange: exchange),
            unread.misspelling == .tokenless
        {
            return ofScheme(alone: unread.token, call, shown)
        }
        return changed(call, shown, flow)
    }

    private static func ofScheme(alone scheme: Parameter, _ call: BearerCall, _ shown: BearerEvidence)
        -> Violation
    {
        let header = Evidence(
            place: call.token.place,
            value: scheme.value,
            note: "nothing stands behind the scheme"
        )
        return Violation(shown.refused + [header], saying: tokenless, exchange: call.call.exchange)
    }

    /// A server that says that it got no token, though one was sent in the header for it.
    static func unseen(_ call: BearerCall, _ refusal: BearerRefusal, _ shown: BearerEvidence) -> Violation? {
        let said = refusal.challenges.compactMap { $0["error_description"] }.joined(separator: " ")
        guard refusal.status == 401, call.token.place.part == .requestHeader,
            call.token.rawValue.lowercased().hasPrefix("bearer "), !MissingToken.isOne(call.token.value),
            !Placeholder.isOne(call.token.value),
            saysThatNoneCame((said + " " + refusal.body).asciiLowercased())
        else { return nil }
        return Violation(
            shown.saying("sent in the header", of: call.token),
            explanation: """
                The call carried its access token in the Authorization header, and the server says that none came: something between the \
                two took the header off, or the server looks for the token elsewhere, behind another scheme or in another header.
                """,
            fix: """
                Look at each hop: a proxy or gateway that clears Authorization or replaces it by its own, Apache in front of CGI, FastCGI \
                or WSGI (CGIPassAuth On, WSGIPassAuthorization On). Then see where the server reads the token: Django REST framework's own \
                tokens stand behind Token, not Bearer, and passport-jwt takes it from wherever it is told to. The server's log shows what \
                came.
                """,
            title: "The server says that no access token came, and one was sent",
            exchange: call.call.exchange
        )
    }

    /// Whether it is that alone: many have one sentence for a token that is not there and one that is not good ("missing or invalid").
    private static func saysThatNoneCame(_ text: String) -> Bool {
        absences.contains { words in
            guard text.containsBytes(words), let said = text.utf8.firstRange(of: Array(words.utf8)) else {
                return false
            }
            let before = String(decoding: text.utf8[..<said.lowerBound].suffix(24), as: UTF8.self)
            let behind = String(decoding: text.utf8[said.upperBound...].prefix(24), as: UTF8.self)
            return !["invalid", "expired", "bad ", " or "].contains(where: before.containsBytes)
                && ![" or ", "invalid", "expired", "malformed"].contains(where: behind.containsBytes)
        }
    }

    /// How servers word it, in lower case; among them express-jwt and Django REST framework.
    private static let absences = [
        "no access token", "missing access token", "access token is missing", "access token was not provided",
        "missing authorization header", "authorization header is missing", "authorization header missing",
        "no authorization header", "authorization header not found", "no authorization token was found",
        "authentication credentials were not provided", "no token provided", "token not provided",
        "missing bearer token", "bearer token is missing", "no bearer token", "no auth token",
    ]

    /// An API that misses something of the client beside the token, and says so: Twitch, gateways with keys of their own.
    static func companion(_ call: BearerCall, _ refusal: BearerRefusal, _ shown: BearerEvidence) -> Violation?
    {
        let words = refusal.body.asciiLowercased()
        guard !call.isUserInfo, refusal.challenges.allSatisfy({ $0["error"] == nil }),
            companions.contains(where: words.containsBytes)
        else { return nil }
        return Violation(
            shown.all,
            explanation: """
                The API does not speak of the token, but of something that it wants beside it: the client's id, or a key of the API's own. What has to be sent, and under which name, is in \
                its reference.
                """,
            fix:
                "Send what the answer names in the header that the API's reference gives for it (Client-Id at Twitch, Ocp-Apim-Subscription-Key at Azure's gateways), beside the token.",
            title: "The API wants something of the client beside the access token",
            exchange: call.call.exchange
        )
    }

    /// In lower case.
    private static let companions = [
        "client id is missing", "client-id header", "missing client-id",
        "client id and oauth token do not match",
        "subscription key", "missing api key", "api key is missing", "no api key",
    ]

    /// Another string than the one that was issued.
    static func changed(_ call: BearerCall, _ shown: BearerEvidence, _ flow: Flow) -> Violation? {
        guard let altered = altered(call, flow) else { return nil }
        return Violation(
            [altered.issued] + shown.saying(altered.change, of: call.token),
            explanation: changedWords,
            fix: changedFix,
            title: "The access token was changed on the way to the API",
            exchange: call.call.exchange
        )
    }

    /// A call that was sent on to another origin, and came there without its token.
    static func lostOnTheWay(_ flow: Flow) -> Violation? {
        guard let (call, lost) = LostCredentials.ofCall(in: flow) else { return nil }
        return Violation(
            lost.evidence(in: flow),
            explanation: LostCredentials.explanation,
            fix: LostCredentials.fix,
            title: "The access token was lost at a redirect to another origin",
            exchange: call.call.exchange
        )
    }

    /// The token as it was issued, and what was done to it; nil where it is no other spelling of one.
    private static func altered(_ call: BearerCall, _ flow: Flow) -> (issued: Evidence, change: String)? {
        guard call.grant == nil, !Placeholder.isTakenOut(call.token.value) else { return nil }
        return TokenGrant.all(in: flow).suffix(50).reversed().lazy.compactMap { grant in
            guard let token = grant.parameters.parameter("access_token"),
                !Placeholder.isTakenOut(token.value),
                let change = AlteredValue.change(from: token, to: call.token.value)
            else { return nil }
            let note = "issued, \(token.value.unicodeScalars.count.counted("character"))"
            return (Evidence(token, note: note), change)
        }.first
    }

    private static let unread = """
        The token is right; the Authorization header is not written as servers read it, which is the scheme, a space and the token (RFC 6750, section \
        2.1). They find no token in it.
        """
    private static let twiceFix = """
        Add the scheme in one place: here the app writes it in front of a value that has it already, or the HTTP library does.
        """
    private static let schemelessFix = "Send Authorization: Bearer and the token."

    private static let tokenless = Violation.Words(
        title: "The call has a scheme for its access token, and no token",
        explanation: """
            The Authorization header ends behind its scheme: the app had no access token when it made this call, and made it all the same.
            """,
        fix: """
            Look at the answer to the token request first: whether it has an access_token, and whether the app reads it under that name. Then have the app stop where it has none.
            """
    )

    private static let changedWords = """
        The call carries another string than the access token that the provider issued; the one becomes the other by the step that the evidence names.
        """
    private static let changedFix = """
        Store the token as it came, all its characters (look at column widths and cookie sizes), and parse what was stored as JSON before it is sent.
        """
}
