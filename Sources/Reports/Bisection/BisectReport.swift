import Captures
package import Diagnosis
import Flows
package import Replay

/// Which of the differences between a login that works and one that fails make it fail.
package struct BisectReport: Sendable {
    /// What a difference has to do with the failure.
    package enum Role: String, Sendable {
        /// Belongs to the smallest set that fails.
        case cause
        /// It fails without this as well.
        case notNeeded = "not_needed"
        /// Cannot be made in a replay, or was not driven apart from others that fail in another way.
        case notTried = "not_tried"
    }

    package var good: DifferenceReport.Side
    package var bad: DifferenceReport.Side
    /// The root cause of the recorded login that fails; nil where none was found.
    package var recordedCause: Finding?
    package var changes: [RequestChange]
    /// Nil where nothing was driven.
    package var result: FlowBisection.Result?
    /// What the run of the smallest set is diagnosed as.
    package let cause: Finding?
    /// The capture of the login that works and of the smallest one that fails.
    package var proof: String?

    package init(
        good: DifferenceReport.Side,
        bad: DifferenceReport.Side,
        recordedCause: Finding?,
        changes: [RequestChange],
        result: FlowBisection.Result?,
        proof: String? = nil,
        rules: [any Rule] = RuleCatalog.rules
    ) {
        self.good = good
        self.bad = bad
        self.recordedCause = recordedCause
        self.changes = changes
        self.result = result
        self.proof = proof
        let run = result?.proof?.trial.flow
        cause = run.flatMap { Diagnostician.diagnose($0, rules: rules).findings.first(where: \.isPrimary) }
    }

    /// What a change, by its index in ``changes``, is to the failure.
    package func role(of index: Int) -> Role {
        guard let result, changes[index].isApplicable else { return .notTried }
        switch result.ending {
        case .found:
            if result.set.contains(index) { return .cause }
            return result.searched.contains(index) ? .notNeeded : .notTried
        case .allPass: return .notNeeded
        case .goodFails, .nothingToTry, .failsOtherwise, .cancelled: return .notTried
        }
    }

    func changes(_ role: Role) -> [RequestChange] {
        changes.indices.filter { self.role(of: $0) == role }.map { changes[$0] }
    }

    /// The verdict in one line.
    package var headline: String {
        let count = changes.count.counted("difference")
        guard let result else { return "\(count) to try" }
        let drives = result.drives.counted("login") + " driven"
        switch result.ending {
        case .found:
            let size = result.set.count
            let few = size == 1 ? "1 of \(count) makes" : "\(size) of \(count) together make"
            let rest = result.isMinimal ? "" : "; perhaps fewer do, but no more logins were to be driven"
            return "\(few) it fail (\(drives))\(rest)"
        case .goodFails: return "the login that works (A) does not work now (\(drives))"
        case .nothingToTry: return "B sends nothing otherwise that a replay could send (\(drives))"
        case .allPass: return "none of \(count) makes it fail (\(drives))"
        case .failsOtherwise: return "with \(count) made it fails, but not as B does (\(drives))"
        case .cancelled: return "interrupted (\(drives))"
        }
    }

    /// What that means, and what to do next; nil where a set was found.
    package var advice: String? {
        guard let result else { return nil }
        switch result.ending {
        case .found, .cancelled: return nil
        case .goodFails:
            return
                "nothing can be found out as long as A fails, too: authreel replay \(good.capture) shows where"
        case .nothingToTry, .allPass:
            return result.failsAlone ?? true
                ? "what makes B fail is not in its requests: authreel diff shows what was answered otherwise"
                : "B works now as well: what made it fail then was not in its requests, or has been mended since"
        case .failsOtherwise:
            return result.failsAlone ?? true
                ? "what makes B fail cannot be made of A's login: authreel diff shows the rest"
                : "B itself works now: what made it fail then has been mended since"
        }
    }

    /// How the last run ended that did not do what it ought to.
    package var lastEnding: String? {
        guard let result, [.goodFails, .failsOtherwise].contains(result.ending),
            let attempt = result.attempts.last
        else { return nil }
        return Self.ending(of: attempt)
    }

    /// How a run ended, in a line.
    package static func ending(of attempt: FlowBisection.Attempt) -> String {
        if attempt.outcome == .passes { return "works" }
        if let stop = attempt.trial.run.stop { return "\(stop)" }
        let rule = attempt.failure?.rule
        let refusal = attempt.failure?.refusal.map { "\($0.kind.rawValue): \($0.error)" }
        let words = [rule, refusal].compactMap { $0 }
        if !words.isEmpty { return words.joined(separator: ", ") }
        return attempt.trial.flow.map { "ends \($0.ending.rawValue)" } ?? "nothing was answered"
    }
}
