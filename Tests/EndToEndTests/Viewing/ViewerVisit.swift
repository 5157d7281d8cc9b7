import Foundation
import JSON
import TestSupport
import Testing

/// A page of the viewer in a real browser: what is planned, and what was seen.
struct ViewerVisit {
    let json: JSONValue

    /// Where one goes, and what one does there, each step as `pages.py` lists them.
    struct Plan {
        /// The page, with what is looked at behind the number sign.
        var url: String
        var steps: [[String]] = []
    }

    /// What stood there before any step, and after each.
    func seen(_ step: Int, _ what: String) -> [String] {
        json["seen"]?.array?[step][what]?.array?.compactMap(\.string) ?? []
    }

    /// A text that is there once.
    func text(_ step: Int, _ what: String) -> String { json["seen"]?.array?[step][what]?.string ?? "" }

    var last: Int { (json["seen"]?.array?.count ?? 1) - 1 }

    func list(_ name: String) -> [String] { json[name]?.array?.map { JSONWriter.text(of: $0) } ?? ["?"] }

    /// What each step brought.
    var results: [JSONValue] { json["results"]?.array ?? [] }

    /// What a page of anything must be: nothing that a person cannot read or reach, no complaint, no request, and nothing of
    /// a capture that ran.
    func expectDecent(sourceLocation: SourceLocation = #_sourceLocation) {
        let url = json["url"]?.string ?? ""
        for what in ["faults", "log", "requests"] {
            #expect(list(what) == [], "\(url)", sourceLocation: sourceLocation)
        }
        #expect(json["seen"]?.array?.last?["attacked"] == .null, "\(url)", sourceLocation: sourceLocation)
    }

    /// Goes to one page after the other, in one browser.
    static func visits(_ plan: [Plan]) throws -> [ViewerVisit] {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let items: [JSONValue] = plan.map { item in
            [
                "url": .string(item.url),
                "steps": .array(item.steps.map { .array($0.map { .string($0) }) }),
            ]
        }
        let file = folder.file("plan.json")
        try Data(JSONWriter.bytes(of: .array(items))).write(to: URL(filePath: file))
        let result = try RealComponents.run(["pages", "--state", folder.file("state"), "--plan", file])
        try #require(result.status == 0, "\(result.errors)")
        let visits = try JSONParser.parse(result.output.utf8).array?.map(ViewerVisit.init) ?? []
        try #require(visits.count == plan.count)
        return visits
    }

    static func path(_ capture: String) -> String {
        Fixtures.root.appending(path: "captures/\(capture).har").path
    }
}
