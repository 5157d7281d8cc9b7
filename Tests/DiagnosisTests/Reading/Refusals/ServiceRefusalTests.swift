import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import TestSupport
import Testing

struct ServiceRefusalTests {
    let rule = "access-denied-by-policy"

    /// What somebody set at the service; then a call that is refused for something else, and one whose answer names a scope.
    @Test(arguments: [
        (
            #"{"error":{"code":403,"message":"Example API has not been used in project 123456789012 before or it is disabled."}}"#,
            "not enabled"
        ),
        (#"{"error":{"errors":[{"reason":"accessNotConfigured"}]}}"#, "not enabled"),
        (
            #"{"error_code":403,"message":"Source IP address: 203.0.113.7 is blocked by Databricks IP ACL for workspace: 1"}"#,
            "this address"
        ),
        (#"{"error_code":"403","message":"Unauthorized network access to workspace: 1"}"#, "this address"),
        (
            #"{"error":{"code":"Authorization_RequestDenied","message":"Insufficient privileges"}}"#,
            "permission"
        ),
        (#"{"error":{"code":403,"message":"Not allowed"}}"#, nil),
        (#"{"code":"SERVICE_DISABLED","message":"Orders are closed today."}"#, nil),
        (#"{"error":"insufficient_scope","message":"Authorization_RequestDenied"}"#, nil),
    ])
    func readsWhyAServiceRefusesAGoodToken(body: String, title: String?) throws {
        let recording = try Recording("resource-calls/insufficient-scope.near-miss").editingLast("/orders") {
            $0.response?.status = 403
            $0.response?.body = .json(body)
        }
        let finding = recording.finding(rule)
        #expect((finding != nil) == (title != nil))
        if let finding, let title {
            #expect(finding.title.contains(title) && finding.severity == .warning && finding.isPrimary)
            #expect(finding.places.first?.hasSuffix("response.body ") == true)
            #expect(recording.outcomes == [.success])
        }
        // What the same call was given afterwards is what counts.
        var again = recording
        if var call = again.exchanges.last(where: { $0.request.url.path == "/orders" }) {
            call.startedAt = call.startedAt + .seconds(1)
            call.response?.status = 200
            again.exchanges.append(call)
        }
        #expect(again.finding(rule) == nil)
    }
}
