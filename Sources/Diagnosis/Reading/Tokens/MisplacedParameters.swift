import Captures
import Flows
import OAuth

/// The parameters of a token request where they were sent in a place, or in a form, in which the endpoint does not find them (RFC 6749,
/// section 3.2).
///
/// Whatever the endpoint says to be missing may well be there.
struct MisplacedParameters {
    /// `escaped`, `misnamed` or `query`.
    var variant: String
    var title: String
    var explanation: String
    var fix: String
    var evidence: [Evidence]

    /// Nil where they stand in a form, or the request is none that is read here.
    static func of(_ request: TokenRequest, _ recorded: RecordedRequest, _ flow: Flow) -> Self? {
        guard recorded.method == "POST", !GoTrueRequest.isOne(recorded) else { return nil }
        return escaped(request) ?? misnamed(request, recorded) ?? inQuery(request, recorded, flow)
    }

    private static func escaped(_ request: TokenRequest) -> Self? {
        guard request.parameters.items.contains(where: { $0.name.hasPrefix("amp;") }) else { return nil }
        return Self(
            variant: "escaped",
            title: "The parameters of the token request are separated by &amp;",
            explanation: """
                The form has &amp; between its parameters, as an address has it in HTML. The endpoint takes amp;code for a name, and finds none \
                of the parameters behind the first one.
                """,
            fix: """
                Separate the parameters by & alone: have the HTTP library encode the form, and look for a step that escapes text for HTML or \
                XML (a template, a configuration in XML, a command that was copied from a web page).
                """,
            evidence: [
                Evidence(
                    place: Place(exchange: request.exchange, part: .requestBody, name: ""),
                    value: request.parameters.shownNames
                )
            ]
        )
    }

    /// An object of JSON under the name of a form.
    private static func misnamed(_ request: TokenRequest, _ recorded: RecordedRequest) -> Self? {
        guard FormPost.essence(of: recorded) == FormBody.mediaType,
            recorded.body?.bytes?.first(where: { $0 > 0x20 }) == 0x7b
        else { return nil }
        return Self(
            variant: "misnamed",
            title: "The body of the token request is JSON under the name of a form",
            explanation: """
                Content-Type says that the body is a form, and it is an object of JSON, so the token endpoint finds none of the parameters in it.
                """,
            fix: """
                Send the parameters as a form, grant_type=authorization_code&code=…: by URLSearchParams or what the HTTP library has for \
                forms, not by JSON.stringify or an encoder of JSON.
                """,
            evidence: FormPost.faults(of: recorded, request.exchange)
        )
    }

    /// Where nothing shows that the endpoint reads the query of a POST, as Zoom's does.
    private static func inQuery(_ request: TokenRequest, _ recorded: RecordedRequest, _ flow: Flow) -> Self? {
        guard isInQuery(request),
            // Who shows his secret in a header may be refused for that before anything is read.
            request.answer.error?.error != "invalid_client" || !recorded.headers.contains("authorization"),
            !flow.surroundings.tokenRequests.contains(where: { other in
                other.endpoint == request.endpoint && other.answer.isSuccess && isInQuery(other)
            })
        else { return nil }
        return Self(
            variant: "query",
            title: "The parameters of the token request stand in the URL",
            explanation: """
                The parameters of this POST stand in its query. The token endpoint reads the body, and found none there. In a URL they get into \
                the logs of servers and proxies as well.
                """,
            fix: """
                Send the parameters in the body, as application/x-www-form-urlencoded, and nothing in the query.
                """,
            evidence: [
                Evidence(
                    place: Place(exchange: request.exchange, part: .requestQuery, name: ""),
                    value: request.parameters.shownNames,
                    note: "in the query"
                )
            ]
        )
    }

    private static func isInQuery(_ request: TokenRequest) -> Bool {
        request.parameters.parameter("grant_type")?.place.part == .requestQuery
    }
}
