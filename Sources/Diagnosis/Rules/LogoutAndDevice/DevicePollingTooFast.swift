import Captures
import Flows
import JOSE
import JSON
import OAuth

/// A device asks for its tokens more often than the provider allows.
///
/// `interval` of the device authorization's answer, 5 seconds where it names none, and 5 seconds more after
/// each `slow_down` (RFC 8628, sections 3.2 and 3.5). One `slow_down` that the device heeds is no fault.
struct DevicePollingTooFast: Rule {
    static let info = RuleInfo(
        id: "device-polling-too-fast",
        title: "The device polls faster than allowed",
        severity: .warning,
        explanation: """
            Between two polls of the token endpoint passed less time than the provider's interval. Providers answer slow_down at first, and \
            refuse the device in the end.
            """,
        fix:
            "Wait for interval seconds (5 where none is named) between polls, and lengthen the wait by 5 seconds after each slow_down.",
        badExample: """
            POST /device → {"device_code":"GmRhmhcx…","interval":5}
            POST /token  device_code=GmRhmhcx…  → authorization_pending
            1 s later: POST /token  device_code=GmRhmhcx…  → slow_down
            """,
        goodExample: """
            POST /device → {"device_code":"GmRhmhcx…","interval":5}
            POST /token  device_code=GmRhmhcx…  → authorization_pending
            5 s later: POST /token  device_code=GmRhmhcx…  → authorization_pending
            """,
        specifications: [.rfc(8628, "3.5"), .rfc(8628, "3.2")]
    )

    func verdict(on flow: Flow) -> Verdict {
        for grant in DeviceGrant.all(in: flow) {
            if let violation = violation(grant, flow) { return .violated(violation) }
        }
        return .holds
    }

    private func violation(_ grant: DeviceGrant, _ flow: Flow) -> Violation? {
        let pace = Pace(of: grant)
        guard let first = pace.faults.first ?? pace.repetitions.first else { return nil }
        let isDevice = grant.polls.first?.grantType == GrantType.deviceCode
        let isStopped = grant.polls.last?.answer.error?.error == "slow_down"
        let isTried =
            pace.slowDowns == 0 && pace.faults.count == 1 && isTriedBefore(first, grant, flow)
        let isMild =
            pace.faults.isEmpty
            || pace.slowDowns == 1 && pace.isHeeded && pace.faults.last.map { isAnswered($0, grant) } ?? false
        let words = pace.faults.isEmpty ? Self.repeated : isDevice ? nil : Self.ofClient
        return Violation(
            pace.evidence,
            severity: isRefused(grant) && !pace.faults.isEmpty
                ? .error : isMild || isTried ? .note : .warning,
            explanation: isStopped ? Self.stopped : isTried ? Self.tried : words,
            fix: isStopped ? Self.stoppedFix : isTried ? Self.triedFix : nil,
            title: isDevice ? nil : "The client polls faster than allowed",
            exchange: first
        )
    }

    /// The polls of a grant that came too early, and what was said of them.
    private struct Pace {
        var evidence: [Evidence]
        /// Exchanges that came too early, or were answered so.
        var faults: [Int] = []
        /// Those that came so soon after an answer of 5xx that they are that request once more.
        var repetitions: [Int] = []
        var slowDowns = 0
        /// Whether none came too early after the first `slow_down`.
        var isHeeded = true

        init(of grant: DeviceGrant) {
            evidence = grant.interval.flatMap(\.parameter).map { [Evidence($0, note: "seconds")] } ?? []
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
        }

        /// `interval`: in seconds.
        private mutating func look(at poll: TokenRequest, after previous: TokenRequest, due interval: Int64) {
            let gap = poll.startedAt - previous.startedAt
            // The very same moment is that of a capture without times.
            guard gap != .zero, gap < .seconds(interval) - .milliseconds(500) else { return }
            // Once: who goes on so polls too fast, whatever is answered.
            if DevicePollingTooFast.isBreakdown(previous), repetitions.last != previous.exchange {
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
    }

    /// Whether a poll of the AWS CLI follows the first one at once: that was a try whether it needs a user at all, before it showed
    /// the code.
    private func isTriedBefore(_ exchange: Int, _ grant: DeviceGrant, _ flow: Flow) -> Bool {
        guard grant.polls.count > 1, grant.polls[1].exchange == exchange,
            flow.capture[exchange].request.headers.first("user-agent")?.hasPrefix("aws-cli/") ?? false
        else { return false }
        return grant.polls[1].startedAt - grant.polls[0].startedAt < .seconds(1)
    }

    private static let tried = """
        The AWS CLI asks for its tokens once before it shows the code, in case it may have them already, and polls at once after that. One \
        poll came too early, and the others at the right pace.
        """
    private static let triedFix = "Nothing needs fixing: the AWS CLI does so in each login."

    private static let repeated = """
        The provider failed at a poll, and the client sent it again at once, sooner than the interval allows. Its other polls came at the right pace.
        """

    private static let ofClient = """
        Between two polls of the token endpoint passed less time than the provider's interval (OpenID Connect CIBA, section 7.3: 5 seconds \
        where it names none). Providers answer slow_down at first, and refuse the client in the end.
        """

    private static let stopped = """
        The provider asked for a longer wait between polls, and no poll came after it in this capture. slow_down refuses nothing: the \
        user may confirm the login yet. A client that takes it for an error gives up a login that would have succeeded.
        """
    private static let stoppedFix = """
        Treat slow_down as authorization_pending: go on polling, with 5 seconds more between polls from then on. End at access_denied, expired_token and \
        other errors alone. Wait for interval seconds between polls from the start (5 where none is named).
        """

    /// Whether the device went on polling after the exchange, or needed not.
    private func isAnswered(_ exchange: Int, _ grant: DeviceGrant) -> Bool {
        grant.polls.last.map { $0.exchange != exchange } ?? false
    }

    /// Whether the provider failed at a poll.
    private static func isBreakdown(_ poll: TokenRequest) -> Bool {
        poll.answer.status.map { $0 >= 500 } ?? false
    }

    /// Whether it ended in a refusal that is neither the user's no nor the code's age, nor about the client.
    private func isRefused(_ grant: DeviceGrant) -> Bool {
        guard let last = grant.polls.last, last.answer.isRefusal, !Self.isBreakdown(last) else {
            return false
        }
        let others = [
            "authorization_pending", "expired_token", "access_denied", "authorization_declined",
            "transaction_failed",
            "invalid_client", "unauthorized_client", "unsupported_grant_type",
        ]
        guard let error = last.answer.error?.error else { return last.answer.status == 429 }
        return !others.contains(error) && !["slow_down"].contains(error)
    }
}
