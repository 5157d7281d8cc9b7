import Captures
import Flows

/// Derives from a flow that works and one that fails what the requests of the second do otherwise, each as a change of
/// its own to the plan of the first.
///
/// What each login has anew is compared by what it is to its own flow. What comes behind the failure is its effect, and
/// no difference; nor is what the provider answered, or how often documents were read.
package struct RequestChangeFinder {
    let good: ReplayPlan
    let bad: ReplayPlan
    let goodMap: EndpointMap
    let badMap: EndpointMap
    let given: Set<String>
    let ignoring: [String]
    /// Of the pages of both flows.
    let passwordFields: PasswordFields
    var translator: ValueTranslator
    var changes: [RequestChange] = []
    let pairs: [(good: ComparedStep?, bad: ComparedStep?)]
    /// Position in the failing flow's order of time behind which there are only effects.
    private let end: Int

    /// More differences are told by nobody's bisection.
    static let limit = 400

    /// Finds the changes, in the order of the failing flow.
    ///
    /// - Parameters:
    ///   - good: the plan of the flow that works.
    ///   - bad: the plan of the one that fails.
    ///   - failedAt: exchanges of the failing flow at which it failed; everything behind the last of them is an effect.
    ///   - maps: where the requests of each flow go now.
    ///   - given: names of secrets that are given for both.
    ///   - ignoring: names of values that are not to be compared, as ``ComparisonOptions/ignoring``.
    /// - Returns: at most 400; those that no replay can make are told, and not applicable.
    package static func changes(
        from good: ReplayPlan,
        to bad: ReplayPlan,
        failedAt: [Int],
        maps: (good: EndpointMap, bad: EndpointMap) = (EndpointMap(), EndpointMap()),
        given: Set<String> = [],
        ignoring: [String] = []
    ) -> [RequestChange] {
        var finder = RequestChangeFinder(good, bad, failedAt, maps, given, ignoring)
        finder.run()
        return finder.changes
    }

    private init(
        _ good: ReplayPlan,
        _ bad: ReplayPlan,
        _ failedAt: [Int],
        _ maps: (good: EndpointMap, bad: EndpointMap),
        _ given: Set<String>,
        _ ignoring: [String]
    ) {
        self.good = good
        self.bad = bad
        goodMap = maps.good
        badMap = maps.bad
        self.given = given
        self.ignoring = ignoring
        passwordFields = PasswordFields(in: [good.flow, bad.flow])
        let left = FlowReading(good.flow, passwordFields: passwordFields)
        let right = FlowReading(bad.flow, passwordFields: passwordFields)
        pairs = StepAlignment.pairs(left.addressedSteps(), right.addressedSteps()).map { pair in
            (pair.expected.map { left.steps[$0] }, pair.seen.map { right.steps[$0] })
        }
        translator = ValueTranslator(
            good.flow,
            bad,
            counterparts: pairs.compactMap { pair in
                pair.good.flatMap { mine in pair.bad.map { (mine.index, $0.index) } }
            }
        )
        let position = bad.flow.surroundings.position
        end = failedAt.map { position[$0] }.max() ?? Int.max
    }

    // MARK: - Steps

    private mutating func run() {
        bindVerifiers()
        for pair in pairs {
            if let mine = pair.good, let theirs = pair.bad, isBeforeEnd(theirs) {
                compare(mine, theirs)
            }
        }
        addMissingSteps()
        addFurtherSteps()
        addMovedSteps()
        changes = Array(changes.merged.prefix(Self.limit))
    }

    func isBeforeEnd(_ step: ComparedStep) -> Bool {
        bad.flow.surroundings.position[step.index] <= end
    }

    func step(_ exchange: Int, of plan: ReplayPlan) -> PlannedStep? {
        plan.steps.first { $0.exchange == exchange }
    }

    // MARK: - One step

    private mutating func compare(_ mine: ComparedStep, _ theirs: ComparedStep) {
        guard !mine.isDocument, let own = step(mine.index, of: good), let other = step(theirs.index, of: bad)
        else { return }
        let both = Counterparts(mine: mine, theirs: theirs, own: own, other: other)
        // A response to the app is seen in the answer to the request before it.
        guard mine.kind != .authorizationResponse else { return }
        let isPage = mine.kind == .userInteraction
        if isPage { addHeaders(both) }
        // Where a redirect leads is the provider's word.
        if case .follow = own.action { return }
        if !isPage {
            addAddress(both)
            addCarrier(both)
            addHeaders(both)
            addPause(both)
        }
        if own.takesClientAuthentication { addAuthentication(both) }
        addParameters(both)
    }

    private mutating func addAddress(_ both: Counterparts) {
        let own = both.mine.exchange.request.url.withoutQuery
        let other = translator.translated(both.theirs.exchange.request.url.withoutQuery)
        let mapped = badMap.mapped(RecordedURL(other)).text
        guard goodMap.mapped(RecordedURL(own)).text != mapped else { return }
        let learned = (LearnedValues(good.flow), LearnedValues(bad.flow))
        guard learned.0.skeleton(of: own) != learned.1.skeleton(of: other) else { return }
        add(
            both,
            .of(
                "URL",
                expected: own,
                seen: other,
                at: Place(exchange: both.theirs.index, part: .requestURL, name: "")
            ),
            [.address(exchange: both.mine.index, mapped)]
        )
    }

    private mutating func addCarrier(_ both: Counterparts) {
        let (left, right) = (RequestCarrier(of: both.own.request), RequestCarrier(of: both.other.request))
        guard left != right else { return }
        let isApplicable = left.format != .other && right.format != .other
        add(
            both,
            .ofRequest(
                "form of the request",
                expected: left.words,
                seen: right.words,
                note: "\(right.words) instead of \(left.words)"
            ),
            isApplicable ? [.carrier(exchange: both.mine.index, right)] : []
        )
    }

    private mutating func addPause(_ both: Counterparts) {
        guard let pause = both.other.wait, pause >= .seconds(2) else { return }
        let usual = both.own.wait ?? gap(before: both.own)
        guard pause - usual >= .seconds(2) else { return }
        add(
            both,
            .ofRequest(
                "pause",
                expected: Self.seconds(usual),
                seen: Self.seconds(pause),
                note:
                    "sent \(Self.seconds(pause)) after what it uses was issued, instead of \(Self.seconds(usual))"
            ),
            [.pause(exchange: both.mine.index, pause)]
        )
    }

    private static func seconds(_ duration: Duration) -> String {
        let tenths =
            duration.components.seconds * 10 + duration.components.attoseconds / 100_000_000_000_000_000
        return tenths % 10 == 0 ? "\(tenths / 10) s" : "\(tenths / 10).\(tenths % 10) s"
    }

    /// How long after its values were issued a request was sent.
    private func gap(before step: PlannedStep) -> Duration {
        let capture = good.flow.capture
        let issued = step.parameters.compactMap { parameter -> Timestamp? in
            guard case .issued(let place) = parameter.source, let exchange = place.exchange else {
                return nil
            }
            return capture[exchange].endedAt
        }.max()
        return issued.map { max(capture[step.exchange].startedAt - $0, .zero) } ?? .zero
    }

    // MARK: - Telling

    /// A change to a request that both flows have.
    mutating func add(_ both: Counterparts, _ difference: ValueDifference, _ edits: [PlanEdit]) {
        add(both.mine, both.theirs, difference, edits)
    }

    /// A change to a request that one of the flows may lack.
    mutating func add(
        _ mine: ComparedStep?,
        _ theirs: ComparedStep?,
        _ difference: ValueDifference,
        _ edits: [PlanEdit]
    ) {
        guard let kind = (mine ?? theirs)?.kind, changes.count < Self.limit * 8 else { return }
        let names = [difference.name, difference.token.map { "\($0).\(difference.name)" } ?? difference.name]
        guard !ignoring.contains(where: { names.contains($0) || $0 == "\(kind.rawValue).\(difference.name)" })
        else { return }
        var difference = difference
        difference.place.exchange = theirs?.index ?? mine?.index
        changes.append(
            RequestChange(
                kind,
                .init(expected: mine?.index, seen: theirs?.index),
                difference,
                edits
            )
        )
    }
}
