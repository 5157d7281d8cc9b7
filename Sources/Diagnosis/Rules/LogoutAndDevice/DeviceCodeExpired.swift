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
                let error = poll.answer.error?.error
                let age = grant.issuedAt.map { poll.startedAt - $0 }
                if error == "invalid_grant" {
                    let text = poll.answer.errorText
                    let isOver =
                        if let age, let lifetime = grant.lifetime {
                            age >= .seconds(lifetime.seconds)
                        } else {
                            Self.texts.contains(where: text.containsBytes)
                        }
                    if grant.lifetime == nil { isUnknown = true }
                    guard isOver else { continue }
                } else if error != "expired_token" {
                    continue
                }
                var evidence: [Evidence] = []
                if let lifetime = grant.lifetime, let parameter = lifetime.parameter {
                    evidence.append(Evidence(parameter, note: "seconds"))
                }
                if let code = DeviceGrant.code(of: poll) {
                    evidence.append(
                        Evidence(
                            place: code.place,
                            value: Masking.masked(code.value),
                            note: age.map { "\($0.words) old" }
                        )
                    )
                }
                evidence.append(poll.answer.evidence())
                let isDevice = poll.grantType == GrantType.deviceCode
                return .violated(
                    Violation(
                        evidence,
                        explanation: isDevice ? nil : Self.notAnswered,
                        fix: isDevice ? nil : Self.notAnsweredFix,
                        title: isDevice ? nil : "The user did not answer on their own device in time",
                        exchange: poll.exchange
                    )
                )
            }
        }
        return isUnknown ? .abstains("the device authorization is not in the capture") : .holds
    }

    private static let notAnswered = """
        The client asked that the user confirms a sign-in on a device of their own. What the provider gave it to ask with ran out before they did.
        """
    private static let notAnsweredFix = """
        Ask anew, with a longer requested_expiry where the provider takes one, and show the user what they have to confirm (binding_message).
        """

    private static let texts = ["aadsts70020", "device code is expired", "device code has expired"]
}
