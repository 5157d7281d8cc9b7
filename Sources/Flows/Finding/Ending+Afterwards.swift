import Captures
import JOSE
import OAuth

/// What comes after a login that went well.
extension Ending {
    /// A refused call with the tokens, or a refused logout, ends a flow that went well until then.
    func later(than outcome: Outcome) -> Outcome {
        guard outcome == .success else { return outcome }
        if isStoppedByKeys || isRefusedBehindCalls || isRefusedForGood(callsToBeLetIn) { return .failure }
        if lastLogout.map({ LogoutCourse(of: $0, in: index).isDeclined }) ?? false { return .cancelled }
        return isLeftAtLogout ? .incomplete : .success
    }

    /// Calls with a token that the flow may expect to be answered with success.
    private var callsToBeLetIn: [EndpointCall] {
        let revoked = RevokedTokens(among: messages, in: index)
        let resources = messages.compactMap { if case .resource(let call) = $0 { call } else { nil } }
        let closed = EnvoyRefusal.closedOrigins(among: resources, in: index.capture)
        return messages.compactMap { message in
            switch message {
            case .resource(let call)
            where !isAffairOfTheLogin(call.answer) && !isStuckAtIntrospection(call.exchange)
                && !(call.endpoint.origin.map(closed.contains) ?? false)
                || index.isSteppedUp(after: call.exchange, by: builder.requests.last?.clientID):
                nil
            case .userInfo(let call), .resource(let call): hasToBeLetIn(call, revoked) ? call : nil
            default: nil
            }
        }
    }

    private func hasToBeLetIn(_ call: EndpointCall, _ revoked: RevokedTokens) -> Bool {
        if let token = call.token, isGivenBack(token, before: call, revoked) || isForOwnBackEnd(token, call) {
            return false
        }
        // Its token was left out of the capture, and may be the one.
        if call.token == nil, index.mayLackCredentials(at: call.exchange),
            revoked.isAny(before: call.exchange)
        {
            return false
        }
        let isRefused = call.answer.isRefusal || call.answer.refusesTokenWithin
        if isRefused, isSignedOut(before: call.exchange) { return false }
        return !index.isRenewed(after: call)
    }

    /// Whether a logout, a revocation or a question about a token was refused and not taken later.
    private var isRefusedBehindCalls: Bool {
        /// The last status at each address, and of each token.
        var last: [String: Int] = [:]
        let denied = Set(DeniedToken.introspections(among: messages, in: index.capture).map(\.exchange))
        let answeredUntil = endOfAnsweredCalls
        var isSignedOut = false
        // A session that is over cannot be ended by its refresh token once more (Keycloak).
        var ended: Set<String> = []
        for message in messages {
            switch message {
            case .endSession(let call):
                let course = LogoutCourse(of: call, in: index)
                let isRefused = course.isRefused
                if let token = call.parameters["refresh_token"], !token.isEmpty {
                    if isRefused, ended.contains(token) { break }
                    if !isRefused { ended.insert(token) }
                }
                last[index.capture[call.exchange].request.url.withoutQuery] = isRefused ? 400 : 200
                isSignedOut = isSignedOut || !isRefused && !course.isDeclined
            case .revocation(let call):
                // Of a token that it does not know the provider says nothing (RFC 7009, section 2.2); with the client's
                // credentials refused, the tokens live on.
                if call.answer.status != nil {
                    last[Self.revocations] = isClientRefused(call.answer) ? 401 : 200
                }
            case .introspection(let call):
                if denied.contains(call.exchange) { last["token \(call.exchange)"] = 400 }
                // Whoever was shown a token may not ask about it, and has to turn it away.
                let isAnswered = answeredUntil.map { $0 >= index.capture[call.exchange].endedAt } ?? false
                if let status = call.answer.status, !isAnswered {
                    last[call.endpoint.text] = [401, 403].contains(status) ? status : 200
                }
            case .backChannelLogout(let delivery):
                let url = index.capture[delivery.exchange].request.url.withoutQuery
                if let status = logoutStatus(of: delivery) { last[url] = status }
            case .frontChannelLogout(let call):
                if let status = call.answer.status { last[call.endpoint.text] = status }
            default: break
            }
        }
        if isSignedOut { last[Self.revocations] = nil }
        return last.values.contains { $0 >= 400 }
    }

    /// What stands for all revocations, of whichever of the tokens: beside a logout that went well, none of them matters.
    private static let revocations = "revocation"

    /// Whether a revocation was refused to the client, and not because of the token, which some name in a 401 as APIs do.
    private func isClientRefused(_ answer: Answer) -> Bool {
        let name = answer.error?.standardName
        guard answer.status == 401 else { return answer.isRefusal && name == "invalid_client" }
        if let name { return !Self.errorsOfTokens.contains(name) }
        return !isChallenged(answer, by: ["invalid_token"])
    }

    /// Whether one of these errors stands in `WWW-Authenticate` (RFC 6750, section 3).
    private func isChallenged(_ answer: Answer, by errors: [String]) -> Bool {
        let challenges = index.capture[answer.exchange].response?.headers.all("www-authenticate") ?? []
        return challenges.contains { challenge in errors.contains(where: challenge.containsBytes) }
    }

    private static let errorsOfTokens: Set<String> = [
        "invalid_token", "invalid_grant", "unsupported_token_type",
    ]

    /// Until when APIs answered well: they did not hang on what they asked until then.
    private var endOfAnsweredCalls: Timestamp? {
        messages.compactMap { message -> Timestamp? in
            switch message {
            case .userInfo(let call) where call.answer.isSuccess: index.capture[call.exchange].endedAt
            case .resource(let call) where call.answer.isSuccess: index.capture[call.exchange].endedAt
            default: nil
            }
        }.max()
    }

    private var lastLogout: EndpointCall? {
        messages.lazy.compactMap { if case .endSession(let call) = $0 { call } else { nil } }.last
    }

    /// Whether the last logout was left on the provider's page although it asked to be sent back.
    private var isLeftAtLogout: Bool {
        // Asked to confirm although the hint says who it is, and left there: the login stands all the same.
        guard let last = lastLogout, !last.parameters.contains("id_token_hint") else { return false }
        let course = LogoutCourse(of: last, in: index)
        return if case .page = course.end { !course.isConfirmed } else { false }
    }

    /// Whether one of these calls was refused, and nothing later shows that it would be let in: a 401 that was repeated with success is
    /// none.
    private func isRefusedForGood(_ calls: [EndpointCall]) -> Bool {
        var later = LaterCalls(in: index)
        for call in calls.reversed() {
            guard let status = call.answer.status, index.unseenRetry(of: call.exchange) == nil else {
                continue
            }
            if ScopeRefusal(call.answer, in: index.capture) != nil {
                if !index.isGranted(after: call) { return true }
            } else if status < 400, !call.answer.refusesTokenWithin {
                later.add(call)
            } else if !later.isRepaired(call), status >= 400 || isUserInfo(call) || !later.hasTaken(call) {
                return true
            }
        }
        return false
    }

    private func isUserInfo(_ call: EndpointCall) -> Bool {
        if case .userInfo = index.messages[call.exchange] { true } else { false }
    }

    /// Whether what comes at an exchange comes behind the end of the session.
    func isSignedOut(before exchange: Int) -> Bool {
        sessionEnds.isOver(before: exchange)
    }

    /// Whether a client that got an ID token wanted to read the keys for it, was refused them, and did nothing any more.
    private var isStoppedByKeys: Bool {
        guard let last = tokens.last, last.answer.isSuccess, last.answer.parameters.contains("id_token")
        else {
            return false
        }
        let start = index.position[last.exchange]
        let end = index.capture[last.exchange].endedAt
        var areRefused = false
        for message in messages where index.position[message.exchange] > start {
            switch message {
            case .keySet(let document):
                // A connection that came to nothing leaves to the next try what became of it.
                if document.answer.failure.flatMap({ TransportFailure($0) }) != nil,
                    document.answer.status == nil
                {
                    continue
                }
                guard isWithoutKeys(document),
                    index.capture[document.exchange].startedAt - end <= .seconds(30)
                else { return false }
                areRefused = true
            case .discovery, .authorizationRequest, .authorizationResponse: continue
            default: return false
            }
        }
        guard areRefused, !hasOtherTokens(after: last.exchange) else { return false }
        // A server answers its callback when it is done.
        guard let callback = builder.responses.last?.callback, index.capture[callback].endedAt > end else {
            return true
        }
        return isRefused(callback, builder.responses.last?.code) || isSentToAnError(callback)
    }

    /// Whether an error came in the place of keys, or with 200 something else that was saved to its end.
    private func isWithoutKeys(_ document: KeySetDocument) -> Bool {
        guard let status = document.answer.status else { return false }
        if (200..<300).contains(status) {
            return document.keys == nil && document.answer.isBodyWhole && !document.answer.isUnseen
        }
        return status >= 400
    }

    /// Keys that were read behind those of another login may be for that one.
    private func hasOtherTokens(after exchange: Int) -> Bool {
        let start = index.capture[exchange].endedAt
        return index.withoutAssets(after: exchange).prefix(200).contains { other in
            guard case .token = index.messages[other] else { return false }
            return index.capture[other].startedAt - start <= .seconds(30)
        }
    }

    /// The status by which an app said how it took a logout token; nil where it was not heard of again.
    ///
    /// A redirect to a page is no word of the app that it ended the session (OpenID Connect Back-Channel Logout, section 2.8).
    func logoutStatus(of delivery: LogoutTokenDelivery) -> Int? {
        guard let status = delivery.answer.status else {
            return delivery.answer.failure == nil || delivery.answer.isUnseen ? nil : 400
        }
        return (300..<400).contains(status) ? 400 : status
    }

    /// What an API says to a record that is not there, or to a user's role, is no affair of the login (RFC 6750, section
    /// 3.1).
    private func isAffairOfTheLogin(_ answer: Answer) -> Bool {
        guard let status = answer.status, status >= 400 else { return true }
        if status == 401 || ScopeRefusal(answer, in: index.capture) != nil { return true }
        if CredentialRefusal.isOne(answer, in: index.capture) { return true }
        if EnvoyRefusal(index.capture[answer.exchange]) == .token { return true }
        // Some answer a proof that they do not take with 400 (RFC 9449, section 7.1, has 401).
        if answer.error?.error == "invalid_dpop_proof" { return true }
        return isChallenged(answer, by: ["invalid_token", "invalid_dpop_proof"])
    }

    /// Whether an API broke down at a call, at work on which it asked the provider about the token and was itself refused.
    private func isStuckAtIntrospection(_ exchange: Int) -> Bool {
        let asked = index.capture[exchange]
        let first = refusedIntrospections.partitionPoint { $0.start >= asked.startedAt }
        return first < refusedIntrospections.count && refusedIntrospections[first].end <= asked.endedAt
    }

    /// A token that was given back has to be refused, and so may be one whose refresh token was.
    private func isGivenBack(_ token: Parameter, before call: EndpointCall, _ revoked: RevokedTokens) -> Bool
    {
        revoked.mayHaveTaken(token.value, before: call.exchange)
            || revoked.revocation(of: token.value, before: call.exchange) != nil
            || call.answer.isRefusal
                && revoked.revocation(ofGrantOf: token.value, before: call.exchange) != nil
                && !call.answer.isForAnotherReason(in: index.capture)
    }

    /// An ID token may be what the app's own back end wants to see; what it answers is no affair of the login.
    private func isForOwnBackEnd(_ token: Parameter, _ call: EndpointCall) -> Bool {
        guard let host = call.endpoint.host, builder.clientHosts.contains(host) else { return false }
        return tokens.contains { $0.answer.parameters["id_token"] == token.value }
            || builder.responses.contains { $0.parameters["id_token"] == token.value }
    }
}
