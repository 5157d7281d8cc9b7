import Captures
import Flows
import JOSE
import JSON
import OAuth

/// Another client exchanges the code than the one it was issued to.
///
/// The provider has to refuse it (RFC 6749, section 4.1.3). An assertion that contradicts itself or the
/// `client_id` beside it is another fault, and so is an id with a colon that is not encoded in a Basic header.
struct CodeWrongClient: Rule {
    static let info = RuleInfo(
        id: "code-wrong-client",
        title: "The code is exchanged by another client than the one that got it",
        severity: .error,
        explanation:
            "The login was made for one client_id, the token request authenticates as another. A code belongs to the client that asked for it.",
        fix:
            "Use the client_id (and its secret or key) of one registration in both requests; look for settings of two environments or two apps that were mixed.",
        badExample: """
            GET /authorize?response_type=code&client_id=shop-web&…
            POST /token  grant_type=authorization_code&code=…&client_id=shop-admin  → 400 invalid_grant
            """,
        goodExample: """
            GET /authorize?response_type=code&client_id=shop-web&…
            POST /token  grant_type=authorization_code&code=…&client_id=shop-web  → 200
            """,
        specifications: [.rfc(6749, "4.1.3")]
    )

    func verdict(on flow: Flow) -> Verdict {
        var isUncertain = flow.hasUnsavedTokenRequest
        for login in flow.askedLogins {
            let certain = flow.certainTokenRequests(of: login)
            isUncertain = isUncertain || certain.count < login.tokenRequests.count
            guard let asked = login.request.parameters.parameter("client_id"), !asked.value.isEmpty else {
                continue
            }
            for request in certain where isRefused(request) {
                guard let sent = request.authentication.clientID, !sent.value.isEmpty,
                    !sent.value.equalsBytes(of: asked.value), !sent.rawValue.equalsBytes(of: asked.value),
                    !isAssertionsFault(request), !request.authentication.isCutAtColon(of: asked.value),
                    !isSpent(request, by: asked, certain, flow)
                else { continue }
                let spelling = Difference(expected: asked.value, seen: sent.value)
                let isNear = spelling.isSpelling
                return .violated(
                    Violation(
                        [
                            Evidence(asked, note: "the client the code was issued to"),
                            Evidence(
                                sent,
                                note: "the client that exchanges it"
                                    + (isNear ? ", in another spelling: \(spelling.note)" : "")
                            ),
                            request.answer.evidence(),
                        ],
                        saying: isNear ? Self.respelled : nil,
                        exchange: request.exchange
                    )
                )
            }
        }
        if let violation = deviceCode(in: flow) ?? credentialsCode(in: flow) ?? tenantsCode(in: flow)
            ?? policysGrant(in: flow) ?? serversCode(in: flow)
            ?? stated(in: flow)
        {
            return .violated(violation)
        }
        return isUncertain
            ? .abstains("a token request was not saved, or its code is not that of this login") : .holds
    }

    private static let respelled = Violation.Words(
        title: "The token request spells the client_id in another way than the login did",
        explanation: """
            The login and the token request name the same client, and not by the same string: the evidence says in what the two differ. To the provider the one \
            of the token request is another client, or none.
            """,
        fix: """
            Take both from one setting, and look at that for what was copied along: spaces, line ends, quotation marks, characters that cannot be seen.
            """
    )

    /// As the provider says, where the login that the code comes from is not in the capture.
    private func stated(in flow: Flow) -> Violation? {
        StatedGrantFault.ofCode(in: flow, .otherClient).map { request in
            Violation(
                [
                    request.authentication.clientID.map {
                        Evidence($0, note: "the client that exchanges it")
                    },
                    request.answer.evidence(note: "in the provider's words"),
                ].compactMap(\.self),
                exchange: request.exchange
            )
        }
    }

    /// A code that was given by one tenant of Entra and shown to another, as Entra says.
    private func tenantsCode(in flow: Flow) -> Violation? {
        guard
            let request = flow.tokenRequests.first(where: {
                $0.code != nil && $0.answer.errorText.containsBytes("aadsts700005")
            })
        else { return nil }
        return Violation(
            endpoints(of: request, flow),
            explanation:
                "The code is of another tenant than the token endpoint that it was brought to: the part of the address behind the host names the tenant.",
            fix: """
                Take the authorization and the token endpoint of one tenant's metadata. With common or organizations in the address, exchange the code \
                there, or at the tenant of the user who signed in.
                """,
            title: "The code was exchanged at another tenant",
            exchange: request.exchange
        )
    }

    /// A code or refresh token of one policy of Azure AD B2C that was shown to another one's token endpoint, as B2C says.
    private func policysGrant(in flow: Flow) -> Violation? {
        guard
            let request = flow.tokenRequests.first(where: { $0.answer.errorText.containsBytes("aadb2c90088") }
            )
        else { return nil }
        return Violation(
            endpoints(of: request, flow),
            explanation: """
                Each policy (user flow) of Azure AD B2C has a token endpoint of its own, told apart by a part of the path or by the parameter p, and takes only \
                what was given out under it. An app that sends its user on to another policy (edit profile, reset of the password) and exchanges the code under \
                the one of its configuration is refused so.
                """,
            fix: """
                Exchange the code, and refresh, at the token endpoint of the policy that the login began with. Its name stands in the tokens as well (tfp or acr); \
                keep it with the state.
                """,
            title: request.isRefresh
                ? "The refresh token was brought to the token endpoint of another policy"
                : "The code was brought to the token endpoint of another policy",
            exchange: request.exchange
        )
    }

    /// Where a grant was given out and where it was brought to.
    private func endpoints(of request: TokenRequest, _ flow: Flow) -> [Evidence] {
        let asked = flow.askedLogins.first { $0.tokenRequests.contains { $0.exchange == request.exchange } }
        var evidence: [Evidence] = []
        if let login = asked {
            evidence.append(
                Evidence(
                    place: Place(exchange: login.request.exchange, part: .requestURL, name: ""),
                    value: Masking.shown(login.request.endpoint.text, of: "url"),
                    note: "where the code was given"
                )
            )
        }
        evidence += [
            Evidence(
                place: Place(exchange: request.exchange, part: .requestURL, name: ""),
                value: Masking.shown(request.endpoint.text, of: "url"),
                note: request.isRefresh ? "where it was shown" : "where it was exchanged"
            ), request.answer.evidence(),
        ]
        return evidence
    }

    /// A device's code, asked about by another client (RFC 8628, section 3.4).
    private func deviceCode(in flow: Flow) -> Violation? {
        for call in ClientCall.all(in: flow) where call.kind == .deviceAuthorization {
            guard let code = call.answer.parameters["device_code"], !Placeholder.isOne(code),
                let asked = call.authentication.clientID, !asked.value.isEmpty
            else { continue }
            for request in flow.tokenRequests
            where request.parameters["device_code"] == code && isRefused(request)
                && !request.isRefused(with: "expired_token")
            {
                guard let sent = request.authentication.clientID, !sent.value.isEmpty,
                    !sent.value.equalsBytes(of: asked.value)
                else { continue }
                return Violation(
                    [
                        Evidence(asked, note: "the client the device code was issued to"),
                        Evidence(sent, note: "the client that asks for the tokens"),
                        request.answer.evidence(),
                    ],
                    explanation: """
                        The device code was issued to one client_id, the request for the tokens names another. A code belongs to the client that \
                        asked for it.
                        """,
                    exchange: request.exchange
                )
            }
        }
        return nil
    }

    /// A code that the system gave an app together with an ID token, which says for whom both are: Apple knows an app by its
    /// bundle, and its website by another id.
    private func credentialsCode(in flow: Flow) -> Violation? {
        for response in flow.authorizationResponses where response.mode == .credential {
            guard let code = response.code, !Placeholder.isOne(code),
                let token = response.parameters.parameter("id_token").flatMap({ IDToken($0) }),
                !token.token.audience.isEmpty
            else { continue }
            for request in flow.tokenRequests where request.code == code && isRefused(request) {
                guard let sent = request.authentication.clientID, !sent.value.isEmpty,
                    !Placeholder.isOne(sent.value), !token.token.audience.contains(bytesOf: sent.value)
                else { continue }
                return Violation(
                    [
                        Evidence(
                            place: token.place(ofClaim: "aud"),
                            value: Masking.shown(token.token.audience.joined(separator: ", "), of: "aud"),
                            note: "of the ID token that the app was given with the code"
                        ),
                        Evidence(sent, note: "the client that exchanges it"),
                        request.answer.evidence(),
                    ],
                    explanation: """
                        The app was given the code and an ID token for one client, and its server exchanges the code as another. A code belongs \
                        to the client that it was made for.
                        """,
                    fix: """
                        Exchange the code of an app with the app's own id (at Apple its bundle id, with a client secret whose sub it is), and that \
                        of a website with the website's.
                        """,
                    exchange: request.exchange
                )
            }
        }
        return nil
    }

    /// A code that Google gave an app for its server beside the app's own tokens: it is one of the client that the app named as
    /// `audience`, the server's, and not of the app's own.
    private func serversCode(in flow: Flow) -> Violation? {
        let codes = flow.surroundings.derived.value { ServersCodes(in: flow.surroundings) }.givenBy
        for request in flow.tokenRequests where isRefused(request) {
            guard let code = request.code, !Placeholder.isOne(code),
                let sent = request.authentication.clientID,
                !sent.value.isEmpty, !Placeholder.isOne(sent.value),
                let given = codes[code],
                let audience = given.parameters.parameter("audience"),
                !audience.value.equalsBytes(of: sent.value)
            else { continue }
            return Violation(
                [
                    Evidence(audience, note: "the server's client, for which the app asked the code"),
                    Evidence(
                        place: given.answer.place("server_code"),
                        value: Masking.shown(code, of: "code"),
                        note: "the code for the server"
                    ),
                    Evidence(sent, note: "the client that exchanges it"), request.answer.evidence(),
                ],
                explanation: """
                    The app had this code given out for its server (serverAuthCode), under the client_id of the server's own \
                    registration. The server exchanges it as another client, and Google has no code for that one.
                    """,
                fix: """
                    Exchange the code with the client_id and client_secret of the web client that the app names as its server's \
                    (serverClientID); the app's own client_id has no part in it.
                    """,
                exchange: request.exchange
            )
        }
        return nil
    }

    /// Refused for its client or its code, not for load or a proof.
    private func isRefused(_ request: TokenRequest) -> Bool {
        request.isGrantRefused || request.isRefused(with: "invalid_client")
            || request.answer.status == 401
                && !request.isRefused(with: "use_dpop_nonce", "invalid_dpop_proof")
    }

    /// Whether the login's own client had its tokens for the code before, or was refused with it and told so before this one asked: that
    /// two parties exchange one is a fault of its own (``CodeReused``), and what the first was refused for is not that of the second.
    private func isSpent(
        _ request: TokenRequest,
        by asked: Parameter,
        _ all: [TokenRequest],
        _ flow: Flow
    ) -> Bool {
        request.isRefused(with: "invalid_grant")
            && all.contains { earlier in
                (earlier.answer.isSuccess && earlier.startedAt < request.startedAt
                    || earlier.isRefused(with: "invalid_grant")
                        && flow.capture[earlier.exchange].endedAt <= request.startedAt)
                    && earlier.authentication.clientID.map { asked.value.equalsBytes(of: $0.value) } ?? false
            }
    }

    /// Whether the names in an assertion do not agree among themselves or with `client_id` in the body.
    private func isAssertionsFault(_ request: TokenRequest) -> Bool {
        guard let parameter = request.authentication.assertion else { return false }
        guard let token = ClientAssertion(parameter)?.token else { return true }
        let named = request.parameters["client_id"]
        return token.issuer != token.subject || token.subject == nil
            || (named != nil && named != token.subject)
    }
}

/// The codes for their servers that apps of a capture were given, read once for all of its logins.
private struct ServersCodes: Sendable {
    /// The first request whose answer has each.
    let givenBy: [String: TokenRequest]

    init(in index: CaptureIndex) {
        givenBy = index.tokenRequests.reduce(into: [:]) { list, request in
            guard let code = request.answer.parameters["server_code"], list[code] == nil else { return }
            list[code] = request
        }
    }
}
