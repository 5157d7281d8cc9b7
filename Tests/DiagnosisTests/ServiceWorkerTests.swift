import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JSON
import TestSupport
import Testing

/// Exports of a page with a service worker, which have its requests twice.
struct ServiceWorkerTests {
    /// Each request of the browser as the page made it, and within its time as the worker passed it on.
    private static func doubled(_ exchanges: [Exchange], status: Int? = nil, isMarked: Bool = true)
        -> [Exchange]
    {
        exchanges.flatMap { exchange -> [Exchange] in
            guard exchange.response != nil else { return [exchange] }
            var page = exchange
            if isMarked { page.response?.foreign["_fetchedViaServiceWorker"] = .bool(true) }
            var worker = exchange
            worker.startedAt = exchange.startedAt + .milliseconds(1)
            let duration = max(.milliseconds(2), exchange.duration ?? .zero)
            page.duration = duration
            worker.duration = duration - .milliseconds(2)
            if let status { worker.response?.status = status }
            return [page, worker]
        }
    }

    private static func told(_ exchanges: [Exchange]) -> [[String]] {
        FlowFinder.flows(in: Capture(exchanges)).map { flow in
            let diagnosis = Diagnostician.diagnose(flow)
            return ["\(diagnosis.outcome)"]
                + diagnosis.findings.map { "\($0.rule) \($0.severity)" }
        }
    }

    @Test(
        arguments: MutationTests.names.filter {
            $0.hasPrefix("healthy/") || $0.hasPrefix("token-request/code")
        }
    )
    func isDiagnosedAsIfItHadThemOnce(name: String) throws {
        let exchanges = try Recording(name).exchanges
        #expect(Self.told(Self.doubled(exchanges)) == Self.told(exchanges))
    }

    /// The worker's entry is what went over the network: evidence leads there.
    @Test func evidenceIsInTheWorkersEntries() throws {
        let exchanges = try Recording("token-request/code-expired").exchanges
        let plain = try #require(Recording(exchanges).finding("code-expired"))
        let twice = try #require(Recording(Self.doubled(exchanges)).finding("code-expired"))
        #expect(
            twice.evidence.map(\.place.exchange)
                == plain.evidence.map { $0.place.exchange.map { $0 * 2 + 1 } }
        )
    }

    /// Another answer was another request, and so is what nothing says a worker passed on.
    @Test func whatIsNoTwinStaysTwo() throws {
        let exchanges = try Recording("healthy/web-code-flow").exchanges
        let index = CaptureIndex(Capture(Self.doubled(exchanges)))
        #expect(index.order.count == exchanges.count)
        #expect(
            CaptureIndex(Capture(Self.doubled(exchanges, status: 503))).order.count == exchanges.count * 2
        )
        #expect(
            CaptureIndex(Capture(Self.doubled(exchanges, isMarked: false))).order.count == exchanges.count * 2
        )
    }
}
