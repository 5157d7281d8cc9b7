import Captures
import DiagnosisTestSupport
import Flows
import JSON
import TestSupport
import Testing

@testable import Diagnosis

/// Captures that somebody took the values out of before handing them on: what cannot be known must not become a fault.
struct SanitizedCaptureTests {
    /// The worst that is said of a capture, by rule, and what came of its logins.
    private struct Judgement: Sendable {
        var told: [String: Severity] = [:]
        var outcomes: [Outcome] = []

        /// Of each capture as it is.
        static let originals = Result {
            try MutationTests.names.map { try Judgement(Fixtures.bytes("captures/\($0).har"), $0) }
        }

        init(_ bytes: [UInt8], _ name: String) throws {
            let capture = try CaptureReader.read(bytes: bytes, name: name)
            for flow in FlowFinder.flows(in: capture) {
                let diagnosis = Diagnostician.diagnose(flow)
                outcomes.append(diagnosis.outcome)
                for finding in diagnosis.findings where finding.severity != .note {
                    if told[finding.rule] != .error { told[finding.rule] = finding.severity }
                }
            }
        }
    }

    private static let symptoms = Set(
        RuleCatalog.rules.map { type(of: $0).info }.filter(\.isSymptom).map(\.id)
    )

    /// A symptom may be told where its cause cannot be known any more.
    @Test(arguments: HARSanitizer.Mode.allCases)
    func nothingIsFoundThatWasNotThere(mode: HARSanitizer.Mode) throws {
        for (name, original) in zip(MutationTests.names, try Judgement.originals.get()) {
            let bytes = try Fixtures.bytes("captures/\(name).har")
            let sanitized = try Judgement(HARSanitizer(mode: mode).sanitized(bytes), name)
            for (rule, severity) in sanitized.told {
                if let known = original.told[rule], known == .error || severity == known { continue }
                #expect(
                    Self.symptoms.contains(rule) && original.outcomes.contains(.failure),
                    "\(mode) \(name): \(rule) (\(severity)) instead of \(original.told)"
                )
            }
            guard original.outcomes == [.success] || original.outcomes == [.cancelled] else { continue }
            #expect(sanitized.outcomes == original.outcomes, "\(mode) \(name): \(sanitized.told)")
        }
    }

    /// Metadata may be all that somebody went over.
    @Test(arguments: [
        ("discovery/discovery-issuer-mismatch", "discovery-issuer-mismatch"),
        ("discovery/discovery-issuer-mismatch.near-miss", "id-token-issuer-mismatch"),
        ("authorization-response/jarm-invalid.near-miss", "jarm-invalid"),
        ("token-request/client-assertion-alg.near-miss", "client-assertion-audience"),
    ])
    func anIssuerThatWasTakenOutIsNoOther(name: String, rule: String) throws {
        let recording = try Recording(name).editingAnswer(of: "/.well-known/openid-configuration") {
            $0["issuer"] = "[REDACTED]"
        }
        #expect(recording.finding(rule) == nil && recording.finding("discovery-issuer-mismatch") == nil)
        #expect(recording.abstention(rule)?.hasPrefix("issuer was taken out") == true)
    }

    /// Of a resource, and of a provider whose logout token names itself.
    @Test func aNameThatWasTakenOutOfMetadataIsNoOther() throws {
        let resource = try Recording("discovery/resource-metadata-mismatch.near-miss")
            .editingAnswer(of: "/.well-known/oauth-protected-resource/mcp") { $0["resource"] = "[REDACTED]" }
        #expect(resource.findings.allSatisfy { $0.severity == .note } && resource.outcomes == [.success])
        #expect(resource.abstention("resource-metadata-mismatch")?.hasPrefix("resource was taken") == true)
        let logout = try Recording("logout-and-device/logout-token-invalid.near-miss")
            .editingAnswer(of: "/.well-known/openid-configuration") { $0["issuer"] = "[REDACTED]" }
        #expect(logout.finding("logout-token-invalid") == nil)
    }

    @Test func aUserWhoWasTakenOutIsNoOther() throws {
        let rule = "userinfo-sub-mismatch"
        let recording = try Recording("healthy/web-code-flow")
        #expect(recording.editingAnswer(of: "/userinfo") { $0["sub"] = "bob" }.finding(rule) != nil)
        let marked = recording.editingAnswer(of: "/userinfo") { $0["sub"] = "[REDACTED]" }
        #expect(marked.finding(rule) == nil && marked.outcomes == [.success])
        #expect(marked.abstention(rule)?.hasPrefix("sub was taken out") == true)
    }

    /// What the other side answered, and what is missing, is told as before.
    @Test(arguments: [
        "token-request/code-expired", "token-request/token-invalid-client",
        "authorization-request/nonce-missing",
        "authorization-request/redirect-uri-not-registered", "resource-calls/bearer-rejected",
        "token-request/pkce-verifier-missing", "refresh/refresh-token-expired",
    ])
    func whatDoesNotHangOnAValueIsStillFound(name: String) throws {
        let bytes = try Fixtures.bytes("captures/\(name).har")
        for mode in HARSanitizer.Mode.allCases {
            let told = try Judgement(HARSanitizer(mode: mode).sanitized(bytes), name).told
            let rule = String(name.split(separator: "/")[1])
            #expect(told[rule] == .error, "\(mode): \(told)")
        }
    }

    /// A rule that cannot decide says which value it would have needed, and where.
    @Test func reasonNamesTheValue() throws {
        let bytes = try Fixtures.bytes("captures/id-token/id-token-nonce-mismatch.har")
        let capture = try CaptureReader.read(bytes: HARSanitizer(mode: .names).sanitized(bytes), name: "x")
        let abstentions = FlowFinder.flows(in: capture).flatMap { Diagnostician.diagnose($0).abstentions }
        let reason = try #require(abstentions.first { $0.rule == "id-token-nonce-mismatch" }?.reason)
        #expect(reason.hasPrefix("nonce was taken out of the capture: entry "))
    }

    @Test func rulesThatAreJudgedAllTheSameExist() {
        let all = Set(RuleCatalog.rules.map { type(of: $0).info.id })
        #expect(TakenOutValues.judgedAllTheSame.subtracting(all).isEmpty)
    }
}
