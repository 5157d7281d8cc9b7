import Glibc
import NIOConcurrencyHelpers
import NIOCore
import NIOEmbedded
import Testing

@testable import Proxy

/// A listening channel that cannot accept.
struct DescriptorShortageHandlerTests {
    @Test(arguments: [(EMFILE, true), (ENFILE, true), (ECONNABORTED, false)])
    func wantOfDescriptorsIsTold(code: CInt, isTold: Bool) {
        let notices = NIOLockedValueBox<[ProxyNotice]>([])
        let channel = EmbeddedChannel(
            handler: DescriptorShortageHandler { notice in notices.withLockedValue { $0.append(notice) } }
        )
        channel.pipeline.fireErrorCaught(IOError(errnoCode: code, reason: "accept"))
        #expect(notices.withLockedValue { $0 } == (isTold ? [.outOfDescriptors] : []))
        // It goes on to who waits for a while.
        #expect(throws: IOError.self) { try channel.throwIfErrorCaught() }
        _ = try? channel.finish(acceptAlreadyClosed: true)
    }
}
