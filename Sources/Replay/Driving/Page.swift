import Captures

/// An HTML page as an answer brought it.
struct Page {
    /// What it was the answer to.
    let request: RecordedRequest
    let text: String
    /// A request for what the addresses of the page are resolved against.
    private let base: RecordedRequest

    /// Larger ones are no sign-in page, and are not read.
    private static let maximumBytes = 4 << 20

    /// Nil where the answer is no page, or was not recorded.
    init?(_ exchange: Exchange) {
        guard let body = exchange.response?.body, (body.size ?? 0) <= Self.maximumBytes, body.isPage,
            let text = body.text
        else { return nil }
        request = exchange.request
        self.text = text
        base = Self.base(of: text, answering: request)
    }

    var url: RecordedURL { request.url }

    var forms: [HTMLForm] { HTMLForm.all(in: text) }

    /// Where a form goes: without an action to the page's own address, whatever its base is.
    ///
    /// `recorded`: where it was sent in the recording, which may be where one of its buttons sends it (HTML, `formaction`).
    func target(of form: HTMLForm, sentTo recorded: RecordedURL? = nil) -> (url: RecordedURL, isLatin1: Bool)
    {
        let own = (form.action.isEmpty ? request : base).following(SentText(form.action))
        guard let recorded, !form.buttonActions.isEmpty else { return own }
        let all = [own] + form.buttonActions.map { base.following(SentText($0)) }
        func items(_ url: RecordedURL) -> Set<[String]> {
            Set(url.queryItems.items.map { [$0.name, $0.value] })
        }
        let sent = items(recorded)
        let same = all.filter { $0.url.path == recorded.path }
        return (same.isEmpty ? all.filter { Self.isAlike($0.url.path, recorded.path) } : same)
            .max { items($0.url).intersection(sent).count < items($1.url).intersection(sent).count } ?? own
    }

    /// Whether two paths differ in nothing but what is drawn for each login.
    private static func isAlike(_ one: String, _ other: String) -> Bool {
        let parts = [one, other].map { $0.split(separator: "/", omittingEmptySubsequences: false) }
        return parts[0].count == parts[1].count
            && zip(parts[0], parts[1]).allSatisfy { one, other in
                one == other || [one, other].allSatisfy { ScriptTokens.looksDrawn(String($0)) }
            }
    }

    /// Where the page goes on to by itself, after the seconds that it says (`<meta http-equiv="refresh">`).
    var refreshTarget: (url: RecordedURL, isLatin1: Bool)? {
        HTMLForm.refreshTarget(in: text).map { base.following(SentText($0)) }
    }

    private static func base(of text: String, answering request: RecordedRequest) -> RecordedRequest {
        guard let address = HTMLForm.base(in: text) else { return request }
        var base = request
        (base.url, base.isURLLatin1) = request.following(SentText(address))
        return base
    }

    /// The form that the page submits by itself: OAuth 2.0 Form Post Response Mode, section 2, and what brokers do alike.
    ///
    /// Its fields are all hidden, and a script submits it. With the fields that a browser sends: `submit()` sends no button, a
    /// click sends the one that it is for (HTML, "constructing the entry list"). Where there are two, somebody is asked.
    var automaticForm: HTMLForm? {
        let isSubmitted = ["submit()", ".submit(", "submit.call(", "requestSubmit("].contains(
            where: text.containsBytes
        )
        guard isSubmitted || text.containsBytes(".click()") else { return nil }
        let forms = forms
        guard forms.count == 1, var form = forms.first, !form.fields.isEmpty,
            form.fields.allSatisfy({ ["hidden", "submit", "button"].contains($0.type) }),
            form.fields.count(where: { $0.type != "hidden" }) <= 1
        else { return nil }
        form.fields.removeAll { isSubmitted && $0.type != "hidden" || $0.type == "button" }
        return form
    }
}

extension Page {
    /// The text of `<title>`, shortened; empty where there is none.
    var title: String {
        let bytes = Array(text.utf8.prefix(64 << 10))
        let lower = bytes.map(\.asciiLowercased)
        guard let start = lower.firstRange(of: Array("<title".utf8)),
            let open = lower[start.upperBound...].firstIndex(of: 0x3e),
            let end = lower[open...].firstRange(of: Array("</title".utf8))
        else { return "" }
        return HTMLText.decode(bytes[(open + 1)..<end.lowerBound].filter { $0 >= 0x20 }.prefix(80))
    }
}
