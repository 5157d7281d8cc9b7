import Diagnosis
import Foundation
import TestSupport
import Testing

/// Every rule has its file, its place in a stage's list, and two captures; nothing is left over.
struct RuleCatalogTests {
    private static let rules = Fixtures.root.appending(path: "Sources/Diagnosis/Rules")

    /// Files of rules as `Stage/Name`, the stages' lists left out.
    private static func files() throws -> [String] {
        let manager = FileManager.default
        return try manager.contentsOfDirectory(atPath: rules.path).sorted().flatMap { stage in
            try manager.contentsOfDirectory(atPath: rules.appending(path: stage).path).sorted()
                .filter { $0.hasSuffix(".swift") && $0 != "\(stage)Rules.swift" }
                .map { "\(stage)/\($0.dropLast(6))" }
        }
    }

    /// `redirect-uri-token-mismatch` is `RedirectURITokenMismatch`.
    static func typeName(of id: String) -> String {
        let abbreviations: Set<String> = [
            "acr", "api", "azp", "cors", "csrf", "dpop", "http", "https", "id", "jarm", "json", "jwks",
            "mtls", "par",
            "pkce", "tls", "uri", "uris", "url",
        ]
        return id.split(separator: "-").map { word in
            if word == "jwks" || word == "mtls" || word == "dpop" {
                return ["jwks": "JWKS", "mtls": "MTLS", "dpop": "DPoP"][word] ?? ""
            }
            return abbreviations.contains(String(word))
                ? word.uppercased() : word.prefix(1).uppercased() + word.dropFirst()
        }.joined()
    }

    /// `IDToken` is `id-token`.
    static func folder(of stage: String) -> String {
        let words = stage.replacing("IDToken", with: "IdToken")
        return words.reduce(into: "") {
            $0 += $1.isUppercase && !$0.isEmpty ? "-\($1.lowercased())" : $1.lowercased()
        }
    }

    @Test func everyRuleHasItsFileAndEveryFileItsRule() throws {
        let files = try Self.files()
        let names = Dictionary(grouping: files) { String($0.split(separator: "/")[1]) }
        for info in RuleCatalog.infos {
            #expect(names[Self.typeName(of: info.id)]?.count == 1, "\(info.id) has no file")
        }
        let types = Set(RuleCatalog.infos.map { Self.typeName(of: $0.id) })
        for file in files {
            let name = String(file.split(separator: "/")[1])
            #expect(types.contains(name), "\(file).swift is in no list, or its id is another")
        }
    }

    @Test func everyRuleIsOfTheTypeItsIDSays() {
        for rule in RuleCatalog.rules {
            #expect(String(describing: type(of: rule)) == Self.typeName(of: type(of: rule).info.id))
        }
    }

    @Test func everyStageListsItsOwn() throws {
        for file in try Self.files() {
            let parts = file.split(separator: "/").map(String.init)
            let list = try String(
                contentsOf: Self.rules.appending(path: "\(parts[0])/\(parts[0])Rules.swift"),
                encoding: .utf8
            )
            #expect(list.contains("        \(parts[1])()"), "\(parts[0])Rules does not list \(parts[1])")
        }
    }

    @Test func everyRuleHasACaptureThatBreaksItAndOneThatDoesNot() throws {
        for file in try Self.files() {
            let parts = file.split(separator: "/").map(String.init)
            guard let info = RuleCatalog.infos.first(where: { Self.typeName(of: $0.id) == parts[1] }) else {
                continue
            }
            for ending in ["har", "near-miss.har"] {
                let path = "captures/\(Self.folder(of: parts[0]))/\(info.id).\(ending)"
                #expect(
                    FileManager.default.fileExists(atPath: Fixtures.root.appending(path: path).path),
                    "\(path) is missing"
                )
            }
        }
    }

    @Test func everyRuleHasItsTests() throws {
        for file in try Self.files() {
            let path = "Tests/DiagnosisTests/Rules/\(file)Tests.swift"
            #expect(
                FileManager.default.fileExists(atPath: Fixtures.root.appending(path: path).path),
                "\(path) is missing"
            )
        }
    }

    /// With the tests above: each id has its file, its list entry, its two captures and its tests.
    @Test(arguments: CatalogueIDs.stages.map(\.folder)) func everyNamedFaultIsJudged(stage: String) throws {
        let ids = try #require(CatalogueIDs.stages.first { $0.folder == stage }?.ids)
        let judged = Set(RuleCatalog.infos.map(\.id))
        let files = Set(try Self.files())
        for id in ids {
            #expect(judged.contains(id), "\(id) is in no list")
            #expect(files.contains("\(stage)/\(Self.typeName(of: id))"), "\(id) is not in \(stage)")
        }
        let listed = RuleCatalog.infos.map(\.id).filter(ids.contains)
        #expect(listed == ids, "\(stage)Rules has another order")
    }

    @Test func everyJudgedFaultIsNamed() {
        let named = Set(CatalogueIDs.stages.flatMap(\.ids))
        #expect(RuleCatalog.infos.map(\.id).filter { !named.contains($0) } == [])
    }

    @Test(arguments: ["README.md", "CHANGELOG.md"]) func documentsSayHowManyThereAre(name: String) throws {
        let text = try String(contentsOf: Fixtures.root.appending(path: name), encoding: .utf8)
        #expect(text.contains("\(RuleCatalog.rules.count)"), "\(name) has another number")
    }

    @Test func idsAreUniqueAndTextsAreThere() {
        #expect(Set(RuleCatalog.infos.map(\.id)).count == RuleCatalog.infos.count)
        for info in RuleCatalog.infos {
            #expect(!info.title.isEmpty && !info.explanation.isEmpty && !info.fix.isEmpty, "\(info.id)")
            #expect(
                !info.badExample.isEmpty && !info.goodExample.isEmpty && info.badExample != info.goodExample,
                "\(info.id)"
            )
            #expect(!info.specifications.isEmpty, "\(info.id)")
        }
    }
}
