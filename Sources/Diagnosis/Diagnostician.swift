import Captures
package import Flows

/// Asks every rule about a flow and makes its findings and its outcome of the answers.
package enum Diagnostician {
    /// A pure function of the flow.
    package static func diagnose(
        _ flow: Flow,
        rules: [any Rule] = RuleCatalog.rules
    ) -> FlowDiagnosis {
        let positions = Dictionary(flow.exchanges.enumerated().map { ($1, $0) }) { first, _ in first }
        var (candidates, abstentions) = heard(rules, on: flow, positions)
        let innerFailure = flow.innerFailure
        // Rules that were left out are not heard of through other logins either.
        let isInnerTold = innerFailure.map { failure in
            rules.contains { type(of: $0).info.id == failure.cause.rule }
        }
        let isBrokenInside = isInnerTold ?? true && flow.failedInside != nil
        dropSilenced(among: &candidates, isBrokenInside: isBrokenInside)
        if let innerFailure, isInnerTold == true {
            markEffects(of: innerFailure, among: &candidates, positions)
        }
        weaken(&candidates, in: flow)
        let outcome = outcome(of: flow, candidates.map(\.finding), isBrokenInside: isBrokenInside)
        return FlowDiagnosis(
            outcome: outcome,
            findings: RootCause.ordered(candidates, isSuccess: outcome == .success),
            abstentions: abstentions
        )
    }

    /// What each rule says; `positions` are those of the flow's exchanges in it.
    private static func heard(_ rules: [any Rule], on flow: Flow, _ positions: [Int: Int]) -> (
        candidates: [RootCause.Candidate], abstentions: [FlowDiagnosis.Abstention]
    ) {
        var candidates: [RootCause.Candidate] = []
        var abstentions: [FlowDiagnosis.Abstention] = []
        for (rank, rule) in rules.enumerated() {
            switch flow.verdict(of: rule) {
            // Nearly all do, and what a rule says of itself is a dozen texts, each of which a copy has to count.
            case .holds: continue
            case .abstains(let reason):
                abstentions.append(
                    FlowDiagnosis.Abstention(rule: type(of: rule).info.id, reason: reason)
                )
            case .violated(let violation):
                let info = type(of: rule).info
                candidates.append(
                    RootCause.Candidate(
                        finding: finding(
                            of: info,
                            violation,
                            severity: severity(of: info, violation, in: flow),
                            in: flow
                        ),
                        isSymptom: info.isSymptom && !violation.isCause,
                        isExplained: violation.isExplained,
                        explains: violation.explains,
                        time: violation.faultyExchange.flatMap { positions[$0] } ?? Int.max,
                        isServed: violation.faultyExchange.map { flow.isServed($0) } ?? true,
                        rank: rank
                    )
                )
            }
        }
        return (candidates, abstentions)
    }

    /// Takes out what is no news beside another finding (``Precedence/silences``); a login that ended in an error was not abandoned.
    private static func dropSilenced(among candidates: inout [RootCause.Candidate], isBrokenInside: Bool) {
        if candidates.contains(where: { $0.finding.severity == .error }) || isBrokenInside {
            candidates.removeAll { $0.finding.rule == LoginAbandoned.info.id }
        }
        let told = Set(candidates.map(\.finding.rule))
        candidates.removeAll { candidate in
            Precedence.silences.contains { $0.effect == candidate.finding.rule && told.contains($0.cause) }
        }
    }

    /// What a broker says of a login that failed at the provider behind it has its cause there.
    private static func markEffects(
        of failure: InnerFailure,
        among candidates: inout [RootCause.Candidate],
        _ positions: [Int: Int]
    ) {
        let start = positions[failure.exchange] ?? 0
        for index in candidates.indices where candidates[index].time >= start {
            guard Precedence.toldByBrokers.contains(candidates[index].finding.rule) else { continue }
            candidates[index].finding.effectOf = failure.cause.rule
            candidates[index].finding.effectOfFlow = failure.flow
            guard failure.isFault else { continue }
            candidates[index].finding.fix = """
                Nothing is to be changed between this client and its provider: mend what broke \(failure.flow), the login at the provider behind.
                """
        }
    }

    /// A document that did not come is not the reason why a login ended that went on without it, to where it was refused for another
    /// one or the user left: worth a warning.
    private static func weaken(_ candidates: inout [RootCause.Candidate], in flow: Flow) {
        let transport = candidates.indices.filter {
            candidates[$0].finding.severity == .error
                && Precedence.transport.contains(candidates[$0].finding.rule)
        }
        guard !transport.isEmpty, flow.lacksOnlyDocuments else { return }
        for index in transport {
            let cause = candidates[index]
            let isPassed = candidates.contains { other in
                other.time > cause.time && isEnd(other, of: flow)
                    && !Precedence.transport.contains(other.finding.rule)
                    && !RootCause.goesBefore(cause, other)
            }
            if isPassed { candidates[index].finding.severity = .warning }
        }
    }

    private static func isEnd(_ candidate: RootCause.Candidate, of flow: Flow) -> Bool {
        if candidate.finding.rule == UserCancelled.info.id { return flow.ending != .success }
        guard candidate.finding.severity == .error, candidate.isServed,
            flow.exchanges.indices.contains(candidate.time)
        else { return false }
        // Where nothing is, a client looked that was not told where to go.
        let status = flow.capture[flow.exchanges[candidate.time]].response?.status
        return status != 404 && status != 405
    }

    // MARK: - Outcome

    /// Errors of the recording that say nothing of the login.
    private static let leaveIncomplete: Set<String> = ["tls-client-rejects-recorder"]

    private static func outcome(of flow: Flow, _ findings: [Finding], isBrokenInside: Bool) -> Outcome {
        // A password that was reset on the way ended no login.
        if flow.ending != .success, findings.contains(where: { $0.rule == "user-cancelled" }) {
            return .cancelled
        }
        let errors = findings.filter { $0.severity == .error }
        if errors.contains(where: { !leaveIncomplete.contains($0.rule) }) { return .failure }
        guard errors.isEmpty else { return .incomplete }
        // The page took the code, and did nothing with it.
        if flow.ending == .success, findings.contains(where: { $0.rule == "code-never-redeemed" }) {
            return .incomplete
        }
        if isBrokenInside { return .failure }
        return flow.ending == .success ? .success : AppHandover.relayedOutcome(of: flow) ?? flow.ending
    }

    // MARK: - Severity

    /// Rules that are errors in a flow that reached its goal too: a correct client has to reject what they
    /// found.
    private static func hasToBeRejected(_ info: RuleInfo) -> Bool {
        if case .error = info.severity, info.id.utf8.starts(with: "id-token-".utf8) { return true }
        return [
            "state-mismatch", "issuer-param-mismatch", "jarm-invalid", "userinfo-sub-mismatch",
            "refresh-subject-changed",
            // Says of itself whether the client used what it got: the provider's answers alone look like success.
            "client-clock-skew",
            // Here it is the browser that withholds a good answer from the page, or shows a page in the app's place.
            "cors-blocked", "claimed-https-opened-in-browser",
            // The provider's last page is a good one, and the user is left on it.
            "logout-parameter-wrong",
        ].contains(info.id)
    }

    private static func severity(of info: RuleInfo, _ violation: Violation, in flow: Flow) -> Severity {
        let isRestarted = violation.severity == nil && flow.isBegunAnew(after: violation.exchange)
        let severity =
            violation.severity
            ?? {
                switch info.severity {
                case .error: .error
                case .errorWhenRefused:
                    (flow.ending == .success || isCancelled(flow)) && !isRestarted ? .warning : .error
                case .warning: .warning
                case .note: .note
                }
            }()
        // What broke a first try and was repaired by the next is worth knowing, no more.
        guard severity == .error, flow.ending == .success, !isRestarted, !hasToBeRejected(info),
            !BehindSuccess.isLasting(info, violation, flow)
        else { return severity }
        return .note
    }

    private static func isCancelled(_ flow: Flow) -> Bool {
        flow.ending == .cancelled && Cancellation(in: flow) != nil
    }

    private static func finding(
        of info: RuleInfo,
        _ violation: Violation,
        severity: Severity,
        in flow: Flow
    ) -> Finding {
        Finding(
            rule: info.id,
            severity: severity,
            title: violation.title ?? info.title,
            isPrimary: false,
            variant: violation.variant,
            evidence: flow.hidingSecrets(in: violation.evidence),
            explanation: violation.explanation ?? info.explanation,
            fix: violation.fix ?? info.fix,
            specifications: info.specifications,
            effectOf: nil
        )
    }
}
