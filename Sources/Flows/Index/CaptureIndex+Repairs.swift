import Captures
import JOSE
package import OAuth

/// Refusals that a client answers as it is meant to, later in the capture: by a login with a page, or by another token.
extension CaptureIndex {
    /// Whether a login with a page, of the same client and user, went well behind a silent request (OpenID Connect Core, section
    /// 3.1.2.6).
    package func isAnsweredByLogin(_ request: AuthorizationRequest) -> Bool {
        guard request.isSilent, let client = request.clientID else { return false }
        // Another app may have the same client_id at another provider.
        return request.commonPlaces.contains { place in
            goodLogins.follows(
                position[request.exchange],
                client,
                at: place,
                subject: nil,
                agent: capture[request.exchange].request.userAgent
            )
        }
    }

    /// The same behind a refresh that was refused because its user has to be asked something.
    package func isAnsweredByLogin(_ request: TokenRequest) -> Bool {
        guard request.needsInteraction, let client = request.clientID else { return false }
        return goodLogins.follows(
            position[request.exchange],
            client,
            subject: subjects.subject(ofRefresh: request),
            agent: capture[request.exchange].request.userAgent
        )
    }

    /// Whether the same was asked again, with success, with another token of the client's for the same user, where the one that was refused
    /// had lasted as long as it was to, or had been good enough there before.
    package func isRenewed(after call: EndpointCall) -> Bool {
        guard let token = call.token?.value, isTokenRefused(by: call) else { return false }
        return derived.value { RenewedTokens(self) }.isRenewed(token, after: call.exchange, in: self)
            || derived.value { SignedTokenCalls(self) }.isRenewed(token, after: call.exchange, in: self)
    }

    /// By the status for it, or in the words of those that have another one.
    private func isTokenRefused(by call: EndpointCall) -> Bool {
        switch call.answer.status {
        case 401: true
        case 403: EnvoyRefusal(capture[call.exchange]) == .token
        default: call.answer.refusesTokenWithin
        }
    }

    /// Whether a call that was refused for a scope went well later, with one that was granted since, as far as the capture tells.
    package func isGranted(after call: EndpointCall) -> Bool {
        derived.value { GrantedScopes(self) }.isGranted(after: call, in: self)
    }

    var subjects: TokenSubjects { derived.value { TokenSubjects(self) } }

    private var goodLogins: UserTraces { derived.value { GoodLogins(self) }.traces }
}

extension AuthorizationRequest {
    /// The provider's host, and the app's origin: one of the two is the same in all logins of an app.
    fileprivate var commonPlaces: [String] {
        [endpoint.host.map { "at \($0)" }, redirectURI.flatMap { RecordedURL($0).origin }].compactMap(\.self)
    }
}

extension TokenRequest {
    /// Whether a refresh was refused because the provider has to show its user a page: by the name for it (OpenID Connect Core, section
    /// 3.1.2.6), by Entra's `suberror`, or by `claims` that the next request has to bring.
    package var needsInteraction: Bool {
        guard isRefresh, answer.isRefusal else { return false }
        return !(answer.parameters["claims"] ?? "").isEmpty
            || answer.parameters["suberror"].map(Self.interactions.contains) ?? false
            || answer.error.map { PostedMessage.silentErrors.contains($0.error) } ?? false
    }

    private static let interactions: Set<String> = ["basic_action", "additional_action", "consent_required"]
}

/// Logins with a page that went well, by their client and user.
private struct GoodLogins: Sendable {
    var traces = UserTraces()

    init(_ index: CaptureIndex) {
        let interactive = index.authorizationRequests.filter { !$0.isSilent && $0.state != nil }
        guard !interactive.isEmpty else { return }
        let responses = Dictionary(grouping: index.responses.filter { $0.state != nil }) { $0.state ?? "" }
        let exchanges = Dictionary(grouping: index.tokenRequests.filter { $0.code != nil }) { $0.code ?? "" }
        for request in interactive {
            guard let client = request.clientID, let state = request.state, !Placeholder.isOne(state),
                let response = responses[state]?.last, response.error == nil
            else { continue }
            let exchanged = response.code.flatMap { exchanges[$0] } ?? []
            let granted = exchanged.last(where: \.answer.isSuccess)
            guard Self.isGood(response, exchanged, granted, index) else { continue }
            let agents = [request.exchange, granted?.exchange].map { exchange in
                exchange.flatMap { index.capture[$0].request.userAgent }
            }
            let handed = response.parameters.parameter("id_token").flatMap { IDToken($0) }?.token.subject
            for place in [""] + request.commonPlaces {
                traces.add(
                    index.position[request.exchange],
                    client,
                    at: place,
                    subject: granted.flatMap { index.subjects.granted[$0.exchange] } ?? handed,
                    agents: agents
                )
            }
        }
    }

    private static func isGood(
        _ response: AuthorizationResponse,
        _ exchanged: [TokenRequest],
        _ granted: TokenRequest?,
        _ index: CaptureIndex
    ) -> Bool {
        guard exchanged.isEmpty || granted != nil else { return false }
        guard let callback = response.callback, let status = index.capture[callback].response?.status else {
            return granted != nil || response.parameters.contains("access_token")
                || response.parameters.contains("id_token")
        }
        return status < 400 && !ErrorRedirect.isAnswer(to: callback, in: index)
    }
}

/// Which calls went well, by client, user and address, and what is known of the tokens of the others.
private struct RenewedTokens: Sendable {
    private struct Grant: Sendable {
        var client: String
        var subject: String?
        /// By the recorder's clock, or by the token's own word.
        var end: Timestamp?
    }

    private struct Use: Hashable {
        var token: String
        var place: String
    }

    private var grants: [String: Grant] = [:]
    private var traces = UserTraces()
    /// Where each token was taken first, by origin.
    private var taken: [Use: Int] = [:]

    init(_ index: CaptureIndex) {
        for request in index.tokenRequests where request.answer.isSuccess {
            guard let client = request.clientID, let token = request.accessToken, !Placeholder.isOne(token)
            else { continue }
            // What a client gets for itself has no user.
            let isOwn = request.grantType == "client_credentials"
            grants[token] = Grant(
                client: client,
                subject: isOwn ? "" : index.subjects.granted[request.exchange],
                end: Self.end(of: token, request.answer, index)
            )
        }
        var unread = Self.unread(index)[...]
        var latest: Grant?
        for exchange in index.order {
            let recorded = index.capture[exchange]
            let place = index.position[exchange]
            while let first = unread.first, first.place < place {
                latest = first.grant
                unread.removeFirst()
            }
            if let grant = latest, isTakenUnknown(recorded, at: exchange) {
                trace(grant, at: exchange, in: index)
            }
            guard let call = index.messages[exchange]?.protectedCall, let status = call.answer.status,
                status < 400, let token = call.token?.value, let grant = grants[token],
                !call.answer.refusesTokenWithin
            else { continue }
            trace(grant, at: exchange, in: index)
            let use = Use(token: token, place: recorded.request.url.origin ?? "")
            taken[use] = min(taken[use] ?? place, place)
        }
    }

    private mutating func trace(_ grant: Grant, at exchange: Int, in index: CaptureIndex) {
        let request = index.capture[exchange].request
        traces.add(
            index.position[exchange],
            grant.client,
            at: request.methodAndURL,
            subject: grant.subject,
            agents: [request.userAgent]
        )
    }

    /// What was granted in answers that were not saved, or not whole, in order of time.
    private static func unread(_ index: CaptureIndex) -> [(place: Int, grant: Grant)] {
        index.tokenRequests.compactMap { request in
            guard request.isRefresh, request.answer.isSuccess, request.answer.isUnsaved,
                let client = request.clientID
            else { return nil }
            let subject = index.subjects.granted[request.exchange]
            return (index.position[request.exchange], Grant(client: client, subject: subject))
        }
    }

    /// Whether a call was let in with a token that no answer of the capture brought: it may be that of one which was not saved.
    private func isTakenUnknown(_ call: Exchange, at exchange: Int) -> Bool {
        guard let status = call.response?.status, status < 400,
            let token = BearerToken.of(call.request, exchange: exchange)?.value, !Placeholder.isOne(token)
        else { return false }
        return grants[token] == nil
    }

    func isRenewed(_ token: String, after exchange: Int, in index: CaptureIndex) -> Bool {
        guard let grant = grants[token] else { return false }
        let recorded = index.capture[exchange]
        let place = index.position[exchange]
        let isOver = grant.end.map { $0 <= recorded.endedAt } ?? false
        let first = taken[Use(token: token, place: recorded.request.url.origin ?? "")]
        guard isOver || first.map({ $0 < place }) ?? false else { return false }
        return traces.follows(
            place,
            grant.client,
            at: recorded.request.methodAndURL,
            subject: grant.subject,
            agent: recorded.request.userAgent
        )
    }

    private static func end(of token: String, _ answer: Answer, _ index: CaptureIndex) -> Timestamp? {
        if let lifetime = answer.parameters["expires_in"].flatMap({ Int64($0) }), lifetime > 0,
            lifetime < longest
        {
            return index.capture[answer.exchange].endedAt + .seconds(lifetime)
        }
        guard let end = JSONWebToken.parse(token)?.expiresAt, end > 0 else { return nil }
        return Timestamp(statedSeconds: end)
    }

    /// In seconds; what says more of a token's lifetime is beyond any recording.
    private static let longest: Int64 = 1_000_000_000
}
