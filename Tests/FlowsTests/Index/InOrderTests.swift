import Captures
import Flows
import Testing

/// What belongs to exchanges comes in the order of time, whatever the order of the file is.
struct InOrderTests {
    private static let index = CaptureIndex(
        Capture(
            [20, 10, 30].map { seconds in
                Exchange(
                    startedAt: Timestamp(seconds: seconds),
                    request: RecordedRequest(
                        method: "GET",
                        url: RecordedURL("https://shop.example/\(seconds)")
                    ),
                    response: RecordedResponse(status: 200)
                )
            }
        )
    )

    @Test func exchangesComeInTheOrderOfTime() {
        #expect(Self.index.inOrder([2, 0, 1]) == [1, 0, 2])
        #expect(Self.index.inOrder(Set([0, 1])) == [1, 0])
    }

    @Test func whatBelongsToOneExchangeStaysInItsOrder() {
        let found = [("late", 2), ("first", 0), ("second", 0), ("early", 1)]
        #expect(Self.index.inOrder(found, by: \.1).map(\.0) == ["early", "first", "second", "late"])
    }
}
