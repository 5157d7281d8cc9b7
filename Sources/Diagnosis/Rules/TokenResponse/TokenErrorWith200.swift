import Captures
import Flows
import JSON
import OAuth

/// The token endpoint answers with success, and what it says is an error.
///
/// RFC 6749, section 5.2, wants a 4xx. A client that looks at the status alone takes it for tokens.
struct TokenErrorWith200: Rule {
    static let info = RuleInfo(
        id: "token-error-with-200",
        title: "The token endpoint reported an error with status 200",
        severity: .error,
        explanation: """
            The body of the token response is an error, though its status says success. No tokens were issued; a client that goes by the status \
            alone finds out only later, with another message.
            """,
        fix: """
            Look for the member error before anything else, whatever the status is; GitHub, Naver and WeChat (errcode) answer so by design. Then see to the error itself, \
            which the description names.
            """,
        badExample: """
            POST /token
            200 OK
            {"error":"bad_verification_code","error_description":"…"}
            """,
        goodExample: """
            POST /token
            400 Bad Request
            {"error":"invalid_grant","error_description":"…"}
            """,
        specifications: [.rfc(6749, "5.2")]
    )

    func verdict(on flow: Flow) -> Verdict {
        Verdict.firstViolation(among: flow.tokenRequests) { request in
            let answer = request.answer
            guard let status = answer.status, (200..<300).contains(status) else { return .holds }
            guard answer.isBodyWhole else {
                return .abstains(Gap.tokenResponse)
            }
            guard let error = answer.error, (request.accessToken ?? "").isEmpty,
                !isPending(error.error)
            else { return .holds }
            if let elsewhere = Self.server(otherThan: request, flow) {
                return .violated(
                    Violation(
                        [
                            Evidence(elsewhere),
                            Evidence(
                                place: Place(exchange: request.exchange, part: .requestURL, name: ""),
                                value: Masking.shown(request.endpoint.text, of: "url")
                            ),
                            answer.evidence(),
                        ],
                        explanation: Self.ofRegions,
                        fix: Self.ofRegionsFix,
                        title: "The code was sent to another server than the one that the answer names",
                        exchange: request.exchange,
                        // It is unknown there for the same reason.
                        explains: [TokenInvalidClient.info.id]
                    )
                )
            }
            if var misplaced = TokenOutOfPlace.userCodeAsDeviceCode(request, flow) {
                misplaced.evidence.append(answer.statusEvidence(note: "says success"))
                return .violated(misplaced)
            }
            return .violated(
                Violation(
                    [answer.evidence(), answer.statusEvidence(note: "says success")],
                    severity: isEnd(error.error, of: request) ? .note : nil,
                    explanation: answer.wrappedError == nil ? nil : Self.wrapped,
                    fix: answer.wrappedError == nil
                        ? nil : request.endpoint.host == "slack.com" ? Self.ofSlackFix : Self.wrappedFix
                )
            )
        }
    }

    /// The server that the answer with the code names for the account's region (Zoho), where the code went to another one.
    private static func server(otherThan request: TokenRequest, _ flow: Flow) -> Parameter? {
        guard let code = request.code,
            let login = flow.logins.first(where: { $0.response?.code == code }),
            let named = login.response?.parameter("accounts-server"),
            let host = RecordedURL(named.value).host, let asked = request.endpoint.host
        else { return nil }
        return host.lowercased() == asked.lowercased() ? nil : named
    }

    private static let ofRegions = """
        The provider keeps accounts in several regions, and names in its answer at the redirect URI, by accounts-server, the server of the region that this account is \
        of. The code went to the server of another region, which knows neither it nor, where the client is registered for one region alone, the client.
        """
    private static let ofRegionsFix = """
        Send the code, and each refresh later, to the token endpoint of the server that accounts-server names, and keep that name with the tokens: the API has a host \
        for each region, too. Take it for one of the provider's only where it is on the provider's own list: whoever makes up an answer can name any server, and \
        would get the code. Have the client registered for all regions in which its users are.
        """

    private static let wrapped = """
        The token response says success by its status, and an error in its body, inside of another member or under a name of the server's own. No tokens \
        were issued; a client that looks for error at the top of the answer finds neither that nor a token.
        """
    private static let wrappedFix = """
        See to the error itself, which the evidence quotes. Have the server, or the gateway that wraps its answers, say 400 or 401 and put error and \
        error_description at the top (RFC 6749, section 5.2); until then the app has to look there itself.
        """

    private static let ofSlackFix = """
        Slack answers so by design: look at ok before anything else. Then see to the error beside it: bad_redirect_uri is another redirect_uri than the login had, or one that the app \
        does not list; invalid_code a code that was sent before, is older than ten minutes or is another app's; bad_client_secret and invalid_client_id are those of another app.
        """

    /// How a device's wait ends without tokens, whatever the status: rules of its own tell it.
    private func isEnd(_ error: String, of request: TokenRequest) -> Bool {
        request.isDecidedElsewhere && ["access_denied", "expired_token"].contains(error)
    }

    /// A device that waits for its user (RFC 8628, section 3.5).
    private func isPending(_ error: String) -> Bool {
        error == "authorization_pending" || error == "slow_down"
    }
}
