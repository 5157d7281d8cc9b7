import Testing

@testable import authreel

/// The line that says whether both halves of a login arrive.
struct SelfTestTests {
    @Test func eachHalfIsToldOnce() {
        var test = SelfTest()
        #expect(test.line == "browser: not yet seen · backend: not yet seen")
        #expect(
            test.intercepted(.browser, process: "chromium")
                == "browser: intercepted (chromium) · backend: not yet seen"
        )
        #expect(test.intercepted(.browser, process: "firefox") == nil)
        #expect(
            test.intercepted(.backend, process: nil)
                == "browser: intercepted (chromium) · backend: intercepted"
        )
    }

    @Test func distrustIsToldUntilSomethingIsRead() {
        var test = SelfTest()
        #expect(
            test.distrusted(.backend, process: "apache2")
                == "browser: not yet seen · backend: does not trust the certificate (apache2)"
        )
        #expect(test.distrusted(.backend, process: "apache2") == nil)
        #expect(
            test.intercepted(.backend, process: "apache2")?.hasSuffix("backend: intercepted (apache2)")
                == true
        )
        #expect(
            test.distrusted(.backend, process: "java") == nil,
            "one of its connections may be of another mind"
        )
    }

    @Test func clientThatOpenedTheRecordersOwnPageWasSeen() {
        var test = SelfTest()
        #expect(!test.hasSeenClients)
        _ = test.distrusted(.backend, process: "curl")
        #expect(!test.hasSeenClients)
        _ = test.intercepted(.browser, process: "chromium")
        #expect(test.hasSeenClients)
    }
}
