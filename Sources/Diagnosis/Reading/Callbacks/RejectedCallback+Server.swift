import Captures
import Flows
import JOSE
import JSON
import OAuth

/// What the app's server did while it worked on a callback that it refused in the end.
extension RejectedCallback {
    /// A time of the ID token that had not come yet by the clock of the app's server when that refused it.
    func prematureTime(in flow: Flow) -> (evidence: [Evidence], span: Int64)? {
        let answer = AnswerTime(of: place, in: flow)
        guard answer.isStated,
            let delivered = idToken(in: flow)
        else { return nil }
        let token = delivered.idToken.token
        let early = [("nbf", token.notBefore), ("iat", token.issuedAt)].compactMap { name, time in
            time.map { (name: name, time: $0) }
        }.max { $0.time < $1.time }
        // Both state whole seconds.
        guard let early, case let span = early.time - answer.time.seconds, span > 1,
            !SigningClock.isInMilliseconds(early.time)
        else { return nil }
        return (
            [
                delivered.evidence(ofTime: early.name, early.time),
                answer.evidence(
                    note: "the clock of the app's server when it refused, \(Span.text(span)) before that"
                ),
            ], span
        )
    }

    /// What the code was exchanged for that says who the user is; nil where there is none.
    func idToken(in flow: Flow) -> DeliveredIDToken? {
        flow.deliveredIDTokens.last {
            $0.tokenRequest?.code != nil && $0.tokenRequest?.code == response.code
                && $0.tokenRequest?.answer.isSuccess ?? false
        }
    }

    /// That the app had exchanged the code when it refused, and what it had to judge by.
    ///
    /// The algorithm of the ID token, and the last of what its server fetched after that; nil where it got no tokens.
    func tokens(in flow: Flow) -> [Evidence]? {
        let refused = flow.capture[place]
        guard
            let request = flow.tokenRequests.last(where: {
                $0.code != nil && $0.code == response.code && $0.answer.isSuccess
                    && $0.startedAt >= refused.startedAt && $0.startedAt <= refused.endedAt
            })
        else { return nil }
        let last = lastCall(after: request, until: refused.endedAt, in: flow)
        let exchanged = request.answer.statusEvidence(
            note: "the code was exchanged"
                + (last == nil && failedCalls(in: flow).isEmpty
                    ? ", and nothing fetched after it, neither keys nor user data" : "")
        )
        let token = flow.deliveredIDTokens.first { $0.tokenRequest?.exchange == request.exchange }
        let asked = [
            exchanged, token?.evidence(ofHeader: "alg"),
            unconfirmedAddress(token, request, until: refused.endedAt, in: flow),
            namelessUser(token, request, until: refused.endedAt, in: flow),
            token.flatMap(unaskedNonce),
        ]
        let other = [token?.otherAudiences, last.map { fetched($0, flow) }]
        return asked.compactMap(\.self) + (token.map { unmetContext(of: $0, in: flow) } ?? [])
            + (token?.otherEncryption(in: flow) ?? []) + other.compactMap(\.self)
    }

    /// That the user's address is not confirmed, by the ID token or by UserInfo.
    private func unconfirmedAddress(
        _ token: DeliveredIDToken?,
        _ request: TokenRequest,
        until end: Timestamp,
        in flow: Flow
    ) -> Evidence? {
        let note = "not confirmed: there are apps that let nobody in without a confirmed address"
        if let token, token.idToken.token.claims?["email_verified"] == .bool(false) {
            return token.evidence(ofClaim: "email_verified", note: note)
        }
        guard let userInfo = userInfo(after: request, until: end, in: flow),
            let isVerified = userInfo.answer.json?["email_verified"],
            isVerified.bool == false || isVerified.string == "false"
        else { return nil }
        return Evidence(place: userInfo.answer.place("email_verified"), value: "false", note: note)
    }

    /// That UserInfo has the user's identifier and nothing more, and the ID token neither.
    private func namelessUser(
        _ token: DeliveredIDToken?,
        _ request: TokenRequest,
        until end: Timestamp,
        in flow: Flow
    ) -> Evidence? {
        let names = ["email", "name", "preferred_username"]
        guard let userInfo = userInfo(after: request, until: end, in: flow),
            let members = userInfo.answer.json?.members, members.map(\.name) == ["sub"],
            names.allSatisfy({ token?.idToken.token.claim($0) == nil })
        else { return nil }
        return Evidence(
            place: userInfo.answer.place("sub"),
            value: "sub",
            note:
                "all that UserInfo tells: there are apps that let nobody in without an email or a name, which the scopes email and profile bring"
        )
    }

    private func unaskedNonce(in token: DeliveredIDToken) -> Evidence? {
        guard let login = token.login, token.idToken.token.claim("nonce") != nil,
            (login.request.parameters["nonce"] ?? "").isEmpty, !login.request.parameters.isEmpty
        else { return nil }
        return token.evidence(
            ofClaim: "nonce",
            note: "the login asked for none: there are libraries that refuse one then"
        )
    }

    /// The sign-in that the login asked for, and what the ID token of its code has instead.
    private func unmetContext(of token: DeliveredIDToken, in flow: Flow) -> [Evidence] {
        guard let claims = token.idToken.token.claims, let login = token.login,
            token.isCertain(of: login, in: flow),
            let wish = ACRWish.unmet(by: claims, of: login.request), !wish.isTakenOut
        else { return [] }
        let note = "not what the login asked for: there are apps that let nobody in without it"
        return [wish.evidence, token.evidence(ofClaim: "acr", note: note)]
    }

    private func fetched(_ last: Int, _ flow: Flow) -> Evidence {
        flow.urlEvidence(
            of: last,
            note: isIntrospection(last, flow)
                ? "asked about the token by a server behind the app, before the app refused"
                : "the last that the app's server fetched before it refused"
        )
    }

    private func userInfo(after request: TokenRequest, until end: Timestamp, in flow: Flow) -> EndpointCall? {
        flow.messages.lazy.compactMap { message -> EndpointCall? in
            guard case .userInfo(let call) = message else { return nil }
            let startedAt = flow.capture[call.exchange].startedAt
            return startedAt >= request.startedAt && startedAt <= end ? call : nil
        }.first
    }

    private func isIntrospection(_ exchange: Int, _ flow: Flow) -> Bool {
        if case .introspection = flow.surroundings.messages[exchange] { true } else { false }
    }

    /// Whether a server asks so that has tokens: a library may have a name of its own for each kind of request.
    private func isOfServer(_ exchange: Int, _ flow: Flow) -> Bool {
        switch flow.surroundings.messages[exchange] {
        case .introspection, .userInfo, .keySet: true
        default: false
        }
    }

    /// By the client that exchanged the code, or by a server that was handed the token and asks about it.
    private func lastCall(after request: TokenRequest, until end: Timestamp, in flow: Flow) -> Int? {
        let asking = flow.capture[request.exchange]
        let agent = asking.request.userAgent
        let browser = flow.capture[exchange].request.userAgent
        let own = flow.exchanges.last { exchange in
            let call = flow.capture[exchange]
            return exchange != request.exchange && exchange != place
                && (call.request.userAgent == agent
                    || isOfServer(exchange, flow) && call.request.userAgent != browser
                        && !call.request.headers.contains("origin"))
                && call.startedAt >= request.startedAt && call.startedAt <= end
        }
        // Of a server that no login knows, as one is whose keys are asked for by mistake.
        let other = flow.exchanges(after: request.exchange, within: end - asking.startedAt).last { index in
            let call = flow.capture[index]
            return index != place && call.client.processID != nil
                && call.client.processID == asking.client.processID
                && call.request.userAgent == agent
        }
        let position = flow.surroundings.position
        return [own, other].compactMap(\.self).max { position[$0] < position[$1] }
    }

    /// Whether a page came where a token was shown to get data: a gateway's, or one of another address of the server.
    private func isAnsweredByPage(_ exchange: Int, _ flow: Flow) -> Bool {
        let asked = flow.capture[exchange]
        guard let answer = asked.response, answer.isSuccessful, answer.body?.isPage ?? false
        else { return false }
        return BearerToken.of(asked.request, exchange: exchange) != nil
    }

    /// Whether a request is another program's: by its process, or, where the recorder names none, because no browser sends such a one.
    func isOfAnother(_ asked: Exchange, than received: Exchange) -> Bool {
        let clients = [asked.client, received.client]
        guard clients.allSatisfy({ $0.process == nil && $0.processID == nil }) else {
            return asked.client.isOther(than: received.client)
        }
        guard let agent = asked.request.userAgent else { return false }
        return !UserAgentName.isOnDevice(agent) && agent != received.request.userAgent
    }

    /// The exchanges by which it asked for something that it did not get, the last few.
    func unservedCalls(in flow: Flow) -> [Int] {
        let received = flow.capture[exchange]
        let redeeming = Set(flow.tokenRequests.compactMap { flow.capture[$0.exchange].client.processID })
        let order = flow.surroundings.order
        return order[flow.surroundings.position[exchange]...].dropFirst().prefix(Self.mostRequests)
            .prefix { flow.capture[$0].startedAt <= received.endedAt }
            .filter { index in
                let asked = flow.capture[index]
                return isOfAnother(asked, than: received) && asked.endedAt <= received.endedAt
                    && (flow.providerHosts.contains(asked.request.url.host ?? "")
                        || asked.client.processID.map(redeeming.contains) ?? false)
                    && (asked.response.map { $0.status >= 400 || isAnsweredByPage(index, flow) }
                        ?? (asked.failure != nil))
            }
            .suffix(3)
    }

    /// What it asked for and did not get: where, and what came instead.
    func failedCalls(in flow: Flow) -> [Evidence] {
        unservedCalls(in: flow).flatMap { index in
            let asked = flow.capture[index]
            return [
                flow.urlEvidence(
                    of: index,
                    note: "asked by the app's server while it worked on the callback"
                        + (isWithoutToken(index, flow) ? ", without an access token" : "")
                ),
                Evidence(
                    place: Place(exchange: index, part: .responseStatus, name: ""),
                    value: asked.response.map { "\($0.status)" }
                        ?? Excerpt.start(of: asked.failure ?? ""),
                    note: isAnsweredByPage(index, flow) ? "a page, where data was asked for" : nil
                ),
            ]
        }
    }

    /// Whether UserInfo was called and no token came along, as far as the capture has the credentials.
    private func isWithoutToken(_ exchange: Int, _ flow: Flow) -> Bool {
        guard case .userInfo(let call) = flow.surroundings.messages[exchange] else { return false }
        return call.token == nil && !flow.surroundings.mayLackCredentials(at: exchange)
    }

    /// A server that works on more at a time is one whose requests nobody can tell apart.
    private static let mostRequests = 50
}
