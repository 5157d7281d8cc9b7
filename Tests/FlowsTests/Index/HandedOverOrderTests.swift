import Captures
import TestSupport
import Testing

@testable import Flows

/// The steps of a login whose halves were recorded by two clocks that are known to each other only nearly.
struct HandedOverOrderTests {
    private func kinds(_ capture: Capture) throws -> [StepKind] {
        let flows = FlowFinder.flows(in: capture)
        #expect(flows.map(\.ending) == [.success])
        return try #require(flows.first).steps.map(\.kind)
    }

    /// 40 ms lie between the callback and the token request.
    @Test(arguments: [41, 130, 500]) func callbackThatIsNotedLateStandsBeforeWhatSpendsItsCode(late: Int)
        throws
    {
        let wanted = try kinds(TwoClocks.login(callbackLateBy: 0))
        #expect(wanted.contains(.tokenRequest))
        #expect(try kinds(TwoClocks.login(callbackLateBy: late)) == wanted)
    }

    /// What a busy browser noted late by the same time stays in its own order.
    @Test func redirectToItGoesUpWithIt() throws {
        let wanted = try kinds(TwoClocks.login(callbackLateBy: 0))
        let capture = try TwoClocks.login { exchange in
            let isSignIn = exchange.request.url.text.hasSuffix("/sign-in")
            if TwoClocks.isCallback(exchange) || isSignIn {
                exchange.startedAt = exchange.startedAt + .milliseconds(150)
            }
        }
        #expect(try kinds(capture) == wanted)
    }

    @Test(arguments: [(files: 2, late: 1200), (files: 1, late: 130)])
    func whatIsFurtherApartOrOfOneClockStaysAsItIs(files: Int, late: Int) throws {
        let capture = try TwoClocks.login(callbackLateBy: late, files: files)
        #expect(EntryOrder(capture).entries == Array(capture.indices))
    }
}
