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
}
