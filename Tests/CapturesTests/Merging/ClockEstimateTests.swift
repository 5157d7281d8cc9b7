import Testing

@testable import Captures

/// How two clocks lie to each other, from intervals of which some are wrong.
struct ClockEstimateTests {
    private typealias Interval = ClockEstimate.Interval

    private static let second: Int64 = 1_000_000_000

    private func seconds(_ low: Double, _ high: Double) -> Interval {
        Interval(low: Int64((low * 1e9).rounded()), high: Int64((high * 1e9).rounded()))
    }

    @Test func intervalsMeetWhereTheOffsetIs() throws {
        let found = try #require(
            ClockEstimate.agreement(of: [seconds(36, 38), seconds(36.9, 37.5), seconds(30, 37.1)])
        )
        #expect(found.count == 3)
        // A millisecond more on both sides: clocks of browsers tick so.
        #expect(found.interval == seconds(36.899, 37.101))
        #expect(found.interval.middle == 37 * Self.second && found.interval.radius == 101_000_000)
    }

    @Test func wrongOnesAreOutvoted() throws {
        let wrong = [seconds(-5, -4), seconds(900, 901)]
        let found = try #require(
            ClockEstimate.agreement(of: wrong + [seconds(1, 2), seconds(1.5, 3), seconds(1.4, 1.9)])
        )
        #expect(found.count == 3)
        #expect(found.interval == seconds(1.499, 1.901))
    }

    @Test(arguments: [
        [(0.0, 1.0), (50.0, 51.0)], [(0.0, 1.0), (0.0, 1.0), (50.0, 51.0), (50.0, 51.0)], [],
    ])
    func halfIsNoMajority(_ pairs: [(Double, Double)]) {
        #expect(ClockEstimate.agreement(of: pairs.map { seconds($0.0, $0.1) }) == nil)
    }

    /// A clock that is half a second off at the end of a long recording is still the same clock.
    @Test func driftWidensTheDoubt() throws {
        let found = try #require(ClockEstimate.agreement(of: [seconds(1, 1.01), seconds(1.5, 1.51)]))
        #expect(found.count == 2)
        #expect(found.interval == seconds(0.5, 2.01))
    }

    /// The recorder further out saw the exchange begin before and end after the other one.
    @Test(arguments: [(100, 1000, 137, 900), (100, 1000, 90, 1037)])
    func exchangeBoundsTheOffset(_ times: (Int64, Int64, Int64, Int64)) {
        func exchange(_ start: Int64, _ length: Int64?) -> Exchange {
            Exchange(
                startedAt: Timestamp(nanoseconds: 1_700_000_000_000_000_000 + start),
                duration: length.map { .nanoseconds($0) },
                request: RecordedRequest(method: "GET", url: RecordedURL("https://idp.example/"))
            )
        }
        let (a, b) = (exchange(times.0, times.1), exchange(times.2, times.3))
        guard let left = ClockSpan(a), let right = ClockSpan(b) else {
            Issue.record("no time")
            return
        }
        let begin = times.2 - times.0
        let end = begin + times.3 - times.1
        let interval = ClockEstimate.interval(left, right)
        #expect(interval == Interval(low: min(begin, end), high: max(begin, end)))
        // Without a length there is a second on both sides of the beginnings.
        if let point = ClockSpan(exchange(times.2, nil)) {
            let wide = ClockEstimate.interval(left, point)
            #expect(wide.low <= begin - Self.second && wide.high >= begin + Self.second)
        }
    }

    /// Times of hostile files meet no arithmetic that they could break.
    @Test func extremeTimesAreBounded() throws {
        let times: [Int64] = [.min, .min + 1, -1, 1, .max - 1, .max]
        var spans: [ClockSpan] = []
        for time in times {
            for length in [Duration.zero, .seconds(Int64.max), .nanoseconds(Int64.max)] {
                let exchange = Exchange(
                    startedAt: Timestamp(nanoseconds: time),
                    duration: length,
                    request: RecordedRequest(method: "GET", url: RecordedURL("/"))
                )
                spans.append(try #require(ClockSpan(exchange)))
            }
        }
        var intervals: [ClockEstimate.Interval] = []
        for left in spans {
            for right in spans { intervals.append(ClockEstimate.interval(left, right)) }
            for offset in times { _ = left.moved(by: offset).length }
        }
        for left in intervals.prefix(60) {
            for right in intervals { #expect(left.distance(to: right) >= 0) }
        }
        _ = ClockEstimate.agreement(of: intervals)
        #expect(ClockSpan.nanoseconds(.seconds(Int64.max)) > 0)
        #expect(ClockSpan.nanoseconds(.seconds(Int64.min)) < 0)
    }
}
