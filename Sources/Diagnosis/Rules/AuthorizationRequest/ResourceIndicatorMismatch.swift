import Captures
import Flows
import JSON
import OAuth

/// The token is asked for another resource than the one that is used.
///
/// What the token request names has to be among what the login asked for (RFC 8707, section 2.2), and both the string
/// that the resource's metadata gives (RFC 9728): compared letter by letter, the slash at the end included.
struct ResourceIndicatorMismatch: Rule {
    static let info = RuleInfo(
        id: "resource-indicator-mismatch",
        title: "The token is asked for another resource than the one that is used",
        severity: .errorWhenRefused,
        explanation: """
            The resource parameter decides whom the access token is for. Here it is not the same everywhere: login, token request or the \
            resource's own metadata name different strings, or the provider does not know the one it got.
            """,
        fix: "Take the resource string from the metadata and send it unchanged in both requests.",
        badExample: """
            {"resource":"https://api.example/orders","authorization_servers":["https://id.example"]}
            GET /authorize?…&resource=https%3A%2F%2Fapi.example%2Forders%2F
            """,
        goodExample: """
            {"resource":"https://api.example/orders","authorization_servers":["https://id.example"]}
            GET /authorize?…&resource=https%3A%2F%2Fapi.example%2Forders
            """,
        specifications: [.rfc(8707, "2"), .rfc(9728, "3.3")]
    )

    func verdict(on flow: Flow) -> Verdict {
        let documents = flow.resourceMetadata.filter {
            $0.isUsable && $0.answer.json?["resource"]?.string != nil
        }
        return Verdict.first(of: flow.loginAttempts) { attempt in
            let refusal = Refusal(of: attempt)
            let violation =
                Self.other(inTokenRequestOf: attempt, flow)
                ?? Self.other(in: attempt, thanStatedBy: documents, refusal, flow)
                ?? refusal.map { Self.violation(attempt, $0, isStated: !documents.isEmpty) }
            return violation.map { .violated($0) } ?? .holds
        }.or(Self.refusedTarget(in: flow))
    }

    /// The provider's no to the resource of a login request.
    private struct Refusal {
        var evidence: Evidence
        /// Entra's, for a resource that is not the one of the scopes.
        var isOfScopes: Bool
        /// Entra's, for the parameter itself.
        var isOfParameter: Bool

        init?(of attempt: LoginAttempt) {
            guard let said = attempt.refusal,
                Self.isNamed(by: said) || said.says([entraCode, entraCodeOfParameter])
            else { return nil }
            evidence = said.evidence(around: [entraCode, entraCodeOfParameter, name])
            isOfScopes = said.says([entraCode])
            isOfParameter = said.says([entraCodeOfParameter])
        }

        /// Whether it is this error, or its name stands among the words; a page that explains errors has those of others, too.
        private static func isNamed(by said: RequestRefusal) -> Bool {
            let others = RequestRefusal.codes.filter { $0 != name && $0 != said.error }
            return said.error == name || said.says([name]) && !said.says(others)
        }
    }

    /// A resource of a token request that the login did not ask for.
    private static func other(inTokenRequestOf attempt: LoginAttempt, _ flow: Flow) -> Violation? {
        let asked = attempt.all("resource")
        guard let expected = asked.first else { return nil }
        let known = asked.map(\.value)
        for request in attempt.tokenRequests {
            guard let other = resources(of: request).first(where: { !known.contains(bytesOf: $0.value) })
            else { continue }
            return violation(expected: Evidence(expected), expected.value, other, refused(request), flow)
        }
        return nil
    }

    /// A resource of the login or of its token requests that none of the resources' own metadata gives.
    private static func other(
        in attempt: LoginAttempt,
        thanStatedBy documents: [MetadataDocument],
        _ refusal: Refusal?,
        _ flow: Flow
    ) -> Violation? {
        let named = documents.compactMap { $0.answer.json?["resource"]?.string }
        guard let document = documents.last, let resource = named.last else { return nil }
        let messages = [attempt.all("resource")] + attempt.tokenRequests.map { resources(of: $0) }
        for sent in messages {
            guard let first = sent.first, !sent.contains(where: { named.contains(bytesOf: $0.value) })
            else { continue }
            let answer = refusal?.evidence ?? attempt.tokenRequests.lazy.compactMap { refused($0) }.first
            if answer == nil, !isUseless(in: flow),
                sent.contains(where: { value in named.contains { isOrigin(value.value, $0) } })
            {
                continue
            }
            let stated = Evidence(
                place: document.answer.place("resource"),
                value: Masking.shown(resource, of: "resource")
            )
            return violation(expected: stated, resource, first, answer, flow)
        }
        return nil
    }

    /// Whether two strings are one origin, with and without the slash that it has as a URL: libraries that read it as one write it.
    private static func isOrigin(_ sent: String, _ stated: String) -> Bool {
        let url = RecordedURL(sent)
        guard url.path.isEmpty || url.path == "/", url.query == nil else { return false }
        return sent == stated + "/" || sent + "/" == stated
    }

    /// A resource that the provider does not take, whatever it was compared with; stated where the metadata of a resource name it.
    private static func violation(_ attempt: LoginAttempt, _ refusal: Refusal, isStated: Bool) -> Violation {
        let asked = attempt.all("resource")
        let compared = asked + (refusal.isOfScopes || refusal.isOfParameter ? attempt.all("scope") : [])
        let sent = asked.isEmpty ? [attempt.names()] : compared.prefix(8).map { Evidence($0) }
        var violation = Violation(sent + [refusal.evidence], severity: .error, exchange: attempt.exchange)
        if refusal.isOfScopes {
            violation.explanation = ofScopes
            violation.fix = ofScopesFix
        } else if refusal.isOfParameter {
            violation.explanation = ofParameter
            violation.fix = ofParameterFix
            violation.title = "The provider takes no resource parameter"
        } else if isStated, !asked.isEmpty {
            violation.explanation = ofStated
            violation.fix = ofStatedFix
            violation.title = "The provider does not take the resource that the token is to be for"
        }
        return violation
    }

    /// A token request that was refused for the target that it names.
    private static func refusedTarget(in flow: Flow) -> Violation? {
        for request in flow.tokenRequests {
            guard let answer = refused(request) else { continue }
            let names: Set = request.isTokenExchange ? ["audience", "scope"] : ["scope"]
            let sent = resources(of: request) + request.parameters.items.filter { names.contains($0.name) }
            var violation = Violation(
                sent.prefix(8).map { Evidence($0) } + [answer],
                severity: .error,
                exchange: request.exchange,
                explains: [TokenEndpointError.info.id]
            )
            if request.isTokenExchange {
                violation.say(UnknownTarget.exchange)
            } else if request.answer.errorText.containsBytes(entraCode) {
                violation.explanation = ofScopes
                violation.fix = ofScopesFix
            }
            return violation
        }
        return nil
    }

    /// The error of RFC 8707, section 2; on a page it stands among the words.
    private static let name = "invalid_target"

    /// Entra's number for a resource that is not the one of the scopes, in lower case.
    private static let entraCode = "aadsts9010010"

    /// Entra's number for a request that has the parameter where none is taken, in lower case.
    private static let entraCodeOfParameter = "aadsts901002"

    private static let ofStated = """
        The login names by resource whom the token is for (RFC 8707), in the very words of the resource's own metadata, and the provider refuses it: it \
        knows no resource of this name, or takes the parameter from nobody. The client did as it should.
        """
    private static let ofStatedFix = """
        Register the resource at the provider under this very string (mostly an API, by its identifier or audience), and let this client have tokens for it. \
        A provider without resource indicators has to be told to leave the parameter unread, or needs a broker in front that does.
        """

    private static let ofParameter = """
        The login names by resource whom the token is for (RFC 8707), as clients of MCP do. Entra reads that off the scopes at this \
        endpoint, and refuses the parameter. Brokers in front of it, Auth0 among them, hand it on as it came.
        """
    private static let ofParameterFix = """
        Leave resource out of the login and of the token request, and ask for a scope of the API (api://ID/NAME, or its Application ID URI \
        and /.default). Where a broker hands it on, have the broker leave it out.
        """

    private static let ofScopes = """
        Entra reads off the scopes whom the token is for: what stands before the last slash of each is the Application ID URI of an API. \
        It takes resource for a second name of that API, and refuses the request where the two differ.
        """
    private static let ofScopesFix = """
        Have both name the API by one string: register the URL that is sent as resource as an Application ID URI of the API, which wants \
        its domain verified in the tenant, and have the resource's metadata list the scopes under it; or leave resource out of both \
        requests, as the scopes say the same.
        """

    /// A resource that was sent beside the one that is expected.
    private static func violation(
        expected: Evidence,
        _ value: String,
        _ sent: Parameter,
        _ answer: Evidence?,
        _ flow: Flow
    ) -> Violation {
        Violation(
            [expected, Evidence(sent, note: Difference.note(expected: value, seen: sent.value))]
                + (answer.map { [$0] } ?? []),
            severity: answer != nil || isUseless(in: flow) ? .error : .warning,
            exchange: sent.place.exchange,
            explains: answer == nil ? [] : [TokenEndpointError.info.id]
        )
    }

    /// Whether the resource refused the token in the end, which had not run out.
    private static func isUseless(in flow: Flow) -> Bool {
        flow.ending == .failure && !OutlivedToken.isAny(in: flow)
            && flow.messages.contains { message in
                if case .resource(let call) = message { call.answer.status == 401 } else { false }
            }
    }

    private static func resources(of request: TokenRequest) -> [Parameter] {
        request.parameters.items.filter { $0.name == "resource" && !$0.value.isEmpty }
    }

    private static func refused(_ request: TokenRequest) -> Evidence? {
        request.isRefused(with: name) ? request.answer.evidence() : nil
    }
}
