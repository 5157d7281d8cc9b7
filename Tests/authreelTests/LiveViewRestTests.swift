import Testing

@testable import authreel

struct LiveViewRestTests {
    @Test("Looks take a thirtieth of the time; on a busy machine they are no more than seconds apart.")
    func boundedLook() {
        #expect(LiveView.rest(after: .milliseconds(20), looksAtAll: false) == .milliseconds(580))
        #expect(LiveView.rest(after: .milliseconds(900), looksAtAll: false) == .seconds(3))
    }

    @Test("A look at the whole of a long recording takes a thirtieth of the time however long it is.")
    func wholeCapture() {
        #expect(LiveView.rest(after: .seconds(2), looksAtAll: true) == .seconds(58))
    }
}
