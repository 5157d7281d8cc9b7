import Captures
import Flows
import TestSupport
import Testing

@testable import Replay

/// Which flows are driven one after the other, and which side by side.
struct ReplayJobTests {
    /// The jobs of a capture of the folder `captures/healthy`, under a name.
    private func jobs(_ file: String, as name: String, from first: Int) throws -> [ReplayJob] {
        let bytes = try Fixtures.bytes("captures/healthy/\(file).har")
        let flows = FlowFinder.flows(in: try CaptureReader.read(bytes: bytes, name: name))
        return ReplayJob.jobs(of: flows, in: name, only: nil, from: first, options: PlanOptions())
    }

    @Test func loginsOfOneClientAreDrivenOneAfterTheOther() throws {
        let one = try jobs("web-code-flow", as: "one.har", from: 0)
        let other = try jobs("web-code-flow", as: "other.har", from: one.count)
        let jobs = one + other
        #expect(jobs.first?.name.hasPrefix("one.har#flow-") == true)
        #expect(ReplayJob.chains(jobs) == [Array(jobs.indices)])
    }

    @Test func loginsOfSeveralClientsAreDrivenSideBySide() throws {
        let one = try jobs("web-code-flow", as: "one.har", from: 0)
        let other = try jobs("native-app", as: "other.har", from: one.count)
        let places = (one + other).indices
        #expect(
            ReplayJob.chains(one + other) == [
                Array(places.prefix(one.count)), Array(places.dropFirst(one.count)),
            ]
        )
    }

    @Test func flowThatIsNotThereHasNoJob() throws {
        let bytes = try Fixtures.bytes("captures/healthy/web-code-flow.har")
        let flows = FlowFinder.flows(in: try CaptureReader.read(bytes: bytes, name: "one.har"))
        let jobs = ReplayJob.jobs(of: flows, in: "one.har", only: "flow-99", from: 0, options: PlanOptions())
        #expect(jobs.isEmpty)
    }
}
