import Captures
import Diagnosis
import Flows
import Foundation
import TestSupport
import Testing

/// Every file under `captures/` is told of, reads without loss, and shows what it is there for.
struct CaptureFolderTests {
    static let files: [String] = {
        let folder = Fixtures.root.appending(path: "captures")
        let all = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
        return all.filter { $0.hasSuffix(".har") }.sorted()
    }()

    private static func read(_ file: String) throws -> Capture {
        try CaptureReader.read(bytes: Fixtures.bytes("captures/\(file)"), name: file)
    }

    private static func findings(_ file: String) throws -> [Finding] {
        try FlowFinder.flows(in: read(file)).flatMap { Diagnostician.diagnose($0).findings }
    }

    private static func rule(of file: String) -> String {
        let name = file.split(separator: "/").last.map(String.init) ?? file
        return name.replacing(".near-miss.har", with: "").replacing(".har", with: "")
    }

    @Test func everyFileHasItsLineAndEveryLineItsFile() throws {
        let text = try String(
            contentsOf: Fixtures.root.appending(path: "captures/README.md"),
            encoding: .utf8
        )
        let lines = text.split(separator: "\n").filter { $0.hasPrefix("| [`") }
        let named = lines.compactMap { $0.split(separator: "`").dropFirst().first.map(String.init) }
        #expect(named.sorted() == Self.files)
    }

    @Test(
        .enabled(
            if: FileManager.default.isExecutableFile(atPath: "/usr/bin/python3"),
            "captures/make needs Python 3"
        )
    )
    func theScriptWritesTheVeryFiles() throws {
        let make = Process()
        make.executableURL = URL(filePath: "/usr/bin/python3")
        make.arguments = [Fixtures.root.appending(path: "captures/make").path, "--check"]
        let output = Pipe()
        make.standardOutput = output
        try make.run()
        let differing = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        make.waitUntilExit()
        #expect(make.terminationStatus == 0, "\(differing)")
    }

    @Test(arguments: files) func readsWithoutLoss(file: String) throws {
        let capture = try Self.read(file)
        #expect(capture.losses.isEmpty)
        #expect((1...10).contains(capture.count))
    }

    /// Systems are told by their hosts: those captures name the real ones.
    @Test(arguments: files.filter { !$0.hasPrefix("providers/") })
    func namesOnlyHostsThatCannotExist(file: String) throws {
        let capture = try Self.read(file)
        for index in capture.indices {
            let host = capture[index].request.url.host ?? ""
            #expect(host.hasSuffix(".example"), "\(host)")
        }
    }

    @Test(
        arguments: files.filter { file in
            !["healthy/", "providers/"].contains { file.hasPrefix($0) } && !file.hasSuffix(".near-miss.har")
        }
    )
    func aBreakingCaptureHasItsRuleAsThePrimary(file: String) throws {
        let rule = Self.rule(of: file)
        let findings = try Self.findings(file)
        if case .note = RuleCatalog.info(of: rule)?.severity, !findings.contains(where: \.isPrimary) {
            // A note is primary only as the reason of an ending; else it stands alone.
            #expect(findings.contains { $0.rule == rule })
            #expect(findings.allSatisfy { $0.severity == .note })
        } else {
            #expect(findings.filter(\.isPrimary).map(\.rule) == [rule])
        }
    }

    /// Rules that tell their near miss, too: as a note, since it did no harm.
    private static let notedNearMisses: Set<String> = [
        "silent-login-required", "id-token-alg-none", "device-polling-too-fast", "token-response-not-json",
    ]

    @Test(arguments: files.filter { $0.hasSuffix(".near-miss.har") })
    func aNearMissDoesNotFire(file: String) throws {
        let rule = Self.rule(of: file)
        let severities = try Self.findings(file).filter { $0.rule == rule }.map(\.severity)
        #expect(severities == (Self.notedNearMisses.contains(rule) ? [.note] : []))
    }

    @Test(arguments: files.filter { $0.hasPrefix("providers/") })
    func aSystemIsRecognisedHealthyAndBroken(file: String) throws {
        let name = file.dropFirst("providers/".count).prefix { $0 != "." }
        let flows = try FlowFinder.flows(in: Self.read(file))
        let diagnoses = flows.map { Diagnostician.diagnose($0) }
        // AppAuth is a client; its provider is any.
        #expect(flows.map(\.provider.rawValue) == [name == "appauth-ios" ? "generic" : String(name)])
        if file.hasSuffix(".broken.har") {
            #expect(diagnoses.map(\.outcome) == [.failure])
            #expect(diagnoses.flatMap(\.findings).filter(\.isPrimary).map(\.severity) == [.error])
        } else {
            #expect(diagnoses.map(\.outcome) == [.success])
            #expect(diagnoses.flatMap(\.findings).filter { $0.severity != .note }.isEmpty)
        }
    }

    @Test(arguments: files.filter { $0.hasPrefix("providers/") && !$0.hasSuffix(".broken.har") })
    func aSystemHasItsParagraphAndItsBrokenTwin(file: String) throws {
        #expect(Self.files.contains(file.replacing(".har", with: ".broken.har")))
        let text = try String(contentsOf: Fixtures.root.appending(path: "docs/providers.md"), encoding: .utf8)
        #expect(text.contains("captures/\(file)"), "\(file)")
    }

    @Test(arguments: files.filter { $0.hasPrefix("healthy/") })
    func aHealthyLoginHasNothingWrong(file: String) throws {
        let diagnoses = try FlowFinder.flows(in: Self.read(file)).map { Diagnostician.diagnose($0) }
        #expect(diagnoses.map(\.outcome) == [.success])
        #expect(diagnoses.flatMap(\.findings).filter { $0.severity != .note }.isEmpty)
    }
}
