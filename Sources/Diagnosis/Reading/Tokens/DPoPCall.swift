import Captures
import Flows
import OAuth

/// A request that may carry a DPoP proof (RFC 9449): to the token endpoint, a pushed request, a call with an access token, or an
/// authorization request that an app sends in a browser's place.
struct DPoPCall {
    var exchange: Int
    var url: RecordedURL
    var method: String
    var proof: DPoPProof?
    /// Whether there is a `DPoP` header, readable or not.
    var hasHeader: Bool
    /// Whether it may be one of those header fields that are not known.
    var mayHaveUnknownHeader: Bool
    /// The access token that goes along; nil at the provider's own endpoints.
    var accessToken: String?
    var answer: Answer
    /// `WWW-Authenticate` of the answer.
    var challenges: [String]
    var issuedNonce: String?

    /// In the order of time; authorization requests only `withSignIn`, for their proofs are of a token that opens the sign-in alone.
    static func all(in flow: Flow, withSignIn: Bool = false) -> [DPoPCall] {
        flow.messages.compactMap { message in
            switch message {
            case .token(let request): DPoPCall(request.answer, nil, flow)
            case .pushedRequest(let call): DPoPCall(call.answer, nil, flow)
            case .userInfo(let call), .resource(let call): DPoPCall(call.answer, call.token?.value, flow)
            case .authorizationRequest(let request) where withSignIn && !request.isUnseen:
                DPoPCall(ofSignIn: request.exchange, flow)
            default: nil
            }
        }
    }

    /// The exchanges whose answer asked for a nonce that a later proof to the same server carries, or one that came after it.
    ///
    /// Such an answer is the first half of a request (RFC 9449, section 8), however the second half was answered.
    static func heededChallenges(in flow: Flow) -> Set<Int> {
        var heeded: Set<Int> = []
        // From the last to the first: what later proofs to each server carry, and whether one of it was given out since.
        var carried: [String: Set<String>] = [:]
        var carriesNewer: Set<String> = []
        for call in all(in: flow).reversed() {
            if let nonce = call.issuedNonce {
                let isCarried = carried[call.server]?.contains(nonce) ?? false
                if call.asksForNonce, isCarried || carriesNewer.contains(call.server) {
                    heeded.insert(call.exchange)
                }
                if isCarried { carriesNewer.insert(call.server) }
            }
            if let nonce = call.proof?.nonce { carried[call.server, default: []].insert(nonce) }
        }
        return heeded
    }

    /// Whether one of the next requests for the same went well.
    func isRepaired(by later: ArraySlice<DPoPCall>) -> Bool {
        later.prefix(20).contains {
            $0.url.withoutQuery == url.withoutQuery && $0.method == method && $0.answer.isSuccess
        }
    }

    /// Nil for a browser's, which has no proof.
    private init?(ofSignIn exchange: Int, _ flow: Flow) {
        let recorded = flow.capture[exchange]
        guard recorded.request.headers.contains("dpop") else { return nil }
        self.init(Answer(of: recorded, at: exchange), nil, flow)
    }

    private init(_ answer: Answer, _ token: String?, _ flow: Flow) {
        exchange = answer.exchange
        let recorded = flow.capture[exchange]
        url = recorded.request.url
        method = recorded.request.method
        proof = DPoPProof(of: recorded.request, exchange: exchange)
        hasHeader = recorded.request.headers.contains("dpop")
        mayHaveUnknownHeader = recorded.mayHaveSent("dpop")
        accessToken = token
        self.answer = answer
        challenges = recorded.response?.headers.all("www-authenticate") ?? []
        issuedNonce = recorded.response?.headers.first("dpop-nonce")
    }

    /// Each server has nonces of its own.
    var server: String { url.origin ?? "" }

    /// The error of the body, else of `WWW-Authenticate`.
    var error: String? {
        if let error = answer.error?.error { return error }
        let known = [
            "use_dpop_nonce", "invalid_dpop_proof", "invalid_token", "insufficient_scope", "invalid_request",
        ]
        return challenges.lazy.compactMap { challenge in
            known.first {
                challenge.containsBytes("error=\"\($0)\"") || challenge.containsBytes("error=\($0)")
            }
        }.first
    }

    var asksForNonce: Bool { answer.isRefusal && error == "use_dpop_nonce" }

    /// Whether it was refused for its proof, or may have been.
    var mayBlameProof: Bool {
        guard let status = answer.status, status < 500, status != 429, status >= 400 || answer.error != nil
        else { return false }
        switch error {
        case "invalid_dpop_proof", "invalid_token", "invalid_request", nil: return true
        case "use_dpop_nonce": return false
        // Some put into the name what others have in the text.
        case let other?: return other.lowercased().containsBytes("dpop")
        }
    }

    /// What the server said.
    var answerEvidence: Evidence {
        if answer.error != nil { return answer.evidence() }
        guard answer.isRefusal, let challenge = challenges.first else { return answer.statusEvidence() }
        return Evidence(
            place: Place(exchange: exchange, part: .responseHeader, name: "WWW-Authenticate"),
            value: Masking.shown(challenge, of: "www-authenticate")
        )
    }
}
