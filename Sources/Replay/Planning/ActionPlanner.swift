import Captures
import Flows
import OAuth

/// Finds out how a recorded browser came to each of its requests: by a redirect, by a form, or by itself.
struct ActionPlanner {
    let flow: Flow
    private let driven: Set<Int>
    private let requests: Set<Int>
    /// Pages with forms, in order of time.
    private let pages: [(exchange: Int, page: Page, forms: [HTMLForm])]

    private var capture: Capture { flow.capture }

    init(flow: Flow, driven: [Int]) {
        self.flow = flow
        self.driven = Set(driven)
        requests = Set(flow.sentAuthorizationRequests.map(\.exchange))
        pages = driven.compactMap { exchange in
            guard let page = Page(flow.capture[exchange]) else { return nil }
            let forms = page.forms
            return forms.isEmpty ? nil : (exchange, page, forms)
        }
    }

    func action(of exchange: Int) -> PlannedStep.Action {
        if let source = flow.surroundings.redirectedFrom[exchange], driven.contains(source),
            capture[exchange].request.method == "GET" || isMethodKept(by: source)
        {
            return .follow(source)
        }
        return page(of: exchange).map { .submit(page: $0) } ?? .send
    }

    private func isMethodKept(by source: Int) -> Bool {
        let status = capture[source].response?.status
        return status == 307 || status == 308
    }

    /// The page whose form was sent: the latest one before that has a form with the same fields.
    private func page(of exchange: Int) -> Int? {
        let request = capture[exchange].request
        let isPost = request.method == "POST"
        guard let items = isPost ? FormBody.items(of: request.body) : request.url.queryItems,
            declaredNavigation(exchange) ?? !Self.isJSON(capture[exchange].response?.body?.essence ?? "")
        else { return nil }
        let position = flow.surroundings.position
        let earlier = pages[..<pages.partitionPoint { position[$0.exchange] >= position[exchange] }]
        return earlier.suffix(Self.mostPages).last { entry in
            entry.forms.contains { form in
                let action = entry.page.target(of: form, sentTo: request.url).url
                return FormMatch(form, items, isPost: isPost, target: request.url, action: action) != nil
            }
        }?.exchange
    }

    /// A form is sent from the page that is shown, or from one that was left open.
    private static let mostPages = 64

    /// Whether the answer replaced the page that was shown, and was not handed to a script.
    func isNavigation(_ exchange: Int) -> Bool {
        if let isDeclared = declaredNavigation(exchange) { return isDeclared }
        let recorded = capture[exchange]
        guard let response = recorded.response else { return true }
        if response.location != nil || page(of: exchange) != nil { return true }
        let isForm = recorded.request.body.map { FormBody.items(of: $0) != nil } ?? true
        if response.body?.isPage ?? false, isForm { return true }
        // Whoever takes anything and is no browser is shown pages only.
        return recorded.request.method == "GET" && !Self.isJSON(response.body?.essence ?? "")
            && recorded.request.headers.first("accept") != "*/*"
    }

    /// What the request itself says of who sent it; nil where it says nothing.
    ///
    /// `Accept: */*` is what a script sends, and every program as well.
    private func declaredNavigation(_ exchange: Int) -> Bool? {
        let request = capture[exchange].request
        let headers = request.headers
        if let mode = headers.first("sec-fetch-mode") { return mode == "navigate" }
        if headers.contains("x-requested-with") { return false }
        // RFC 6749, section 4.1.1: the browser is sent there, whoever plays it.
        if requests.contains(exchange) { return true }
        if let body = request.body, Self.isJSON(body.essence ?? "") { return false }
        guard let accept = headers.first("accept") else { return nil }
        if accept.utf8.starts(with: "text/html".utf8) { return true }
        return accept.containsBytes("json") ? false : nil
    }

    private static func isJSON(_ essence: String) -> Bool {
        essence == "application/json" || essence.utf8.count > 5 && essence.hasSuffix("+json")
    }
}
