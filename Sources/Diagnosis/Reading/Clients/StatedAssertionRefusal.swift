import Captures
import Flows
import JOSE
import OAuth

/// What a provider refuses a client assertion for that is as it should be by all that the capture has.
///
/// It is no finding: ``ClientAssertionAudience``, ``ClientAssertionTime`` and ``ClientAssertionSubject`` hold the claims against what they may be.
enum StatedAssertionRefusal {
    /// Nil where the claim that the provider speaks of is wrong by the capture, too, and where it speaks of none.
    static func refusal(of call: ClientCall, in flow: Flow) -> StatedClientRefusal? {
        let refused = AssertionRefusal.of(call)
        if refused == .missing {
            return StatedClientRefusal(
                words: missing,
                evidence: [call.parameters.missing("client_assertion", of: call.exchange)]
            )
        }
        guard let assertion = call.assertion, assertion.token.claims != nil else { return nil }
        if let fault = AssertionSignature.fault(of: assertion, call, flow) { return fault }
        let isFederated = FederatedAssertion(of: call) != nil
        switch refused {
        case .audience where !isFederated:
            let audience = AssertionAudience(of: assertion, by: call, in: flow)
            return audience.fit == .wrong ? nil : refusal(of: assertion, for: audience)
        case .time:
            let times = AssertionTimes(of: assertion, by: call, in: flow)
            return times.faults.isEmpty ? refusal(for: times) : nil
        case nil where !isFederated && lacksIdentifier(assertion, call, flow):
            return StatedClientRefusal(
                words: identifier,
                evidence: [
                    Evidence(
                        place: assertion.place(ofClaim: "jti"),
                        value: "missing",
                        note: "required of a client's assertion"
                    )
                ]
            )
        default: return nil
        }
    }

    private static func refusal(of assertion: ClientAssertion, for audience: AssertionAudience)
        -> StatedClientRefusal
    {
        let claim = Evidence(
            place: assertion.place(ofClaim: "aud"),
            value: Masking.shown(assertion.token.audience.joined(separator: ", "), of: "aud")
        )
        return StatedClientRefusal(words: audienceWords, evidence: [claim] + audience.accepted.prefix(4))
    }

    private static func refusal(for times: AssertionTimes) -> StatedClientRefusal {
        StatedClientRefusal(words: times.date == nil ? unseenClock : stricter, evidence: times.evidence)
    }

    /// Whether a client was refused in words that blame nothing, and the one thing that its statement lacks is `jti`.
    private static func lacksIdentifier(_ assertion: ClientAssertion, _ call: ClientCall, _ flow: Flow)
        -> Bool
    {
        let client =
            call.parameters["client_id"] ?? flow.authorizationRequests.lazy.compactMap(\.clientID).first
        guard assertion.identifier == nil, call.mayBlameClient, call.isClientRefused,
            // A whole other client is told as that.
            client == nil || client == assertion.token.subject
        else { return false }
        // Where one without was let in, none is needed.
        let isNeeded = !ClientCall.all(in: flow).contains {
            $0.answer.isSuccess && ($0.assertion.map { $0.identifier == nil } ?? false)
        }
        // Any other fault of the assertion is the likelier one.
        return isNeeded && !ClientFault.isOfAssertion(call, in: flow)
    }

    // MARK: - Words

    private static let missing = Violation.Words(
        title: "The provider asks for a client assertion",
        explanation: """
            The provider says that it misses a client_assertion: it knows this client by a key (private_key_jwt) and takes no secret of it.
            """,
        fix: AssertionOnly.fix
    )

    private static let audienceWords = Violation.Words(
        title: "The provider says that the client assertion is not addressed to it",
        explanation: """
            The provider says that the client_assertion is not addressed to it. Its aud claim is one that providers take, but most take one of them \
            alone: the issuer or the token endpoint, to the letter.
            """,
        fix: """
            Set aud to what this provider's documents name: the issuer, character by character as its metadata has it, or the token endpoint. Where the \
            provider stands behind a proxy, the address it has of itself counts.
            """
    )

    private static let timeTitle = "The provider refused the client assertion for its time"

    private static let unseenClock = Violation.Words(
        title: timeTitle,
        explanation:
            "The provider says that the client_assertion is not valid at this time; the capture does not have its clock.",
        fix: AssertionTimes.fix
    )

    private static let stricter = Violation.Words(
        title: timeTitle,
        explanation: """
            The provider says that the client_assertion is not valid at this time. By the Date of its answer it was. So the provider allows less than the \
            assertion asks for, or the host that checks it has another clock than the one that answers.
            """,
        fix: """
            Look up how long an assertion may live at this provider, and whether it wants nbf or iat as well; keep exp a minute or two ahead, and compare \
            the provider's clocks.
            """
    )

    private static let identifier = Violation.Words(
        title: "The client assertion has no jti",
        explanation:
            "OpenID Connect requires jti in a client_assertion, so that the provider can take each one once. This one has none, and was refused.",
        fix: "Put a jti into every assertion: random, and another one each time."
    )
}
