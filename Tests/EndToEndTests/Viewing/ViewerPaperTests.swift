import Foundation
import JSON
import TestSupport
import Testing

/// What of the viewer's page stands on paper: what is looked at, whole, and nothing that only a screen has.
@Suite(
    .serialized,
    .timeLimit(.minutes(5)),
    .enabled(if: RealComponents.isAvailable, Comment(rawValue: RealComponents.missing ?? ""))
)
struct ViewerPaperTests {
    @Test func effectsAreUnfoldedAndWhatIsNotLookedAtIsLeftOut() throws {
        let viewer = try ViewerProcess(
            ["token-request/pkce-verifier-mismatch", "healthy/web-code-flow"].map(ViewerVisit.path)
        )
        defer { viewer.end() }
        let look = """
            const seen = css => [...document.querySelectorAll(css)].filter(one => one.checkVisibility()).length;
            return [seen('.effect'), seen('.findings'), seen('.one-message'), seen('form button')].join();
            """
        let steps = [["run", look], ["paper"], ["run", look], ["screen"], ["run", look]]
        let seen = try ViewerVisit.visits(
            ["", "#exchange=4", "#view=compare"].map { .init(url: viewer.url + $0, steps: steps) }
        )
        .map { visit in
            visit.expectDecent()
            return [0, 2, 4].map { visit.results[$0].string ?? "?" }
        }
        // Without a message there is no place for one.
        #expect(seen[0] == ["0,1,1,1", "1,1,0,0", "0,1,1,1"])
        #expect(seen[1] == ["0,1,1,1", "1,1,1,0", "0,1,1,1"])
        #expect(seen[2] == ["0,0,0,2", "0,0,0,0", "0,0,0,2"])
    }
}
