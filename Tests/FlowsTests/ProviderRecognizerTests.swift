import Captures
import Flows
import Testing
import TestSupport

/// The provider by its URLs, whatever else the capture holds.
struct ProviderRecognizerTests {
    @Test(arguments: [
        ("https://accounts.google.com/o/oauth2/v2/auth", "google"),
        ("https://appleid.apple.com/auth/authorize", "apple"),
        ("https://login.microsoftonline.com/common/oauth2/v2.0/authorize", "entra"),
        ("https://acme.b2clogin.com/x/oauth2/v2.0/authorize", "entra"),
        ("https://acme.okta.com/oauth2/default/v1/authorize", "okta"),
        ("https://acme.eu.auth0.com/authorize", "auth0"),
        ("https://acme.auth.eu-central-1.amazoncognito.com/oauth2/authorize", "cognito"),
        ("https://am.example/am/oauth2/realms/root/realms/alpha/authorize", "forgerock"),
        ("https://kc.example/auth/realms/shop/protocol/openid-connect/auth", "keycloak"),
        ("https://stg-id.singpass.gov.sg/auth", "singpass"),
        ("https://test.api.myinfo.gov.sg/com/v4/authorize", "myinfo"),
        ("https://api.myinfo.gov.sg/com/v3/authorise", "myinfo"),
        ("https://github.com/login/oauth/authorize", "github"),
        ("https://idp.example/authorize", "generic"),
        ("https://idcs-0a1b.identity.oraclecloud.com/oauth2/v1/authorize", "generic"),
        ("https://login.shop.example/oauth2/v1/authorize", "okta"),
        // A host that only looks like one.
        ("https://accounts.google.com.evil.example/o/oauth2/v2/auth", "generic"),
        ("https://notokta.com/authorize", "generic"),
        ("https://cognito-idp.eu-central-1.evil.example/authorize", "generic"),
        ("https://cognito-idp.eu-central-1.amazonaws.com/authorize", "cognito"),
        ("https://acme.okta-emea.com/authorize", "okta"),
        ("https://id.example/singpass/v3/fapi/auth", "singpass"),
        // An account of that name has its pages there.
        ("https://github.com/acme/oauth/authorize", "generic"),
    ])
    func byItsAuthorizationEndpoint(url: String, provider: String) throws {
        var capture = CaptureBuilder()
        capture.get(
            url + "?" + FormBody.encode(ShopLogin().request),
            headers: ShopLogin.browser,
            body: .html("<form>")
        )
        #expect(capture.flows.map(\.provider.rawValue) == [provider])
    }

    /// On a domain of the customer's own: by what its pages and cookies are called.
    @Test(
        arguments: [
            ("/authorize", "/u/login?state=hKFo2SA", nil, "auth0"),
            ("/authorize", "/login", "auth0", "auth0"),
            ("/oauth2/authorize", "/login?client_id=x", "cognito", "cognito"),
            ("/authorize", "/login", "session", "generic"),
        ] as [(String, String, String?, String)]
    )
    func byItsSignInPage(endpoint: String, page: String, cookie: String?, provider: String) throws {
        let host = "https://login.shop.example"
        let request = host + endpoint + "?" + FormBody.encode(ShopLogin().request)
        var capture = CaptureBuilder()
        let cookies = cookie.map { [("Cookie", "\($0)=1")] } ?? []
        capture.redirect(request, to: page, headers: ShopLogin.browser + cookies)
        capture.get(host + page, headers: ShopLogin.browser, body: .html("<form>"))
        #expect(capture.flows.map(\.provider.rawValue) == [provider])
    }

    /// A provider that lets another one sign the user in shows no page of its own.
    @Test(arguments: [("sessionDataKey", "wso2"), ("resume", "generic")])
    func byWhatItIsResumedWith(name: String, provider: String) {
        let login = ShopLogin()
        let host = "https://is.example"
        var capture = CaptureBuilder()
        capture.redirect(
            "\(host)/oauth2/authorize?\(FormBody.encode(login.request))",
            to: "\(host)/oauth2/authorize?\(name)=2f6c0d51",
            headers: ShopLogin.browser
        )
        capture.redirect(
            "\(host)/oauth2/authorize?\(name)=2f6c0d51",
            to: login.callbackURL,
            headers: ShopLogin.browser
        )
        login.callback(&capture)
        #expect(capture.flows.map(\.provider.rawValue) == [provider])
    }

    /// Of WSO2 there may be no more than where its endpoint sends the browser, or the cookie of its session.
    @Test(arguments: [
        ("https://login.example/authenticationendpoint/login.do?tenant=shop", "seen=1", "wso2"),
        ("https://login.example/in?sessionDataKey=2f6c0d51", "seen=1", "wso2"),
        ("https://login.example/in", "opbs=5d1f", "wso2"),
        ("https://login.example/in?key=2f6c0d51", "seen=1", "generic"),
        ("https://shop.example/cb?sessionDataKey=2f6c0d51&code=1", "seen=1", "generic"),
        ("https://login.example/commonauth?code=1", "seen=1", "generic"),
    ])
    func byWhereItsEndpointLeads(location: String, cookie: String, provider: String) {
        var capture = CaptureBuilder()
        capture.redirect(
            "https://is.example/oauth2/authorize?" + FormBody.encode(ShopLogin().request),
            to: location,
            headers: ShopLogin.browser + [("Cookie", cookie)]
        )
        #expect(capture.flows.map(\.provider.rawValue) == [provider])
    }

    /// WSO2's issuer is its token endpoint.
    @Test(arguments: [("/oauth2/token", "wso2"), ("/oauth2", "generic")])
    func byTheAddressOfItsMetadata(issuer: String, provider: String) {
        let host = "https://is.example"
        var capture = CaptureBuilder()
        capture.get(
            "\(host)\(issuer)/.well-known/openid-configuration",
            body: .json(
                #"{"issuer":"\#(host)\#(issuer)","authorization_endpoint":"\#(host)/oauth2/authorize","token_endpoint":"\#(host)/oauth2/token"}"#
            )
        )
        capture.get(
            host + "/oauth2/authorize?" + FormBody.encode(ShopLogin().request),
            headers: ShopLogin.browser,
            body: .html("<form>")
        )
        #expect(capture.flows.map(\.provider.rawValue) == [provider])
    }

    @Test(arguments: [("/api/oidc/auth", "glewlwyd"), ("/api/oidc/authorization", "generic")])
    func endpointThatBeginsAlikeIsAnother(path: String, provider: String) throws {
        var capture = CaptureBuilder()
        capture.get(
            "https://idp.example\(path)?" + FormBody.encode(ShopLogin().request),
            headers: ShopLogin.browser,
            body: .html("<form>")
        )
        #expect(capture.flows.map(\.provider.rawValue) == [provider])
    }
}
