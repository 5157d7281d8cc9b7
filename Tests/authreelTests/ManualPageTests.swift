import ArgumentParser
import Foundation
import JSON
import TestSupport
import Testing

@testable import authreel

/// The manual page that is installed with the program.
struct ManualPageTests {
    private var page: String {
        get throws { try ManualPage.text(of: Authreel._dumpHelp(), version: "1.2.3") }
    }

    @Test func everyCommandAndOptionIsThere() throws {
        let page = try page
        let root = try #require(try JSONParser.parse(Array(Authreel._dumpHelp().utf8))["command"])
        var count = 0
        func look(_ command: JSONValue, _ name: String) throws {
            guard command["shouldDisplay"]?.bool != false, command["commandName"]?.string != "help" else {
                return
            }
            for argument in command["arguments"]?.array ?? []
            where argument["kind"]?.string != "positional" && argument["shouldDisplay"]?.bool != false {
                for option in argument["names"]?.array ?? [] {
                    let text = try #require(option["name"]?.string)
                    guard !["help", "h", "version"].contains(text) else { continue }
                    count += 1
                    #expect(
                        page.contains("\\-\(text.replacingOccurrences(of: "-", with: "\\-"))\\fR"),
                        "\(name) --\(text)"
                    )
                }
            }
            for inner in command["subcommands"]?.array ?? [] {
                try look(inner, "\(name) \(inner["commandName"]?.string ?? "")")
            }
        }
        try look(root, "authreel")
        #expect(count > 30)
        #expect(page.contains(".SS authreel ca export\n"))
        #expect(!page.contains("authreel manual"))
        #expect(page.contains("authreel 1.2.3"))
    }

    /// The parser says of both what the first does.
    @Test func flagAndItsOppositeStandTogether() throws {
        let page = try page
        #expect(
            page.contains(
                "\n\\fB\\-\\-open\\fR/\\fB\\-\\-no\\-open\\fR\nOpen the page in your browser.\nDefault: \\-\\-open.\n"
            )
        )
        #expect(!page.contains("\n\\fB\\-\\-no\\-open"))
    }

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/groff")))
    func formatterHasNothingToSay() throws {
        let result = try Program.run(
            ["-man", "-ww", "-Tutf8", "-Kutf8"],
            executable: "/usr/bin/groff",
            input: Array(try page.utf8)
        )
        #expect(result.status == 0)
        #expect(result.errors.isEmpty, "\(result.errors)")
        #expect(result.output.contains("authreel record --browser https://app.example/"))
    }

    /// `age1…` was `age1` where the locale is C.
    @Test func pageIsReadInEveryLocale() throws {
        let page = try page
        #expect(page.utf8.allSatisfy { $0 < 0x80 })
        #expect(page.contains("\\-\\-encrypt\\-to age1..."), "\(page)")
    }

    @Test func whatRoffWouldTakeForItsOwnIsEscaped() throws {
        let help = """
            {"command":{"commandName":"x","abstract":".so /etc/passwd","discussion":"a\\\\b\\n'quoted","subcommands":[]}}
            """
        let page = try ManualPage.text(of: help, version: "1")
        #expect(page.contains("x \\- \\&.so /etc/passwd"))
        #expect(page.contains("\na\\eb\n\\&'quoted\n"))
    }
}
