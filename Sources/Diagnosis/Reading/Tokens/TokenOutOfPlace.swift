import Captures
import Flows
import JOSE
import OAuth

/// Requests to the token endpoint whose grant and token do not go together: a refresh token or an ID token that is sent as a code, the
/// code for a device's user that is sent as the device's, and a refresh without any.
enum TokenOutOfPlace {
    /// What there is to say where the first of a flow's refused requests is such; nil otherwise.
    static func violation(_ refused: [TokenRequest], _ flow: Flow) -> Violation? {
        refused.first.flatMap {
            refreshTokenAsCode($0, flow) ?? idTokenAsCode($0, flow) ?? userCodeAsDeviceCode($0, flow)
                ?? refreshWithoutToken($0, flow)
        }
    }

    private static func refreshTokenAsCode(_ request: TokenRequest, _ flow: Flow) -> Violation? {
        guard request.isCodeExchange, let sent = request.parameters.parameter("code"), !sent.value.isEmpty,
            !Placeholder.isOne(sent.value),
            let issued = flow.surroundings.issuedTokens.refreshTokens.last(where: { $0.value == sent.value })
        else { return nil }
        return Violation(
            [
                Evidence(issued, note: "issued as refresh_token"), Evidence(sent, note: "sent as code"),
                request.answer.evidence(),
            ],
            explanation: """
                The client wanted new tokens for its refresh token, and sent that in the place of a code: the grant of the request is \
                authorization_code.
                """,
            fix: """
                Send grant_type=refresh_token with the token as refresh_token, and neither redirect_uri nor code_verifier.
                """,
            title: "A refresh token is sent as a code",
            exchange: request.exchange
        )
    }

    /// What an app's library hands out beside the code.
    ///
    /// Providers other than these two may have codes that are tokens: there only what the capture has as an ID token is known to be one.
    private static func idTokenAsCode(_ request: TokenRequest, _ flow: Flow) -> Violation? {
        guard request.isCodeExchange, let sent = request.parameters.parameter("code"), !sent.value.isEmpty,
            let token = JSONWebToken.parse(sent.value), let issuer = token.issuer
        else { return nil }
        let issued = flow.surroundings.issuedTokens.others[sent.value].flatMap {
            $0.name == "id_token" ? $0 : nil
        }
        guard issued != nil || issuers[flow.provider]?.contains(issuer) ?? false else { return nil }
        return Violation(
            [
                issued.map { Evidence($0, note: "delivered as id_token") },
                Evidence(sent, note: "an ID token of \(issuer), sent as code"), request.answer.evidence(),
            ]
            .compactMap(\.self),
            explanation: """
                What is sent as the code is an ID token. That tells who the user is and is exchanged for nothing; the provider knows no such code.
                """,
            fix: """
                Send the code, which the app gets beside the ID token (Apple: authorizationCode, not identityToken; Google: serverAuthCode, not idToken), once and within minutes. A \
                server that is to know the user alone verifies the ID token by the provider's keys and needs no exchange.
                """,
            title: "An ID token is sent as a code",
            exchange: request.exchange
        )
    }

    private static let issuers: [ProviderKind: Set<String>] = [
        .apple: ["https://appleid.apple.com"],
        .google: ["https://accounts.google.com", "accounts.google.com"],
    ]

    /// What the user types in, sent by the device that is to ask with the other one (RFC 8628, section 3.4).
    static func userCodeAsDeviceCode(_ request: TokenRequest, _ flow: Flow) -> Violation? {
        guard request.grantType == GrantType.deviceCode, let sent = DeviceGrant.code(of: request),
            // Where both are the same it is the right one.
            let grant = DeviceGrant.all(in: flow).first(where: { grant in
                grant.userCode?.value == sent.value
                    && !grant.polls.contains { $0.exchange == request.exchange }
            }), let issued = grant.userCode
        else { return nil }
        let position = flow.surroundings.position
        let isRepaired = grant.polls.contains {
            $0.answer.isSuccess && !($0.accessToken ?? "").isEmpty
                && position[$0.exchange] > position[request.exchange]
        }
        return Violation(
            [
                // Whoever has it may confirm the device still.
                Evidence(
                    place: issued.place,
                    value: Masking.masked(issued.value),
                    note: "for the user to type in"
                ),
                Evidence(sent, note: "the same, sent as device_code"), request.answer.evidence(),
            ],
            severity: isRepaired ? .note : nil,
            explanation: """
                The provider gave the device two codes, and the device asks for its tokens with the one that its user types in. That is the provider's page's; \
                the token endpoint does not know it, whatever the user does.
                """,
            fix: """
                Send the answer's device_code, unchanged, as device_code, and show the user user_code and verification_uri alone. Ask again in the pace of interval as \
                long as the answer is authorization_pending.
                """,
            title: "The user's code is sent as the device's",
            exchange: request.exchange
        )
    }

    private static func refreshWithoutToken(_ request: TokenRequest, _ flow: Flow) -> Violation? {
        let sent = request.parameters.parameter("refresh_token")
        guard request.isRefresh, request.isRecorded, !request.parameters.isEmpty,
            sent.map({ $0.value.isEmpty || MissingToken.isOne($0.value) }) ?? true
        else { return nil }
        let names = request.parameters.items.prefix(20).map(\.name).joined(separator: ", ")
        return Violation(
            [
                sent.map {
                    Evidence(place: $0.place, value: $0.value, note: "nothing, or a word for nothing")
                }
                    ?? Evidence(
                        place: Place(exchange: request.exchange, part: .requestBody, name: "refresh_token"),
                        value: "missing",
                        note: "sent: \(names)"
                    ), request.answer.evidence(),
            ],
            explanation: """
                The client asked for new tokens with nothing to get them for: its request has no refresh_token. It was given none, or has dropped the one \
                that it had.
                """,
            fix: """
                Refresh only while there is a refresh token, and begin a login otherwise. See that each token answer's refresh_token is kept (and asked for: \
                offline_access). keycloak-js drops it when its check of the session says that this has changed, which it also says where the browser keeps \
                third-party cookies from the hidden frame: set checkLoginIframe to false then.
                """,
            title: "The refresh has no refresh token",
            exchange: request.exchange
        )
    }
}
