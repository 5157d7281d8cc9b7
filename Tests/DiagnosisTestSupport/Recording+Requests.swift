import Captures
import JOSE
package import JSON
import OAuth
import Testing

/// Changes of authorization requests and of what a provider answers to them.
extension Recording {
    /// The last answer of the authorization endpoint: a page with these words.
    package func saying(_ words: String, status: Int = 400) -> Recording {
        answeringRequest { response in
            response.status = status
            response.headers.remove("location")
            response.redirectURL = ""
            response.body = Body(text: words, mediaType: "text/html")
        }
    }

    /// The last answer of the authorization endpoint: a redirect to here.
    package func redirecting(to location: String) -> Recording {
        answeringRequest { response in
            response.status = 302
            response.body = nil
            response.redirect(to: location)
        }
    }

    private func answeringRequest(_ edit: (inout RecordedResponse) -> Void) -> Recording {
        guard let index = exchanges.lastIndex(where: { $0.request.url.path == "/authorize" }),
            var response = exchanges[index].response
        else {
            Issue.record("no answer to an authorization request")
            return self
        }
        edit(&response)
        var copy = Recording(Array(exchanges[...index]))
        copy.exchanges[index].response = response
        return copy
    }
}

extension Recording {
    /// A member of the first JSON answer of a path, replaced; nil takes it out.
    package func stating(_ name: String, _ value: JSONValue?, at path: String) -> Recording {
        editing { exchange in
            guard exchange.request.url.path == path,
                var object = exchange.response?.body?.bytes.flatMap({ try? JSONParser.parse($0) })?.object
            else { return }
            object.members.removeAll { $0.name == name }
            if let value { object[name] = value }
            exchange.response?.body = Body(
                text: JSONWriter.text(of: .object(object)),
                mediaType: "application/json"
            )
        }
    }

    /// The claims of the request object changed, its signature left as it was.
    package func claiming(_ name: String, _ value: JSONValue?) -> Recording {
        editingRequestObject { object in
            var parts = object.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 3, var claims = JSONWebToken.parse(object)?.claims else { return object }
            claims.members.removeAll { $0.name == name }
            if let value { claims[name] = value }
            parts[1] = encoded(JSONWriter.text(of: .object(claims)))
            return parts.joined(separator: ".")
        }
    }

    package func editingRequestObject(_ edit: (String) -> String) -> Recording {
        let sent = exchanges.lazy.compactMap { $0.request.url.queryItems.first("request") }.first
        guard let sent else {
            Issue.record("no request object")
            return self
        }
        return asking("request", edit(sent))
    }
}

extension Recording {
    /// Parameters of the authorization response changed, in the redirect and in the request that follows it; nil takes
    /// one out.
    package func redirecting(with changes: [(String, String?)]) -> Recording {
        editing { exchange in
            let change = { (url: String) in changes.reduce(url) { Recording.changing($0, $1.0, $1.1) } }
            if exchange.request.url.path == "/callback" {
                exchange.request.url = RecordedURL(change(exchange.request.url.text))
            } else if let location = exchange.response?.location, RecordedURL(location).path == "/callback" {
                exchange.response?.redirect(to: change(location))
            }
        }
    }
}
