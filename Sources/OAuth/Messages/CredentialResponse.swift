package import Captures
import JOSE
import JSON

/// Signing in without redirects: the browser, the system or a provider's script hands the app an ID token, and the app sends
/// it to its own server.
///
/// So do FedCM (Federated Credential Management), Sign in with Google, which names it `credential`, and the sign-in that
/// Android, iOS and the providers' own libraries have for apps.
package enum CredentialResponse {
    /// The parameters of a request that carries such a token to the app's server, which is `id_token` among them, at the place
    /// where it stands; nil for any other request.
    ///
    /// `isIssued` tells values that the browser was given in this capture: those count whatever they look like, and under any
    /// name.
    package static func parameters(
        of request: RecordedRequest,
        at exchange: Int,
        isIssued: (String) -> Bool
    ) -> Parameters? {
        guard request.method == "POST", request.url.isWeb, (request.body?.size ?? 0) < mostBytes,
            var parameters = sent(by: request, at: exchange)
        else { return nil }
        guard
            let place = parameters.items.firstIndex(where: { isIssued($0.value) })
                ?? parameters.items.firstIndex(where: {
                    names.contains($0.name) && isIDToken($0.value)
                })
        else { return nil }
        let token = parameters.items[place]
        // What is none in the shape of one is passed on as it is.
        if isIDToken(token.value) { parameters.items[place].name = "id_token" }
        return parameters
    }

    /// The client that the app says the token was made for.
    package static func clientID(in parameters: Parameters) -> String? {
        ["client_id", "clientId"].lazy.compactMap { parameters[$0] }.first { !$0.isEmpty }
    }

    /// The code that an app brings along for its server to exchange, by the names that Apple's and Google's libraries have.
    static func code(in parameters: Parameters) -> String? {
        ["authorizationCode", "authorization_code", "serverAuthCode", "server_auth_code"].lazy
            .compactMap { parameters[$0] }.first { !$0.isEmpty }
    }

    private static let names: Set<String> = [
        "credential", "id_token", "idToken", "identityToken", "identity_token",
    ]

    private static let mostBytes = 1 << 16

    private static func sent(by request: RecordedRequest, at exchange: Int) -> Parameters? {
        if let form = FormBody.items(of: request.body) {
            return Parameters(form, of: exchange, in: .requestBody)
        }
        return JSONBody.object(of: request.body).map { Parameters($0, of: exchange, in: .requestBody) }
    }

    /// Whether a value says who somebody is, and for whom (OpenID Connect Core, section 2).
    private static func isIDToken(_ value: String) -> Bool {
        guard value.hasPrefix("eyJ"), let token = JSONWebToken.parse(value), token.issuer != nil else {
            return false
        }
        return !token.audience.isEmpty && token.claim("sub")?.string != nil
    }
}

extension EndpointCall {
    /// Whether a form asks a provider for an assertion of who somebody is, as browsers do (FedCM, "Identity assertion
    /// endpoint").
    static func isIdentityAssertion(_ request: RecordedRequest, _ form: Parameters) -> Bool {
        guard request.method == "POST", form.contains("client_id"), form.contains("account_id") else {
            return false
        }
        return request.headers.first("sec-fetch-dest") == "webidentity"
            || ["disclosure_text_shown", "is_auto_selected", "disclosure_shown_for"]
                .contains(where: form.contains)
    }

    /// Whether Google, asked by a page who is signed in, does not know the page's origin for the client: what its script asks
    /// before it offers a sign-in (One Tap, the button), and all that it does then.
    static func isRefusedStatus(_ exchange: Exchange) -> Bool {
        let url = exchange.request.url
        return url.host == "accounts.google.com" && url.path == "/gsi/status"
            && exchange.response?.status == 403
    }

    /// The same of this call.
    package var isStatusRefused: Bool { endpoint.path == "/gsi/status" }

    /// What the answer of an identity assertion endpoint says (FedCM): the token as `id_token`, or `error` and `error_uri`; nil
    /// where it says neither.
    package var assertedParameters: Parameters? {
        if let token = answer.json?["token"]?.string, !token.isEmpty {
            return Parameters([Parameter(name: "id_token", value: token, place: answer.place("token"))])
        }
        guard let error = answer.json?["error"]?.object, let code = error["code"]?.string else { return nil }
        var items = [Parameter(name: "error", value: code, place: answer.place("error.code"))]
        if let url = error["url"]?.string {
            items.append(Parameter(name: "error_uri", value: url, place: answer.place("error.url")))
        }
        return Parameters(items)
    }
}
