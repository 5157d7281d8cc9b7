import Captures
import JSON
import OAuth

/// Puts together what goes back to the redirect URI of one login, in the form of the dialect (RFC 6749, section 4.1.2; OAuth 2.0
/// Multiple Response Types, section 5; RFC 9207).
///
/// Issues nothing and remembers nothing.
struct AuthorizationResponseBuilder {
    /// How such a request was answered in the recording; nil where none was.
    let form: ProviderDialect.Authorization?
    private let login: PendingLogin
    private let dialect: ProviderDialect
    private let isAsRecorded: Bool
    private let mint: TokenMint

    /// `clientID`: of the recording.
    init(for login: PendingLogin, of clientID: String, _ context: ProviderContext, _ mint: TokenMint) {
        self.login = login
        self.mint = mint
        dialect = context.dialect
        form = dialect.authorization(for: login, clientID)
        isAsRecorded = context.policy.isAsRecorded
    }

    /// What was issued.
    func answer(with issued: [String: BuiltAnswer.Member], for grant: ProviderState.Grant) -> BuiltAnswer {
        response(parameters(issued, grant))
    }

    /// An error in the words of the recording.
    ///
    /// `mode`: where it was seen; nil by the rules.
    func answer(error: [(String, String)], mode: AuthorizationResponse.Mode?) -> BuiltAnswer {
        var parameters = error.map { BuiltAnswer.Member($0.0, text: $0.1) }
        if let state = login.state { parameters.append(.init("state", text: state)) }
        // RFC 9207, section 2.
        if form?.parameters.contains(where: { $0.name == "iss" }) ?? dialect.namesIssuer {
            parameters.append(.init("iss", text: mint.issuer))
        }
        return response(parameters, mode)
    }

    /// In the recorded order, with what else the request makes necessary behind.
    private func parameters(_ issued: [String: BuiltAnswer.Member], _ grant: ProviderState.Grant)
        -> [BuiltAnswer.Member]
    {
        var parameters: [BuiltAnswer.Member] = []
        var rest = issued
        for (name, value) in form?.parameters ?? [] {
            switch name {
            case "state": if let state = login.state { parameters.append(.init(name, text: state)) }
            case "iss": parameters.append(.init(name, text: mint.issuer))
            case "code", "access_token", "id_token":
                if let member = rest.removeValue(forKey: name) { parameters.append(member) }
            // As the provider writes them, where a token comes along at all.
            case "token_type", "expires_in":
                if rest.removeValue(forKey: name) != nil { parameters.append(.init(name, text: value)) }
            case "session_state":
                parameters.append(
                    .init(name, text: grant.values[value] ?? ValueTemplate(like: value).make(mint.random))
                )
            case "scope": parameters.append(.init(name, text: grant.scope))
            case "client_id": parameters.append(.init(name, text: login.clientID))
            case "error", "error_description", "error_uri", "error_subtype": break
            default:
                parameters.append(
                    .init(name, text: grant.values[value] ?? dialect.addresses.rewritten(value))
                )
            }
        }
        for name in ["code", "access_token", "token_type", "expires_in", "id_token"] {
            if let member = rest.removeValue(forKey: name) { parameters.append(member) }
        }
        if let state = login.state, !parameters.contains(where: { $0.name == "state" }) {
            parameters.append(.init("state", text: state))
        }
        // RFC 9207, section 2.
        if form == nil, dialect.namesIssuer {
            parameters.append(.init("iss", text: mint.issuer))
        }
        return parameters
    }

    private func response(_ parameters: [BuiltAnswer.Member], _ recorded: AuthorizationResponse.Mode? = nil)
        -> BuiltAnswer
    {
        let mode = recorded ?? mode
        var authorization = BuiltAnswer.Authorization(
            parameters: parameters,
            target: login.redirectURI,
            mode: mode
        )
        if login.responseMode?.hasSuffix("jwt") ?? isSignedUnasked {
            authorization.envelope = envelope
        }
        var answer = BuiltAnswer(
            mode == .formPost ? 200 : 302,
            .authorization(authorization),
            role: .authorization
        )
        if let form, form.mode == mode {
            answer.status = form.answer.status
            answer.headers = form.answer.headers
            if mode == .formPost, let body = form.answer.body {
                var values =
                    form.sealed.map { [(old: $0, name: "response")] }
                    ?? form.parameters.map { (old: $0.value, name: $0.name) }
                if let target = form.origin.redirectURI { values.append((target, "redirect_uri")) }
                let names = Set(form.parameters.map(\.name))
                let isSealedAlike = (form.envelope == nil) == (authorization.envelope == nil)
                // Another set of fields needs a page of its own.
                if isSealedAlike, names == Set(parameters.map(\.name)),
                    form.origin.redirectURI == login.redirectURI
                {
                    authorization.page = (body, values)
                }
            }
            answer.content = .authorization(authorization)
        } else {
            answer.headers.append("Cache-Control", "no-store")
        }
        return answer
    }

    /// As this provider did when it was asked so; else as asked for, else as this provider does, else as the response type wants it.
    private var mode: AuthorizationResponse.Mode {
        if let form, isAsRecorded || form.askedMode == login.responseMode { return form.mode }
        switch login.responseMode {
        case "query", "query.jwt": return .query
        case "fragment", "fragment.jwt": return .fragment
        case "form_post", "form_post.jwt": return .formPost
        default: break
        }
        if let form, form.askedMode == nil || login.responseMode == "jwt" { return form.mode }
        let types = login.responseType.spaceDelimited
        guard dialect.supports(responseType: login.responseType) else { return .query }
        return types.contains("token") || types.contains("id_token") ? .fragment : .query
    }

    /// Whether who names no mode gets a signed answer: as in the recording, where nobody had asked for one either.
    private var isSignedUnasked: Bool {
        guard let form, form.envelope != nil else { return false }
        return form.askedMode == nil || isAsRecorded
    }

    /// JWT Secured Authorization Response Mode, section 2.1.
    private var envelope: UnsignedToken {
        let template = form?.envelope
        let claims: JSONObject = [
            "iss": .string(mint.issuer),
            "aud": audience(like: template),
            "exp": JSONValue(mint.now.seconds + 600),
        ]
        let asked = mint.client?.authorizationAlgorithm
        return mint.unsigned(
            header: template?.header ?? asked.map { mint.standardHeader($0) } ?? mint.standardHeader,
            claims: claims,
            envelope: mint.client?.envelopes["authorization"]
        )
    }

    /// Alone, in a list, or among others, as recorded (RFC 7519, section 4.1.3); always with the client that asked.
    private func audience(like template: TokenTemplate?) -> JSONValue {
        let own = JSONValue.string(login.clientID)
        guard let template, let recorded = template.claims["aud"]?.array else { return own }
        var names: [JSONValue] = []
        for name in recorded.map({ $0.string == template.origin.clientID ? own : $0 })
        where !names.contains(name) {
            names.append(name)
        }
        return .array(names.contains(own) ? names : [own])
    }
}
