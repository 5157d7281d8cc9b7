import Captures
import Flows
import OAuth

/// The request to the token endpoint is no POST of a form, and failed.
///
/// Parameters belong into a body of `application/x-www-form-urlencoded` (RFC 6749, section 4.1.3). Providers
/// that take JSON as well are left alone, and refusals that show that the parameters were read.
/// Variants `misnamed` (JSON under the name of a form), `escaped` (separated by `&amp;`) and `query` are such that nothing else has to be
/// wrong: what the endpoint says to be missing was sent.
struct TokenRequestFormat: Rule {
    static let info = RuleInfo(
        id: "token-request-format",
        title: "The token request is not a form POST",
        severity: .error,
        explanation: """
            The token endpoint reads a form that is posted as application/x-www-form-urlencoded. It was sent something else, and did not find \
            the parameters in it.
            """,
        fix: """
            POST the parameters as a form body with Content-Type: application/x-www-form-urlencoded; no JSON, no multipart, nothing in the \
            query. If it was a POST at first, look for a redirect on the way that made a GET of it.
            """,
        badExample: """
            POST /token  Content-Type: application/json  {"grant_type":"authorization_code","code":"…"}  → 400 invalid_request
            """,
        goodExample: """
            POST /token  Content-Type: application/x-www-form-urlencoded  grant_type=authorization_code&code=…  → 200
            """,
        specifications: [.rfc(6749, "4.1.3"), .rfc(6749, "3.2")]
    )

    func verdict(on flow: Flow) -> Verdict {
        let repaired = Set(ClientCall.all(in: flow).filter(\.isRepaired).map(\.exchange))
        let exchanges = Set(flow.tokenRequests.map(\.exchange))
        for request in flow.tokenRequests where isUnread(request) {
            // What a redirect of the endpoint's made of a request is told of that.
            if let source = flow.surroundings.redirectedFrom[request.exchange], exchanges.contains(source) {
                continue
            }
            let recorded = flow.capture[request.exchange].request
            let form = MisplacedParameters.of(request, recorded, flow)
            var faults = form.map(\.evidence) ?? FormPost.faults(of: recorded, request.exchange)
            if faults.isEmpty { faults = FormPost.untold(by: recorded, request.exchange, request.answer) }
            guard !faults.isEmpty, !Self.isRead(request, isForm: form != nil, recorded) else { continue }
            let script = Self.words(ofScript: recorded)
            return .violated(
                Violation(
                    faults + [request.answer.evidence()],
                    variant: form?.variant,
                    severity: repaired.contains(request.exchange) ? .note : .error,
                    explanation: script?.explanation ?? form?.explanation,
                    fix: script?.fix ?? form?.fix,
                    title: form?.title,
                    exchange: request.exchange,
                    explains: form == nil ? [] : Self.whatIsMissed
                )
            )
        }
        return .holds
    }

    /// What is said of bodies that scripts alone make; nil of every other.
    private static func words(ofScript request: RecordedRequest) -> Violation.Words? {
        if FormBody.isObjectsName(request.body) {
            return Violation.Words(explanation: objectsName, fix: objectsNameFix)
        }
        return CallSettings.isBody(of: request)
            ? Violation.Words(explanation: callSettings, fix: callSettingsFix) : nil
    }

    private static let callSettings = """
        The body is what the client's library was to be told of the call: its headers, with the parameters beside them. The library took it for the body and sent it as \
        JSON, so that the endpoint finds no parameter at all.
        """
    private static let callSettingsFix = """
        Give the library the form as the body and the settings behind it: axios.post(url, new URLSearchParams(parameters), { headers }). The form has its own Content-Type then.
        """

    private static let objectsName = """
        The client is written in JavaScript and gave an object as the body where a text belongs. What was sent is the object's name \
        alone, and none of the parameters.
        """
    private static let objectsNameFix = """
        Write the parameters as a form before they are sent: new URLSearchParams(parameters).toString(). Some runtimes (React Native) do \
        not know what to do with a URLSearchParams itself, either.
        """

    /// What the endpoint says of a request in which it finds no parameters.
    private static let whatIsMissed: Set<String> = [
        "client-auth-missing", "pkce-verifier-missing", "redirect-uri-token-mismatch", "credentials-in-url",
    ]

    /// Refused by somebody who may not have found the parameters, as far as the name of the error says.
    private func isUnread(_ request: TokenRequest) -> Bool {
        guard let status = request.answer.status, request.answer.isRefusal, !(300..<400).contains(status),
            ![429, 502, 503, 504].contains(status)
        else { return false }
        guard let error = request.answer.error?.error else { return true }
        return ["invalid_request", "unsupported_grant_type", "invalid_client", "server_error"].contains(error)
            || status == 405 || status == 415
    }

    /// Whether the refusal shows that the parameters were found: it speaks of the value of one, or refuses the client, which stands in
    /// a header that any body leaves as it is.
    ///
    /// Notion, Atlassian and Shopify have JSON in their documentation.
    private static func isRead(_ request: TokenRequest, isForm: Bool, _ recorded: RecordedRequest) -> Bool {
        let answer = request.answer
        let credentials = recorded.headers.first("authorization")?.asciiLowercased() ?? ""
        if !isForm, answer.error?.error == "invalid_client", credentials.hasPrefix("basic ") { return true }
        guard answer.status != 405, answer.status != 415 else { return false }
        let text = answer.errorText
        guard !absences.contains(where: text.containsBytes) else { return false }
        return answer.speaksOfCode || values.contains(where: text.containsBytes)
    }

    // MARK: - Words, in lower case

    private static let values = ["secret", "redirect_uri", "redirect uri", "pkce", "verifier"]
    /// Of what was not found.
    private static let absences = [
        "missing", "must", "required", "not provided", "not present", "not specified", "not supplied",
        "absent",
        "empty", "null", "unsupported", "content-type", "content type", "media type", "grant_type",
        "grant type", "no client", "not contain",
    ]
}
