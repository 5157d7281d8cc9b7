package import Captures
package import Flows

/// Finds out which of the differences between a login that works and one that fails make it fail: the first is driven
/// with some things done as in the second, until nothing more can be left away.
package struct FlowBisection: Sendable {
    /// What a run came to, as the caller judges it.
    package enum Verdict: Sendable, Hashable {
        case works
        case fails(LoginFailure)
    }

    /// One run.
    package struct Attempt: Sendable {
        /// Indices of the changes that were made.
        package var set: [Int]
        package var trial: FlowTrial
        package var outcome: DeltaDebugging.Outcome
        /// Nil where it works, or came to nothing that could be judged.
        package var failure: LoginFailure?
    }

    /// What it came to.
    package enum Ending: String, Sendable, Hashable {
        /// A set was found.
        case found
        /// The login that ought to work does not work now.
        case goodFails = "good_fails"
        /// The two do nothing otherwise that a replay could do.
        case nothingToTry = "nothing_to_try"
        /// With all changes made it works all the same.
        case allPass = "all_pass"
        /// With all changes made it fails, but not as the login that fails.
        case failsOtherwise = "fails_otherwise"
        /// Stopped from outside.
        case cancelled
    }

    /// What the search came to, with every run that it took.
    package struct Result: Sendable {
        package var ending: Ending
        /// The smallest set that fails, in the order of the changes; empty unless found.
        package var set: [Int]
        /// What the search began with: all changes, or those that the diagnosis speaks for where all of them fail otherwise.
        package var searched: [Int] = []
        /// Whether each change of the set is needed; false where the drives ran out before that was known.
        package var isMinimal: Bool
        /// In the order in which they were driven: the login that works, all changes, then the search.
        package var attempts: [Attempt]
        /// Whether the login that fails does so when it is driven itself; nil where that was not tried.
        package var failsAlone: Bool?
        package var drives: Int

        /// The run of the login that works, as it is.
        package var good: Attempt? { attempts.first { $0.set.isEmpty } }
        /// The run of the smallest set.
        package var proof: Attempt? { self.set.isEmpty ? nil : attempts.first { $0.set == self.set } }
    }

    private let good: ReplayPlan
    private let bad: ReplayPlan
    private let changes: [RequestChange]
    private let failure: LoginFailure
    private let environment: FlowDriver.Environment
    private let options: (good: FlowDriver.Options, bad: FlowDriver.Options)
    private let suspected: [Place]
    private let limit: Int
    private let judge: @Sendable (Flow) -> Verdict

    /// The smallest number of drives that can find something.
    package static let fewestDrives = 3

    /// Prepares the search.
    ///
    /// `changes`: from `good` to `bad`, as ``RequestChangeFinder`` finds them; `failure`: of the recorded login that fails;
    /// `suspected`: places of that login which speak for a change there, tried first; `limit`: how many times a login may be
    /// driven in all; `judge`: whether a flow of a new run is a login that works.
    package init(
        good: ReplayPlan,
        bad: ReplayPlan,
        changes: [RequestChange],
        failure: LoginFailure,
        suspected: [Place] = [],
        environment: FlowDriver.Environment,
        options: (good: FlowDriver.Options, bad: FlowDriver.Options),
        limit: Int,
        judge: @escaping @Sendable (Flow) -> Verdict
    ) {
        self.good = good
        self.bad = bad
        self.changes = changes
        self.failure = failure
        self.suspected = suspected
        self.environment = environment
        self.options = options
        self.limit = limit
        self.judge = judge
    }

    /// The plan of the login that works, with some changes made.
    package static func plan(
        of good: ReplayPlan,
        with changes: [RequestChange],
        challengesOf bad: ReplayPlan,
        options: PlanOptions
    ) -> ReplayPlan {
        var base = good
        let own = good.challenges.first { $0.verifier != nil }?.verifier
        for (index, challenge) in bad.challenges.enumerated()
        where !good.challenges.contains(where: { $0.challenge == challenge.challenge }) {
            // Made of this login's verifier, in the other's way.
            var challenge = challenge
            let counterpart = index < good.challenges.count ? good.challenges[index].verifier : own
            if let verifier = challenge.verifier {
                challenge.verifier = Self.counterpart(of: verifier, counterpart)
            } else if !ValueShape(challenge.challenge).isLike(Self.right) {
                // What is malformed is sent as it is.
                continue
            }
            base.challenges.append(challenge)
        }
        return PlanEditor(base, options: options).plan(with: changes.flatMap(\.edits))
    }

    /// The shape of a challenge by S256.
    private static let right = ValueShape(String(repeating: "aA0-", count: 10) + "aA0")

    /// The verifier that stands for the other login's: this login's, where the two are alike.
    private static func counterpart(of verifier: String, _ own: String?) -> String {
        guard let own, ValueShape(own).isLike(ValueShape(verifier)) else { return own ?? verifier }
        return own
    }

    // MARK: - Driving

    /// `state`: of the run that the login goes on from; `tell`: is told of each run.
    package func run(
        from state: RunState = RunState(),
        tell: (Attempt, Int) -> Void = { _, _ in }
    ) async -> Result {
        var result = Result(ending: .goodFails, set: [], isMinimal: false, attempts: [], drives: 0)
        let alone = await drive([], from: state, { _ in false }, &result, tell)
        guard alone.outcome == .passes else {
            // Broken off it says nothing, wherever it was.
            if Task.isCancelled { result.ending = .cancelled }
            return result
        }
        let applicable = changes.indices.filter { changes[$0].isApplicable }
        guard !applicable.isEmpty else {
            result.ending = .nothingToTry
            return result
        }
        let start = await start(with: applicable, from: state, &result, tell)
        guard start.outcome == .fails, let reference = start.failure else {
            await end(without: start, from: state, &result)
            return result
        }
        let search = DeltaDebugging(limit: max(limit - result.drives, 0), suspects: suspects)
        let found = await search.minimise(start.set) { set in
            await drive(set, from: state, { $0.isSame(as: reference) }, &result, tell).outcome
        }
        result.ending = .found
        result.set = found.set
        result.searched = start.set
        result.isMinimal = found.isMinimal
        return result
    }

    /// Drives the login that works with some changes, and counts it.
    private func drive(
        _ set: [Int],
        from state: RunState,
        _ isLike: (LoginFailure) -> Bool,
        _ result: inout Result,
        _ tell: (Attempt, Int) -> Void
    ) async -> Attempt {
        let attempt = await attempt(set, from: state, isLike, apartFrom: result.good?.failure)
        result.attempts.append(attempt)
        result.drives += 1
        tell(attempt, result.drives)
        return attempt
    }

    /// The run that the search begins with: all changes, or those that the diagnosis speaks for.
    private func start(
        with applicable: [Int],
        from state: RunState,
        _ result: inout Result,
        _ tell: (Attempt, Int) -> Void
    ) async -> Attempt {
        // The recorded one may say more or less than a run of today: its refusal counts as well.
        let isRecorded = { (own: LoginFailure) in
            own.isSame(as: failure) || own.refusal != nil && own.isRefusedAlike(failure)
        }
        let whole = await drive(applicable, from: state, isRecorded, &result, tell)
        let suspects = suspects
        // Something else may come before the failure today: what speaks for a change does so without the rest.
        guard whole.outcome == .unresolved, !suspects.isEmpty, suspects != applicable, !Task.isCancelled
        else {
            return whole
        }
        let guess = await drive(suspects, from: state, isRecorded, &result, tell)
        return guess.outcome == .fails ? guess : whole
    }

    /// Ends a search that nothing could be begun with.
    private func end(without start: Attempt, from state: RunState, _ result: inout Result) async {
        guard !Task.isCancelled else {
            result.ending = .cancelled
            return
        }
        result.ending = start.outcome == .passes ? .allPass : .failsOtherwise
        result.failsAlone = await failsAlone(from: state)
        result.drives += 1
    }

    /// Changes at what the diagnosis of the failing login shows.
    private var suspects: [Int] {
        changes.indices.filter { index in
            let change = changes[index]
            return change.isApplicable
                && suspected.contains { suspect in
                    change.locations.contains { $0.seen == suspect.exchange }
                        && [change.difference.name, change.difference.place.name].contains(suspect.name)
                }
        }
    }

    private func attempt(
        _ set: [Int],
        from state: RunState,
        _ isLike: (LoginFailure) -> Bool,
        apartFrom working: LoginFailure?
    ) async -> Attempt {
        let plan = Self.plan(
            of: good,
            with: set.map { changes[$0] },
            challengesOf: bad,
            options: options.good.plan
        )
        let trial = await FlowTrial.of(plan, environment, options: options.good, from: state)
        // A login that was broken off says nothing.
        guard let flow = trial.flow, !Task.isCancelled else {
            return Attempt(set: set, trial: trial, outcome: .unresolved, failure: nil)
        }
        switch judge(flow) {
        case .works:
            return Attempt(
                set: set,
                trial: trial,
                outcome: trial.run.isComplete ? .passes : .unresolved,
                failure: LoginFailure(of: flow, rule: nil)
            )
        case .fails(let failure):
            let own = working.map { failure.apart(from: $0) } ?? failure
            return Attempt(set: set, trial: trial, outcome: isLike(own) ? .fails : .unresolved, failure: own)
        }
    }

    /// Whether the failing login itself still fails.
    private func failsAlone(from state: RunState) async -> Bool? {
        let trial = await FlowTrial.of(bad, environment, options: options.bad, from: state)
        let lacksSecret = trial.run.results.contains { result in
            if case .failed(.secretMissing) = result { true } else { false }
        }
        guard let flow = trial.flow, !lacksSecret else { return nil }
        if case .works = judge(flow) { return false }
        return true
    }
}
