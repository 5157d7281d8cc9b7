import TestSupport
import Testing

@testable import Proxy

struct SOCKSStateMachineTests {
    typealias Action = SOCKSStateMachine.Action

    private func machine(
        _ destination: SOCKSStateMachine.Destination = .name("idp.example"),
        _ credentials: String? = nil
    ) -> SOCKSStateMachine {
        SOCKSStateMachine(
            destination: destination,
            port: 443,
            credentials: credentials.flatMap { BasicCredentials($0) }
        )
    }

    private static let request: [UInt8] = [5, 1, 0, 3, 11] + Array("idp.example".utf8) + [1, 0xbb]

    @Test func withoutCredentialsNobodyInParticularIsOffered() {
        var machine = machine()
        #expect(machine.greeting == [5, 1, 0])
        #expect(machine.received([5, 0]) == .send(Self.request))
        #expect(machine.received([5, 0, 0, 1, 10, 0, 0, 1, 0, 80]) == .established(rest: []))
        #expect(machine.received([1, 2, 3]) == .waitForMoreBytes)
    }

    @Test func credentialsAreSentWhereTheyAreAskedFor() {
        var machine = machine(.address([192, 0, 2, 7]), "al:pass:wörd")
        #expect(machine.greeting == [5, 2, 0, 2])
        #expect(
            machine.received([5, 2]) == .send([1, 2] + Array("al".utf8) + [10] + Array("pass:wörd".utf8))
        )
        #expect(machine.received([1, 0]) == .send([5, 1, 0, 1, 192, 0, 2, 7, 1, 0xbb]))
        let reply: [UInt8] = [5, 0, 0, 3, 2, 0x61, 0x62, 0, 80]
        #expect(machine.received(reply + [9, 9]) == .established(rest: [9, 9]))
    }

    @Test func credentialsAreNotSentWhereTheyAreNot() {
        var machine = machine(.name("idp.example"), "al:x")
        #expect(machine.received([5, 0]) == .send(Self.request))
    }

    @Test func addressOfSixteenBytesIsIPv6() {
        let address = [0x20, 0x01, 0x0d, 0xb8] + [UInt8](repeating: 0, count: 11) + [1]
        var machine = machine(.address(address))
        #expect(machine.received([5, 0]) == .send([5, 1, 0, 4] + address + [1, 0xbb]))
        #expect(machine.received([5, 0, 0, 4] + address + [0, 80]) == .established(rest: []))
    }

    @Test func dialogueIsTheSameByteByByteAndInOne() {
        let answers: [UInt8] = [5, 2, 1, 0, 5, 0, 0, 1, 0, 0, 0, 0, 0, 0, 42]
        var single = machine(.name("idp.example"), "a:b")
        let actions = answers.map { single.received([$0]) }.filter { $0 != .waitForMoreBytes }
        #expect(actions == [.send([1, 1, 0x61, 1, 0x62]), .send(Self.request), .established(rest: [])])
        var whole = machine(.name("idp.example"), "a:b")
        #expect(whole.received(answers) == .send([1, 1, 0x61, 1, 0x62]))
        #expect(whole.received([]) == .send(Self.request))
        #expect(whole.received([]) == .established(rest: [42]))
    }

    static let refusals: [(answers: [[UInt8]], credentials: String?, action: Action)] = [
        ([[5, 0xff]], nil, .failed(reason: "it wants a user name and password, or does not let us in")),
        (
            [[5, 0xff]], "a:b",
            .failed(reason: "it takes neither a user name with password nor nobody in particular")
        ),
        ([[5, 2]], nil, .failed(reason: "it chose a way to sign in that it was not offered (2)")),
        ([[5, 1]], "a:b", .failed(reason: "it chose a way to sign in that it was not offered (1)")),
        ([[5, 2], [1, 1]], "a:b", .failed(reason: "it does not accept the user name and password")),
        ([[5, 2], [9]], "a:b", .failed(reason: "its answer to user name and password is not SOCKS 5")),
        ([[0x48]], nil, .failed(reason: "it speaks HTTP: name it by http://")),
        ([[4]], nil, .failed(reason: "its answer is not SOCKS 5")),
        ([[5, 0], [4]], nil, .failed(reason: "its reply is not SOCKS 5")),
        ([[5, 0], [5, 5]], nil, .refused(code: 5)),
        ([[5, 0], [5, 4, 0, 1, 0, 0, 0, 0, 0, 0]], nil, .refused(code: 4)),
        (
            [[5, 0], [5, 0, 0, 7, 0]], nil,
            .failed(reason: "its reply has an address of a kind that does not exist (7)")
        ),
    ]

    @Test(arguments: refusals.indices)
    func refusalIsTold(_ index: Int) {
        let row = Self.refusals[index]
        var machine = machine(.name("idp.example"), row.credentials)
        var last = Action.waitForMoreBytes
        for answer in row.answers { last = machine.received(answer) }
        #expect(last == row.action)
    }

    @Test func nothingThatAProxySaysIsTooMuch() {
        var generator = SeededGenerator(seed: 1080)
        for _ in 0..<20_000 {
            var machine = machine(.name("idp.example"), Bool.random(using: &generator) ? "al:pw" : nil)
            // Mostly what leads further, so that each state is met.
            for likely in [[5, [0, 2].randomElement(using: &generator) ?? 0], [1, 0], [5, 0, 0, 3, 255]]
                as [[UInt8]]
            {
                let noise = (0..<Int.random(in: 0...40, using: &generator)).map { _ in
                    UInt8.random(in: 0...255, using: &generator)
                }
                _ = machine.received(Int.random(in: 0...4, using: &generator) > 0 ? likely : noise)
            }
            _ = machine.received([UInt8](repeating: 5, count: Int.random(in: 0...300, using: &generator)))
        }
    }
}
