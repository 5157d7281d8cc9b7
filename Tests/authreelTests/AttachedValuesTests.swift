import ArgumentParser
import Testing

@testable import authreel

/// Options that take a value or none are understood with the value attached, too.
struct AttachedValuesTests {
    @Test(arguments: [
        "--browser=http://a.example/?b=c --headless --out x.har",
        "--headless --browser=http://a.example/?b=c",
        "--browser=http://a.example/?b=c -- sh --browser=x", "--browser http://a.example/?b=c --headless",
    ])
    func pageThatIsNamedIsOpened(line: String) throws {
        let words = ["record"] + line.split(separator: " ").map(String.init)
        let command = try Authreel.parseAsRoot(AttachedValues.takenApart(words))
        let record = try #require(command as? Record)
        #expect(record.browser == "http://a.example/?b=c")
        #expect(record.command == (line.contains(" -- ") ? ["sh", "--browser=x"] : []))
    }

    @Test func userWhoIsNamedSignsIn() throws {
        let words = ["mock", "--auto-login=alice", "--listen", "127.0.0.1:0"]
        let mock = try #require(Authreel.parseAsRoot(AttachedValues.takenApart(words)) as? Mock)
        #expect(mock.options.autoLogin == "alice")
    }

    /// The parser takes it for an option, and misses the value.
    @Test(arguments: [
        "record --max-body -1 --verbose", "record --max-body -1 --max-head -64K -- sh -c --max-body -1",
        "record --verbose --max-body=-1",
    ])
    func negativeNumberIsTheValueOfItsOption(line: String) throws {
        let words = line.split(separator: " ").map(String.init)
        let record = try #require(Authreel.command(words) as? Record)
        #expect(record.proxy.limits.maximumBody == "-1")
        #expect(record.command == (line.contains(" -- ") ? ["sh", "-c", "--max-body", "-1"] : []))
        #expect(throws: CommandFailure.self) { try record.proxy.limits.bodyBytes() }
    }

    @Test(arguments: [
        "record --max-body", "record --max-body --verbose", "record --max-body -- -1",
        "mock --list-faults -5", "record --max-body 1 -1",
    ])
    func valueThatIsMissingStaysMissing(line: String) {
        #expect(throws: (any Error).self) {
            try Authreel.command(line.split(separator: " ").map(String.init))
        }
    }

    @Test(arguments: ["replay --browser=x a.har", "record --browser= --headless", "record --browser", ""])
    func othersStayAsTheyAre(line: String) {
        let words = line.split(separator: " ").map(String.init)
        #expect(AttachedValues.takenApart(words) == words)
    }
}
