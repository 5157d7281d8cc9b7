import Captures
import Flows
import OAuth

/// A sign-in whose body the capture lacks, put together of the form that it was sent by: what somebody types is left open.
struct LostSignIn {
    /// The exchange that brought the page.
    let page: Int
    /// The recorded request with the form's fields: of those that somebody types, name and password, without a value.
    let request: RecordedRequest

    /// Nil for a request whose body is there, and where no page before it has such a form.
    ///
    /// `pages`: those that may have brought the page.
    init?(_ exchange: Int, of flow: Flow, pages: SignInPages) {
        var request = flow.capture[exchange].request
        guard Self.isLost(request), let found = pages.last(before: exchange, sentTo: request.url),
            let form = Self.form(flow.capture[found], to: request)
        else { return nil }
        page = found
        request.body = Body(text: FormBody.encode(Self.fields(of: form)), mediaType: FormBody.mediaType)
        self.request = request
    }

    /// Whether a request may have been a sign-in that came without its body.
    static func isLost(_ request: RecordedRequest) -> Bool {
        request.method == "POST" && request.hasLostBody ?? true
    }

    /// The form of a page that a sign-in was sent by.
    static func form(_ exchange: Exchange, to request: RecordedRequest) -> HTMLForm? {
        guard let page = Page(exchange) else { return nil }
        let sent = SignInPages.Target(request.url)
        return page.forms.first {
            SignInPages.isOne($0) && SignInPages.Target(page.target(of: $0).url) == sent
        }
    }

    private static func fields(of form: HTMLForm) -> [(String, String)] {
        var form = form
        // Those a browser does not send, whoever presses them.
        form.fields.removeAll { $0.type == "button" }
        let secrets = form.fields.filter { $0.type == "password" }.map { ($0.name, "") }
        return SignIn.filled(
            form,
            Dictionary(secrets) { first, _ in first },
            SignIn.nameField(of: form).map { ($0.name, "") }
        )
    }
}
