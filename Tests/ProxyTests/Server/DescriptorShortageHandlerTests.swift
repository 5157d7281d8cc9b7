import Glibc
import NIOCore
import NIOEmbedded
import Synchronization
import Testing

@testable import Proxy

/// A listening channel that cannot accept.
struct DescriptorShortageHandlerTests {
    private final class Notices: Sendable {
        let all = Mutex<[ProxyNotice]>([])
    }

    @Test(arguments: [(EMFILE, true), (ENFILE, true), (ECONNABORTED, false)])
    func wantOfDescriptorsIsTold(code: CInt, isTold: Bool) {
        let notices = Notices()
        let channel = EmbeddedChannel(
            handler: DescriptorShortageHandler { notice in notices.all.withLock { $0.append(notice) } }
        )
        channel.pipeline.fireErrorCaught(IOError(errnoCode: code, reason: "accept"))
        #expect(notices.all.withLock { $0 } == (isTold ? [.outOfDescriptors] : []))
        // It goes on to who waits for a while.
        #expect(throws: IOError.self) { try channel.throwIfErrorCaught() }
        _ = try? channel.finish(acceptAlreadyClosed: true)
    }
}
