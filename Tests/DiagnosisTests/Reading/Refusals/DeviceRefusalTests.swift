import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JSON
import TestSupport
import Testing

struct DeviceRefusalTests {
    private let rule = "authorization-error"

    @Test func namesTheStartURLThatIdentityCenterDoesNotTake() throws {
        var capture = CaptureBuilder()
        capture.post(
            "https://oidc.eu-west-1.amazonaws.com/device_authorization",
            json:
                #"{"clientId":"cli-1","clientSecret":"not-a-secret","startUrl":"https://shop.awsapps.com/start"}"#,
            400,
            body: .json(#"{"error":"invalid_request","error_description":null}"#)
        )
        let finding = try #require(Recording(capture.exchanges).finding(rule))
        #expect(finding.places == ["0 response.body error", "0 request.body startUrl"])
        #expect(finding.fix.contains("sso_region"))
    }

    @Test(arguments: [
        (401, "invalid_client", "client-auth-missing"),
        (400, "unauthorized_client", "unsupported-grant-type"),
        (400, "invalid_scope", "scope-rejected"), (503, "temporarily_unavailable", "provider-server-error"),
        (400, "invalid_request", "authorization-error"), (429, "slow_down", "rate-limited"),
    ])
    func tellsWhyADeviceGotNoCode(status: Int, error: String, rule: String) throws {
        let recording = Recording(
            Array(try Recording("logout-and-device/device-code-expired").exchanges.prefix(1))
        ).answering("/device_authorization", status, ["error": .string(error)])
        #expect(recording.findings.first?.rule == rule && recording.findings.first?.isPrimary == true)
        #expect(recording.findings.count == (rule == "client-auth-missing" ? 2 : 1))
        #expect(recording.outcomes == [.failure])
    }

    /// What the provider's words mean is told as of any other request.
    @Test(arguments: [("HTTPS required", true), ("Realm not enabled for it", false)])
    func explainsTheProvidersWords(words: String, isKnown: Bool) throws {
        let recording = Recording(
            Array(try Recording("logout-and-device/device-code-expired").exchanges.prefix(1))
        ).answering(
            "/device_authorization",
            403,
            ["error": "invalid_request", "error_description": .string(words)]
        )
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.fix.contains("X-Forwarded-Proto") == isKnown)
        #expect(finding.explanation.contains("gave the device no code") == !isKnown)
    }

    @Test(arguments: [
        ("https://id.harbour.example/oauth/device", true),
        // It was asked, and another server's is none of this one's.
        ("https://id.harbour.example/device_authorization", false),
        ("https://id.other.example/device", false),
    ])
    func namesTheEndpointThatADeviceMissed(endpoint: String, isOther: Bool) throws {
        let document = try #require(Recording("discovery/discovery-missing-endpoint").exchanges.first)
        var device = try #require(Recording("logout-and-device/device-code-expired").exchanges.first)
        device.startedAt = document.startedAt + .seconds(1)
        device.response = RecordedResponse(
            status: 404,
            body: Body(text: "<h1>Not Found</h1>", mediaType: "text/html")
        )
        let recording = Recording([document, device]).stating(
            "device_authorization_endpoint",
            .string(endpoint),
            at: "/.well-known/openid-configuration"
        )
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect((finding.evidence.last?.value == endpoint) == isOther)
    }

    /// An answer that names its error leads nowhere.
    @Test(arguments: [(true, "response.body error"), (false, "response.status ")])
    func redirectWithAnErrorIsTheError(isNamed: Bool, place: String) throws {
        let recording = Recording(
            Array(try Recording("logout-and-device/device-code-expired").exchanges.prefix(1))
        ).answering("/device_authorization", 302, isNamed ? ["error": "invalid_request"] : nil)
            .answering("/device_authorization", header: "Location", "https://id.harbour.example/error")
        #expect(try #require(recording.finding(rule)).places.first == "0 " + place)
    }
}
