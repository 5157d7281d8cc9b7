import Captures
import Flows
import OAuth

/// The provider granted less than was asked for, and said so.
///
/// Consent or the client's settings took a scope away; RFC 6749, section 5.1, has the answer name what is left. Or it is granted
/// in name, and what it stands for does not come.
struct ScopeReduced: Rule {
    static let info = RuleInfo(
        id: "scope-reduced",
        title: "Fewer scopes were granted than asked",
        severity: .note,
        explanation: """
            The token response names the scopes that were granted, and some that were asked for are not among them. Calls that need those will be \
            refused later. Or a scope was granted, and neither ID token nor UserInfo has the claim that it stands for; apps that look \
            their users up by them sign nobody in.
            """,
        fix: """
            See whether the user unticked something on the consent page, and whether the client is allowed to ask for these scopes. Have the app \
            look at the scope it was given. Where claims are missing, see which ones the provider maps to the scope, and whether the user has a \
            value for them (an e-mail address, say).
            """,
        badExample: """
            GET /authorize?…&scope=openid+orders.read+orders.write
            POST /token → {…,"scope":"openid orders.read"}
            """,
        goodExample: """
            GET /authorize?…&scope=openid+orders.read
            POST /token → {…,"scope":"openid orders.read"}
            """,
        specifications: [.rfc(6749, "5.1")]
    )

    func verdict(on flow: Flow) -> Verdict {
        verdictOnAnswers(in: flow).or(grantedInName(in: flow))
    }

    private func grantedInName(in flow: Flow) -> Violation? {
        for login in flow.askedLogins {
            guard let asked = login.request.parameters.parameter("scope"),
                let unmet = login.tokenRequests.lazy.compactMap({
                    ScopeClaims.unmet(by: $0, asked: asked.value, in: flow)
                }).first
            else { continue }
            let names = Masking.shown(unmet.answered.joined(separator: ", "), of: "claims")
            return Violation(
                [
                    Evidence(asked),
                    Evidence(
                        place: unmet.userInfo.answer.place(unmet.claim),
                        value: "missing",
                        note:
                            "\(unmet.scope) was granted, and neither this answer (\(names)) nor the ID token has it"
                    ),
                ],
                explanation: Self.inName,
                fix: Self.inNameFix,
                title: "A scope was granted, and the claim that it stands for did not come",
                exchange: unmet.userInfo.exchange
            )
        }
        return nil
    }

    private func verdictOnAnswers(in flow: Flow) -> Verdict {
        let logins = flow.askedLogins
        for request in flow.tokenRequests where request.answer.isSuccess && request.accessToken != nil {
            guard let granted = request.answer.parameters.parameter("scope"), !granted.value.isEmpty else {
                continue
            }
            let login = logins.first { $0.tokenRequests.contains { $0.exchange == request.exchange } }
            let source = request.isCodeExchange ? login?.request.parameters : request.parameters
            guard let asked = source?.parameter("scope") else { continue }
            let has = Set(Scope.granted(granted.value).map(name))
            let missing = Scope.granted(asked.value).filter { scope in
                !has.contains(name(scope)) && !isGiven(scope, by: request.answer)
            }
            guard !missing.isEmpty else { continue }
            return .violated(
                Violation(
                    [
                        Evidence(asked),
                        Evidence(
                            granted,
                            note: "without \(Masking.shown(missing.joined(separator: ", "), of: "scope"))"
                        ),
                    ],
                    explanation: Self.fewer,
                    fix: Self.fewerFix,
                    exchange: request.exchange
                )
            )
        }
        return .holds
    }

    private static let fewer = """
        The token response names the scopes that were granted, and some that were asked for are not among them. Calls that need those will be \
        refused later.
        """
    private static let fewerFix = """
        See whether the user unticked something on the consent page, and whether the client is allowed to ask for these scopes. Have the app \
        look at the scope it was given.
        """

    private static let inName = """
        The provider granted the scope, and neither the ID token nor UserInfo has the claim that it stands for. Apps that look their users \
        up by it sign nobody in.
        """
    private static let inNameFix = """
        See at the provider which claims it maps to the scope for this client, and whether the user has a value for them (an e-mail \
        address, say).
        """

    /// Google answers with addresses for the short names, Entra with or without the API's address.
    private func name(_ scope: String) -> String {
        var name = scope.lowercased()
        if name.containsBytes("://"), let slash = name.utf8.lastIndex(of: 0x2f) {
            name = String(name[name.utf8.index(after: slash)...])
        }
        return name.utf8.starts(with: "userinfo.".utf8) ? String(name.dropFirst(9)) : name
    }

    /// Some providers leave out what shows by itself.
    private func isGiven(_ scope: String, by answer: Answer) -> Bool {
        switch scope {
        case "openid": !(answer.parameters["id_token"] ?? "").isEmpty
        case "offline_access": !(answer.parameters["refresh_token"] ?? "").isEmpty
        default: false
        }
    }
}
