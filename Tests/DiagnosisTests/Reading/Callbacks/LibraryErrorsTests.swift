import Testing

@testable import Diagnosis

/// What apps' pages of errors say in the words of their libraries.
struct LibraryErrorsTests {
    @Test func timeoutOfTheSignInIsNamedByItsSetting() {
        let page = """
            Error: Invalid Authentication Response Description: This is due to a timeout; please restart your authentication session by \
            re-entering the URL/bookmark you originally wanted to access
            """
        #expect(LibraryErrors.meaning(in: page)?.contains("OIDCStateTimeout") == true)
        #expect(LibraryErrors.meaning(in: "the request ran into a timeout") == nil)
    }

    /// Auth.js and Amazon S3 have one name for two things.
    @Test func accessDeniedIsOfWhoeverSaysIt() {
        let address = "/api/auth/error?error=AccessDenied"
        #expect(LibraryErrors.meaning(ofAddress: address)?.hasPrefix("Auth.js") == true)
        let page = "AccessDenied Access Denied 6T5"
        #expect(LibraryErrors.meaning(in: page)?.hasPrefix("Amazon S3") == true)
        #expect(LibraryErrors.meaning(in: "AccessDenied") == nil)
    }

    @Test(arguments: [
        (#"{"detail":"OAUTH_NOT_AVAILABLE_EMAIL"}"#, "base_scopes"),
        (#"{"detail":"OAUTH_USER_ALREADY_EXISTS"}"#, "associate_by_email"),
        ("Authentication is not allowed by the application policy.", "WHITELISTED_DOMAINS"),
        (
            #"{"code":"unauthorized_request","message":"Access denied due to invalid request details"}"#,
            "trustedWebOrigins"
        ),
        ("JWEDecryptionFailed: decryption operation failed", "private key"),
        (
            #"Failed to verify ID Token: oidc: expected audience "shop-api" got ["shop-web"]"#,
            "allowed audiences"
        ),
        ("An error: Couldn't retrieve remote JWK set: Read timed out", "jwks_uri"),
        ("Signed JWT rejected: Another algorithm expected, or no matching key(s) found", "RS256"),
        ("None OAuth token payload missing user information", "PANEL_OAUTH_JWT_USER"),
        ("InvalidClaimError: invalid_claim: Invalid claim: 'iss'", "last slash"),
        ("InvalidClaimError: invalid_claim: Invalid claim: 'nonce'", "another login"),
        ("InvalidClaimError: invalid_claim: Invalid claim: 'aud'", "allowed audiences"),
        ("Received AuthN response without a SATOSA session cookie", "loaded twice"),
        ("/api/auth/error?error=Configuration", "AUTH_SECRET"), ("OAuth flow failed.", "nonce and verifier"),
        ("The received state does not match the expected value.", "another login"),
        ("Database error saving new user", "auth.users"), ("User sync failed", "e-mail address"),
        ("IllegalArgumentException: key expires_in, field private java.lang.Long", "a number alone"),
    ])
    func namesTheSettingByItsOwnName(words: String, setting: String) {
        #expect(LibraryErrors.meaning(in: words)?.contains(setting) == true)
    }

    /// Many apps say the same in their own name.
    @Test(arguments: [
        (
            "No Email/Username found. Please contact your administrator.", "/pgadmin4/oauth2/authorize",
            "OAUTH2_AUTO_CREATE_USER"
        ), ("Login session expired. Please try again.", "/oauth2/authorize", "cookie"),
        ("Invalid state signature", "/auth/oauth-authorized/keycloak", "second tab"),
        ("The request to sign in was denied.", "/oauth-authorized/keycloak", "its log"),
    ])
    func sentenceIsALibrarysAtItsPath(words: String, path: String, meaning: String) {
        #expect(LibraryErrors.meaning(in: words, ofCallbackAt: path)?.contains(meaning) == true)
        #expect(LibraryErrors.meaning(in: words, ofCallbackAt: "/callback") == nil)
    }

    /// What any app may say is not taken for one library's.
    @Test(arguments: [
        "Authorization state not found. Please try again", "Sign-in session not found",
        "/login?error=OAUTH_INVALID_STATE", "The decryption operation failed, see inner exception.",
    ])
    func wordsOfAnybodyAreNoLibrarys(words: String) {
        #expect(LibraryErrors.meaning(in: words) == nil)
    }
}
