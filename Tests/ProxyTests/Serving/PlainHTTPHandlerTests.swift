import NIOCore
import NIOEmbedded
import Testing

@testable import Proxy

/// A port of TLS that is asked in plain HTTP.
struct PlainHTTPHandlerTests {
    private func channel() -> EmbeddedChannel { EmbeddedChannel(handler: PlainHTTPHandler()) }

    @Test(arguments: ["GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", "POST /token HTTP/1.1\r\n", "P"])
    func plainRequestIsAnsweredInWords(request: String) throws {
        let channel = channel()
        try channel.writeInbound(ByteBuffer(string: request))
        let answer = try #require(try channel.readOutbound(as: ByteBuffer.self))
        let text = String(buffer: answer)
        #expect(text.hasPrefix("HTTP/1.1 400 Bad Request\r\n") && text.contains("https"))
        // Nothing of it is taken for TLS, and what follows is not answered once more.
        try channel.writeInbound(ByteBuffer(string: "code=a"))
        #expect(try channel.readInbound(as: ByteBuffer.self) == nil)
        #expect(try channel.readOutbound(as: ByteBuffer.self) == nil)
        _ = try? channel.finish(acceptAlreadyClosed: true)
    }

    @Test func everythingElseIsLeftToTLS() throws {
        let channel = channel()
        for bytes: [UInt8] in [[0x16, 0x03, 0x01], [0x47, 0x45, 0x54]] {
            try channel.writeInbound(ByteBuffer(bytes: bytes))
            #expect(try channel.readInbound(as: ByteBuffer.self) == ByteBuffer(bytes: bytes))
        }
        #expect(try channel.readOutbound(as: ByteBuffer.self) == nil)
        _ = try? channel.finish(acceptAlreadyClosed: true)
    }
}
