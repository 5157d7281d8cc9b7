import Captures
import Flows
import OAuth

/// An answer that a cache between browser and app gave, which the app did not make for this request.
enum StoredAnswer {
    /// The header that says so: its name, as it is written most.
    static func header(in headers: HeaderFields) -> String? {
        let marks = [("Age", ""), ("X-Cache", "hit"), ("CF-Cache-Status", "hit")]
        return marks.first { name, word in
            headers.first(name).map {
                word.isEmpty ? Int($0) ?? 0 > 0 : $0.asciiLowercased().containsBytes(word)
            } ?? false
        }?.0
    }

    /// The redirect, the page with the link, or the answer to a script, that began a login with a `state` out of a cache.
    ///
    /// - Returns: nil where the app itself answered.
    static func beginning(of request: AuthorizationRequest, in flow: Flow) -> Evidence? {
        guard let state = request.state, state.utf8.count >= shortest,
            let exchange = begun(request, state, flow),
            let headers = flow.capture[exchange].response?.headers, let name = header(in: headers)
        else { return nil }
        return Evidence(
            place: Place(exchange: exchange, part: .responseHeader, name: name),
            value: Masking.shown(headers.first(name) ?? "", of: name),
            note: "what began this login, its state with it, was stored before and is given to everybody"
        )
    }

    private static func begun(_ request: AuthorizationRequest, _ state: String, _ flow: Flow) -> Int? {
        if let redirect = flow.surroundings.redirectedFrom[request.exchange] { return redirect }
        let host = request.redirectURI.flatMap { RecordedURL($0).host }
        return flow.exchanges(before: request.exchange, within: .seconds(600)).first { index in
            let page = flow.capture[index]
            // A page with the link, or what a page's script asks for it.
            guard page.request.url.host == host, let body = page.response?.body,
                body.isPage || body.essence == "application/json", (body.size ?? 0) < largest
            else { return false }
            return body.text?.containsBytes(state) ?? false
        }
    }

    private static let shortest = 6
    private static let largest = 1 << 20

    static let explanation = """
        The login was begun by an answer out of a cache: its state is the one that the app made for whoever came first. The app does not know it any more, \
        or knows it of another browser, and refuses what comes back with it.
        """
    static let fix = """
        Let the app answer what begins a login, pages with a finished link to the provider included, with Cache-Control: no-store, and take these paths out of the \
        rules of the CDN or the page cache. Empty the cache then. A link to a path of the app's that makes the state when it is asked for may be stored.
        """
}
