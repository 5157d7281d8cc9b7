import Captures
import Flows
import JSON
import OAuth

/// What shows that an authorization request means to sign a user in by OpenID Connect.
enum OpenIDIntent {
    /// Parameters that OpenID Connect alone defines (OpenID Connect Core, section 3.1.2.1).
    static let parameterNames = ["nonce", "max_age", "acr_values", "id_token_hint", "claims"]

    /// The scope with `openid` in it, else the first parameter that OpenID Connect alone defines; nil where
    /// nothing shows it.
    static func sign(of request: AuthorizationRequest, in flow: Flow) -> Parameter? {
        if let scope = request.parameters.parameter("scope"),
            scope.value.spaceDelimited.contains("openid")
        {
            return scope
        }
        for name in parameterNames {
            if let parameter = request.parameters.parameter(name), !parameter.value.isEmpty,
                !isHabit(parameter, of: request, in: flow)
            {
                return parameter
            }
        }
        return userInfo(in: flow)
    }

    /// Whether a parameter is one that the app's library sends with every request: AppAuth makes a nonce for logins of OAuth alone as
    /// well.
    ///
    /// So it is with an app on a device, of a provider whose metadata, where the app read some, know no OpenID Connect, and a scope
    /// without any that OpenID Connect defines.
    static func isHabit(_ parameter: Parameter, of request: AuthorizationRequest, in flow: Flow) -> Bool {
        guard parameter.name == "nonce", let uri = request.redirectURI.map({ RecordedURL($0) }),
            uri.scheme != nil, !uri.isWeb
        else { return false }
        let scopes = (request.parameters["scope"] ?? "").spaceDelimited
        return !scopes.contains { userScopes.contains($0) }
            && !flow.serverMetadata.contains { document in
                document.endpoint("userinfo_endpoint") != nil
                    || document.answer.json?["id_token_signing_alg_values_supported"] != nil
            }
    }

    /// Of a user's claims (OpenID Connect Core, section 5.4), and the word itself.
    private static let userScopes: Set<String> = ["openid", "profile", "email", "address", "phone"]

    /// The call of an endpoint that the provider's metadata names as its UserInfo, which is all that shows it in a server's half.
    static func userInfo(in flow: Flow) -> Parameter? {
        for case .userInfo(let call) in flow.messages where isStated(call, in: flow) {
            return Parameter(
                name: "userinfo_endpoint",
                value: call.endpoint.text,
                place: Place(exchange: call.exchange, part: .requestURL, name: "userinfo_endpoint")
            )
        }
        return nil
    }

    /// Metadata of this flow names the endpoint.
    private static func isStated(_ call: EndpointCall, in flow: Flow) -> Bool {
        flow.messages.contains { message in
            guard case .discovery(let document) = message else { return false }
            return document.names(call.endpoint, as: "userinfo_endpoint")
        }
    }
}
