import Testing

@testable import authreel

/// Files whose names read as options.
struct DashedFileTests {
    /// A name of one letter may be an option that is meant: it is told of where the line was refused.
    @Test(arguments: [
        (["diagnose", "-x"], "the file -x is named with the folder before it: ./-x"),
        (["diagnose", "--", "-x"], nil), (["diagnose", "-"], nil),
    ])
    func fileOfOneLetterIsToldOf(arguments: [String], hint: String?) {
        #expect(DashedFile.hint(arguments) { ["-x", "-"].contains($0) } == hint)
    }
}
