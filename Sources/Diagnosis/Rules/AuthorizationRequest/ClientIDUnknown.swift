import Captures
import Flows
import OAuth

/// The provider says that it does not know the client.
///
/// It says so on a page of its own, for it knows no redirect URI of a client it does not know. Either the id is
/// wrong, or it is right at another tenant, realm or environment.
struct ClientIDUnknown: Rule {
    static let info = RuleInfo(
        id: "client-id-unknown",
        title: "The provider does not know this client",
        severity: .error,
        explanation: """
            The provider looked the client_id up and found nothing. It may not send the user back to an app it does not know, so it stopped \
            on a page of its own.
            """,
        fix: """
            Compare the client id with the registration, and check that the request goes to the tenant, realm or environment where that \
            registration is.
            """,
        badExample: """
            GET /realms/staging/authorize?response_type=code&client_id=shop-prod&…
            400 Bad Request: Client not found.
            """,
        goodExample: """
            GET /realms/production/authorize?response_type=code&client_id=shop-prod&…
            200 OK, the sign-in page
            """,
        specifications: [.rfc(6749, "4.1.2.1")]
    )

    func verdict(on flow: Flow) -> Verdict {
        let refused = RefusedClientID(in: flow)
        switch refused.saying {
        case .atLogin(let attempt, let refusal, let words):
            return .violated(violation(attempt, refusal, words, flow))
        case .toClient(let call, let client):
            let endpoint = Evidence(
                place: Place(exchange: call.exchange, part: .requestURL, name: ""),
                value: call.endpoint.text,
                note: "the place where this id is not known"
            )
            return .violated(
                Violation(
                    [Evidence(client), endpoint, call.answer.evidence()],
                    explanation:
                        "The provider looked the client_id up, found nothing, and told the client so.",
                    exchange: call.exchange
                )
            )
        case nil: return refused.isPageUnseen ? .abstains(Gap.errorPage) : .holds
        }
    }

    private func violation(
        _ attempt: LoginAttempt,
        _ refusal: RequestRefusal,
        _ words: String?,
        _ flow: Flow
    ) -> Violation {
        let excess = attempt.parameter("client_id").flatMap { Self.excess(in: $0.value) }
        let client = attempt.parameter("client_id").map { Evidence($0, note: excess) }
        let endpoint = Evidence(
            place: Place(exchange: attempt.exchange, part: .requestURL, name: ""),
            value: flow.capture[attempt.exchange].request.url.withoutQuery,
            note: "the place where this id is not known"
        )
        let said = refusal.evidence(
            around: ClientIDRefusal.texts + ["invalid_client"] + (words.map { [$0] } ?? [])
        )
        var violation = Violation(
            [client ?? attempt.missing("client_id"), endpoint, said],
            exchange: attempt.exchange
        )
        if let special = ClientIDRefusal.special(attempt, refusal) {
            violation.say(special)
        } else if let deleted = flow.deletion(of: attempt["client_id"], before: attempt.exchange) {
            violation.evidence = flow.evidence(ofDeletion: deleted) + violation.evidence
            violation.say(.deletedClient)
        } else if attempt["client_id"].map(UnsetSetting.isOne) ?? false {
            violation.say(UnsetSetting.clientWords)
        } else if excess != nil {
            violation.fix = Self.excessFix
        } else if attempt.request?.endpoint.path.hasSuffix("/services/oauth2/authorize") ?? false {
            violation.fix = Self.salesforcesFix
        } else if let registry = Self.registry(for: attempt, in: flow) {
            violation.evidence.append(registry)
            violation.fix = Self.forgottenFix
        } else if ClientIDRefusal.isOfLeague(refusal.text), let target = attempt.parameter("redirect_uri") {
            violation.evidence.insert(Evidence(target), at: 1)
            violation.explanation = Self.eitherOf
            violation.fix = Self.eitherOfFix
            violation.title = Self.eitherOfTitle
        }
        return violation
    }

    private static let salesforcesFix = """
        Compare client_id with the consumer key of the app, to the last character. Salesforce takes up to ten minutes until a new app, or a change of it, is known everywhere. An app that was made in a \
        sandbox is known at test.salesforce.com and the sandbox's own domain alone, not at login.salesforce.com, until it is deployed or installed in the other org.
        """

    /// Where a client registers itself that was sent to this provider by a resource, and did so before the recording, if ever.
    private static func registry(for attempt: LoginAttempt, in flow: Flow) -> Evidence? {
        guard !flow.resourceMetadata.isEmpty, let client = attempt["client_id"],
            flow.registrations(of: client).isEmpty, let document = flow.metadata(of: attempt),
            let endpoint = document.endpoint("registration_endpoint")
        else { return nil }
        return Evidence(
            place: document.answer.place("registration_endpoint"),
            value: Masking.shown(endpoint, of: "url"),
            note: "where clients register themselves; this one did not in the capture"
        )
    }

    private static let forgottenFix = """
        A client that registers itself keeps its client_id, and the provider may have dropped that registration since: delete what the \
        client has stored of it, so that it registers anew. Else compare the client id with the registration, and the tenant, realm or \
        environment.
        """

    private static let eitherOfTitle =
        "The provider does not know this client, or not with this redirect URI"
    private static let eitherOf = """
        The provider stopped at the client, and its words fit two faults: it does not know the client_id, or it knows it and not this redirect URI. Servers built on \
        league/oauth2-server (Laravel Passport) say the same of both.
        """
    private static let eitherOfFix = """
        Look the client up at the provider by its id. If it is there, and not revoked, compare its redirect URI with the one that was sent, character by character: \
        scheme, host, port, path and the slash at the end.
        """

    /// What no client_id has, and what is copied along with one: white space, quotation marks, characters that cannot be seen.
    private static func excess(in client: String) -> String? {
        let cleaned = String(
            String.UnicodeScalarView(
                client.unicodeScalars.filter {
                    !($0.properties.isWhitespace || $0.properties.isDefaultIgnorableCodePoint
                        || $0.value < 0x20
                        || ["\"", "'", "\u{feff}"].contains($0))
                }
            )
        )
        guard !cleaned.isEmpty, cleaned != client else { return nil }
        return "beside \(cleaned): " + Difference.note(expected: cleaned, seen: client)
    }

    private static let excessFix = """
        Take what was copied along with the client_id out of the app's setting: white space, line ends, quotation marks, characters that cannot be seen. If \
        it is right as it is, check the tenant, realm or environment in the address.
        """

}
