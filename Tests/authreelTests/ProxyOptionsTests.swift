import ArgumentParser
import Proxy
import Testing

@testable import authreel

/// Which hosts a recorder is to open, and which not.
struct ProxyOptionsTests {
    private static let options = ["--pass-through", "--only"]

    /// It would match no connection, and what was to stay unread would be recorded.
    @Test(
        arguments: options,
        ["https://bank.example", "bank.example:443", "", "*bank.example", "*.", "bücher.example"]
    )
    func whatIsNoHostIsAMistake(option: String, text: String) throws {
        let options = try ProxyOptions.parse([option, text])
        let failure = #expect(throws: CommandFailure.self) { try options.configuration() }
        let message = try #require(failure?.message)
        #expect(failure?.status == .usage)
        #expect(message.hasPrefix("\(option) ") && message.contains("is no host"), "\(message)")
        #expect(message.contains("xn--") == text.hasPrefix("bü"), "\(message)")
        #expect(failure?.hint?.contains("\(option) '*.example.com'") == true)
    }

    @Test func addressesAndNamesWithWhatIsBelowThemAreHosts() throws {
        let options = try ProxyOptions.parse(["--pass-through", "::1", "--only", "*.Bank_1.example"])
        let configuration = try options.configuration()
        #expect(configuration.passThroughHosts == [HostPattern("::1")])
        #expect(configuration.onlyHosts == [HostPattern("*.Bank_1.example")])
    }
}
