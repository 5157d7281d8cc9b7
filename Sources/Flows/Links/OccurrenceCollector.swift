package import Captures
import JOSE
import JSON
import OAuth

/// Lists the values of a flow's exchanges that could travel, each with its place, request before answer.
///
/// The claims of a token count where the token is seen first: afterwards it is the token that travels.
package struct OccurrenceCollector {
    private let surroundings: CaptureIndex?
    private var seenTokens: Set<String> = []

    /// `surroundings`: of the exchanges; without them encrypted tokens stay closed.
    package init(in surroundings: CaptureIndex? = nil) { self.surroundings = surroundings }

    /// The values of the next exchange; of tokens that were met before, no claims.
    package mutating func occurrences(in exchange: Exchange, at index: Int) -> [Occurrence] {
        var reader = ExchangeReader(index: index, opened: surroundings?.opened)
        // Lent, since a copy for each exchange would take time quadratic in their number.
        swap(&reader.seenTokens, &seenTokens)
        reader.read(exchange.request)
        if let response = exchange.response {
            let forms =
                if let surroundings { surroundings.page(index)?.forms } else {
                    PageReading.forms(of: response.body)
                }
            reader.read(response, forms: forms)
        }
        swap(&reader.seenTokens, &seenTokens)
        return reader.list
    }
}

/// Lists what is in one exchange.
private struct ExchangeReader {
    let index: Int
    let opened: OpenedTokens?
    var seenTokens: Set<String> = []
    private(set) var list: [Occurrence] = []

    init(index: Int, opened: OpenedTokens?) {
        self.index = index
        self.opened = opened
    }

    mutating func read(_ request: RecordedRequest) {
        add(.requestQuery, request.url.queryItems)
        for cookie in request.cookies { add(.requestCookie, cookie.name, cookie.value) }
        if let token = BearerToken.of(request, exchange: index) {
            add(.requestHeader, "Authorization", token.value, token.rawValue, called: "access_token")
        } else if request.headers.contains("authorization") {
            let authentication = ClientAuthentication(of: request, exchange: index, parameters: Parameters())
            if let secret = authentication.secret {
                add(.requestHeader, "Authorization", secret.value, secret.rawValue, called: "client_secret")
            }
        }
        if let form = FormBody.items(of: request.body) {
            add(.requestBody, form)
        } else if let json = Self.json(request.body) {
            addMembers(.requestBody, json, "", depth: 0)
        }
    }

    /// `forms`: nil where it brought no page.
    mutating func read(_ response: RecordedResponse, forms: [HTMLForm]?) {
        if let location = response.location {
            let url = RecordedURL(location)
            add(.responseLocation, url.queryItems)
            add(.responseLocation, url.fragmentItems)
        }
        for cookie in response.setCookies { add(.responseHeader, cookie.name, cookie.value) }
        if let forms {
            for form in forms {
                add(.responseBody, RecordedURL(form.action).queryItems)
                for field in form.fields where field.type == "hidden" {
                    add(.responseBody, field.name, field.value)
                    // What a signed answer brings stands in it (JARM, section 2.3.3).
                    if field.name == "response" { addClaims(of: field.value) }
                }
            }
        } else if let json = Self.json(response.body) {
            addMembers(.responseBody, json, "", depth: 0)
        } else if response.body?.essence == FormBody.mediaType, let form = FormBody.items(of: response.body) {
            add(.responseBody, form)
        }
    }

    private mutating func add(
        _ part: Place.Part,
        _ name: String,
        _ value: String,
        _ raw: String? = nil,
        called: String? = nil
    ) {
        let place = Place(exchange: index, part: part, name: name)
        list.append(Occurrence(place: place, value: value, rawValue: raw, name: called))
    }

    private mutating func add(_ part: Place.Part, _ items: QueryItems) {
        for item in items.items {
            add(part, item.name, item.value, item.rawValue)
            addClaims(of: item.value)
        }
    }

    private mutating func addClaims(of value: String) {
        guard let token = JSONWebToken.parse(value),
            let claims = opened?[token]?.token.claims ?? token.claims,
            seenTokens.insert(value).inserted
        else { return }
        for member in claims.members {
            if let text = member.value.string { add(.jwtClaims, member.name, text) }
        }
    }

    private mutating func addMembers(_ part: Place.Part, _ value: JSONValue, _ name: String, depth: Int) {
        switch value {
        case .string(let text):
            add(part, name, text)
            addClaims(of: text)
        case .array(let elements) where depth < 4:
            for element in elements { addMembers(part, element, name, depth: depth + 1) }
        case .object(let object) where depth < 4:
            for member in object.members { addMembers(part, member.value, member.name, depth: depth + 1) }
        default: break
        }
    }

    private static func json(_ body: Body?) -> JSONValue? {
        guard let body, (body.size ?? 0) < 1 << 20, let bytes = body.bytes,
            let first = bytes.first(where: { $0 > 0x20 }),
            first == 0x7b || first == 0x5b
        else { return nil }
        return try? JSONParser.parse(bytes)
    }
}
