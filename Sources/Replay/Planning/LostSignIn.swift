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
    /// `pages`: exchanges that may have brought the page.
    init?(_ exchange: Int, of flow: Flow, pages: [Int]) {
        var request = flow.capture[exchange].request
        let position = flow.surroundings.position
        guard request.method == "POST", request.hasLostBody ?? true,
            let found = pages.last(where: { page in
                position[page] < position[exchange] && Self.form(flow.capture[page], to: request) != nil
            }), let form = Self.form(flow.capture[found], to: request)
        else { return nil }
        page = found
        request.body = Body(text: FormBody.encode(Self.fields(of: form)), mediaType: FormBody.mediaType)
        self.request = request
    }

    /// Whether a field of such a form is who signs in.
    static func isName(_ field: HTMLForm.Field) -> Bool { ["text", "email", "tel"].contains(field.type) }

    private static func form(_ exchange: Exchange, to request: RecordedRequest) -> HTMLForm? {
        guard let page = Page(exchange) else { return nil }
        return page.forms.first { form in
            let target = page.target(of: form).url
            return form.isSignIn && form.method == "post" && target.origin == request.url.origin
                && target.path == request.url.path
        }
    }

    /// In the page's order, with the first button.
    private static func fields(of form: HTMLForm) -> [(String, String)] {
        let name = form.fields.firstIndex(where: isName)
        let button = form.fields.firstIndex { $0.type == "submit" }
        return form.fields.indices.compactMap { index in
            let field = form.fields[index]
            switch field.type {
            case "password": return (field.name, "")
            case "checkbox", "radio", "file", "image", "reset", "button": return nil
            case "submit" where index != button: return nil
            default: return (field.name, index == name ? "" : field.value)
            }
        }
    }
}
