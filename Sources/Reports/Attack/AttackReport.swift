import Captures
package import Diagnosis

/// What an app did with a provider that broke in one way after the other.
package struct AttackReport: Sendable {
    package enum Verdict: String, Sendable {
        /// The login did not go through.
        case rejected
        case letThrough = "let_through"
        /// The login went through, as it may under a condition; whether that is met, the command does not say.
        case undecided
        /// The fault found nothing to make wrong.
        case notExercised = "not_exercised"
    }

    /// One fault.
    package struct Row: Sendable {
        package var fault: String
        /// That it is named after; nil for one that no rule is about.
        package var rule: String?
        package var summary: String
        package var mustBeRejected: Bool
        /// What a correct client does; nil where it need not reject it.
        package var duty: String?
        package var verdict: Verdict
        /// Why it was not exercised, or the condition under which the login may go through.
        package var reason: String?
        /// How the command ended, in words: "status 1"; nil where it was not run.
        package var ending: String?
        /// The command took too long, and was ended.
        package var isTimeout: Bool
        package var duration: Duration?
        /// What the app asked for after the first wrong answer.
        package var wentOn: [String]
        /// The end of what the command printed.
        package var lastWords: [String]
        /// Whether the good login was seen to work afterwards.
        package var isConfirmed: Bool

        package init(
            fault: String,
            rule: String?,
            summary: String,
            mustBeRejected: Bool,
            duty: String? = nil,
            verdict: Verdict,
            reason: String? = nil,
            ending: String? = nil,
            isTimeout: Bool = false,
            duration: Duration? = nil,
            wentOn: [String] = [],
            lastWords: [String] = [],
            isConfirmed: Bool = true
        ) {
            self.fault = fault
            self.rule = rule
            self.summary = summary
            self.mustBeRejected = mustBeRejected
            self.duty = duty
            self.verdict = verdict
            self.reason = reason
            self.ending = ending
            self.isTimeout = isTimeout
            self.duration = duration
            self.wentOn = wentOn
            self.lastWords = lastWords
            self.isConfirmed = isConfirmed
        }

        /// A correct client has to reject it, and this one did not.
        package var isFailure: Bool { mustBeRejected && verdict == .letThrough }

        /// A rejection that is worth nothing, as the good login failed after it as well.
        package var isDoubtful: Bool { verdict == .rejected && !isConfirmed }

        package var specifications: [SpecificationReference] {
            guard let rule else { return Self.withoutRule[fault] ?? [] }
            return RuleCatalog.info(of: rule)?.specifications ?? []
        }

        /// Of attacks that nobody sees in the traffic.
        private static let withoutRule: [String: [SpecificationReference]] = [
            "code-injection": [.rfc(9700, "2.1.1"), .rfc(9700, "4.5")]
        ]
    }

    package var issuer: String
    package var command: String
    package var rows: [Row]
    /// How often the login without a fault was driven.
    package var goodLogins: Int
    package var duration: Duration
    /// Why it ended before the last fault; nil where it did not.
    package var stop: String?
    /// Faults that were not come to.
    package var notReached: Int

    package init(
        issuer: String,
        command: String,
        rows: [Row],
        goodLogins: Int,
        duration: Duration,
        stop: String? = nil,
        notReached: Int = 0
    ) {
        self.issuer = issuer
        self.command = command
        self.rows = rows
        self.goodLogins = goodLogins
        self.duration = duration
        self.stop = stop
        self.notReached = notReached
    }

    package var failures: [Row] { rows.filter(\.isFailure) }
    package var exercised: [Row] { rows.filter { $0.verdict != .notExercised } }
    /// Whether an attack was tried at all.
    package var provesSomething: Bool { exercised.contains(where: \.mustBeRejected) }

    func rows(mustBeRejected: Bool, _ verdict: Verdict) -> [Row] {
        rows.filter { $0.mustBeRejected == mustBeRejected && $0.verdict == verdict }
    }

    /// The verdict in one line.
    package var headline: String {
        let attacks = exercised.filter(\.mustBeRejected)
        let skipped = rows.count - exercised.count
        let rest = skipped == 0 ? "" : "; \(skipped) of \(rows.count.counted("fault")) not exercised"
        if attacks.isEmpty {
            let why = notReached == 0 ? ": none of these faults is one, or found an occasion" : ""
            return "no attack was tried\(why)\(rest)"
        }
        let undecided = attacks.count { $0.verdict == .undecided }
        let open = undecided == 0 ? "" : ", \(undecided) undecided"
        let rejected = attacks.count { $0.verdict == .rejected }
        if rejected == attacks.count {
            return "\(rejected.counted("attack")) tried, every one rejected\(rest)"
        }
        return
            "\(attacks.count.counted("attack")) tried, \(rejected) rejected, \(failures.count) let through\(open)\(rest)"
    }

    /// Why it ended before the last fault, with how many were left; nil where it did not.
    var stopped: String? {
        guard let stop else { return nil }
        switch notReached {
        case 0: return stop
        case 1: return "\(stop); 1 fault was not come to"
        default: return "\(stop); \(notReached) faults were not come to"
        }
    }

    /// Not exercised ones by their reason, in order.
    var skipped: [(reason: String, faults: [String])] {
        rows.filter { $0.verdict == .notExercised }.reduce(into: []) { groups, row in
            let reason = row.reason ?? ""
            if let index = groups.firstIndex(where: { $0.reason == reason }) {
                groups[index].faults.append(row.fault)
            } else {
                groups.append((reason, [row.fault]))
            }
        }
    }
}
