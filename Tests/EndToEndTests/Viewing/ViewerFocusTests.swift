import Foundation
import JSON
import TestSupport
import Testing

/// Where the focus is after what had it is drawn anew or gone: who types goes on from there, and does not begin at the top of
/// the page (WCAG 2.2, 2.4.3); and what is heard of the page.
@Suite(
    .serialized,
    .timeLimit(.minutes(5)),
    .enabled(if: RealComponents.isAvailable, Comment(rawValue: RealComponents.missing ?? ""))
)
struct ViewerFocusTests {
    private typealias Plan = ViewerVisit.Plan

    private static func focus(_ css: String, _ index: Int = 0) -> [String] {
        ["run", "[...document.querySelectorAll('\(css)')].at(\(index)).focus()"]
    }

    @Test func comparisonThatIsChosenKeepsIt() throws {
        let viewer = try ViewerProcess(
            ["healthy/web-code-flow", "token-request/pkce-verifier-mismatch"].map(ViewerVisit.path)
        )
        defer { viewer.end() }
        let choose = """
            const list = document.querySelectorAll('.compare select')[1];
            list.focus();
            list.selectedIndex = 0;
            list.dispatchEvent(new Event('change'));
            """
        let visit = try #require(
            try ViewerVisit.visits([
                Plan(
                    url: "\(viewer.url)#view=compare",
                    steps: [
                        Self.focus(".compare form button"), ["key", "Enter"],
                        Self.focus(".compare .steps button"), ["key", "Enter"], ["key", "3"],
                        ["run", choose], ["run", "return document.activeElement.tagName"],
                    ]
                )
            ]).first
        )
        visit.expectDecent()
        #expect(visit.text(2, "focus") == "Swap")
        // It leads to a message, which is read from there.
        #expect(visit.text(4, "focus") == "Message" && visit.seen(4, "heading").count == 1)
        #expect(visit.results.last == "SELECT")
    }

    @Test func wayOfAValueKeepsItAndLeavesItToTheDiagram() throws {
        let viewer = try ViewerProcess([ViewerVisit.path("token-request/pkce-verifier-mismatch")])
        defer { viewer.end() }
        let way = "#exchange=4&value=4/request.body/code_verifier"
        let visit = try #require(
            try ViewerVisit.visits([
                Plan(
                    url: viewer.url + way,
                    steps: [
                        Self.focus(".way-panel button.place", -1), ["key", "Enter"],
                        Self.focus(".way-panel .headed button"), ["key", "Enter"],
                        ["key", "/"], ["type", "invalid_grant"], ["key", "Enter"],
                        Self.focus(".results .headed button"), ["key", "Enter"],
                        ["key", "d"], ["key", "2"],
                    ]
                )
            ]).first
        )
        visit.expectDecent()
        #expect(visit.text(2, "focus").hasPrefix("[1] request.query code_challenge"))
        #expect(visit.seen(2, "heading").first?.hasPrefix("[1] authorization request") == true)
        #expect(visit.seen(4, "way") == [] && visit.text(4, "focus") == "Diagram")
        #expect(visit.seen(9, "results") == [] && visit.text(9, "focus") == "Copy as Markdown")
        #expect(visit.text(11, "focus") == "Exchanges")
    }

    /// In each window the panels come by Tab as they stand there, which `ViewerVisit.expectDecent` measures; what had the focus
    /// has it still when they change places.
    @Test func panelsComeAsTheyStandInTheWindow() throws {
        let viewer = try ViewerProcess([ViewerVisit.path("token-request/pkce-verifier-mismatch")])
        defer { viewer.end() }
        let sizes = [["size", "360", "740"], ["size", "1000", "800"], ["size", "2400", "1200"]]
        let plan = sizes.flatMap { size in
            ["#exchange=4", "#view=exchanges&exchange=4"].map { Plan(url: viewer.url + $0, steps: [size]) }
        }
        for visit in try ViewerVisit.visits(plan) { visit.expectDecent() }
        let moved = Plan(
            url: "\(viewer.url)#exchange=4",
            steps: [Self.focus(".evidence button", 1), ["size", "360", "740"], ["key", "3"]]
        )
        let visit = try #require(try ViewerVisit.visits([moved]).first)
        visit.expectDecent()
        #expect(visit.text(1, "focus").hasPrefix("[4] request.body code_verifier"))
        #expect(visit.text(2, "focus") == visit.text(1, "focus"))
        // There the findings have no place.
        #expect(visit.text(3, "focus") == "Comparison")
    }

    @Test func anotherSearchIsTypedOverTheOneBefore() throws {
        let viewer = try ViewerProcess([ViewerVisit.path("token-request/pkce-verifier-mismatch")])
        defer { viewer.end() }
        let search = { (words: String) in [["key", "/"], ["type", words], ["key", "Enter"]] }
        let plan = Plan(url: viewer.url, steps: search("shop-web") + search("invalid_grant"))
        let visit = try #require(try ViewerVisit.visits([plan]).first)
        visit.expectDecent()
        #expect(visit.text(3, "hash").hasSuffix("q=shop-web"))
        #expect(visit.text(6, "hash").hasSuffix("q=invalid_grant") && !visit.seen(6, "results").isEmpty)
    }

    /// A browser may keep a page from the clipboard, as the tests' one does.
    @Test func whatCannotBeCopiedIsThereToBeSelected() throws {
        let viewer = try ViewerProcess([ViewerVisit.path("healthy/web-code-flow")])
        defer { viewer.end() }
        let title = "The request as curl, with names in the place of the secrets"
        let plan = Plan(url: "\(viewer.url)#exchange=5", steps: [["key", "c"], ["wait", "dialog", title]])
        let visit = try #require(try ViewerVisit.visits([plan]).first)
        visit.expectDecent()
        #expect(visit.seen(2, "dialog").first?.hasPrefix("\(title)\n") == true)
        #expect(visit.text(2, "focus") == title)
    }

    /// "Hide secrets, pressed" would say that they are hidden.
    @Test func buttonWhoseWordsChangeIsNotPressedAsWell() throws {
        let viewer = try ViewerProcess([ViewerVisit.path("healthy/web-code-flow")])
        defer { viewer.end() }
        let look = """
            const button = document.querySelector('.actions button');
            return `${button.innerText} ${button.getAttribute('aria-pressed')}`;
            """
        let plan = Plan(url: viewer.url, steps: [["run", look], ["key", "s"], ["run", look]])
        let visit = try #require(try ViewerVisit.visits([plan]).first)
        visit.expectDecent()
        #expect(visit.results.first == "Show secrets null" && visit.results.last == "Hide secrets null")
    }

    /// The words that tell what was done come into an element that is there before them: else they are not read aloud
    /// (WAI-ARIA 1.2, live regions).
    @Test func noticeIsThereBeforeItsWords() throws {
        let viewer = try ViewerProcess([ViewerVisit.path("healthy/web-code-flow")])
        defer { viewer.end() }
        let look = """
            const notice = document.querySelector('.notice');
            return [notice.checkVisibility(), notice.offsetHeight, notice.getAttribute('role')].join();
            """
        let plan = Plan(url: viewer.url, steps: [["run", look]])
        let visit = try #require(try ViewerVisit.visits([plan]).first)
        visit.expectDecent()
        #expect(visit.results.last == "true,0,status")
    }
}
