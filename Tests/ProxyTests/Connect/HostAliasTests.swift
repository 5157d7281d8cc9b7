import Glibc
import NIOCore
import Testing

@testable import Proxy

/// What a computer is called by the emulators and containers that run on it.
struct HostAliasTests {
    private static let timeout = ChannelError.connectTimeout(.seconds(15))

    private func hint(_ authority: String, _ error: any Error) throws -> String? {
        let origin = try #require(Origin(authority: authority, defaultPort: nil))
        return UpstreamFailure.dialing(origin, error).hint
    }

    @Test(arguments: [
        ("10.0.2.2:3000", "10.0.2.2 is this computer to an Android emulator alone"),
        ("10.0.3.2:3000", "10.0.3.2 is this computer to Genymotion alone"),
        ("host.docker.internal:3000", "/etc/hosts: 172.17.0.1 host.docker.internal "),
        (
            "Host.Containers.Internal.:3000",
            "host.containers.internal is this computer to its containers alone"
        ),
    ])
    func whoeverIsNotFoundUnderItIsExplained(_ authority: String, _ words: String) throws {
        #expect(try hint(authority, Self.timeout)?.contains(words) == true)
        for code in [ETIMEDOUT, EHOSTUNREACH, ENETUNREACH] {
            #expect(try hint(authority, IOError(errnoCode: code, reason: "connect"))?.contains(words) == true)
        }
        let origin = try #require(Origin(authority: authority, defaultPort: nil))
        #expect(UpstreamFailure.notFound(origin).hint?.contains(words) == true)
    }

    /// A virtual machine finds its computer at the emulator's address, too.
    @Test func whoeverRefusesIsThere() throws {
        let refusal = IOError(errnoCode: ECONNREFUSED, reason: "connect")
        #expect(try hint("10.0.2.2:3000", refusal) == nil)
        #expect(try hint("host.docker.internal:3000", refusal) == nil)
    }

    @Test(arguments: ["10.0.2.3:3000", "idp.example:443", "docker.internal:80", "host.internal.example:80"])
    func othersAreAsTheyAre(_ authority: String) throws {
        #expect(try hint(authority, Self.timeout) == nil)
    }
}
