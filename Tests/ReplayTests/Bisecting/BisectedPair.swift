import Captures
import Diagnosis
import Flows
import OAuth
import Replay
import Testing

/// Two logins recorded with a provider in memory, one that works and one that does some things otherwise, and the
/// search for what makes it fail, driven at another provider of the same configuration.
struct BisectedPair {
    let good: ReplayPlan
    let bad: ReplayPlan
    let changes: [RequestChange]
    let failure: LoginFailure
    private let suspected: [Place]

    init(_ good: ReplayWorld.Client = ReplayWorld.Client(), _ bad: ReplayWorld.Client) throws {
        try self.init(try ReplayWorld().record(good), try ReplayWorld(startingAt: 1_780_100_000).record(bad))
    }

    init(_ good: Capture, _ bad: Capture) throws {
        self.good = try Self.plan(good)
        self.bad = try Self.plan(bad)
        failure = Self.failure(of: self.bad.flow)
        changes = RequestChangeFinder.changes(from: self.good, to: self.bad, failedAt: failure.exchanges)
        suspected = Self.cause(of: self.bad.flow)?.evidence.map(\.place) ?? []
    }

    static func plan(_ capture: Capture) throws -> ReplayPlan {
        let flows = FlowFinder.flows(in: capture)
        return PlanBuilder(try #require(flows.first), siblings: flows).plan()
    }

    static func cause(of flow: Flow) -> Finding? {
        Diagnostician.diagnose(flow).findings.first { $0.isPrimary && $0.severity != .note }
    }

    static func failure(of flow: Flow) -> LoginFailure {
        let cause = cause(of: flow)
        return LoginFailure(
            of: flow,
            rule: cause?.rule,
            evidence: cause?.evidence.compactMap(\.place.exchange) ?? []
        )
    }

    static func verdict(on flow: Flow) -> FlowBisection.Verdict {
        let hasError = Diagnostician.diagnose(flow).findings.contains { $0.severity == .error }
        return flow.ending == .success && !hasError ? .works : .fails(failure(of: flow))
    }

    /// What is told of each change, with the kind of its step: `token_request redirect_uri`.
    var labels: [String] { changes.map(Self.label) }

    static func label(of change: RequestChange) -> String {
        "\(change.kind.rawValue) \(change.difference.label)"
    }

    /// `guesses`: whether what the diagnosis shows is tried first.
    func bisect(
        at world: ReplayWorld = ReplayWorld(startingAt: 1_790_000_000),
        limit: Int = 60,
        guesses: Bool = true
    ) async -> FlowBisection.Result {
        await bisect(world.environment, FlowDriver.Options(), limit: limit, guesses: guesses)
    }

    func bisect(
        _ environment: FlowDriver.Environment,
        _ options: FlowDriver.Options,
        limit: Int = 60,
        guesses: Bool = true
    ) async -> FlowBisection.Result {
        await FlowBisection(
            good: good,
            bad: bad,
            changes: changes,
            failure: failure,
            suspected: guesses ? suspected : [],
            environment: environment,
            options: (options, options),
            limit: limit,
            judge: Self.verdict
        ).run()
    }

    func labels(of set: [Int]) -> [String] { set.map { Self.label(of: changes[$0]) } }
}
