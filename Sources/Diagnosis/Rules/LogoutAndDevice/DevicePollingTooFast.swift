import Flows

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
        DevicePace.first(in: flow).map { .violated(violation($0)) } ?? .holds
    }

    private func violation(_ pace: DevicePace) -> Violation {
        let words = pace.faults.isEmpty ? Self.repeated : pace.isDevices ? nil : Self.ofClient
        return Violation(
            pace.evidence,
            severity: pace.severity,
            explanation: pace.isStopped ? Self.stopped : pace.isTried ? Self.tried : words,
            fix: pace.isStopped ? Self.stoppedFix : pace.isTried ? Self.triedFix : nil,
            title: pace.isDevices ? nil : "The client polls faster than allowed",
            exchange: pace.exchange
        )
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
}
