import Captures
import Flows
import JOSE
import JSON
import OAuth

/// How logins were asked for and answered at the authorization endpoint.
extension AnswerFinder {
    func learn(_ login: Login, _ flow: Flow, _ dialect: inout ProviderDialect) {
        guard let response = login.response else { return }
        if response.parameters.contains("iss") { dialect.wasSeenToNameItself = true }
        guard response.error == nil else { return }
        learnTolerance(of: login, response, flow, &dialect)
        let form = authorization(of: login, response, flow, dialect)
        for (name, value) in form.parameters where ["code", "session_state"].contains(name) {
            note(name, value, &dialect)
        }
        dialect.authorizations.append(form)
    }

    /// What of a request was taken though the specifications do not want it taken.
    private func learnTolerance(
        of login: Login,
        _ response: AuthorizationResponse,
        _ flow: Flow,
        _ dialect: inout ProviderDialect
    ) {
        let asked = login.request
        if asked.codeChallenge != nil || asked.parameters.contains("code_challenge_method") {
            dialect.tolerances.challengeMethods.insert(asked.parameters["code_challenge_method"] ?? "plain")
        }
        let isWhole = !asked.parameters.contains("request") && !asked.parameters.contains("request_uri")
        if isWhole || asked.pushed != nil, (asked.responseType ?? "").isEmpty {
            dialect.tolerances.assumesCode = true
        }
        // Of one that is known by an app's redirect alone the exchange is the app's.
        let sent = asked.isUnseen ? nil : asked.exchange
        for request in [asked.pushed, sent].compactMap({ $0 }) {
            let repeated = flow.capture[request].request.repeatedParameters
            dialect.tolerances.repeatedParameters.formUnion(repeated)
        }
        if let request = sent.map({ flow.capture[$0].request }) {
            let names = Set((request.url.queryItems.items + request.sentForm.items).map(\.name))
            if names.contains("request_uri"), !names.contains("client_id") {
                dialect.tolerances.takesRequestURIsAlone = true
            }
        }
        let prompt = (asked.parameters["prompt"] ?? "").spaceDelimited
        if PendingLogin.isNoneAndMore(prompt) { dialect.tolerances.takesPromptsBesideNone = true }
        if let pushed = asked.pushed, let state = asked.parameters.parameter("state"),
            state.place.exchange != pushed, response.parameters["state"] == state.value
        {
            dialect.tolerances.mergesOuterParameters = true
        }
    }

    /// How a login was answered, to answer others like it.
    private func authorization(
        of login: Login,
        _ response: AuthorizationResponse,
        _ flow: Flow,
        _ dialect: ProviderDialect
    ) -> ProviderDialect.Authorization {
        let exchange = flow.capture[response.exchange]
        let origin = origin(
            flow,
            clientID: login.request.clientID,
            scope: nil,
            issuedAt: exchange.startedAt.seconds,
            dialect
        )
        let envelope = envelope(of: response, origin)
        // Seen only where it arrived, or on a page that has more to say than this.
        let isSeen =
            response.deliveredBy != nil
            && (response.mode == .formPost || exchange.response?.location != nil)
        let template =
            exchange.response.flatMap { isSeen ? AnswerTemplate($0) : nil } ?? AnswerTemplate(status: 302)
        var form = ProviderDialect.Authorization(
            clientID: login.request.clientID,
            endpoint: played(login.request.endpoint),
            responseType: login.request.responseType ?? "code",
            askedMode: login.request.parameters["response_mode"],
            mode: response.mode,
            envelope: envelope,
            parameters: envelope.map(Self.parameters(in:))
                ?? Self.parameters(of: response, to: login.request),
            answer: template,
            origin: origin
        )
        if envelope != nil { form.sealed = response.parameters["response"] }
        for (name, value) in form.parameters {
            switch name {
            case "id_token": form.idToken = tokenForm(value, flow.surroundings, origin)
            case "access_token": form.accessToken = tokenForm(value, flow.surroundings, origin)
            default: break
            }
        }
        return form
    }

    /// The token in which a response travels (JARM, section 2.1); nil where it travels in clear.
    private func envelope(of response: AuthorizationResponse, _ origin: RecordedOrigin) -> TokenTemplate? {
        guard let token = response.parameters["response"].flatMap({ JSONWebToken.parse($0) }),
            let claims = token.claims
        else { return nil }
        return TokenTemplate(header: token.header ?? JSONObject(), claims: claims, origin: origin)
    }

    private static func parameters(in envelope: TokenTemplate) -> [(name: String, value: String)] {
        let own: Set<String> = ["iss", "aud", "exp"]
        return envelope.claims.members.filter { !own.contains($0.name) }.map {
            ($0.name, $0.value.string ?? JSONWriter.text(of: $0.value))
        }
    }

    /// Without the redirect URI's own query, which is the client's.
    private static func parameters(of response: AuthorizationResponse, to request: AuthorizationRequest)
        -> [(name: String, value: String)]
    {
        let own = RecordedURL(request.redirectURI ?? "").queryItems
        return response.parameters.items.filter { item in
            !own.items.contains { $0.name == item.name && $0.value == item.value }
        }.map { (name: $0.name, value: $0.value) }
    }
}
