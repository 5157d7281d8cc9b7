import NIOCore
import Testing

@testable import Proxy

struct ReverseStateMachineTests {
    private typealias Answers = ReverseStateMachine.Answers

    private func machine(_ limit: Int = 1024) throws -> ReverseStateMachine {
        let listener = ReverseListener(try ReverseOrigin("https://idp.example=127.0.0.1:9443"))
        return ReverseStateMachine(listener: listener, isClientInTLS: true, maximumHeadBytes: limit)
    }

    /// What passes, and the refusal, if any.
    private func run(_ machine: inout ReverseStateMachine, _ answers: Answers) -> (text: String, status: Int?)
    {
        var bytes: [UInt8] = []
        while let action = machine.next(answers) {
            switch action {
            case .pass(let buffer): bytes += buffer.readableBytesView
            case .refuse(let refusal, _): return (String(decoding: bytes, as: UTF8.self), refusal.status)
            }
        }
        return (String(decoding: bytes, as: UTF8.self), nil)
    }

    @Test func requestsAreTheSameHoweverTheyAreSplit() throws {
        let text = """
            POST /token HTTP/1.1\r\nHost: 127.0.0.1:9443\r\nContent-Length: 22\r\n\r\n\
            Host: 127.0.0.1:9443\r\n\
            PUT / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nHost: localhost:9443\r\n\r\n\
            5\r\nHost:\r\n0\r\nHost: 127.0.0.1:9443\r\n\r\n\
            GET / HTTP/1.1\nHost: recorder\n\n
            """
        let wanted = text.replacing("1.1\r\nHost: 127.0.0.1:9443", with: "1.1\r\nHost: idp.example")
            .replacing("chunked\r\nHost: localhost:9443", with: "chunked\r\nHost: idp.example")
            .replacing("Host: recorder", with: "Host: idp.example")
        let bytes = Array(text.utf8)
        for split in 0...bytes.count {
            var machine = try machine()
            machine.received(ByteBuffer(bytes: bytes[..<split]))
            let first = run(&machine, Answers())
            machine.received(ByteBuffer(bytes: bytes[split...]))
            let second = run(&machine, Answers(areComplete: false))
            #expect(first.text + second.text == wanted, "split at \(split)")
        }
        var single = try machine()
        var text2 = ""
        for byte in bytes {
            single.received(ByteBuffer(bytes: [byte]))
            text2 += run(&single, Answers()).text
        }
        #expect(text2 == wanted)
    }

    static let refused: [(name: String, bytes: String, status: Int)] = [
        ("two lengths", "POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", 400),
        ("no length", "POST / HTTP/1.1\r\nContent-Length: x\r\n\r\n", 400),
        ("HTTP/2 without TLS", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400), ("no version", "GET /\r\n\r\n", 400),
        ("two words", "GET HTTP/1.1\r\n\r\n", 400),
        ("long", "GET / HTTP/1.1\r\nX: " + .init(repeating: "x", count: 1024), 431),
    ]

    @Test(arguments: refused.indices)
    func requestWithoutAnEndIsRefusedAfterTheAnswers(_ index: Int) throws {
        let row = Self.refused[index]
        var machine = try machine()
        machine.received(ByteBuffer(string: "GET / HTTP/1.1\r\n\r\n" + row.bytes))
        #expect(run(&machine, Answers(areComplete: false)) == ("GET / HTTP/1.1\r\n\r\n", nil), "\(row.name)")
        #expect(machine.isWaitingForAnswers)
        guard case .refuse(let refusal, let rest)? = machine.next(Answers()) else {
            Issue.record("\(row.name) is not refused")
            return
        }
        #expect(refusal.status == row.status)
        #expect(String(buffer: rest) == row.bytes)
        #expect(machine.next(Answers()) == nil)
        machine.received(ByteBuffer(string: "GET / HTTP/1.1\r\n\r\n"))
        #expect(machine.next(Answers()) == nil)
    }

    @Test func providerShallSeeWhatAClientForgotToEncode() throws {
        var machine = try machine()
        machine.received(
            ByteBuffer(string: "GET /authorize?scope=openid profile HTTP/1.1\r\nHost: x\r\n\r\n")
        )
        #expect(
            run(&machine, Answers())
                == ("GET /authorize?scope=openid profile HTTP/1.1\r\nHost: idp.example\r\n\r\n", nil)
        )
    }

    @Test func whatIsNoHTTPPasses() throws {
        var machine = try machine()
        machine.received(ByteBuffer(bytes: [0, 1, 2]))
        #expect(run(&machine, Answers()) == ("\0\u{1}\u{2}", nil))
        machine.received(ByteBuffer(string: "GET / HTTP/1.1\r\nHost: x\r\n\r\n"))
        #expect(run(&machine, Answers()).text == "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
    }

    static let upgrade = "GET /ws HTTP/1.1\r\nUpgrade: websocket\r\n\r\n"

    @Test(arguments: [upgrade, "CONNECT a:1 HTTP/1.1\r\n\r\n"])
    func framesThatComeEarlyWaitForTheProtocol(_ request: String) throws {
        var machine = try machine()
        machine.received(ByteBuffer(string: request + "GET \r\n\r\n"))
        #expect(run(&machine, Answers(areComplete: false)) == (request, nil))
        #expect(machine.isWaitingForAnswers)
        #expect(run(&machine, Answers(isUpgraded: true)) == ("GET \r\n\r\n", nil))
        #expect(!machine.isWaitingForAnswers)
    }

    @Test func requestAfterARefusedUpgradeIsARequest() throws {
        var machine = try machine()
        machine.received(ByteBuffer(string: Self.upgrade + "GET / HTTP/1.1\r\nHost: x\r\n\r\n"))
        #expect(run(&machine, Answers(areComplete: false)) == (Self.upgrade, nil))
        #expect(run(&machine, Answers()) == ("GET / HTTP/1.1\r\nHost: idp.example\r\n\r\n", nil))
    }

    @Test func nextRequestMayComeInThePlaceOfABody() throws {
        let first = "POST / HTTP/1.1\r\nContent-Length: 9\r\nExpect: 100-continue\r\n\r\n"
        let second = "GET / HTTP/1.1\r\nHost: 127.0.0.1:9443\r\n\r\n"
        for mayLackBody in [false, true] {
            var machine = try machine()
            machine.received(ByteBuffer(string: first))
            #expect(run(&machine, Answers(areComplete: false)) == (first, nil))
            machine.received(ByteBuffer(string: second))
            let passed = run(&machine, Answers(mayLackBody: mayLackBody)).text
            #expect(passed.hasPrefix("GET / HTT"))
            #expect((passed == "GET / HTTP/1.1\r\nHost: idp.example\r\n\r\n") == mayLackBody, "\(passed)")
        }
    }

    @Test func whereAnswersAreUnreadableNothingIsRefused() throws {
        let lost = Answers(areUnreadable: true)
        var machine = try machine()
        // Requests can be told apart all the same.
        machine.received(ByteBuffer(string: "GET / HTTP/1.1\r\nHost: x\r\n\r\nGET /\r\n\r\n"))
        #expect(run(&machine, lost) == ("GET / HTTP/1.1\r\nHost: idp.example\r\n\r\nGET /\r\n\r\n", nil))
        var other = try self.machine()
        other.received(ByteBuffer(string: Self.upgrade + "\u{1}"))
        #expect(run(&other, lost) == (Self.upgrade + "\u{1}", nil))
    }

    @Test func halfAHeadGoesOnAtTheEnd() throws {
        var machine = try machine()
        machine.received(ByteBuffer(string: "GET / HTTP/1.1\r\nHost: "))
        #expect(machine.next(Answers()) == nil)
        #expect(machine.isInsideHead)
        machine.inputClosed()
        #expect(run(&machine, Answers()) == ("GET / HTTP/1.1\r\nHost: ", nil))
        #expect(!machine.isInsideHead)
    }
}
