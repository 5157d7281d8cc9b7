import Captures
import Flows
import OAuth

/// Whether a code of a flow was brought to the token endpoint after its time, and was refused then.
struct LateCode: Sendable {
    struct Age: Sendable {
        /// That delivered the code.
        var response: AuthorizationResponse
        /// That brought it first.
        var request: TokenRequest
        /// Whose answer is the refusal: where answers never came, a later one.
        var refused: TokenRequest
        /// From the one to the other, and by whose clock.
        var seconds: Int64
        var clock: String
        var lifetime: CodeLifetime
    }

    /// Of the first one; nil where none is seen to have come too late.
    private(set) var age: Age?
    /// Whether a code was refused whose delivery is not in the capture.
    private(set) var isDeliveryUnseen = false

    init(in flow: Flow) { self = flow.derived.value { LateCode(reading: flow) } }

    private init(reading flow: Flow) {
        age = firstAge(in: flow)
    }

    private mutating func firstAge(in flow: Flow) -> Age? {
        let provider = flow.providerFacts
        var seen: Set<String> = []
        // Whose answers never came: the refusal is that of the next one.
        var lost: [String: TokenRequest] = [:]
        for (login, request) in flow.redemptions {
            guard let code = request.code else { continue }
            guard !request.isAnswerLost else {
                if !seen.contains(code), lost[code] == nil { lost[code] = request }
                continue
            }
            guard seen.insert(code).inserted, Self.isRefused(request), !Self.isSaidOfAnotherCause(request)
            else { continue }
            guard let response = login.response else {
                isDeliveryUnseen = true
                continue
            }
            let first = lost[code] ?? request
            let (elapsed, clock) = Self.elapsed(from: response, to: first, provider, flow)
            let lifetime = CodeLifetime(
                of: flow.provider,
                authorization: login.request.endpoint,
                token: flow.capture[request.exchange].request.url
            )
            guard elapsed > lifetime.seconds else { continue }
            return Age(
                response: response,
                request: first,
                refused: request,
                seconds: elapsed,
                clock: clock,
                lifetime: lifetime
            )
        }
        return nil
    }

    private static func isRefused(_ request: TokenRequest) -> Bool {
        request.isRefused(with: "invalid_grant", "bad_verification_code", "invalid_code", "expired_code")
            || isRefusedInOtherWords(request)
    }

    /// Whether an answer without an error of the specification says that it is the code that is refused (MyInfo, Twitch).
    private static func isRefusedInOtherWords(_ request: TokenRequest) -> Bool {
        guard request.answer.error == nil, request.isGrantRefused,
            let message = request.answer.parameters["message"]
        else { return false }
        let words = message.asciiLowercased()
        return ["authorization code", "authorisation code", "authcode", "auth code"].contains(
            where: words.containsBytes
        )
    }

    /// Whether the provider's own words name another cause than the age of the code, which then tells nothing.
    private static func isSaidOfAnotherCause(_ request: TokenRequest) -> Bool {
        switch StatedGrantFault(request) {
        case .verifierMissing, .verifierWrong, .otherClient: true
        case .codeExpired: false
        case .refreshTokenUsed, nil:
            StatedGrantFault.isCodeCalledUsed(request) || StatedGrantFault.isRedirectURICalledWrong(request)
                || RefusedGrant.isCalledUsed(request) && !request.answer.errorText.containsBytes("expired")
        }
    }

    /// Whole seconds, and whose clock they are of.
    private static func elapsed(
        from response: AuthorizationResponse,
        to request: TokenRequest,
        _ provider: ProviderFacts,
        _ flow: Flow
    ) -> (Int64, String) {
        if let page = response.deliveredBy, provider.has(flow.capture[page].request.url),
            let start = flow.capture[page].serverTime, let end = flow.capture[request.exchange].serverTime
        {
            return ((end - start).components.seconds, "the provider's clock")
        }
        let start =
            response.deliveredBy.map { flow.capture[$0].endedAt }
            ?? flow.capture[response.exchange].startedAt
        return ((request.startedAt - start).components.seconds, "the recorder's clock")
    }
}
