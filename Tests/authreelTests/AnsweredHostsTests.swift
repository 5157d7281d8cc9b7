import Captures
import Testing

@testable import authreel

/// Under which names a mock answers.
struct AnsweredHostsTests {
    private static let hosts = AnsweredHosts(["127.0.0.1", "Idp.Acme.example.com"])

    @Test(arguments: [
        ("127.0.0.1", true), ("localhost", true), ("a.localhost", true), ("LOCALHOST.", true),
        ("[::1]", true),
        // The issuer's own, addresses, names without a dot, names that are nobody's in public.
        ("idp.acme.example.com", true), ("172.17.0.1", true), ("[fd00::1]", true), ("mock", true),
        ("host.docker.internal", true), ("host.containers.internal", true), ("idp.test", true),
        ("box.local", true), ("nas.home.arpa", true),
        // A stranger's, which may lead anywhere.
        ("rebound.example.com", false), ("127.0.0.1.example.com", false), ("localhost.example.com", false),
        ("idp.acme.example.com.example.net", false), ("acme.example.com", false), ("test.dev", false),
        ("home.arpa.example.com", false), ("rebound.example.com..", false),
    ])
    func namesOfStrangersAreRefused(name: String, isAnswered: Bool) {
        #expect(Self.hosts.contain(name) == isAnswered)
    }

    @Test func refusalSaysWhatToDo() throws {
        func refusal(_ url: String) -> RecordedResponse? {
            Self.hosts.refusal(of: RecordedRequest(method: "GET", url: RecordedURL(url)))
        }
        #expect(refusal("http://localhost:8090/authorize") == nil && refusal("*") == nil)
        let response = try #require(refusal("http://rebound.example.com:8090/authorize?a=b"))
        #expect(response.status == 421)
        #expect(
            response.body?.text?.contains("--issuer http://rebound.example.com:8090 adds the name") == true
        )
    }
}
