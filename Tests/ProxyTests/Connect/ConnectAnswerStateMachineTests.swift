import TestSupport
import Testing

@testable import Proxy

struct ConnectAnswerStateMachineTests {
    typealias Action = ConnectAnswerStateMachine.Action

    private func answer(_ text: String, limit: Int = 1024) -> Action {
        var machine = ConnectAnswerStateMachine(maximumHeadBytes: limit)
        return machine.received(Array(text.utf8))
    }

    static let answers: [(text: String, action: Action)] = [
        ("HTTP/1.1 200 OK\r\n\r\n", .established(rest: [])),
        ("HTTP/1.0 200 Connection established\r\nX: y\r\n\r\n", .established(rest: [])),
        ("HTTP/1.1 200\r\n\r\n", .established(rest: [])),
        ("HTTP/1.1 204 \n\nab", .established(rest: [0x61, 0x62])),
        // A body that an answer to CONNECT cannot have is the tunnel's.
        ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nab", .established(rest: [0x61, 0x62])),
        (
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Hints\r\nA: b\r\n\r\nHTTP/1.1 200 OK\r\n\r\n\u{5}",
            .established(rest: [5])
        ),
        (
            "HTTP/1.1 403 Not you\r\nContent-Length: 9\r\n\r\n",
            .refused(.init(status: 403, statusText: "Not you", challenges: []))
        ),
        (
            "HTTP/1.1 407 Sign in\r\nProxy-Authenticate: Basic realm=\"x\"\r\nproxy-authenticate : NTLM\r\n\r\n",
            .refused(.init(status: 407, statusText: "Sign in", challenges: ["Basic realm=\"x\"", "NTLM"]))
        ),
        (
            "HTTP/1.1 302 Found\r\nLocation: http://x\r\n\r\n",
            .refused(.init(status: 302, statusText: "Found", challenges: []))
        ),
        (
            "HTTP/1.1 502 \u{1b}[31mred\u{202e}\r\n\r\n",
            .refused(.init(status: 502, statusText: "[31mred", challenges: []))
        ),
        ("SSH-2.0-x\r\n", .failed(reason: "its answer is not HTTP/1")),
        ("\u{15}\u{3}\u{1}", .failed(reason: "it speaks TLS: name it by https://")),
        ("HTTP/2 200\r\n\r\n", .failed(reason: "its answer is not HTTP/1")),
        ("HTTP/1.1 2000 OK\r\n\r\n", .failed(reason: "its answer has no status line of HTTP/1")),
        ("HTTP/1.1 abc\r\n\r\n", .failed(reason: "its answer has no status line of HTTP/1")),
        ("HTTP/1.1 101 Switching\r\n\r\n", .failed(reason: "its answer has no status line of HTTP/1")),
        ("HTTP/1.1 -20 OK\r\n\r\n", .failed(reason: "its answer has no status line of HTTP/1")),
    ]

    @Test(arguments: answers.indices)
    func answerIsTheSameHoweverItIsSplit(_ index: Int) {
        let row = Self.answers[index]
        #expect(answer(row.text) == row.action, "\(row.text)")
        let bytes = Array(row.text.utf8)
        for split in 0...bytes.count {
            var machine = ConnectAnswerStateMachine(maximumHeadBytes: 1024)
            var rest: [UInt8] = []
            var decided: Action?
            for part in [bytes[..<split], bytes[split...]] {
                let action = machine.received(part)
                // What comes behind the decision is the tunnel's, and no matter of the machine's.
                if decided != nil { rest += part } else if action != .waitForMoreBytes { decided = action }
            }
            if case .established(let early)? = decided { decided = .established(rest: early + rest) }
            #expect(decided == row.action, "split at \(split)")
        }
    }

    @Test func headHasALimitInOneAnswerAndInMany() {
        let tooLong = Action.failed(reason: "the head of its answer is longer than 64 bytes")
        #expect(answer("HTTP/1.1 200 OK\r\nX: " + String(repeating: "x", count: 64), limit: 64) == tooLong)
        #expect(
            answer("HTTP/1.1 200 OK\r\nX: " + String(repeating: "x", count: 64) + "\r\n\r\n", limit: 64)
                == tooLong
        )
        #expect(answer(String(repeating: "HTTP/1.1 100 Go on\r\n\r\n", count: 4), limit: 64) == tooLong)
        #expect(answer("HTTP/1.1 200 OK\r\n\r\n" + String(repeating: "x", count: 99), limit: 64) != tooLong)
    }

    @Test func nothingThatAProxySaysIsTooMuch() {
        var generator = SeededGenerator(seed: 407)
        let pieces = [
            "HTTP/1.1", " ", "407", "200", "100", "99999", "\r\n", "\n", "\r", ":", "Proxy-Authenticate",
            "\u{0}", "é", "",
            "\r\n\r\n", "Basic realm=\"", "\u{1b}[2J", "HTTP/1.1 407 x\r\nProxy-Authenticate:",
        ]
        for _ in 0..<20_000 {
            var machine = ConnectAnswerStateMachine(maximumHeadBytes: 200)
            for _ in 0..<Int.random(in: 1...12, using: &generator) {
                let action = machine.received(Array((pieces.randomElement(using: &generator) ?? "").utf8))
                guard case .refused(let refusal) = action else { continue }
                let said = ([refusal.statusText] + refusal.challenges).joined()
                #expect(!said.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7f })
            }
        }
    }

    @Test func whatIsRepeatedIsShort() {
        let long = String(repeating: "é", count: 2000)
        let challenges = String(repeating: "Proxy-Authenticate: \(long)\r\n", count: 20)
        guard case .refused(let refusal) = answer("HTTP/1.1 407 \(long)\r\n\(challenges)\r\n", limit: 1 << 20)
        else {
            Issue.record("not refused")
            return
        }
        #expect(refusal.statusText.count == 101)
        #expect(refusal.challenges.count == 8)
        #expect(refusal.challenges.allSatisfy { $0.count == 201 })
    }
}
