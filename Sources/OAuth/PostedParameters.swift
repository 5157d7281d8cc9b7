import Captures
import JSON

/// What a request has in its body: the parameters of a form, or the members of an object of JSON.
struct PostedParameters {
    /// Those of a form; nil for every other body.
    let form: Parameters?
    /// Nil for every other body.
    let json: JSONObject?
    /// Whether the body is but what JavaScript calls an object that was to be written as a form.
    let isObjectsName: Bool
    /// All there are, of either kind; for a token endpoint under the names of RFC 6749, and, of what is asked of it or about a token, from
    /// the query where the body has none.
    let all: Parameters

    /// `role`: of the endpoint that the request goes to, as far as it is known.
    init(_ request: RecordedRequest, at exchange: Int, to role: Endpoints.Role?) {
        json = Self.object(in: request)
        isObjectsName = FormBody.isObjectsName(request.body)
        // An object of JSON is one under a form's name as well.
        let isForm = json == nil && !isObjectsName
        form =
            isForm
            ? Self.form(in: request, mayBeMisnamed: role == .token).map {
                OtherNames.standard(Parameters($0, of: exchange, in: .requestBody), at: request.url)
            } : nil
        let object = json.map {
            OtherNames.standard(Parameters($0, of: exchange, in: .requestBody), at: request.url)
        }
        let posted = form ?? object ?? Parameters()
        all =
            switch role {
            case .token: Self.ofTokenRequest(request, exchange, posted)
            // As Google's documentation has it.
            case .revocation: Self.withQuery(of: request.url, exchange, posted, named: "token")
            default: posted
            }
    }

    /// The object of JSON that a request has as its body, whatever its media type.
    static func object(in request: RecordedRequest) -> JSONObject? {
        JSONBody.object(of: request.body)
    }

    private static func form(in request: RecordedRequest, mayBeMisnamed: Bool) -> QueryItems? {
        FormBody.items(of: request.body) ?? (mayBeMisnamed ? FormBody.misnamedItems(of: request.body) : nil)
    }

    private static func ofTokenRequest(_ request: RecordedRequest, _ exchange: Int, _ posted: Parameters)
        -> Parameters
    {
        GoTrueRequest.parameters(of: request, exchange, posted)
            ?? withQuery(of: request.url, exchange, posted, named: "grant_type")
    }

    /// Those of the query where the body has none, as some servers take them; `name`: the one that they have to have.
    private static func withQuery(
        of url: RecordedURL,
        _ exchange: Int,
        _ body: Parameters,
        named name: String
    ) -> Parameters {
        guard url.query != nil, body.isEmpty else { return body }
        let query = OtherNames.standard(Parameters(url.queryItems, of: exchange, in: .requestQuery), at: url)
        return query.contains(name) ? query : body
    }
}
