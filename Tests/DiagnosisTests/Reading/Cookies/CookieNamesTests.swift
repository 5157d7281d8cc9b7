import Testing

@testable import Diagnosis

/// Names of cookies as evidence has them.
struct CookieNamesTests {
    @Test func eachStandsOnceAndInOrder() {
        #expect(CookieNames.shown(["session", "login", "session"]) == "login, session")
        #expect(CookieNames.shown([String]()) == "none")
    }

    /// A login begun again and again leaves a hundred of them.
    @Test func manyAreCounted() {
        #expect(
            CookieNames.shown((10...18).map { "c\($0)" })
                == "c10, c11, c12, c13, c14, c15, c16, c17 and 1 more"
        )
    }
}
