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

    @Test(arguments: ["replay --browser=x a.har", "record --browser= --headless", "record --browser", ""])
    func othersStayAsTheyAre(line: String) {
        let words = line.split(separator: " ").map(String.init)
        #expect(AttachedValues.takenApart(words) == words)
    }
}
