import Testing

@testable import Captures
@testable import authreel

/// What the summary of an import says of a file's clock.
struct ClockNotesTests {
    private func text(_ clock: ImportStatement.Clock, isPlaced: Bool? = nil) -> String {
        let file = MergeReport.File(
            name: "app.txt",
            entries: 2,
            seenElsewhere: 0,
            clock: clock,
            isPlaced: isPlaced,
            losses: []
        )
        return ClockNotes.text(of: file, isAligned: false)
    }

    @Test func fileWithoutTimesHasNoClock() {
        #expect(text(.unknown) == "nothing tells how its clock lies to the others")
        #expect(text(.reference) == "its clock is what others are compared with")
        #expect(
            text(.unknown, isPlaced: true)
                == "it has no times, and stands where its codes and the Date fields of its answers put it"
        )
        #expect(text(.reference, isPlaced: false) == "it has no times, and nothing tells where it belongs")
    }
}
