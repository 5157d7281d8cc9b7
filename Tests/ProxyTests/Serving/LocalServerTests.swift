import Captures
import Proxy
import Testing

struct LocalServerTests {
    /// In the system's words, without those of the library that asked it.
    @Test func addressThatIsNotOursIsToldInTheSystemsWords() async throws {
        // For documentation alone (RFC 5737): no machine has it.
        let error = await #expect(throws: ProxyError.self) {
            try await LocalServer.start(host: "192.0.2.1") { _ in RecordedResponse(status: 204) }.stop()
        }
        guard case .cannotListen(_, _, let reason) = error else {
            Issue.record("\(error as Any)")
            return
        }
        #expect(!reason.isEmpty && !reason.contains("errno") && !reason.contains("bind"), "\(reason)")
    }
}
