import Captures
import JSON
import OAuth
import Provider

/// Asks a provider as clients and browsers do, on a clock of its own.
struct Caller {
    let respond: (RecordedRequest, Timestamp) -> RecordedResponse
    var now = Timestamp(seconds: 1_790_000_000)

    init(_ provider: RecordedProvider) { respond = { provider.respond(to: $0, at: $1) } }
    init(_ provider: BuiltInProvider) { respond = { provider.respond(to: $0, at: $1) } }

    func get(_ url: String, _ query: [(String, String)] = [], headers: [(String, String)] = [])
        -> RecordedResponse
    {
        let target = query.isEmpty ? url : url + "?" + FormBody.encode(query)
        return respond(
            RecordedRequest(method: "GET", url: RecordedURL(target), headers: HeaderFields(headers)),
            now
        )
    }

    func post(_ url: String, _ form: [(String, String)], headers: [(String, String)] = []) -> RecordedResponse
    {
        send("POST", url, Body(text: FormBody.encode(form), mediaType: FormBody.mediaType), headers)
    }

    func send(_ method: String, _ url: String, _ body: Body?, _ headers: [(String, String)] = [])
        -> RecordedResponse
    {
        respond(
            RecordedRequest(
                method: method,
                url: RecordedURL(url),
                headers: HeaderFields(headers),
                body: body
            ),
            now
        )
    }

    func json(_ response: RecordedResponse) -> JSONValue {
        (try? JSONParser.parse(response.body?.bytes ?? [])) ?? .null
    }
}

extension RecordedResponse {
    /// The parameters of an authorization response, wherever they travel.
    var parameters: QueryItems {
        guard let location = location.map({ RecordedURL($0) }) else { return QueryItems() }
        return location.queryAndFragmentItems
    }

    /// What a browser sends back to this answer's host.
    var cookieHeader: (String, String) {
        ("Cookie", setCookies.map { "\($0.name)=\($0.value)" }.joined(separator: "; "))
    }
}
