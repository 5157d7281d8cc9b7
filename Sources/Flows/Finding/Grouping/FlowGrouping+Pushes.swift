import Captures
import OAuth

/// Pushed authorization requests (RFC 9126): with the login whose browser brings their `request_uri`, with the token request that
/// they were made for where only the server's half was recorded, and those that came to nothing.
extension FlowGrouping {
    /// Keeps a pushed request until the browser brings its `request_uri`.
    mutating func note(pushed call: EndpointCall) {
        pushed[call.exchange] = call
        if call.answer.isRefusal { refusedPushes[triedValues(of: call), default: []].append(call) }
    }

    /// A pushed request goes with a flow, and what was refused of it before.
    mutating func join(pushed call: EndpointCall, to flow: FlowBuilder) {
        pushed[call.exchange] = nil
        for earlier in refusedTries(of: call) {
            pushed[earlier.exchange] = nil
            add(.pushedRequest(earlier), to: flow, capture[earlier.exchange].request.url.host)
        }
        add(.pushedRequest(call), to: flow, capture[call.exchange].request.url.host)
    }

    /// Those that no browser was seen to bring: with the code that was exchanged for them, by the challenge that its verifier
    /// opens, else by their client and redirect URI where it can be only one.
    mutating func redeemedPushes() {
        let exchanges: [(flow: FlowBuilder, request: TokenRequest)] = builders.compactMap { flow in
            guard flow.requests.isEmpty else { return nil }
            return flow.messages.lazy.compactMap { message -> TokenRequest? in
                if case .token(let request) = message, request.isCodeExchange { request } else { nil }
            }.first.map { (flow, $0) }
        }
        guard !exchanges.isEmpty, !pushed.isEmpty else { return }
        let accepted = pushed.values.filter(\.answer.isSuccess).sorted {
            index.position[$0.exchange] < index.position[$1.exchange]
        }.map { (call: $0, asked: $0.parameters.openingRequestObject) }
        var byChallenge: [String: [EndpointCall]] = [:]
        for (call, asked) in accepted {
            if let challenge = asked["code_challenge"] { byChallenge[challenge, default: []].append(call) }
        }
        var others: [(flow: FlowBuilder, request: TokenRequest)] = []
        for (flow, request) in exchanges {
            let verifier = request.codeVerifier ?? ""
            let fits = verifier.isEmpty ? nil : push(for: request, among: byChallenge, verifier)
            if let fits {
                join(pushed: fits, to: flow)
            } else {
                others.append((flow, request))
            }
        }
        for (flow, request) in others {
            if let only = onlyPush(for: request, among: accepted) { join(pushed: only, to: flow) }
        }
    }

    /// The one whose challenge a verifier opens.
    ///
    /// Some clients send the same with each login: then the last before the request, of those with the nonce that came back
    /// where there is one.
    private func push(
        for request: TokenRequest,
        among calls: [String: [EndpointCall]],
        _ verifier: String
    ) -> EndpointCall? {
        let fitting = calls[CodeChallenge.s256(of: verifier)] ?? calls[verifier] ?? []
        let before = fitting.suffix(Self.mostPushesAtATime).filter {
            pushed[$0.exchange] != nil && index.position[$0.exchange] < index.position[request.exchange]
        }
        guard before.count > 1 else { return before.first }
        return before.last { isOfSameNonce($0.parameters.openingRequestObject, request) } ?? before.last
    }

    private func isOfSameNonce(_ asked: Parameters, _ request: TokenRequest) -> Bool {
        let nonce = request.idToken.map(index.readable)?.nonce
        return nonce == nil || asked["nonce"] == nil || nonce == asked["nonce"]
    }

    /// The one that may have been made for a code within the time that a login takes.
    private func onlyPush(
        for request: TokenRequest,
        among pushes: [(call: EndpointCall, asked: Parameters)]
    ) -> EndpointCall? {
        let position = index.position[request.exchange]
        let end = pushes.partitionPoint { index.position[$0.call.exchange] > position }
        let candidates = pushes[..<end].suffix(Self.mostPushesAtATime).filter { call, asked in
            guard pushed[call.exchange] != nil, let client = request.clientID,
                call.authentication.clientID?.value == client,
                request.startedAt - capture[call.exchange].endedAt <= .seconds(600)
            else { return false }
            return mayBe(asked, of: request)
        }
        return candidates.count == 1 ? candidates.first?.call : nil
    }

    /// Whether nothing that a token request has speaks against a push: a provider that answered it with tokens has compared
    /// verifier and challenge itself.
    private func mayBe(_ asked: Parameters, of request: TokenRequest) -> Bool {
        if let uri = request.redirectURI, let own = asked["redirect_uri"], uri != own { return false }
        guard request.answer.isSuccess else { return true }
        if request.codeVerifier != nil, asked["code_challenge"] != nil { return false }
        return isOfSameNonce(asked, request)
    }

    /// Of more before a token request nobody looks at the first.
    private static let mostPushesAtATime = 50

    /// Refused, or never brought to the provider: each a flow of its own.
    mutating func pushesThatCameToNothing() {
        // By what a further try has in common with those before: the last of them, and its flow.
        var tries: [[String?]: (call: EndpointCall, flow: FlowBuilder)] = [:]
        for (exchange, call) in pushed.sorted(by: { $0.key < $1.key }) {
            let key = triedValues(of: call)
            let known = tries[key].flatMap { isRefusedTry($0.call, of: call) ? $0.flow : nil }
            let flow = known ?? new(grant: "authorization_code", exchange)
            tries[key] = (call, flow)
            flow.clientID = call.authentication.clientID?.value
            if let uri = call.parameters["redirect_uri"].map({ RecordedURL($0) }), let host = uri.host,
                uri.isWeb
            {
                flow.clientHosts.insert(host)
            }
            add(.pushedRequest(call), to: flow, capture[exchange].request.url.host)
        }
    }

    /// Refused tries of a pushed request that was then taken: the same request again within a minute, with the
    /// nonce that the provider asked for, say.
    private func refusedTries(of call: EndpointCall) -> [EndpointCall] {
        (refusedPushes[triedValues(of: call)] ?? []).filter {
            pushed[$0.exchange] != nil && isRefusedTry($0, of: call)
        }.sorted { $0.exchange < $1.exchange }
    }

    private func isRefusedTry(_ earlier: EndpointCall, of call: EndpointCall) -> Bool {
        let age = capture[call.exchange].startedAt - capture[earlier.exchange].startedAt
        return earlier.answer.isRefusal && age >= .zero && age <= .seconds(60)
            && triedValues(of: earlier) == triedValues(of: call)
    }

    /// What stays the same when a request is pushed again.
    private func triedValues(of call: EndpointCall) -> [String?] {
        [call.endpoint.text, call.authentication.clientID?.value]
            + ["redirect_uri", "state", "nonce"].map { call.parameters[$0] }
    }
}
