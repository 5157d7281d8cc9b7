import Captures
import Flows
import JSON
import OAuth

/// The secret was issued for a time that was over when the client was refused with it.
struct RegistrationSecretExpired: Rule {
    static let info = RuleInfo(
        id: "registration-secret-expired",
        title: "The registered client secret has run out",
        severity: .error,
        explanation: """
            The provider issued the client's secret until a certain time, and refused the client with it after that time.
            """,
        fix: """
            Read the client's registration anew at its registration_client_uri, or register again, and do so before \
            client_secret_expires_at the next time.
            """,
        badExample: """
            POST /register → 201 {"client_id":"c1","client_secret":"…","client_secret_expires_at":1772000000}
            POST /token an hour after 1772000000 → 401 invalid_client
            """,
        goodExample: """
            POST /register → 201 {"client_id":"c1","client_secret":"…","client_secret_expires_at":0}
            POST /token → 200
            """,
        specifications: [.rfc(7591, "3.2.1")]
    )

    func verdict(on flow: Flow) -> Verdict {
        guard !flow.registrations.isEmpty else { return .holds }
        for call in ClientCall.all(in: flow) where call.isClientRefused {
            guard let secret = call.authentication.secret,
                let client = RegisteredClient.of(
                    call.authentication.clientID?.value,
                    before: call.exchange,
                    in: flow
                ),
                let answer = client.secretCall?.answer,
                let issued = answer.parameters["client_secret"],
                let stated = answer.parameters.parameter("client_secret_expires_at"),
                let end = Int64(stated.value), end > 0
            else { continue }
            let sent = [secret.value, secret.rawValue, call.authentication.undecodedSecret]
            guard sent.contains(issued) else { continue }
            let answered = AnswerTime(of: call.exchange, in: flow)
            guard end < answered.time.seconds else { continue }
            return .violated(
                Violation(
                    [
                        Evidence(
                            place: stated.place,
                            value: "\(end)",
                            note: "run out \(answered.time.seconds - end) s before"
                        ),
                        answered.evidence(), call.answer.evidence(),
                    ],
                    exchange: call.exchange
                )
            )
        }
        return .holds
    }
}
