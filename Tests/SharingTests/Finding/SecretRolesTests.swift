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

    /// Each `data-` was once read by itself.
    @Test func nameOfManyPartsIsNone() {
        let name = String(repeating: "data-", count: 60_000) + "password"
        #expect(Self.words(name, .json) == "secret password")
        #expect(!SecretRoles.namesSomebody(name))
    }

    @Test(arguments: [
        ("code", TextKind.url, "secret authorization code"), ("code", .json, "drawn authorization code"),
        ("invite", .url, "secret token"), ("t", .url, "secret token"), ("invite", .json, "drawn token"),
        ("X-Acme-Sid", .text, "drawn claim"), ("myinfo.name", .json, "secret personal data"),
        ("myinfo_client_id", .json, "open"), ("LSID", .text, "secret credentials"),
        ("state", .form, "secret state"), ("access_token", .json, "secret access token"),
        ("geohash", .json, "secret personal data"), ("steuerId", .json, "secret personal data"),
        ("town", .form, "secret personal data"), ("town", .json, "unknown"),
        ("accessToken", .json, "secret access token"), ("Access-Token", .text, "secret access token"),
        ("id_token_hint", .url, "secret ID token"), ("code_verifier", .form, "secret code verifier"),
        ("client_secret", .json, "secret client secret"), ("sub", .claims, "secret subject"),
        ("given_name", .json, "secret personal data"), ("email", .form, "secret e-mail address"),
        // What is told of a password.
        ("password_expires_in", .json, "unknown"), ("password_last_login", .json, "unknown"),
        ("resetPasswordUrl", .json, "unknown"),
        ("password_changed_at", .json, "unknown"), ("passwordPolicy", .text, "unknown"),
        ("password_status", .json, "unknown"), ("passwordState", .text, "unknown"),
        // Those that were before are passwords, too.
        ("passwordHistory", .json, "secret password"),
        ("password_confirmation", .json, "secret password"), ("passwordHint", .json, "secret password"),
        // The same in a language.
        ("family_name#ja-Kana-JP", .json, "secret personal data"),
        ("name#de", .claims, "secret personal data"),
        ("family_name#fil", .json, "secret personal data"),
        // What a vocabulary has such a name for.
        ("ns#client_secret", .json, "drawn credentials"),
        ("#state", .json, "unknown"), ("tx_code", .form, "secret one-time code"),
        ("lis_person_name_full", .form, "secret personal data"), ("patient", .json, "secret subject"),
        // A name is somebody's where people are told of, and anything's elsewhere.
        ("name", .claims, "secret personal data"), ("name", .json, "unknown"),
        ("uinfin", .json, "secret personal data"),
        // Of a state: in claims, and some wherever they stand.
        ("https://idporten.no/pid", .claims, "secret personal data"), ("pid", .form, "unknown"),
        ("dk.cpr", .claims, "secret personal data"), ("dk_cpr", .json, "secret personal data"),
        ("urn:oid:1.2.246.21", .json, "secret personal data"),
        ("eidas:PersonIdentifier", .json, "secret personal data"),
        ("anything", .cookies, "secret cookie"), ("sid", .claims, "secret claim"),
        ("(basic)", .authorization, "parts"),
        ("SAMLResponse", .form, "secret SAML message"), ("_csrf", .form, "secret hidden form field"),
        // What stands there is the name of a field, as a rule.
        ("csrf-param", .html, "drawn hidden form field"),
        ("client_id", .url, "open"), ("scope", .cookies, "secret cookie"), ("token_endpoint", .json, "open"),
        ("scopes_supported", .json, "open"), ("kid", .json, "open"), ("colour", .json, "unknown"),
        // A header field of that name is a secret; a member of a document may be anything.
        ("Secret", .text, "secret credentials"), ("Token", .text, "secret token"),
        ("secret", .json, "drawn credentials"),
        // The last word says it, where it is not about a token or a key.
        ("oauth_token_secret", .json, "drawn credentials"), ("X-Secret", .text, "secret credentials"),
        ("dd-api-key", .json, "drawn API key"), ("continuation_token", .url, "drawn token"),
        ("token_type", .json, "open"), ("grant_type", .form, "open"), ("kty", .json, "open"),
        ("identity_nonce", .claims, "drawn nonce"), ("c_nonce", .json, "drawn nonce"),
        ("X-Amzn-Oidc-Identity", .text, "secret subject"), ("dob_year", .form, "secret personal data"),
        ("addressLines", .json, "secret personal data"), ("secretData", .json, "secret credentials"),
        ("SECRET_KEY_BASE", .lines, "drawn credentials"), ("user_login", .json, "secret personal data"),
        ("deviceId", .json, "secret personal data"), ("device_type", .json, "unknown"),
        ("imei", .form, "secret personal data"), ("FullLegalName", .json, "secret personal data"),
        ("login:passwd:input", .form, "secret password"), ("value", .form, "unknown"),
        ("hasLogo", .json, "unknown"), ("parolaClass", .json, "unknown"),
        ("bypass", .json, "unknown"), ("Compass1", .form, "unknown"),
        ("sub_type", .json, "unknown"), ("public_key", .json, "unknown"),
    ])
    func roleOfAName(name: String, container: TextKind, expected: String) {
        #expect(Self.words(name, container) == expected)
    }

    @Test(arguments: [
        "X-Client-Secret", "Secret", "Token", "X-Token", "X-OTP", "X-GitHub-OTP", "X-Pin", "X-Auth",
        "X-Auth-Key",
        "X-Auth-Secret", "X-API-Secret", "X-Shared-Secret", "X-Session-Id", "X-Vault-Token", "Private-Token",
        "X-Access-Code", "X-Csrf", "DD-API-KEY", "X-Goog-Api-Key", "X-Plex-Token",
    ])
    func headerFieldGivesASecretAway(name: String) {
        #expect(Self.words(name, .text).hasPrefix("secret "))
    }

    @Test(arguments: [
        "u_pass", "dbPass", "admin-pass1",
        "j_pass", "log_pass", "psw", "clave", "wachtwoord", "hasło", "пароль", "密码", "パスワード", "recovery_code",
        "recovery_codes", "backupCodes", "sessionToken", "login_ticket", "tgt", "PHPSESSID",
        "mdp", "user_mdp", "nouveauMdp", "parola", "parool", "geslo", "haslo", "Lozinka", "kodeord",
        "contrasenia", "kata_sandi", "matkhau", "mậtKhẩu",
    ])
    func fieldGivesASecretAway(name: String) throws {
        for container in [TextKind.form, .url, .json, .html] {
            #expect(Self.words(name, container).hasPrefix("secret "))
        }
        var world = try SharingWorld()
        world.options.keepsAll = true
        world.append(
            "https://api.example.net/x",
            json: #"{"\#(name)":["violet sky"]}"#
        )
        world.append("https://api.example.net/x", type: "text/xml", body: #"<x \#(name)="violet sky"/>"#)
        let shared = try world.shared()
        #expect(!shared.text.contains("violet sky"))
    }
}
