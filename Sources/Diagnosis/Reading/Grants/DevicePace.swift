import Captures
import Flows
import OAuth

/// The polls of a device that came sooner than the provider's interval allows (RFC 8628, section 3.5), and what was said of them.
struct DevicePace {
    private let grant: DeviceGrant
    private(set) var evidence: [Evidence]
    /// Exchanges that came too early, or were answered so.
    private(set) var faults: [Int] = []
    /// Those that came so soon after an answer of 5xx that they are that request once more.
    private var repetitions: [Int] = []
    private var slowDowns = 0
    /// Whether none came too early after the first `slow_down`.
    private var isHeeded = true
    /// Whether all that came too early is the try of the AWS CLI whether it needs a user at all.
    private(set) var isTried = false

    /// That of the first device of a flow that polled too early; nil where none did.
    static func first(in flow: Flow) -> DevicePace? {
        for grant in DeviceGrant.all(in: flow) {
            let pace = DevicePace(of: grant, in: flow)
            if pace.exchange != nil { return pace }
        }
        return nil
    }

    private init(of grant: DeviceGrant, in flow: Flow) {
        self.grant = grant
        evidence =
            grant.interval.flatMap { time in
                time.parameter.map { [Evidence($0, note: time.unit)] }
            } ?? []
        var interval = grant.interval.map(\.seconds) ?? 5
        var previous: TokenRequest?
        for poll in grant.polls {
            // An interval that nobody stated is known only once the device authorization was seen.
            if let previous, grant.interval != nil, !grant.isNotified || !poll.answer.isSuccess {
                look(at: poll, after: previous, due: interval)
            }
            if poll.answer.error?.error == "slow_down" {
                slowDowns += 1
                interval += 5
                faults.append(poll.exchange)
                if slowDowns <= 4 { evidence.append(poll.answer.evidence()) }
            }
            previous = poll
        }
        isTried =
            slowDowns == 0 && faults.count == 1 && (exchange.map { isTriedBefore($0, flow) } ?? false)
    }

    /// The first that was too early.
    var exchange: Int? { faults.first ?? repetitions.first }

    /// Whether it is a device's, and not a client's that has something confirmed elsewhere.
    var isDevices: Bool { grant.polls.first?.grantType == GrantType.deviceCode }

    /// Whether the device was told to wait, and is not seen to have polled again.
    var isStopped: Bool { grant.polls.last?.answer.error?.error == "slow_down" }

    var severity: Severity {
        let isMild =
            faults.isEmpty || slowDowns == 1 && isHeeded && faults.last.map { isAnswered($0) } ?? false
        return isRefused && !faults.isEmpty ? .error : isMild || isTried ? .note : .warning
    }

    /// `interval`: in seconds.
    private mutating func look(at poll: TokenRequest, after previous: TokenRequest, due interval: Int64) {
        let gap = poll.startedAt - previous.startedAt
        // The very same moment is that of a capture without times.
        guard gap != .zero, gap < .seconds(interval) - .milliseconds(500) else { return }
        // Once: who goes on so polls too fast, whatever is answered.
        if Self.isBreakdown(previous), repetitions.last != previous.exchange {
            repetitions.append(poll.exchange)
        } else {
            faults.append(poll.exchange)
            if slowDowns > 0 { isHeeded = false }
        }
        guard faults.count + repetitions.count <= 4 else { return }
        evidence.append(
            Evidence(
                place: Place(exchange: poll.exchange, part: .timing, name: "gap"),
                value: "\(max(0, gap.wholeMilliseconds)) ms",
                note: "\(interval) s since the poll before are due"
            )
        )
    }

    /// Whether a poll of the AWS CLI follows the first one at once: that was a try whether it needs a user at all, before it showed
    /// the code.
    private func isTriedBefore(_ exchange: Int, _ flow: Flow) -> Bool {
        guard grant.polls.count > 1, grant.polls[1].exchange == exchange,
            flow.capture[exchange].request.userAgent?.hasPrefix("aws-cli/") ?? false
        else { return false }
        return grant.polls[1].startedAt - grant.polls[0].startedAt < .seconds(1)
    }

    /// Whether the device went on polling after the exchange, or needed not.
    private func isAnswered(_ exchange: Int) -> Bool {
        grant.polls.last.map { $0.exchange != exchange } ?? false
    }

    /// Whether the provider failed at a poll.
    private static func isBreakdown(_ poll: TokenRequest) -> Bool {
        poll.answer.status.map { $0 >= 500 } ?? false
    }

    /// Whether it ended in a refusal that is neither the user's no nor the code's age, nor about the client.
    private var isRefused: Bool {
        guard let last = grant.polls.last, last.answer.isRefusal, !Self.isBreakdown(last) else {
            return false
        }
        let others = [
            "authorization_pending", "expired_token", "access_denied", "authorization_declined",
            "transaction_failed", "invalid_client", "unauthorized_client", "unsupported_grant_type",
            "slow_down",
        ]
        guard let error = last.answer.error?.error else { return last.answer.status == 429 }
        return !others.contains(error)
    }
}
