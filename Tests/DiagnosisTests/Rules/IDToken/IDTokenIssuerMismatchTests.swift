import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JSON
import OAuth
import Testing

struct IDTokenIssuerMismatchTests {
    private let rule = "id-token-issuer-mismatch"
    private let broken = "id-token/id-token-issuer-mismatch"

    @Test func namesBothAndTheDifference() throws {
        let finding = try #require(Recording(broken).finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.places == ["6 jwt.claims iss", "0 response.body issuer"])
        #expect(finding.evidence.map(\.value) == ["http://id.harbour.example", "https://id.harbour.example"])
        #expect(finding.notes == ["scheme http instead of https", "the provider's issuer"])
    }

    /// What a later login reads is not what this one went by, though it says the same.
    @Test func goesByTheMetadataOfTheTime() throws {
        let recording = try Recording(broken)
        let later = try recording.rereadingMetadata {
            $0["service_documentation"] = "https://id.harbour.example/docs"
        }
        #expect(later.finding(rule)?.isPrimary == true)
        #expect(later.finding(rule)?.places == recording.finding(rule)?.places)
    }

    @Test func leavesMetadataOfAnotherTenantAlone() throws {
        #expect(try Recording(broken + ".near-miss").findings.isEmpty)
        let alone = try Recording(broken + ".near-miss").without {
            $0.request.url.path == "/.well-known/openid-configuration"
        }
        #expect(alone.finding(rule) == nil)
        #expect(alone.abstention(rule) != nil)
    }

    @Test func aSlashAtTheEndIsAnotherIssuer() throws {
        let recording = try Recording(broken).editingIDToken { $0["iss"] = "https://id.harbour.example/" }
        #expect(recording.finding(rule)?.notes.first == "a \"/\" too many at the end")
    }

    /// What the recorder writes of a URL is no name that the provider has.
    @Test func portThatWasRecordedIsNoPartOfTheName() throws {
        let recording = try Recording(broken).editingIDToken { $0["iss"] = "https://id.harbour.example:443" }
            .editing { exchange in
                guard exchange.request.url.path == "/.well-known/openid-configuration" else { return }
                exchange.request.url = RecordedURL(
                    "https://id.harbour.example:443" + exchange.request.url.path
                )
            }
        #expect(recording.finding(rule)?.isPrimary == true)
    }

    private func issuers(_ metadata: String, _ token: String, tenant: String? = nil) throws -> Recording {
        try Recording(broken).editingAnswer(of: "/.well-known/openid-configuration") {
            $0["issuer"] = .string(metadata)
        }.editingIDToken { claims in
            claims["iss"] = .string(token)
            claims["tid"] = tenant.map { .string($0) }
        }
    }

    @Test func leavesTheTwoNamesOfGoogleAlone() throws {
        #expect(try issuers("https://accounts.google.com", "accounts.google.com").finding(rule) == nil)
        #expect(
            try issuers("https://accounts.google.example", "accounts.google.example").finding(rule) != nil
        )
    }

    @Test func fillsInTheTenantOfEntra() throws {
        let template = "https://login.microsoftonline.com/{tenantid}/v2.0"
        let issuer = "https://login.microsoftonline.com/9188040d/v2.0"
        #expect(try issuers(template, issuer, tenant: "9188040d").finding(rule) == nil)
        #expect(try issuers(template, issuer, tenant: "other").finding(rule) != nil)
    }

    @Test func leavesAWrongDocumentToItsOwnRule() throws {
        #expect(try issuers("http://localhost:8080", "https://id.harbour.example").finding(rule) == nil)
    }

    @Test func goesByTheAddressWhereTheDocumentWasNotSaved() throws {
        let recording = try Recording(broken).editingLast("/.well-known/openid-configuration") {
            $0.response?.body = Body(content: .missing)
        }
        let finding = try #require(recording.finding(rule))
        #expect(finding.places == ["6 jwt.claims iss", "0 request.url "])
        #expect(recording.editingIDToken { $0["iss"] = "https://id.harbour.example/" }.finding(rule) == nil)
        #expect(recording.editingIDToken { $0["iss"] = "https://id.harbour.example" }.finding(rule) == nil)
    }

    @Test func abstainsWithoutMetadata() throws {
        let recording = try Recording(broken).without {
            $0.request.url.path.hasSuffix("openid-configuration")
        }
        #expect(recording.finding(rule) == nil)
        #expect(recording.abstention(rule) != nil)
    }

    @Test func isAnErrorThoughTheClientWentOn() throws {
        #expect(try Recording(broken).goingOn.finding(rule)?.severity == .error)
    }

    @Test func abstainsOnAnEncryptedToken() throws {
        let recording = try Recording(broken).withEncryptedIDToken
        #expect(recording.finding(rule) == nil)
        #expect(recording.abstention(rule) != nil)
    }

    /// Where the metadata was read before the recording began: the answer's own name for the issuer (RFC 9207), or what the app
    /// says.
    @Test func comparesWithTheAnswerWhereThereIsNoMetadata() throws {
        let bare = try Recording("healthy/web-code-flow").without {
            $0.request.url.path.hasPrefix("/.well-known/")
        }
        #expect(bare.finding(rule) == nil)
        func answering(_ issuer: String) -> Recording {
            bare.editing { exchange in
                if let location = exchange.response?.location, location.contains("code=") {
                    exchange.response?.redirect(to: "\(location)&iss=\(issuer)")
                }
                let url = exchange.request.url.text
                if url.contains("/callback?") { exchange.request.url = RecordedURL("\(url)&iss=\(issuer)") }
            }
        }
        #expect(answering("https%3A%2F%2Fid.harbour.example").finding(rule) == nil)
        let other = answering("https%3A%2F%2Fother.example")
        #expect(other.finding(rule) == nil)
        #expect(other.answering("/callback", 500).finding(rule)?.isPrimary == true)
    }

    /// A null is no issuer that another one could be compared with.
    @Test(arguments: [nil, .null, ""] as [JSONValue?])
    func metadataWithoutAnIssuerAreNotCompared(issuer: JSONValue?) throws {
        let recording = try Recording("discovery/discovery-issuer-mismatch.near-miss")
            .editingAnswer(of: "/.well-known/openid-configuration") { $0["issuer"] = issuer }
        #expect(recording.finding(rule) == nil)
        let signed = try Recording("authorization-response/jarm-invalid.near-miss")
            .editingAnswer(of: "/.well-known/openid-configuration") { $0["issuer"] = issuer }
        #expect(signed.finding("jarm-invalid") == nil)
    }

    /// Go's OpenID Connect library names the issuer that the app is set to.
    @Test(arguments: [
        (#", expected "https://id.shop.example" got "https://id.harbour.example""#, true),
        (#", expected \"https://id.shop.example\" got \"https://id.harbour.example\""}"#, true),
        (#", expected "https://id.shop.example" got "https://id.other.example""#, false), (".", false),
    ])
    func comparesWithTheIssuerThatTheAppNames(end: String, fires: Bool) throws {
        let text = "oidc: id token issued by a different provider\(end)"
        let told = try Recording("healthy/web-code-flow").without {
            $0.request.url.path.hasPrefix("/.well-known/")
        }.answeringCallback(500, Body(text: text, mediaType: "text/plain"))
        #expect((told.finding(rule)?.isPrimary == true) == fires)
        #expect((told.finding("callback-rejected-by-app")?.isPrimary == true) == !fires)
    }
}
