import Flows
import Synchronization

extension Flow {
    /// What a rule says of this flow, asked once: some rules hold only where others do, and look at every login for it.
    func verdict(of rule: any Rule) -> Verdict {
        let key = ObjectIdentifier(type(of: rule))
        let known = derived.value { KnownVerdicts() }
        if let verdict = known.list.withLock({ $0[key] }) { return verdict }
        // Not under the lock: it may ask another one.
        var verdict = rule.verdict(on: self)
        if case .violated(let violation) = verdict,
            !TakenOutValues.judgedAllTheSame.contains(type(of: rule).info.id),
            let reason = TakenOutValues.reason(against: violation, in: self)
        {
            verdict = .abstains(reason)
        } else if case .violated(let violation) = verdict {
            verdict = .violated(
                violation.leftOpen(by: type(of: rule).info.severity, in: self)
                    .mended(by: type(of: rule).info.severity, in: self)
                    .explained(by: provider, to: type(of: rule).info.id)
                    .pointing(to: provider, of: type(of: rule).info)
            )
        }
        known.list.withLock { $0.keep(verdict, of: key) }
        return verdict
    }

    /// What a rule finds in this flow; nil where it holds, and where it abstains.
    ///
    /// For ``OtherFindings``, which has the rules that may be asked for, and why; what is true of the capture is a reading.
    func violation(of rule: any Rule) -> Violation? {
        if case .violated(let violation) = verdict(of: rule) { violation } else { nil }
    }
}

/// By the type of the rule, which is all that tells rules apart.
private final class KnownVerdicts: Sendable {
    struct List {
        /// Nearly all hold, and a verdict has room for a violation with all that may be said of it.
        private var holding = Set<ObjectIdentifier>(minimumCapacity: RuleCatalog.rules.count)
        private var others: [ObjectIdentifier: Verdict] = [:]

        subscript(rule: ObjectIdentifier) -> Verdict? { holding.contains(rule) ? .holds : others[rule] }

        mutating func keep(_ verdict: Verdict, of rule: ObjectIdentifier) {
            if case .holds = verdict { holding.insert(rule) } else { others[rule] = verdict }
        }
    }

    let list = Mutex(List())
}
