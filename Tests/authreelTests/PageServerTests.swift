import Testing

@testable import authreel

struct PageServerTests {
    /// Port 1 is nobody's; who is cancelled has not been answered.
    @Test func waitThatIsGivenUpNamesTheAddress() async {
        let wait = Task { await PageServer.wait(for: "http://127.0.0.1:1/", within: .seconds(60)) }
        wait.cancel()
        #expect(await wait.value == "127.0.0.1:1")
        #expect(await PageServer.wait(for: "https://shop.example/", within: .seconds(60)) == nil)
    }
}
