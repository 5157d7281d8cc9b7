import Captures
import Flows
import JOSE
import OAuth

/// How the client sent the token, where that is why it was refused: in a header that nobody reads, changed, alone where the API wants
/// something beside it, or lost at a redirect.
extension BearerRejected {
    /// A header in which no server finds the token.
    func misspelled(_ call: BearerCall, _ shown: Shown, _ flow: Flow) -> Violation? {
        let exchange = call.call.exchange
        guard let unread = BearerToken.unread(in: flow.capture[exchange].request, exchange: exchange) else {
            return nil
        }
        let isTwice = unread.misspelling == .schemeTwice
        return Violation(
            shown.saying(isTwice ? "behind its scheme twice" : "without a scheme", of: call.token),
            explanation: Self.unread,
            fix: isTwice ? Self.twiceFix : Self.schemelessFix,
            title: isTwice
                ? "The access token is sent behind its scheme twice"
                : "The access token is sent without its scheme",
            exchange: exchange
        )
    }

    /// An API that misses something of the client beside the token, and says so: Twitch, gateways with keys of their own.
    func companion(_ call: BearerCall, _ refusal: BearerRefusal, _ shown: Shown) -> Violation? {
        let words = refusal.body.asciiLowercased()
        guard !call.isUserInfo, refusal.challenges.allSatisfy({ $0["error"] == nil }),
            Self.companions.contains(where: words.containsBytes)
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
    func changed(_ call: BearerCall, _ shown: Shown, _ flow: Flow) -> Violation? {
        guard let altered = altered(call, flow) else { return nil }
        return Violation(
            [altered.issued] + shown.saying(altered.change, of: call.token),
            explanation: Self.changed,
            fix: Self.changedFix,
            title: "The access token was changed on the way to the API",
            exchange: call.call.exchange
        )
    }

    /// A call that was sent on to another origin, and came there without its token.
    func lostOnTheWay(_ flow: Flow) -> Violation? {
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
    private func altered(_ call: BearerCall, _ flow: Flow) -> (issued: Evidence, change: String)? {
        guard call.grant == nil, !Placeholder.isTakenOut(call.token.value) else { return nil }
        return TokenGrant.all(in: flow).suffix(50).reversed().lazy.compactMap { grant in
            guard let token = grant.parameters.parameter("access_token"),
                !Placeholder.isTakenOut(token.value),
                let change = CodeAltered.change(from: token, to: call.token.value)
            else { return nil }
            let note = "issued, \(token.value.unicodeScalars.count) characters"
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

    private static let changed = """
        The call carries another string than the access token that the provider issued; the one becomes the other by the step that the evidence names.
        """
    private static let changedFix = """
        Store the token as it came, all its characters (look at column widths and cookie sizes), and parse what was stored as JSON before it is sent.
        """
}
