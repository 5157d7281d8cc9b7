import Captures
import OAuth

/// Changes of authorization requests and of what a provider answers to them.
extension Recording {
    /// The last answer of the authorization endpoint: a page with these words.
    func saying(_ words: String, status: Int = 400) -> Recording {
        answeringRequest { response in
            response.status = status
            response.headers.fields.removeAll { $0.name.lowercased() == "location" }
            response.redirectURL = ""
            response.body = Body(text: words, mediaType: "text/html")
        }
    }

    /// The last answer of the authorization endpoint: a redirect to here.
    func redirecting(to location: String) -> Recording {
        answeringRequest { response in
            response.status = 302
            response.body = nil
            response.redirect(to: location)
        }
    }

    private func answeringRequest(_ edit: (inout RecordedResponse) -> Void) -> Recording {
        guard let index = exchanges.lastIndex(where: { $0.request.url.path == "/authorize" }),
            var response = exchanges[index].response
        else { return self }
        edit(&response)
        var copy = Recording(Array(exchanges[...index]))
        copy.exchanges[index].response = response
        return copy
    }
}
