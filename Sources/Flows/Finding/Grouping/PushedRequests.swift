import Captures
import JOSE
import OAuth

/// Pushed authorization requests (RFC 9126) that have no flow yet: each waits for the login whose browser brings its `request_uri`.
struct PushedRequests {
    private let index: CaptureIndex
    /// By exchange.
    private var waiting: [Int: EndpointCall] = [:]
    /// Those that were refused, by what a further try has in common with them.
    private var refused: [[String?]: [EndpointCall]] = [:]

    init(_ index: CaptureIndex) { self.index = index }

    /// The one of an exchange, while it waits.
    subscript(exchange: Int) -> EndpointCall? { waiting[exchange] }

    mutating func insert(_ call: EndpointCall) {
        waiting[call.exchange] = call
        if call.answer.isRefusal { refused[triedValues(of: call), default: []].append(call) }
    }

    /// Takes one out, and what was refused of it before, in order.
    mutating func take(_ call: EndpointCall) -> [EndpointCall] {
        waiting[call.exchange] = nil
        let earlier = refusedTries(of: call)
        for call in earlier { waiting[call.exchange] = nil }
        return earlier + [call]
    }

    /// Takes those out that no browser was seen to bring: with the code that was exchanged for them, by the challenge that its
    /// verifier opens, else by their client and redirect URI where it can be only one.
    ///
    /// `exchanges`: token requests of flows without a login.
    mutating func takeRedeemed(by exchanges: [(flow: FlowBuilder, request: TokenRequest)]) -> [(
        flow: FlowBuilder, calls: [EndpointCall]
    )] {
        guard !exchanges.isEmpty, !waiting.isEmpty else { return [] }
        let accepted = index.inOrder(waiting.values.filter(\.answer.isSuccess), by: \.exchange)
            .map { (call: $0, asked: $0.parameters.openingRequestObject) }
        var byChallenge: [String: [EndpointCall]] = [:]
        for (call, asked) in accepted {
            if let challenge = asked["code_challenge"] { byChallenge[challenge, default: []].append(call) }
        }
        var taken: [(flow: FlowBuilder, calls: [EndpointCall])] = []
        var others: [(flow: FlowBuilder, request: TokenRequest)] = []
        for (flow, request) in exchanges {
            let verifier = request.codeVerifier ?? ""
            let fits = verifier.isEmpty ? nil : push(for: request, among: byChallenge, verifier)
            if let fits {
                taken.append((flow, take(fits)))
            } else {
                others.append((flow, request))
            }
        }
        for (flow, request) in others {
            if let only = onlyPush(for: request, among: accepted) { taken.append((flow, take(only))) }
        }
        return taken
    }

    /// Those that came to nothing, refused or never brought to the provider, in order; tries of the same have one number.
    var leftOver: [(call: EndpointCall, number: Int)] {
        // By what a further try has in common with those before: the last of them.
        var tries: [[String?]: (call: EndpointCall, number: Int)] = [:]
        var count = 0
        return waiting.sorted { $0.key < $1.key }.map { _, call in
            let key = triedValues(of: call)
            let known = tries[key].flatMap { isRefusedTry($0.call, of: call) ? $0.number : nil }
            let number = known ?? count
            count += known == nil ? 1 : 0
            tries[key] = (call, number)
            return (call, number)
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
            waiting[$0.exchange] != nil && index.position[$0.exchange] < index.position[request.exchange]
        }
        guard before.count > 1 else { return before.first }
        return before.last { isOfSameNonce($0.parameters.openingRequestObject, request) } ?? before.last
    }

    private func isOfSameNonce(_ asked: Parameters, _ request: TokenRequest) -> Bool {
        guard let nonce = request.idToken.map(index.readable)?.nonce, let own = asked["nonce"] else {
            return true
        }
        return nonce == own || Placeholder.isOne(own) || Placeholder.isOne(nonce)
    }

    /// The one that may have been made for a code within the time that a login takes.
    private func onlyPush(
        for request: TokenRequest,
        among pushes: [(call: EndpointCall, asked: Parameters)]
    ) -> EndpointCall? {
        let position = index.position[request.exchange]
        let end = pushes.partitionPoint { index.position[$0.call.exchange] > position }
        let candidates = pushes[..<end].suffix(Self.mostPushesAtATime).filter { call, asked in
            guard waiting[call.exchange] != nil, let client = request.clientID,
                call.authentication.clientID?.value == client,
                request.startedAt - index.capture[call.exchange].endedAt <= .seconds(600)
            else { return false }
            return mayBe(asked, of: request)
        }
        return candidates.count == 1 ? candidates.first?.call : nil
    }

    /// Whether nothing that a token request has speaks against a push: a provider that answered it with tokens has compared
    /// verifier and challenge itself.
    ///
    /// What was taken out of the capture says nothing.
    private func mayBe(_ asked: Parameters, of request: TokenRequest) -> Bool {
        if let uri = request.redirectURI, let own = asked["redirect_uri"], uri != own { return false }
        guard request.answer.isSuccess else { return true }
        if let verifier = request.codeVerifier, let challenge = asked["code_challenge"],
            ![verifier, challenge].contains(where: Placeholder.isOne)
        {
            return false
        }
        return isOfSameNonce(asked, request)
    }

    /// Of more before a token request nobody looks at the first.
    private static let mostPushesAtATime = 50

    /// Refused tries of a pushed request that was then taken: the same request again within a minute, with the
    /// nonce that the provider asked for, say.
    private func refusedTries(of call: EndpointCall) -> [EndpointCall] {
        (refused[triedValues(of: call)] ?? []).filter {
            waiting[$0.exchange] != nil && isRefusedTry($0, of: call)
        }.sorted { $0.exchange < $1.exchange }
    }

    private func isRefusedTry(_ earlier: EndpointCall, of call: EndpointCall) -> Bool {
        let age = index.capture[call.exchange].startedAt - index.capture[earlier.exchange].startedAt
        return earlier.answer.isRefusal && age >= .zero && age <= .seconds(60)
            && triedValues(of: earlier) == triedValues(of: call)
    }

    /// What stays the same when a request is pushed again.
    private func triedValues(of call: EndpointCall) -> [String?] {
        [call.endpoint.text, call.authentication.clientID?.value]
            + ["redirect_uri", "state", "nonce"].map { call.parameters[$0] }
    }
}
