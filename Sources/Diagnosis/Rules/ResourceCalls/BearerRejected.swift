import Captures
import Flows
import JOSE
import OAuth

/// An API or UserInfo refused the access token, and nothing in the capture says why.
struct BearerRejected: Rule {
    static let info = RuleInfo(
        id: "bearer-rejected",
        title: "The API or UserInfo refused the access token",
        severity: .error,
        isSymptom: true,
        explanation: """
            A call with the access token of this login was refused because of the token. The provider issued it, so the two do not agree on it; the \
            capture does not show where.
            """,
        fix: """
            Compare what the API expects (issuer, audience, keys) with the token's claims, and look into the API's log. Keys that it fetched once \
            and never again are a common cause after a rotation. Where the token is undefined or null, the app read it under another name than \
            access_token, or before the token response was there.
            """,
        badExample: """
            GET /orders, Authorization: Bearer 2YotnFZF…
            401, WWW-Authenticate: Bearer error="invalid_token"
            """,
        goodExample: """
            GET /orders, Authorization: Bearer 2YotnFZF…
            200 OK
            """,
        specifications: [.rfc(6750, "3")]
    )

    func verdict(on flow: Flow) -> Verdict {
        let revoked = flow.revokedTokens
        let idTokens = Self.idTokensInPlace(flow)
        let refused = refusedCalls(flow, revoked, idTokens)
        func revocation(behind call: BearerCall) -> EndpointCall? {
            call.call.answer.isForAnotherReason(in: flow.capture)
                ? nil : revoked.revocation(ofGrantOf: call.token.value, before: call.call.exchange)
        }
        guard
            let (call, refusal) = refused.first(where: { revocation(behind: $0.call) == nil })
                ?? refused.first
        else {
            return
                (TokenQuestion.denied(in: flow) ?? BearerSending.lostOnTheWay(flow)
                ?? CredentialRefusal.violation(in: flow) ?? PortalRefusal.violation(in: flow)
                ?? UserInfoPage.violation(in: flow)).map {
                    .violated($0)
                }
                ?? otherRefusal(flow)
        }
        guard !isExplained(flow) else { return .holds }
        let shown = BearerEvidence(of: call, refusal)
        if let revocation = revocation(behind: call) {
            return .violated(ended(by: revocation, call, shown.all, flow))
        }
        if let question = TokenQuestion(during: call, in: flow) {
            return .violated(question.violation(shown.all, call.call.exchange))
        }
        return .violated(
            violation(call, refusal, shown, isIDToken: idTokens.contains(call.token.value), flow)
        )
    }

    /// What is known of a call that was refused while its token was to be good.
    private func violation(
        _ call: BearerCall,
        _ refusal: BearerRefusal,
        _ refused: BearerEvidence,
        isIDToken: Bool,
        _ flow: Flow
    ) -> Violation {
        // "Signature has expired" is what PyJWT says of the time.
        let isForItsKey =
            !call.isUserInfo && call.claimsToken != nil && refusal.reasons.contains(.signature)
            && !refusal.reasons.contains(.expiry)
        var shown = refused
        shown.add(detailsOf: call, refusal, isForItsKey: isForItsKey, flow)
        if let violation = BearerSending.misspelled(call, shown, flow)
            ?? BearerSending.changed(call, shown, flow) ?? BearerSending.companion(call, refusal, shown)
            ?? StepUpChallenge.violation(by: call, refusal, shown)
            ?? BearerSending.unseen(call, refusal, shown)
        {
            return violation
        }
        let scope = MissingOpenID.scope(of: call, in: flow)
        return Violation(
            shown.all + (scope.map { [Evidence($0, note: "granted or asked for, without openid")] } ?? []),
            saying: words(of: call, refusal, isForItsKey: isForItsKey, isIDToken: isIDToken)
                ?? (OpenIDScope.isLackShown(by: call.call.exchange, in: flow)
                    ? MissingOpenID.ofUserInfo : nil)
                    ?? scope.map { _ in MissingOpenID.ofGrant } ?? providersWords(of: call, refusal, flow),
            exchange: call.call.exchange
        )
    }

    private func words(
        of call: BearerCall,
        _ refusal: BearerRefusal,
        isForItsKey: Bool,
        isIDToken: Bool
    ) -> Violation.Words? {
        if refusal.reasons.contains(.beginning) { return BearerWords.early }
        if refusal.envoy == .policy { return BearerWords.closed }
        if call.grant == nil, isIDToken {
            return KubernetesAPI.isOne(call.call.answer) ? BearerWords.kubernetes : BearerWords.identity
        }
        if call.isUserInfo, call.claimsToken?.audience.isEmpty == false, refusal.reasons == [.audience] {
            return BearerWords.forAnAPI
        }
        if isForItsKey { return refusal.missesKeys ? BearerWords.unfetched : BearerWords.unverified }
        return refusal.certificate?.words ?? (call.isLone ? BearerWords.lone : nil)
    }

    /// What UserInfo's own words mean at this provider, and GitHub's API's of a caller that does not say what it is.
    private func providersWords(of call: BearerCall, _ refusal: BearerRefusal, _ flow: Flow)
        -> Violation.Words?
    {
        if refusal.body.asciiLowercased().containsBytes("request has a user-agent header") {
            return BearerWords.nameless
        }
        return call.isUserInfo ? ProviderWords.meaning(of: refusal.evidence.value, by: flow.provider) : nil
    }

    // MARK: - Calls

    /// ID tokens that may have been sent in the access token's place, to an API that is to take them (Kubernetes' does).
    private static func idTokensInPlace(_ flow: Flow) -> Set<String> {
        guard flow.ending == .failure else { return [] }
        return Set(TokenGrant.all(in: flow).compactMap { $0.parameters["id_token"] })
    }

    /// The calls with this login's tokens that were refused, and that nothing shows to be right.
    private func refusedCalls(_ flow: Flow, _ revoked: RevokedTokens, _ idTokens: Set<String>)
        -> [(call: BearerCall, refusal: BearerRefusal)]
    {
        let end = endOfSession(flow)
        return BearerCall.refused(in: flow).filter { call, refusal in
            let exchange = call.call.exchange
            guard
                call.isWithAccessToken || call.isUserInfo || idTokens.contains(call.token.value)
                    || Placeholder.isOne(call.token.value) || MissingToken.isOne(call.token.value),
                refusal.error(call.call.answer) != "use_dpop_nonce",
                !flow.surroundings.isSteppedUp(after: exchange, by: flow.clientID),
                !flow.surroundings.isRenewed(after: call.call)
            else { return false }
            // What comes after the end of the session, or with a token that was given back, has to be refused.
            guard revoked.revocation(of: call.token.value, before: exchange) == nil,
                !revoked.mayHaveTaken(call.token.value, before: exchange)
            else { return false }
            return end.map { flow.surroundings.position[exchange] < $0 } ?? true
        }
    }

    // MARK: - Reasons

    /// The refresh token of the same grant was given back before.
    private func ended(
        by revocation: EndpointCall,
        _ call: BearerCall,
        _ shown: [Evidence],
        _ flow: Flow
    ) -> Violation {
        Violation(
            shown + flow.evidence(of: revocation, before: call.call.exchange),
            severity: .note,
            explanation: BearerWords.revoked,
            fix: BearerWords.revokedFix,
            title: "The access token ended with the refresh token that was revoked",
            exchange: revocation.exchange
        )
    }

    private func isExplained(_ flow: Flow) -> Bool {
        OtherFindings.refusedTokens.tell(of: flow) { $0.severity != .note }
            // What a refresh answered needs no other word, though it may have been refused.
            || OutlivedToken.isAny(in: flow)
    }

    /// UserInfo's own error for the call that ended a login which went well until then, where it names another than the token; else
    /// that of the API whose answer the app's server got last before it refused the login.
    private func otherRefusal(_ flow: Flow) -> Verdict {
        guard flow.ending == .failure, endOfSession(flow) == nil else { return .holds }
        let calls = BearerCall.all(in: flow)
        guard
            let call = calls.last(where: \.isUserInfo).flatMap({ isRefused($0, flow) ? $0 : nil })
                ?? calls.last.flatMap({ isRefused($0, flow) && endsCallback($0, flow) ? $0 : nil })
        else { return .holds }
        let refusal = BearerRefusal(of: call.call.exchange, in: flow)
        guard refusal.error(call.call.answer) != "use_dpop_nonce", !isExplained(flow) else { return .holds }
        if let violation = BearerSending.withoutIssuedToken(call, BearerEvidence(of: call, refusal), flow) {
            return .violated(violation)
        }
        let withoutOpenID = MissingOpenID.scope(of: call, in: flow)
        let granted = call.isUserInfo ? withoutOpenID : call.grant?.parameters.parameter("scope")
        let throttled = Throttling.evidence(of: call.call.answer, in: flow)
        let known =
            throttled.isEmpty ? providersWords(of: call, refusal, flow) : Throttling.words
        let words = Violation.Words(
            title: call.isUserInfo
                ? "UserInfo refused the call" : "The API refused the call on which the login depends",
            explanation: known?.explanation ?? (call.isUserInfo ? BearerWords.unnamed : BearerWords.unserved),
            fix: known?.fix ?? (call.isUserInfo ? BearerWords.unnamedFix : BearerWords.unservedFix)
        )
        return .violated(
            Violation(
                [refusal.evidence, call.address, BearerEvidence.token(call.token, refusal)] + throttled
                    + (granted.map { [Evidence($0, note: "granted")] } ?? []),
                saying: refusal.certificate?.words ?? withoutOpenID.map { _ in MissingOpenID.ofGrant }
                    ?? (call.grant == nil ? BearerWords.withoutIssuedToken(call.token) : words),
                exchange: call.call.exchange
            )
            .toldOfFront(in: flow, of: call.isUserInfo ? "provider" : "API")
        )
    }

    /// Whether a token of this login was shown, or UserInfo something in its place, and the answer is an error that says nothing of the
    /// token or the load.
    private func isRefused(_ call: BearerCall, _ flow: Flow) -> Bool {
        guard call.grant != nil || isInPlaceOfToken(call, flow), let status = call.call.answer.status else {
            return false
        }
        return (400..<500).contains(status) && ![401, 429].contains(status)
    }

    /// Whether the app had been given a token, and showed UserInfo another value that the capture has whole.
    private func isInPlaceOfToken(_ call: BearerCall, _ flow: Flow) -> Bool {
        call.isUserInfo && !call.isTokenLeftOut && !Placeholder.isOne(call.token.value)
            && TokenGrant.all(in: flow).contains { $0.accessToken.map { !Placeholder.isOne($0) } ?? false }
    }

    /// Whether the app's server made a call while it worked on a callback that it refused then; what it did not find it may do without.
    private func endsCallback(_ call: BearerCall, _ flow: Flow) -> Bool {
        guard ![404, 410].contains(call.call.answer.status) else { return false }
        let asked = flow.capture[call.call.exchange]
        return RejectedCallback.all(in: flow).contains { callback in
            let work = flow.capture[callback.place]
            return callback.place != call.call.exchange && asked.startedAt >= work.startedAt
                && asked.endedAt <= work.endedAt
        }
    }

    /// Where the session ended, by position: what comes after has to be refused.
    private func endOfSession(_ flow: Flow) -> Int? {
        flow.messages.lazy.compactMap { message in
            if case .endSession(let call) = message { flow.surroundings.position[call.exchange] } else { nil }
        }.first
    }
}
