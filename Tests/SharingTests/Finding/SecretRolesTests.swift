import Testing

@testable import Sharing

/// What a value is by its name.
struct SecretRolesTests {
    private static func words(_ name: String, _ container: TextKind) -> String {
        switch SecretRoles.role(of: name, in: container) {
        case .secret(let kind): "secret \(kind.rawValue)"
        case .drawn(let kind): "drawn \(kind.rawValue)"
        case .open: "open"
        case .parts: "parts"
        case .unknown: "unknown"
        }
    }

    @Test(arguments: [
        ("code", TextKind.url, "secret authorization code"), ("code", .json, "drawn authorization code"),
        ("state", .form, "secret state"), ("access_token", .json, "secret access token"),
        ("accessToken", .json, "secret access token"), ("Access-Token", .text, "secret access token"),
        ("id_token_hint", .url, "secret ID token"), ("code_verifier", .form, "secret code verifier"),
        ("client_secret", .json, "secret client secret"), ("sub", .claims, "secret subject"),
        ("given_name", .json, "secret personal data"), ("email", .form, "secret e-mail address"),
        // A name is somebody's where people are told of, and anything's elsewhere.
        ("name", .claims, "secret personal data"), ("name", .json, "unknown"),
        ("uinfin", .json, "secret personal data"),
        ("anything", .cookies, "secret cookie"), ("sid", .claims, "secret claim"),
        ("(basic)", .authorization, "parts"),
        ("SAMLResponse", .form, "secret SAML message"), ("_csrf", .form, "secret hidden form field"),
        ("client_id", .url, "open"), ("scope", .cookies, "secret cookie"), ("token_endpoint", .json, "open"),
        ("scopes_supported", .json, "open"), ("kid", .json, "open"), ("colour", .json, "unknown"),
    ])
    func roleOfAName(name: String, container: TextKind, expected: String) {
        #expect(Self.words(name, container) == expected)
    }
}
