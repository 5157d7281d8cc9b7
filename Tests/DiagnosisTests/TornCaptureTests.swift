import Captures
import Diagnosis
import DiagnosisTestSupport
import Foundation
import TestSupport
import Testing

/// Captures with something missing: a rule may abstain, and must neither crash nor find what the gap itself
/// made.
struct TornCaptureTests {
    static let names: [String] = {
        let folder = Fixtures.root.appending(path: "captures")
        let files = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
        return files.filter { $0.hasSuffix(".har") }.map { String($0.dropLast(4)) }.sorted()
    }()

    @Test func thereAreCaptures() { #expect(Self.names.count >= 30) }

    @Test(arguments: names) func survivesTheLossOfAnyEntry(name: String) throws {
        let recording = try Recording(name)
        for index in recording.exchanges.indices {
            var torn = recording
            torn.exchanges.remove(at: index)
            for diagnosis in torn.diagnoses { #expect(diagnosis.findings.filter(\.isPrimary).count <= 1) }
        }
    }

    @Test(arguments: names) func survivesTheLossOfBodiesAnswersAndCookies(name: String) throws {
        let recording = try Recording(name)
        _ = recording.sanitized.diagnoses
        _ = recording.frontChannel.diagnoses
        _ = recording.editing { $0.response = nil }.diagnoses
        _ =
            recording.editing { exchange in
                exchange.request.body = exchange.request.body.map { _ in Body(content: .missing) }
                exchange.response?.body = Body(content: .missing)
            }.diagnoses
        _ = recording.editing { $0.startedAt = Timestamp(nanoseconds: 0) }.diagnoses
        _ = recording.editing { $0.duration = nil }.diagnoses
    }

    /// Of a healthy login what is missing is told as a note, and nothing else.
    @Test(arguments: names.filter { $0.hasPrefix("healthy/") })
    func whatIsMissingIsANote(name: String) throws {
        let recording = try Recording(name)
        #expect(recording.sanitized.findings.filter { $0.severity != .note }.isEmpty)
        #expect(recording.frontChannel.findings.filter { $0.severity != .note }.isEmpty)
    }

    @Test(arguments: names) func noSecretIsShownInFull(name: String) throws {
        let recording = try Recording(name)
        var secrets: Set<String> = []
        for exchange in recording.exchanges {
            let items = exchange.request.queryAndFormItems.items
            for item in items
            where ["code", "code_verifier", "client_secret", "refresh_token", "password"].contains(item.name)
            { secrets.insert(item.value) }
            for cookie in exchange.request.cookies { secrets.insert(cookie.value) }
        }
        for finding in recording.findings {
            for evidence in finding.evidence {
                let text = evidence.value + (evidence.note ?? "")
                #expect(!secrets.contains { text.contains($0) }, "\(finding.rule): \(text)")
            }
        }
    }
}
