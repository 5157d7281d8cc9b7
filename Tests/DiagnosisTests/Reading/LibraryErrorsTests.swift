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
        ("No Email/Username found. Please contact your administrator.", "OAUTH2_AUTO_CREATE_USER"),
        ("Invalid state signature", "second tab"),
    ])
    func namesTheSettingByItsOwnName(words: String, setting: String) {
        #expect(LibraryErrors.meaning(in: words)?.contains(setting) == true)
    }

    /// What any app may say is not taken for one library's.
    @Test(arguments: ["Authorization state not found. Please try again", "Sign-in session not found"])
    func wordsOfAnybodyAreNoLibrarys(words: String) {
        #expect(LibraryErrors.meaning(in: words) == nil)
    }
}
