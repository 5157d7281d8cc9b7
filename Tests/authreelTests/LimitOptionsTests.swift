import ArgumentParser
import Proxy
import Testing

@testable import authreel

/// Sizes as people write them.
struct LimitOptionsTests {
    @Test(arguments: [
        ("0", 0), ("4096", 4096), ("64K", 65_536), ("64k", 65_536), ("4M", 4 << 20), ("4MB", 4 << 20),
        ("4MiB", 4 << 20), ("4mib", 4 << 20), ("1G", 1 << 30), ("3GB", 3 << 30),
    ])
    func sizesAreRead(text: String, bytes: Int) throws {
        #expect(try LimitOptions.bytes(text, "--max-body", example: "16M") == bytes)
    }

    @Test(arguments: ["", "M", "MB", "B", "4B", "4iB", "iB", "4 M", "4T", "-1", "1.5M", "4MM", "4294967296"])
    func whatIsNoSizeIsSaidToBeNone(text: String) throws {
        let failure = #expect(throws: CommandFailure.self) {
            try LimitOptions.bytes(text, "--max-body", example: "16M")
        }
        #expect(failure?.message.contains("--max-body takes a number of bytes, not \(text)") == true)
    }

    /// An upstream proxy has a connection of its own to make, which may take it longer than one of ours.
    @Test func timeToConnectCountsForUpstreamProxiesWhereItIsGiven() throws {
        let unsaid = try LimitOptions.parse([]).limits()
        #expect(unsaid.connectTime == .seconds(15) && unsaid.proxyTime == .seconds(60))
        let given = try LimitOptions.parse(["--connect-timeout", "2.5"]).limits()
        #expect(given.connectTime == .milliseconds(2500) && given.proxyTime == .milliseconds(2500))
        #expect(throws: CommandFailure.self) { try LimitOptions.parse(["--connect-timeout", "0"]).limits() }
    }
}
