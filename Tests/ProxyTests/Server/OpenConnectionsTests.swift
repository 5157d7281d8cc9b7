import NIOCore
import NIOEmbedded
import Testing

@testable import Proxy

/// Which connection gives way where many are open.
struct OpenConnectionsTests {
    private let connections = OpenConnections(limit: 4)

    private func closed(by channel: any Channel) -> ObjectIdentifier? {
        guard case .closing(let other) = connections.add(channel) else { return nil }
        return ObjectIdentifier(other)
    }

    /// However many have come and gone, or spoken, since.
    @Test(arguments: [0, 20]) func oldestThatIsStillSilentGivesWay(passing: Int) {
        let channels = (0..<6).map { _ in EmbeddedChannel() }
        defer { for channel in channels { channel.close(promise: nil) } }
        #expect(closed(by: channels[0]) == nil && closed(by: channels[1]) == nil)
        connections.spoke(channels[0])
        for _ in 0..<passing {
            let channel = EmbeddedChannel()
            #expect(closed(by: channel) == nil)
            channel.close(promise: nil)
            channel.embeddedEventLoop.run()
        }
        #expect(closed(by: channels[2]) == nil)
        #expect(closed(by: channels[3]) == ObjectIdentifier(channels[1]))
        #expect(connections.all.count == 4)
        for (channel, isFirst) in [(channels[4], true), (channels[5], false)] {
            guard case .refused(isFirst) = connections.add(channel) else {
                Issue.record("more are open than are allowed")
                continue
            }
        }
    }
}
