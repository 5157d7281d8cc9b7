import Captures

/// An HTML page as an answer brought it.
struct Page {
    let url: RecordedURL
    let text: String

    /// Larger ones are no sign-in page, and are not read.
    private static let maximumBytes = 4 << 20

    /// Nil where the answer is no page, or was not recorded.
    init?(_ exchange: Exchange) {
        guard let body = exchange.response?.body, (body.size ?? 0) <= Self.maximumBytes, body.isPage,
            let text = body.text
        else { return nil }
        url = exchange.request.url
        self.text = text
    }

    var forms: [HTMLForm] { HTMLForm.all(in: text) }

    /// Where a form goes.
    func target(of form: HTMLForm) -> RecordedURL {
        form.action.isEmpty ? url : url.resolving(form.action)
    }

    /// Where the page goes on to by itself, after the seconds that it says (`<meta http-equiv="refresh">`).
    var refreshTarget: RecordedURL? { HTMLForm.refreshTarget(in: text).map { url.resolving($0) } }

    /// The form that the page submits by itself: OAuth 2.0 Form Post Response Mode, section 2, and what brokers do alike.
    ///
    /// Its fields are all hidden, and a script submits it.
    var automaticForm: HTMLForm? {
        guard text.containsBytes("submit()") || text.containsBytes(".submit(") || text.containsBytes("onload")
        else { return nil }
        let forms = forms
        guard forms.count == 1, let form = forms.first, !form.fields.isEmpty,
            form.fields.allSatisfy({ ["hidden", "submit", "button"].contains($0.type) })
        else { return nil }
        return form
    }
}

extension Page {
    /// The text of `<title>`, shortened; empty where there is none.
    var title: String {
        let lower = text.prefix(64 << 10).lowercased()
        guard let start = lower.utf8.firstRange(of: Array("<title".utf8)),
            let open = lower[start.upperBound...].utf8.firstIndex(of: 0x3e),
            let end = lower[open...].utf8.firstRange(of: Array("</title".utf8))
        else { return "" }
        let bytes = lower[lower.utf8.index(after: open)..<end.lowerBound].utf8.filter { $0 >= 0x20 }
        return HTMLText.decode(bytes.prefix(80))
    }
}
