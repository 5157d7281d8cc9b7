import Captures
import Flows
import JSON

/// What a page's script asks again and again until somebody has agreed elsewhere: on a telephone, say.
extension Drive {
    /// Goes on asking while the answer is that of the recording before somebody had agreed; the exchange of the last one.
    ///
    /// `first`: the exchange of the first.
    mutating func awaitApproval(_ index: Int, after first: Int) async throws -> Int {
        var live = first
        guard let pending = PendingApproval(before: index, in: plan) else { return live }
        var waited: Duration = .zero
        while pending.isAnswer(exchanges[live]), waited < min(options.longestWait, Self.longestPolling) {
            if waited == .zero {
                environment.tell(.awaitsApproval(at: exchanges[live].request.url.withoutQuery))
            }
            try await environment.sleep(pending.pause)
            waited += pending.pause
            live = try await send(index)
        }
        return live
    }
}

/// How a recorded script was told that nobody had agreed yet: by members that say something else in the answer with which it went on.
private struct PendingApproval {
    /// Of the script, in the recording; between one second and five.
    let pause: Duration
    private let marks: [JSONObject.Member]
    private let status: Int

    /// - Returns: nil where the browser had asked for something else before, or was told the same.
    init?(before index: Int, in plan: ReplayPlan) {
        let capture = plan.flow.capture
        let step = plan.steps[index]
        let asked = capture[step.exchange]
        // A name or a password is sent once, whatever comes.
        guard let earlier = plan.steps[..<index].last(where: \.isBrowser), !earlier.isNavigation,
            Self.isSame(capture[earlier.exchange].request, asked.request), !step.hasSecret,
            let before = capture[earlier.exchange].response,
            let told = Self.object(before), let end = asked.response.flatMap(Self.object)
        else { return nil }
        marks = told.members.filter { Self.isWord($0.value) && end[$0.name] != $0.value }
        guard !marks.isEmpty else { return nil }
        status = before.status
        pause = max(.seconds(1), min(asked.startedAt - capture[earlier.exchange].startedAt, .seconds(5)))
    }

    /// Whether nothing was said with the later one that had not been said with the earlier: but for what keeps caches away.
    private static func isSame(_ earlier: RecordedRequest, _ later: RecordedRequest) -> Bool {
        guard earlier.method == later.method, earlier.url.withoutQuery == later.url.withoutQuery,
            !earlier.isBodyUnsaved, !later.isBodyUnsaved, earlier.body?.bytes == later.body?.bytes
        else { return false }
        let (before, after) = (earlier.url.queryItems.items, later.url.queryItems.items)
        return before.count == after.count
            && zip(before, after).allSatisfy { one, other in
                one.name == other.name && (one.value == other.value || isCounted(other.value))
            }
    }

    /// Whether it may be a count of tries, a time or a random fraction: a number, and none of as many digits as codes have that somebody
    /// types.
    private static func isCounted(_ value: String) -> Bool {
        value.utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == 0x2e }
            && !(4...9).contains(value.utf8.count)
    }

    func isAnswer(_ exchange: Exchange) -> Bool {
        guard let response = exchange.response, response.status == status,
            let told = Self.object(response)
        else { return false }
        return marks.allSatisfy { told[$0.name] == $0.value }
    }

    private static func object(_ response: RecordedResponse) -> JSONObject? {
        JSONBody.value(of: response.body)?.object
    }

    /// What is chosen from a few: neither a time nor a name that one login alone has.
    private static func isWord(_ value: JSONValue) -> Bool {
        if value.bool != nil { return true }
        guard let text = value.string, (1...40).contains(text.utf8.count) else { return false }
        return text.utf8.allSatisfy { ($0 | 0x20) >= 0x61 && ($0 | 0x20) <= 0x7a || $0 == 0x5f || $0 == 0x2d }
    }
}

extension PlannedStep {
    fileprivate var hasSecret: Bool {
        parameters.contains { if case .secret = $0.source { true } else { false } }
    }
}
