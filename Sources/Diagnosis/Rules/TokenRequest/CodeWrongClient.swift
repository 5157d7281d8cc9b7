import Captures
import Flows
import JOSE
import JSON
import OAuth

/// Another client exchanges the code than the one it was issued to.
///
/// The provider has to refuse it (RFC 6749, section 4.1.3). An assertion that contradicts itself or the
/// `client_id` beside it is another fault, and so is an id with a colon that is not encoded in a Basic header.
struct CodeWrongClient: Rule {
    static let info = RuleInfo(
        id: "code-wrong-client",
        title: "The code is exchanged by another client than the one that got it",
        severity: .error,
        explanation:
            "The login was made for one client_id, the token request authenticates as another. A code belongs to the client that asked for it.",
        fix:
            "Use the client_id (and its secret or key) of one registration in both requests; look for settings of two environments or two apps that were mixed.",
        badExample: """
            GET /authorize?response_type=code&client_id=shop-web&…
            POST /token  grant_type=authorization_code&code=…&client_id=shop-admin  → 400 invalid_grant
            """,
        goodExample: """
            GET /authorize?response_type=code&client_id=shop-web&…
            POST /token  grant_type=authorization_code&code=…&client_id=shop-web  → 200
            """,
        specifications: [.rfc(6749, "4.1.3")]
    )

    func verdict(on flow: Flow) -> Verdict {
        var isUncertain = flow.hasUnsavedTokenRequest
        for login in flow.askedLogins {
            let certain = flow.certainTokenRequests(of: login)
            isUncertain = isUncertain || certain.count < login.tokenRequests.count
            guard let asked = login.request.parameters.parameter("client_id"), !asked.value.isEmpty else {
                continue
            }
            for request in certain where request.isRefusedToClient || isBrokenOver(request, certain) {
                guard let sent = request.authentication.clientID, !sent.value.isEmpty,
                    !sent.value.equalsBytes(of: asked.value), !sent.rawValue.equalsBytes(of: asked.value),
                    !isAssertionsFault(request), !request.authentication.isCutAtColon(of: asked.value),
                    !isSpent(request, by: asked, certain, flow)
                else { continue }
                let spelling = Difference(expected: asked.value, seen: sent.value)
                let isNear = spelling.isSpelling
                return .violated(
                    Violation(
                        [
                            Evidence(asked, note: "the client the code was issued to"),
                            Evidence(
                                sent,
                                note: "the client that exchanges it"
                                    + (isNear ? ", in another spelling: \(spelling.note)" : "")
                            ),
                            request.answer.evidence(),
                        ],
                        saying: isNear ? Self.respelled : nil,
                        exchange: request.exchange
                    )
                )
            }
        }
        if let violation = OtherClientsDeviceCode.violation(in: flow)
            ?? OtherClientsCredential.violation(in: flow) ?? OtherTenantsGrant.violation(in: flow)
            ?? ServersCode.violation(in: flow)
        {
            return .violated(violation)
        }
        return isUncertain
            ? .abstains("a token request was not saved, or its code is not that of this login") : .holds
    }

    private static let respelled = Violation.Words(
        title: "The token request spells the client_id in another way than the login did",
        explanation: """
            The login and the token request name the same client, and not by the same string: the evidence says in what the two differ. To the provider the one \
            of the token request is another client, or none.
            """,
        fix: """
            Take both from one setting, and look at that for what was copied along: spaces, line ends, quotation marks, characters that cannot be seen.
            """
    )

    /// Whether the endpoint broke down over the request, and never took the code.
    ///
    /// That it is another client's stands in the request, and 500 is what a server says that did not reckon with it; 503 is of load.
    private func isBrokenOver(_ request: TokenRequest, _ all: [TokenRequest]) -> Bool {
        request.answer.status == 500 && !all.contains { $0.answer.isSuccess }
    }

    /// Whether the login's own client had its tokens for the code before, or was refused with it and told so before this one asked: that
    /// two parties exchange one is a fault of its own (``CodeReused``), and what the first was refused for is not that of the second.
    private func isSpent(
        _ request: TokenRequest,
        by asked: Parameter,
        _ all: [TokenRequest],
        _ flow: Flow
    ) -> Bool {
        request.isRefused(with: "invalid_grant")
            && all.contains { earlier in
                (earlier.answer.isSuccess && earlier.startedAt < request.startedAt
                    || earlier.isRefused(with: "invalid_grant")
                        && flow.capture[earlier.exchange].endedAt <= request.startedAt)
                    && earlier.authentication.clientID.map { asked.value.equalsBytes(of: $0.value) } ?? false
            }
    }

    /// Whether the names in an assertion do not agree among themselves or with `client_id` in the body.
    private func isAssertionsFault(_ request: TokenRequest) -> Bool {
        guard let parameter = request.authentication.assertion else { return false }
        guard let token = ClientAssertion(parameter)?.token else { return true }
        let named = request.parameters["client_id"]
        return token.issuer != token.subject || token.subject == nil
            || (named != nil && named != token.subject)
    }
}
