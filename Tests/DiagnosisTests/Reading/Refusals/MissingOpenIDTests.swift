import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JSON
import OAuth
import Testing

/// A token without the scope openid at UserInfo, which names any reason for its refusal.
struct MissingOpenIDTests {
    /// What was asked for is not in the server's half; what was granted, and where it was used, is.
    @Test(arguments: [
        (401, "orders.read", true), (401, "openid orders.read", false), (403, "orders.read", true),
        // It may have had the word.
        (401, "[REDACTED]", false),
    ])
    func userInfoRefusesATokenWithoutTheScope(status: Int, scope: String, isTold: Bool) throws {
        let whole = try Recording("healthy/web-code-flow").asking("scope", scope)
            .editingAnswer(of: "/token") {
                $0["scope"] = .string(scope)
                if isTold { $0.members.removeAll { $0.name == "id_token" } }
            }
            .answering("/userinfo", status, ["error": "invalid_token"])
        for recording in [whole, whole.backChannel] {
            #expect(recording.finding("insufficient-scope") == nil)
            let finding = try #require(recording.finding("bearer-rejected"))
            #expect(finding.isPrimary)
            #expect(finding.title.contains("openid") == isTold, "\(finding.title)")
            #expect(finding.fix.contains("openid") == isTold)
            #expect(finding.notes.contains("granted or asked for, without openid") == isTold)
        }
    }

    /// An array, commas, and what names no scope at all.
    @Test(arguments: [["openid", "profile"], "openid,profile", "", .null] as [JSONValue])
    func grantIsReadHoweverItIsWritten(scope: JSONValue) throws {
        let whole = try Recording("healthy/web-code-flow").editingAnswer(of: "/token") { $0["scope"] = scope }
            .answering("/userinfo", 401, ["error": "invalid_token"])
        for recording in [whole, whole.backChannel] {
            let finding = try #require(recording.finding("bearer-rejected"))
            #expect(!finding.title.contains("openid"), "\(finding.title)")
        }
    }
}
