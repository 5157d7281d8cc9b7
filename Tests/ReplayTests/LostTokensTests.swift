import Captures
import Flows
import Replay
import TestSupport
import Testing

/// Tokens of an answer that was saved without its body: the requests behind it go with those of the new answer.
struct LostTokensTests {
    /// A login whose first answer with tokens has no body, and where that answer stands.
    private static func lost(in world: ReplayWorld, status: Int = 200) throws -> (
        capture: Capture, place: Int
    ) {
        let recorded = try world.record()
        var exchanges = recorded.indices.map { recorded[$0] }
        let place = try #require(exchanges.firstIndex { $0.request.url.path.hasSuffix("/token") })
        exchanges[place].response?.body = nil
        exchanges[place].response?.status = status
        return (Capture(exchanges), place)
    }

    private static func sources(_ capture: Capture) throws -> [ValueSource] {
        let flows = FlowFinder.flows(in: capture)
        let plan = PlanBuilder(try #require(flows.first), siblings: flows).plan()
        return plan.steps.flatMap(\.parameters).filter { $0.name == "access_token" }.map(\.source)
    }

    @Test func requestGoesWithTheTokenOfTheNewAnswer() async throws {
        let world = ReplayWorld()
        let (capture, place) = try Self.lost(in: world)
        let issued = Place(exchange: place, part: .responseBody, name: "access_token")
        #expect(try Self.sources(capture).contains(.issued(issued)))
        let run = try await world.replay(capture)
        let userInfo = try #require(run.exchanges.first { $0.request.url.path.hasSuffix("/userinfo") })
        #expect(userInfo.response?.status == 200, "\(run.results)")
    }

    /// What was refused brought nothing.
    @Test func answerThatRefusedIssuedNothing() throws {
        let (capture, place) = try Self.lost(in: ReplayWorld(), status: 400)
        let isOfAnswer = { (source: ValueSource) in
            if case .issued(let issued) = source { issued.exchange == place } else { false }
        }
        #expect(try !Self.sources(capture).contains(where: isOfAnswer))
    }
}
