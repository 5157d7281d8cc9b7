import Captures
import Flows
import OAuth

/// The provider registered a client that brought neither a token nor a software statement.
struct RegistrationOpen: Rule {
    static let info = RuleInfo(
        id: "registration-open",
        title: "Anyone can register clients at this provider",
        severity: .note,
        explanation: """
            The registration was accepted without any proof of who asks for it. Whoever reaches the provider can have a client of any name \
            there, and show its users a consent page under that name.
            """,
        fix: """
            Let registrations carry an initial access token or a software statement, or limit what a client registered in the open may do.
            """,
        badExample: """
            POST /register {"redirect_uris":[…]} → 201 {"client_id":"c1",…}
            """,
        goodExample: """
            POST /register {"redirect_uris":[…]}   Authorization: Bearer eyJ… → 201 {"client_id":"c1",…}
            """,
        specifications: [.rfc(7591, "5")]
    )

    func verdict(on flow: Flow) -> Verdict {
        for call in flow.registrations {
            let request = flow.capture[call.exchange].request
            guard request.method == "POST", let client = RegisteredClient(call),
                [200, 201].contains(call.answer.status),
                !request.headers.contains("authorization"),
                // Every command line of its customers registers so.
                !OtherNames.isRegistration(at: call.endpoint),
                !call.parameters.contains("software_statement")
            else { continue }
            guard !flow.surroundings.mayLackCredentials(at: call.exchange) else {
                return .abstains(Gap.strippedCredentials)
            }
            guard !request.isBodyUnsaved else { return .abstains(Gap.registrationBody) }
            guard let issued = client.evidence("client_id") else { continue }
            return .violated(
                Violation([
                    Evidence(
                        place: Place(exchange: call.exchange, part: .requestHeader, name: "Authorization"),
                        value: "none"
                    ), call.answer.statusEvidence(), issued,
                ])
            )
        }
        return .holds
    }
}
