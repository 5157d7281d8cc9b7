import Captures
import Flows
import JOSE
import JSON
import OAuth

/// The device code ran out before the user confirmed the device.
///
/// The provider says so with `expired_token` (RFC 8628, section 3.5), or with `invalid_grant` once
/// `expires_in` of the device authorization's answer has passed.
struct DeviceCodeExpired: Rule {
    static let info = RuleInfo(
        id: "device-code-expired",
        title: "The user did not confirm the device in time",
        severity: .error,
        explanation:
            "The device code has a limited time, and it was over before the user had entered the user code and agreed. Polling on is of no use.",
        fix: """
            Ask for a new device code and show it, without the user having to restart anything. Where people need longer, raise the lifetime of \
            device codes at the provider, and offer verification_uri_complete as a QR code.
            """,
        badExample: """
            POST /device → {"device_code":"GmRhmhcx…","expires_in":600}
            10 min later: POST /token  device_code=GmRhmhcx…  → 400 expired_token
            """,
        goodExample: """
            POST /device → {"device_code":"GmRhmhcx…","expires_in":600}
            2 min later: POST /token  device_code=GmRhmhcx…  → 200
            """,
        specifications: [.rfc(8628, "3.5")]
    )

    func verdict(on flow: Flow) -> Verdict {
        var isUnknown = false
        for grant in DeviceGrant.all(in: flow) {
            for poll in grant.polls where poll.answer.isRefusal {
                if isExpired(poll, grant) { return .violated(violation(poll, grant)) }
                if grant.lifetime == nil, poll.answer.error?.error == "invalid_grant" { isUnknown = true }
            }
        }
        return isUnknown ? .abstains("the device authorization is not in the capture") : .holds
    }

    /// By the error of the specification; where it is `invalid_grant`, by the time.
    private func isExpired(_ poll: TokenRequest, _ grant: DeviceGrant) -> Bool {
        switch poll.answer.error?.error {
        case "expired_token": return true
        case "invalid_grant":
            guard let age = age(of: grant, at: poll), let lifetime = grant.lifetime else { return false }
            return age >= .seconds(lifetime.seconds)
        default: return false
        }
    }

    private func age(of grant: DeviceGrant, at poll: TokenRequest) -> Duration? {
        grant.issuedAt.map { poll.startedAt - $0 }
    }

    private func violation(_ poll: TokenRequest, _ grant: DeviceGrant) -> Violation {
        let lifetime = grant.lifetime?.parameter.map { Evidence($0, note: "seconds") }
        let code = DeviceGrant.code(of: poll).map { code in
            Evidence(
                place: code.place,
                value: Masking.masked(code.value),
                note: age(of: grant, at: poll).map { "\($0.words) old" }
            )
        }
        let isDevice = poll.grantType == GrantType.deviceCode
        return Violation(
            [lifetime, code, poll.answer.evidence()].compactMap(\.self),
            explanation: isDevice ? nil : Self.notAnswered,
            fix: isDevice ? nil : Self.notAnsweredFix,
            title: isDevice ? nil : "The user did not answer on their own device in time",
            exchange: poll.exchange
        )
    }

    private static let notAnswered = """
        The client asked that the user confirms a sign-in on a device of their own. What the provider gave it to ask with ran out before they did.
        """
    private static let notAnsweredFix = """
        Ask anew, with a longer requested_expiry where the provider takes one, and show the user what they have to confirm (binding_message).
        """
}
