import Captures
import Flows

/// The pages with a form by which somebody signs in, each read once.
struct SignInPages {
    /// Where a form is posted to, the query aside.
    struct Target: Hashable {
        private let origin: String?
        private let path: String

        init(_ url: RecordedURL) {
            origin = url.origin
            path = url.path
        }
    }

    /// Where exchanges stand in the order of time.
    private let position: [Int]
    /// The exchanges that brought them, in order of time.
    private var exchanges: [Target: [Int]] = [:]

    /// `driven`: exchanges in order of time; their pages are read only where one of them is a sign-in without its body.
    init(_ driven: [Int], of flow: Flow) {
        position = flow.surroundings.position
        guard driven.contains(where: { LostSignIn.isLost(flow.capture[$0].request) }) else { return }
        for exchange in driven {
            guard let page = Page(flow.capture[exchange]) else { continue }
            let targets = page.forms.filter(Self.isOne).map { Target(page.target(of: $0).url) }
            for target in Set(targets) { exchanges[target, default: []].append(exchange) }
        }
    }

    /// Whether somebody signs in by a form, so that it is posted.
    static func isOne(_ form: HTMLForm) -> Bool { form.isSignIn && form.method == "post" }

    /// The latest page before an exchange that has such a form.
    func last(before exchange: Int, sentTo url: RecordedURL) -> Int? {
        guard let pages = exchanges[Target(url)] else { return nil }
        return pages[..<pages.partitionPoint { position[$0] >= position[exchange] }].last
    }
}
