import Captures
import Flows
import JOSE
import OAuth

/// An assertion that a platform made for what runs on it, which shows it in place of a secret: workload identity federation (GitHub
/// Actions, Kubernetes, other clouds).
///
/// RFC 7523, section 3, lets a security token service be the issuer. The provider finds the client by issuer, subject and audience, which are
/// configured together: none of them is the client's name, nor has to be the provider's.
struct FederatedAssertion {
    private let assertion: ClientAssertion
    private let call: ClientCall

    /// Nil where the client made it by itself, or somebody else by the client's name.
    init?(of call: ClientCall) {
        guard let assertion = call.assertion, let issuer = assertion.token.issuer,
            let subject = assertion.token.subject, RecordedURL(issuer).isWeb, issuer != subject
        else { return nil }
        let client = call.parameters["client_id"]
        guard client != issuer, client != subject else { return nil }
        self.assertion = assertion
        self.call = call
    }

    /// The claim that the provider says it has no credential for; nil where it says no such thing.
    var refusedClaim: AssertionRefusal? {
        AssertionRefusal.of(call).flatMap { [.subject, .audience].contains($0) ? $0 : nil }
    }

    /// What is wrong where the provider speaks of these claims.
    func violation() -> Violation {
        let token = assertion.token
        let claims: [(String, String?)] = [
            ("iss", token.issuer), ("sub", token.subject), ("aud", token.audience.joined(separator: ", ")),
        ]
        return Violation(
            claims.map { name, value in
                Evidence(
                    place: assertion.place(ofClaim: name),
                    value: value.map { Masking.shown($0, of: name) } ?? "missing"
                )
            } + [call.answer.evidence()],
            severity: call.severity,
            explanation: """
                The assertion was made by a platform for what runs on it. The provider lets it stand for the client only where issuer, subject and audience \
                are those of a federated credential that is configured there, to the letter, and says that one of them is not.
                """,
            fix: """
                Compare the three claims with the federated credential at the provider, upper and lower case included. GitHub's subject differs by what runs the \
                job (branch, tag, pull_request, environment); the audience is one that the job asks for (Entra: api://AzureADTokenExchange).
                """,
            title: "The provider has no federated credential for this assertion",
            exchange: call.exchange
        )
    }
}
