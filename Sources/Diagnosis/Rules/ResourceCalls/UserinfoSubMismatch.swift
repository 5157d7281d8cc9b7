import Captures
import Flows
import JOSE
import JSON
import OAuth

/// UserInfo tells of another user than the ID token.
///
/// The client has to compare the two `sub` and must not use the answer where they differ (OpenID Connect Core,
/// section 5.3.2).
struct UserinfoSubMismatch: Rule {
    static let info = RuleInfo(
        id: "userinfo-sub-mismatch",
        title: "UserInfo is about another user",
        severity: .error,
        explanation: """
            The sub of the UserInfo answer is not that of the ID token of the same login. Name and address in it are those of another user, and the \
            client must not use them.
            """,
        fix: """
            See which access token is sent to UserInfo: one kept from another session, or shared between users. At the provider, see that both \
            answers name the user in the same way (pairwise or public).
            """,
        badExample: """
            id_token claims {"sub":"alice", …}
            GET /userinfo → {"sub":"bob", …}
            """,
        goodExample: """
            id_token claims {"sub":"alice", …}
            GET /userinfo → {"sub":"alice", …}
            """,
        specifications: [
            .openIDConnectCore("5.3.2", "UserInfoResponse")
        ]
    )

    func verdict(on flow: Flow) -> Verdict {
        let shown = BearerCall.all(in: flow).filter { $0.isUserInfo && $0.call.answer.status == 200 }
        let calls = shown.map { Call(call: $0.call, grant: $0.grant) } + withoutToken(in: flow)
        guard !calls.isEmpty else { return .holds }
        let tokens = flow.deliveredIDTokens.filter { !$0.isOfTokenExchange }
        return Verdict.firstViolation(among: calls) { call in
            guard let subject = subject(of: call, in: flow) else {
                let isRecorded = flow.capture[call.call.exchange].response?.body?.isRecorded ?? false
                return !isRecorded || isEncrypted(call, in: flow)
                    ? .abstains("the UserInfo answer is encrypted or was not saved") : .holds
            }
            guard let token = idToken(for: call, among: tokens, in: flow) else {
                return .abstains("the ID token of this access token is not in the capture")
            }
            guard token.idToken.token.claims != nil else {
                return .abstains(Gap.idTokenClaims)
            }
            guard let expected = token.idToken.token.subject, !expected.equalsBytes(of: subject.value) else {
                return .holds
            }
            return .violated(
                Violation(
                    [token.evidence(ofClaim: "sub"), Evidence(subject, note: "another user")],
                    exchange: call.call.exchange
                )
            )
        }
    }

    /// A call that was answered, with what gave out its token where that is known.
    private struct Call {
        var call: EndpointCall
        var grant: TokenGrant?
    }

    /// Calls whose token was left out of the capture, where it can be of no other login.
    private func withoutToken(in flow: Flow) -> [Call] {
        let index = flow.surroundings
        let calls = flow.messages.compactMap { message -> Call? in
            guard case .userInfo(let call) = message, call.token == nil, call.answer.status == 200,
                index.mayLackCredentials(at: call.exchange)
            else { return nil }
            return Call(call: call, grant: nil)
        }
        guard !calls.isEmpty, !flow.tokenRequests.contains(where: Self.mayBeForAnother) else { return [] }
        let own = Set(flow.exchanges)
        let isOnly = index.messages.values.allSatisfy { message in
            switch message {
            case .authorizationRequest, .token: own.contains(message.exchange)
            default: true
            }
        }
        return isOnly ? calls : []
    }

    /// The one that came with the access token, else the last one before the call.
    private func idToken(for call: Call, among tokens: [DeliveredIDToken], in flow: Flow)
        -> DeliveredIDToken?
    {
        if let grant = call.grant,
            let same = tokens.first(where: { $0.idToken.place.exchange == grant.exchange })
        {
            return same
        }
        guard !(call.grant?.request.map(Self.mayBeForAnother) ?? false) else { return nil }
        // An access token that nobody saw given out may be anybody's, which is the very fault.
        let position = flow.surroundings.position
        return tokens.last { token in
            token.idToken.place.exchange.map { position[$0] < position[call.call.exchange] } ?? false
        }
    }

    /// Whether a token was exchanged, which may be for one that stands for another user (RFC 8693, section 1.1).
    private static func mayBeForAnother(_ request: TokenRequest) -> Bool {
        request.isTokenExchange && request.answer.isSuccess
    }

    /// Nil where there is none, or a null, which is no other user.
    private func subject(of call: Call, in flow: Flow) -> Parameter? {
        guard call.call.answer.json?["sub"] != .null else { return nil }
        if let subject = call.call.answer.parameters.parameter("sub") { return subject }
        guard let claims = signed(call, in: flow)?.claims?["sub"], claims != .null else { return nil }
        return Parameter(
            name: "sub",
            value: claims.string ?? JSONWriter.text(of: claims),
            place: Place(exchange: call.call.exchange, part: .jwtClaims, name: "sub")
        )
    }

    /// A UserInfo answer may be a token of its own (OpenID Connect Core, section 5.3.2).
    private func signed(_ call: Call, in flow: Flow) -> JSONWebToken? {
        guard let bytes = flow.capture[call.call.exchange].response?.body?.bytes, bytes.first == 0x65 else {
            return nil
        }
        let text = bytes.prefix { $0 > 0x20 }
        return JSONWebToken.parse(String(decoding: text, as: UTF8.self))
    }

    private func isEncrypted(_ call: Call, in flow: Flow) -> Bool {
        signed(call, in: flow)?.form == .encrypted
    }
}
