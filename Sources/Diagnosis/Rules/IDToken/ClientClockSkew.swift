import Captures
import Flows
import JOSE
import OAuth

/// The clock by which the exchanges were stamped is wrong: minutes away from what every server says.
///
/// A client with such a clock takes fresh tokens for expired, or for issued in the future (OpenID Connect Core,
/// section 3.1.3.7 (9, 10)); AppAuth refuses an `iat` more than ten minutes away. A recorder on another machine
/// stamps its own time, which the finding says.
struct ClientClockSkew: Rule {
    static let info = RuleInfo(
        id: "client-clock-skew",
        title: "This device's clock is wrong",
        severity: .errorWhenRefused,
        explanation: """
            The servers' Date headers and the times at which their answers were recorded differ by the same amount again and again. A client with \
            such a clock refuses good ID tokens as expired or as issued in the future, and makes assertions and proofs that providers refuse.
            """,
        fix: """
            Set the clock of the device that was recorded, by network time, and its time zone. If the recorder ran on another machine, look at that \
            machine's clock first.
            """,
        badExample: """
            startedDateTime 2026-03-26T09:15:00Z
            200 OK, Date: Thu, 26 Mar 2026 09:32:01 GMT
            """,
        goodExample: """
            startedDateTime 2026-03-26T09:15:00Z
            200 OK, Date: Thu, 26 Mar 2026 09:15:01 GMT
            """,
        specifications: [
            .openIDConnectCore("3.1.3.7 (9, 10)", "IDTokenValidation")
        ]
    )

    func verdict(on flow: Flow) -> Verdict {
        if let skew = ClockSkew(of: flow) {
            return violation(skew, of: skew.witness == nil ? .device : .provider, flow)
        }
        if let skew = ClockSkew(ofAppServerIn: flow) { return violation(skew, of: .appServer, flow) }
        if let skew = ClockSkew(ofProviderIn: flow) { return violation(skew, of: .provider, flow) }
        let isStated = flow.exchanges.contains { flow.capture[$0].serverTime != nil }
        return isStated ? .holds : .abstains("no answer states the server's time")
    }

    /// Whose clock is wrong, with the words for those that the rule's own are not about.
    private enum Owner {
        case device
        case appServer
        /// By the app's server, which agrees with the recording.
        case provider

        var title: String? {
            switch self {
            case .device: nil
            case .appServer: "The clock of the app's server is wrong"
            case .provider: "The provider's clock is wrong"
            }
        }

        var explanation: String? {
            switch self {
            case .device: nil
            case .appServer:
                """
                The Date headers of the app's own server are off by the same amount again and again, while the provider's clock agrees with the recording. By \
                such a clock a good ID token has run out, or has not been issued yet, and the server refuses it.
                """
            case .provider:
                """
                The provider's Date headers are off by the same amount again and again, while the app's own server and the recording have one time. A \
                provider with such a clock issues ID tokens that are not valid yet, or not any more, and refuses assertions and proofs of clients whose \
                clocks are right.
                """
            }
        }

        var fix: String? {
            switch self {
            case .device: nil
            case .appServer: "Set the clock of the machine that the app's server runs on, by network time."
            case .provider:
                """
                Set the clock of the provider's machine, by network time, and its time zone. If the app's server runs on the machine that recorded, the \
                two have one clock: then compare that one first.
                """
            }
        }
    }

    private func violation(_ skew: ClockSkew, of owner: Owner, _ flow: Flow) -> Verdict {
        let isAppServer = owner == .appServer
        let delivered = flow.deliveredIDTokens
        // The exchanges have the device's own times; an app's server is off against them.
        let offset = isAppServer ? skew.median : 0
        let contradicting = delivered.first { isImpossible($0, offset, in: flow) }
        let isUsed = delivered.contains { flow.wentOn(after: $0) } || isSessionBegun(flow)
        let isGrave = abs(skew.median) > 600 || contradicting != nil || isSignatureRefused(for: skew, flow)
        let severity: Severity = isGrave && !isUsed ? .error : .warning
        let evidence =
            [difference(skew, of: owner, flow)] + times(skew, flow)
            + [contradicting.flatMap { impossibleTime(of: $0, skew, by: owner) }].compactMap(\.self)
        return .violated(
            Violation(
                evidence,
                severity: severity,
                explanation: owner.explanation,
                fix: owner.fix,
                title: owner.title,
                exchange: skew.samples.first?.exchange,
                explains: (isAppServer ? [] : explained(by: skew, flow)).union(
                    // By its own clock it refused the callback.
                    owner != .device && severity == .error && contradicting != nil
                        ? [CallbackRejectedByApp.info.id] : []
                )
            )
        )
    }

    private func difference(_ skew: ClockSkew, of owner: Owner, _ flow: Flow) -> Evidence {
        let isBehind = owner == .provider ? skew.median < 0 : skew.median > 0
        let zone = skew.looksLikeTimeZone ? "a multiple of half an hour: the time zone may be wrong" : nil
        let note: String?
        switch owner {
        case .device: note = zone ?? recorder(flow)
        case .appServer, .provider:
            let server = skew.samples.first.flatMap { flow.capture[$0.exchange].request.url.origin }
            let whose = owner == .appServer ? "the app's server" : "the provider"
            note = ["\(whose) at \(server ?? "its origin")", zone].compactMap(\.self)
                .joined(separator: "; ")
        }
        return Evidence.computed(
            "difference",
            "\(Span.text(skew.median)) \(isBehind ? "slow" : "fast")",
            in: .timing,
            note: note
        )
    }

    /// Answers that state the time: the first, one in the middle, the last, and the witness.
    private func times(_ skew: ClockSkew, _ flow: Flow) -> [Evidence] {
        let shown = Set([0, skew.samples.count / 2, skew.samples.count - 1]).sorted()
        let samples = shown.map { place in
            let exchange = skew.samples[place].exchange
            return AnswerTime(of: exchange, in: flow).evidence(
                note: "recorded at \(flow.capture[exchange].endedAt.rfc3339)"
            )
        }
        let witness = skew.witness.map { exchange in
            AnswerTime(of: exchange, in: flow).evidence(
                note: "the app's server: recorded at \(flow.capture[exchange].endedAt.rfc3339)"
            )
        }
        return samples + [witness].compactMap(\.self)
    }

    private func impossibleTime(of delivered: DeliveredIDToken, _ skew: ClockSkew, by owner: Owner)
        -> Evidence?
    {
        let token = delivered.idToken.token
        let whose = owner == .appServer ? "the app's" : "the recorded"
        return (skew.median > 0 ? token.issuedAt : token.expiresAt).map { time in
            delivered.evidence(
                ofTime: skew.median > 0 ? "iat" : "exp",
                time,
                note: "not possible by \(whose) time"
            )
        }
    }

    /// By the client's clock, expired or not issued yet.
    private func isImpossible(_ delivered: DeliveredIDToken, _ offset: Int64, in flow: Flow) -> Bool {
        guard let exchange = delivered.idToken.place.exchange else { return false }
        let now = flow.capture[exchange].endedAt.seconds - offset
        return delivered.idToken.token.expiresAt.map { $0 <= now } ?? false
            || delivered.idToken.token.issuedAt.map { $0 - now > 60 } ?? false
    }

    /// Whether something that the client signed was refused for a time that is right by its own clock.
    private func isSignatureRefused(for skew: ClockSkew, _ flow: Flow) -> Bool {
        AssertionTimes.areWrong(in: flow, byClockBehind: skew.median, refused: true)
            || DPoPProofFaults.areTimesWrong(in: flow, byClockBehind: skew.median, refused: true)
    }

    /// Tokens were used, or the app's callback sent the browser on.
    private func isSessionBegun(_ flow: Flow) -> Bool {
        let ofLogins = Set(flow.logins.flatMap(\.tokenRequests).map(\.exchange))
        return flow.logins.contains { login in
            login.tokenRequests.contains { flow.wentOn(after: $0, callback: login.response?.callback) }
                || login.response?.callback.map { flow.fate(ofCallback: $0) == .sentOn } ?? false
        }
            || flow.tokenRequests.contains {
                !ofLogins.contains($0.exchange) && flow.wentOn(after: $0, callback: nil)
            }
    }

    private func recorder(_ flow: Flow) -> String? {
        // By whose clock the times are read.
        let name = Masking.shown(flow.capture.recorders.first?.name ?? "", of: "creator")
        return name.isEmpty ? nil : "recorded by \(name)"
    }

    /// What is judged by the provider's own clock is none of the device's making.
    private func explained(by skew: ClockSkew, _ flow: Flow) -> Set<String> {
        var explained: Set<String> = []
        if AssertionTimes.areWrong(in: flow, byClockBehind: skew.median, refused: false) {
            explained.insert("client-assertion-time")
        }
        if DPoPProofFaults.areTimesWrong(in: flow, byClockBehind: skew.median, refused: false) {
            explained.insert("dpop-proof-invalid")
        }
        if flow.deliveredIDTokens.contains(where: { !($0.delivery(in: flow)?.isStated ?? true) }) {
            explained.formUnion(["id-token-expired", "id-token-not-yet-valid"])
        }
        return explained
    }
}
