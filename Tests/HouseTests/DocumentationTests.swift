import Foundation
import TestSupport
import Testing

/// The pages of the documentation hang together: each link leads somewhere, each page is found, each option is told of.
struct DocumentationTests {
    private static func text(of page: String) throws -> String {
        try String(contentsOf: Fixtures.root.appending(path: page), encoding: .utf8)
    }

    /// As `docs/json.md`, from the root.
    static let pages: [String] = {
        let docs = Fixtures.root.appending(path: "docs").path
        let names = (try? FileManager.default.contentsOfDirectory(atPath: docs)) ?? []
        return ["README.md", "CHANGELOG.md", "CONTRIBUTING.md"]
            + names.filter { $0.hasSuffix(".md") }.sorted().map { "docs/\($0)" }
    }()

    /// The lines of a page that are none of a fenced block.
    private static func prose(of page: String) throws -> [Substring] {
        var isInside = false
        return try text(of: page).split(separator: "\n").filter { line in
            guard line.drop(while: { $0 == " " }).hasPrefix("```") else { return !isInside }
            isInside.toggle()
            return false
        }
    }

    /// What a link to a heading ends with, as code hosts make it.
    private static func anchors(of page: String) throws -> Set<String> {
        Set(
            try prose(of: page).filter { $0.hasPrefix("#") }.map { heading in
                heading.drop { $0 == "#" }.drop { $0 == " " }.lowercased()
                    .filter { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" || $0 == " " }
                    .replacing(" ", with: "-")
            }
        )
    }

    private static func links(of page: String) throws -> [String] {
        try prose(of: page).joined(separator: "\n").matches(of: /\]\(([^)\s]+)\)/).map { String($0.output.1) }
            .filter { !$0.hasPrefix("https:") }
    }

    /// Of a link the file that it names, from the root.
    private static func target(of link: String, on page: String) -> String {
        let path = link.prefix { $0 != "#" }
        guard !path.isEmpty else { return page }
        let folder = URL(filePath: "/" + page).deletingLastPathComponent()
        return String(folder.appending(path: String(path)).standardized.path.dropFirst())
    }

    @Test(arguments: pages) func everyLinkLeadsSomewhere(page: String) throws {
        for link in try Self.links(of: page) {
            let target = Self.target(of: link, on: page)
            let isThere = FileManager.default.fileExists(atPath: Fixtures.root.appending(path: target).path)
            #expect(isThere, "\(page): \(link)")
            guard isThere, target.hasSuffix(".md"), let mark = link.firstIndex(of: "#") else { continue }
            let anchor = String(link[link.index(after: mark)...])
            #expect(try Self.anchors(of: target).contains(anchor), "\(page): \(link)")
        }
    }

    @Test func everyPageIsLedTo() throws {
        let found = Set(
            try Self.pages.flatMap { page in
                try Self.links(of: page).map { Self.target(of: $0, on: page) }.filter { $0 != page }
            }
        )
        for page in Self.pages where page.hasPrefix("docs/") {
            #expect(found.contains(page), "nothing leads to \(page)")
        }
    }

    /// Of a pair as `--open/--no-open` the one that changes something.
    @Test func everyOptionIsToldOf() throws {
        let told = try Self.pages.filter { $0 != "CHANGELOG.md" }.map(Self.text).joined()
        let help = Fixtures.root.appending(path: "Tests/Snapshots/help").path
        for name in try FileManager.default.contentsOfDirectory(atPath: help).sorted() {
            let lines = try Self.text(of: "Tests/Snapshots/help/\(name)").split(separator: "\n")
            for line in lines {
                guard let option = line.firstMatch(of: /^  (?:-\w, )?(?:--[a-z-]+\/)?(--[a-z-]+)/)?.output.1,
                    !["--help", "--version"].contains(option)
                else { continue }
                #expect(told.contains(option), "\(name): \(option)")
            }
        }
    }
}
