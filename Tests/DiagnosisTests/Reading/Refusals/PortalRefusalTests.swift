import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import TestSupport
import Testing

/// A role of the AWS access portal that is not assigned to the user.
struct PortalRefusalTests {
    private let rule = "bearer-rejected"

    /// A login of the AWS CLI, and what it then asks the portal for.
    private func login(_ calls: [(path: String, status: Int)]) -> Recording {
        let device = "urn:ietf:params:oauth:grant-type:device_code"
        var capture = CaptureBuilder()
        func post(_ path: String, _ body: String, _ answer: String) {
            capture.post(
                "https://oidc.eu-west-1.amazonaws.com" + path,
                json: body,
                200,
                headers: [("User-Agent", "aws-cli/2.1.18")],
                body: .json(answer)
            )
        }
        post(
            "/device_authorization",
            #"{"clientId":"cli-1","clientSecret":"not-a-secret","startUrl":"https://shop.awsapps.example/start"}"#,
            #"{"deviceCode":"device-code-1","userCode":"WDJB-MJHT","expiresIn":600,"interval":1,"verificationUri":"https://device.sso.eu-west-1.amazonaws.com/"}"#
        )
        post(
            "/token",
            #"{"clientId":"cli-1","clientSecret":"not-a-secret","deviceCode":"device-code-1","grantType":"\#(device)"}"#,
            #"{"accessToken":"access-of-the-device-01","tokenType":"Bearer","expiresIn":28800}"#
        )
        for (path, status) in calls {
            capture.get(
                "https://portal.sso.eu-west-1.amazonaws.com\(path)?role_name=Dev&account_id=123456789012",
                status,
                headers: [("x-amz-sso_bearer_token", "access-of-the-device-01")],
                body: .json(status == 403 ? #"{"message":"No access"}"# : "{}")
            )
        }
        return Recording(capture.exchanges)
    }

    @Test func roleThatIsNotAssignedIsAWarning() throws {
        let recording = login([("/federation/credentials", 403)])
        let finding = try #require(recording.finding(rule))
        #expect(finding.severity == .warning && finding.isPrimary)
        #expect(finding.title == "The AWS access portal gives the user no keys of this role")
        #expect(finding.evidence.map(\.value).contains("Dev"))
        #expect(finding.fix.contains("list-account-roles"))
        #expect(recording.outcomes == [.success])
    }

    @Test(arguments: [
        [("/federation/credentials", 403), ("/federation/credentials", 200)], [("/assignment/roles", 403)],
        [("/federation/credentials", 500)], [("/federation/credentials", 200)],
    ])
    func whatThePortalGivesIsNoRefusal(calls: [(path: String, status: Int)]) {
        let recording = login(calls)
        #expect(recording.flows.count == 1)
        #expect(recording.finding(rule) == nil)
    }
}
