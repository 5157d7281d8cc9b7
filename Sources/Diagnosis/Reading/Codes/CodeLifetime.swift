import Captures
import Flows
import OAuth

/// How long codes live where nobody has configured anything else, and at whom.
struct CodeLifetime {
    let seconds: Int64
    let provider: String

    /// `authorization`: where the login was asked for; `token`: where the code was brought.
    init(of provider: ProviderKind, authorization: RecordedURL, token: RecordedURL) {
        if provider == .generic,
            let product = Self.products.first(where: {
                authorization.withoutQuery.hasSuffix($0.authorization)
                    && token.withoutQuery.hasSuffix($0.token)
            })
        {
            seconds = product.seconds
            self.provider = product.name
            return
        }
        seconds =
            switch provider {
            case .curity: 30
            case .keycloak, .ping, .lemonldap: 60
            case .singpass, .forgerock: 120
            case .okta, .cognito, .wso2, .apple: 300
            default: 600
            }
        self.provider = provider == .generic ? "most providers" : provider.rawValue
    }

    private struct Product {
        let name: String
        let authorization: String
        let token: String
        let seconds: Int64
    }

    /// Products with endpoints that no other has, each before those whose endpoints end alike.
    private static let products = [
        // Its token endpoint's path alone is anybody's, and Discord's is the same behind /api.
        Product(
            name: "Box",
            authorization: "account.box.com/api/oauth2/authorize",
            token: "api.box.com/oauth2/token",
            seconds: 30
        ),
        Product(
            name: "authentik",
            authorization: "/application/o/authorize/",
            token: "/application/o/token/",
            seconds: 60
        ),
        Product(
            name: "Django OAuth Toolkit",
            authorization: "/o/authorize/",
            token: "/o/token/",
            seconds: 60
        ),
        Product(
            name: "Authelia",
            authorization: "/api/oidc/authorization",
            token: "/api/oidc/token",
            seconds: 60
        ),
        Product(
            name: "IdentityServer and OpenIddict",
            authorization: "/connect/authorize",
            token: "/connect/token",
            seconds: 300
        ),
    ]
}
