import Captures
import Diagnosis
import DiagnosisTestSupport
import OAuth
import TestSupport
import Testing

/// An app whose setting for its provider, or for its client id, was empty where it was built.
struct UnsetSettingTests {
    private static let title = "The app does not know its provider: a setting has no value"

    private static func login(
        at address: String,
        client: String = "shop",
        _ status: Int,
        _ page: String
    ) -> Recording {
        let query = FormBody.encode([
            ("response_type", "code"), ("client_id", client), ("redirect_uri", "https://shop.example/cb"),
            ("scope", "openid"), ("state", "state-0123456789"),
        ])
        var capture = CaptureBuilder()
        capture.get("\(address)?\(query)", status, body: .html(page))
        return Recording(capture.exchanges)
    }

    /// A relative address leads to the app's own server; others to a realm, or a host, of that name.
    @Test(
        arguments: [
            ("https://shop.example/undefined/authorize", "undefined"),
            ("https://idp.example/realms/null/authorize", "null"),
            ("https://undefined.idp.example/authorize", "undefined"),
            ("https://idp.example/%5Bobject%20Object%5D/authorize", "%5Bobject%20Object%5D"),
            ("https://undefined.example/authorize", nil), ("https://shop.example/undefinedx/authorize", nil),
            ("https://idp.example/authorize", nil),
        ] as [(String, String?)]
    )
    func refusedRequestIsToldByItsAddress(address: String, word: String?) throws {
        let recording = Self.login(at: address, 404, "<h1>Not found</h1>")
        let finding = try #require(recording.finding("authorization-error"))
        #expect(finding.isPrimary)
        #expect((finding.title == Self.title) == (word != nil), "\(finding.title)")
        guard let word else { return }
        #expect(finding.places == ["0 request.url ", "0 response.body "])
        #expect(finding.evidence[0].value == address)
        #expect(finding.notes.contains("\(word) stands where a value is missing"))
    }

    /// Development servers give the app's page at every address.
    @Test(arguments: [
        ("https://shop.example/undefined/authorize", true),
        ("https://idp.example/undefined/authorize", false),
        ("https://shop.example/oidc/authorize", false),
    ])
    func ownPageInTheProvidersPlaceIsToldOf(address: String, isUnset: Bool) throws {
        let recording = Self.login(at: address, 200, "<div id=root></div><script src=/a.js></script>")
        let finding = try #require(recording.finding("login-abandoned"))
        #expect(finding.severity == .note && finding.isPrimary)
        #expect((finding.title == Self.title) == isUnset, "\(finding.title)")
    }

    @Test(arguments: [
        ("https://undefined/authorize", true), ("https://idp.example/undefined/authorize", false),
    ])
    func hostThatIsNoneIsToldOf(address: String, isUnset: Bool) throws {
        let recording = Self.login(at: address, 200, "").editing { exchange in
            exchange.response = nil
            exchange.failure = "net::ERR_NAME_NOT_RESOLVED"
        }
        let finding = try #require(recording.finding("host-unreachable"))
        #expect(finding.isPrimary && (finding.title == Self.title) == isUnset, "\(finding.title)")
    }

    @Test(arguments: [("undefined", true), ("null", true), ("undefined-shop", false)])
    func clientWithoutAnIDIsToldOf(client: String, isUnset: Bool) throws {
        let recording = Self.login(
            at: "https://idp.example/authorize",
            client: client,
            400,
            "<p>Client not found.</p>"
        )
        let finding = try #require(recording.finding("client-id-unknown"))
        #expect(finding.title.hasPrefix("The app does not know its client id") == isUnset, "\(finding.title)")
    }
}
