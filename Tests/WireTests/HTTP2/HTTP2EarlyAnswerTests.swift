import Captures
import NIOCore
import Testing
import Wire

/// Servers of HTTP/2 that answer before they have read the request, where it is waited for.
struct HTTP2EarlyAnswerTests {
    private static let refusal = [(":status", "401"), ("www-authenticate", "Bearer")]

    private var client = HTTP2Speaker.client()
    private var server = HTTP2Speaker.server()

    private func waiting(_ alpn: String? = "h2") -> Conversation {
        var configuration = Conversation.Configuration(scheme: "https", authority: "idp.example")
        configuration.connection.alpn = alpn
        configuration.waitsForRequests = true
        return Conversation(configuration)
    }

    /// The exchanges that end within these bytes.
    private static func say(_ bytes: [UInt8], _ side: Side, to conversation: Conversation, at second: Int64)
        -> [Exchange]
    {
        conversation.received(
            ByteBuffer(bytes: bytes),
            from: side,
            at: Timestamp(seconds: 1_780_000_000 + second)
        )
    }

    /// Also where the server says that it wants no more of the request.
    @Test(arguments: [false, true])
    func answerWaitsForTheRestOfItsRequest(resets: Bool) throws {
        var (client, server) = (self.client, self.server)
        let conversation = waiting()
        client.headers(1, HTTP2Speaker.request("POST", "/token"))
        client.data(1, "code=")
        #expect(Self.say(client.take(), .client, to: conversation, at: 0).isEmpty)
        #expect(!conversation.hasEarlyAnswer)
        server.headers(1, Self.refusal, ends: true)
        if resets { server.reset(1, 0) }
        #expect(Self.say(server.take(), .server, to: conversation, at: 1).isEmpty)
        #expect(conversation.hasEarlyAnswer && conversation.pendingExchanges == 1)
        client.data(1, "abc", ends: true)
        let exchanges = Self.say(client.take(), .client, to: conversation, at: 2)
        let exchange = try #require(exchanges.first)
        #expect(exchanges.count == 1 && !conversation.hasEarlyAnswer)
        #expect(exchange.response?.status == 401 && exchange.failure == nil)
        #expect(exchange.request.body?.text == "code=abc")
        #expect(exchange.request.body?.isTruncated == false)
        // When it came, and not when it was let go; the parts are no longer than the whole.
        #expect(exchange.duration == .seconds(1))
        #expect(exchange.timings.send == .seconds(1))
        #expect(exchange.timings.wait == .zero && exchange.timings.receive == .zero)
    }

    @Test func answerThatIsLetGoEndsItsExchange() throws {
        var (client, server) = (self.client, self.server)
        let conversation = waiting()
        client.headers(1, HTTP2Speaker.request("POST", "/token"))
        client.data(1, "code=")
        client.get(3, "/other")
        #expect(Self.say(client.take(), .client, to: conversation, at: 0).isEmpty)
        server.headers(1, [(":status", "413")])
        server.data(1, "too much", ends: true)
        server.headers(3, [(":status", "200")], ends: true)
        let others = Self.say(server.take(), .server, to: conversation, at: 1)
        #expect(others.map(\.request.url.path) == ["/other"])
        #expect(conversation.hasEarlyAnswer)
        let exchange = try #require(conversation.letEarlyAnswersGo().first)
        #expect(exchange.response?.status == 413 && exchange.response?.body?.text == "too much")
        #expect(exchange.request.body?.text == "code=" && exchange.request.body?.isTruncated == true)
        #expect(exchange.failure == nil)
        #expect(!conversation.hasEarlyAnswer && conversation.pendingExchanges == 0)
        client.data(1, "abc", ends: true)
        #expect(Self.say(client.take(), .client, to: conversation, at: 2).isEmpty)
        #expect(conversation.letEarlyAnswersGo().isEmpty)
    }

    /// The answer is there, whatever ends the waiting.
    @Test(arguments: ["the client resets the stream", "the server leaves", "the recording ends", "no frames"])
    func whatEndsTheWaitingIsNoFailure(_ way: String) throws {
        var (client, server) = (self.client, self.server)
        let conversation = waiting()
        client.headers(1, HTTP2Speaker.request("POST", "/token"))
        _ = Self.say(client.take(), .client, to: conversation, at: 0)
        server.headers(1, Self.refusal, ends: true)
        server.goAway(last: 0, 0)
        #expect(Self.say(server.take(), .server, to: conversation, at: 1).isEmpty)
        let time = Timestamp(seconds: 1_780_000_009)
        let exchanges: [Exchange]
        switch way {
        case "the client resets the stream":
            client.reset(1, 8)
            exchanges = Self.say(client.take(), .client, to: conversation, at: 9)
        case "the server leaves": exchanges = conversation.ended(.server, reason: nil, at: time)
        case "the recording ends": exchanges = conversation.abandon(at: time, reason: "the recording ended")
        default:
            client.frame(0, 8, 1, [])
            exchanges = Self.say(client.take(), .client, to: conversation, at: 9)
        }
        #expect(exchanges.map { $0.response?.status } == [401])
        #expect(exchanges.first?.failure == nil && exchanges.first?.duration == .seconds(1))
        #expect(!conversation.hasEarlyAnswer && conversation.pendingExchanges == 0)
    }

    /// What is missing of the server meanwhile is none of the answer; of the client, the end of a request that is whole by its length.
    @Test(arguments: [Side.client, .server]) func answerThatWaitsLosesNothing(side: Side) throws {
        var (client, server) = (self.client, self.server)
        let conversation = waiting()
        client.headers(1, HTTP2Speaker.request("POST", "/token") + [("content-length", "8")])
        client.data(1, side == .client ? "code=abc" : "code=")
        #expect(Self.say(client.take(), .client, to: conversation, at: 0).isEmpty)
        server.headers(1, Self.refusal)
        server.data(1, "no", ends: true)
        #expect(Self.say(server.take(), .server, to: conversation, at: 1).isEmpty)
        let time = Timestamp(seconds: 1_780_000_002)
        var exchanges = try #require(conversation.lost(30, isExact: false, from: side, at: time))
        if side == .server {
            #expect(exchanges.isEmpty && conversation.hasEarlyAnswer)
            client.data(1, "abc", ends: true)
            exchanges = Self.say(client.take(), .client, to: conversation, at: 3)
        }
        let exchange = try #require(exchanges.first)
        #expect(exchanges.count == 1 && !conversation.hasEarlyAnswer)
        #expect(exchange.failure == nil && exchange.response?.body?.text == "no")
        #expect(exchange.response?.body?.isTruncated == false)
        #expect(exchange.request.body?.text == "code=abc" && exchange.request.body?.isTruncated == false)
        #expect(exchange.duration == .seconds(1))
    }

    /// More than are followed at a time.
    @Test func thousandsThatWaitDoNotEndTheReading() {
        var (client, server) = (self.client, self.server)
        let conversation = waiting()
        var ended: [Exchange] = []
        for number in UInt32(0)..<5000 {
            client.headers(2 * number + 1, HTTP2Speaker.request("POST", "/token"))
            ended += Self.say(client.take(), .client, to: conversation, at: 0)
            server.headers(2 * number + 1, Self.refusal, ends: true)
            ended += Self.say(server.take(), .server, to: conversation, at: 1)
        }
        ended += conversation.letEarlyAnswersGo()
        #expect(!conversation.hasLostTheThread && ended.count == 5000)
        #expect(ended.allSatisfy { $0.failure == nil && $0.response?.status == 401 })
    }

    /// Requests that are whole, or have no end that an answer could wait for.
    @Test func whatHasNoRestIsNotWaitedFor() {
        var (client, server) = (self.client, self.server)
        let conversation = waiting()
        client.get(1, "/page")
        client.headers(3, [(":method", "CONNECT"), (":authority", "db.example:5432")])
        #expect(Self.say(client.take(), .client, to: conversation, at: 0).isEmpty)
        server.frame(5, 4, 1, HTTP2Speaker.four(2) + server.block(HTTP2Speaker.request("GET", "/style.css")))
        server.headers(2, [(":status", "200")], ends: true)
        server.headers(1, [(":status", "200")], ends: true)
        server.headers(3, [(":status", "403")], ends: true)
        let exchanges = Self.say(server.take(), .server, to: conversation, at: 1)
        #expect(exchanges.map(\.request.method) == ["GET", "GET", "CONNECT"])
        #expect(!conversation.hasEarlyAnswer && conversation.pendingExchanges == 0)
    }

    /// Its request was whole before (RFC 7540, section 3.2).
    @Test func answerToAnUpgradeIsNotWaitedFor() {
        var server = server
        let conversation = waiting(nil)
        let head =
            "GET / HTTP/1.1\r\nHost: a.example\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n\r\n"
        #expect(Self.say(Array(head.utf8), .client, to: conversation, at: 0).isEmpty)
        let answer = "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n"
        server.headers(1, [(":status", "200")], ends: true)
        let exchanges = Self.say(Array(answer.utf8) + server.take(), .server, to: conversation, at: 1)
        #expect(exchanges.map { $0.response?.status } == [200])
        #expect(!conversation.hasEarlyAnswer)
    }

    /// Who sends the requests knows them.
    @Test mutating func whereNobodyWaitsTheAnswerEndsTheExchange() {
        client.headers(1, HTTP2Speaker.request("POST", "/token"))
        client.data(1, "code=")
        let asked = client.take()
        server.headers(1, Self.refusal, ends: true)
        client.data(1, "abc", ends: true)
        let exchanges = Dialogue.overHTTP2([
            .clientBytes(asked), .serverBytes(server.bytes), .clientBytes(client.bytes),
        ]).exchanges()
        #expect(exchanges.map { $0.request.body?.text } == ["code="])
    }
}
