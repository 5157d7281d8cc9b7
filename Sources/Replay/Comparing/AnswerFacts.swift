import Captures
import Flows
import JOSE
import JSON
import OAuth

/// What the answer to a step says.
struct AnswerFacts {
    private let context: ReadingContext
    private let step: ComparedStep
    private var list = FactList()

    var facts: [Fact] { list.facts }

    init(context: ReadingContext, step: ComparedStep) {
        self.context = context
        self.step = step
        // The answer that carries it belongs to the request that it answers.
        guard !step.isSeenInRedirect else { return }
        guard let response = step.exchange.response else {
            list.add(
                place(.responseStatus, ""),
                .init(failure, .verdict),
                as: .init(aspect: "kind of answer")
            )
            return
        }
        addClock(response)
        list.add(place(.responseStatus, ""), .init("\(response.status)", .verdict), weighing: .valueAlone)
        list.add(
            place(.responseStatus, ""),
            .init(kind(of: response), .verdict),
            as: .init(aspect: "kind of answer")
        )
        addTarget(response)
        addChallenges(response)
        addMembers(response)
        if step.kind == .tokenRequest || step.kind == .refreshRequest { addTokenHead(response) }
        if response.body?.essence == "application/jwt" || isToken(response.body) { addToken(response) }
        if request.headers.contains("origin"), isEndpoint {
            list.add(
                place(.responseHeader, "Access-Control-Allow-Origin"),
                .init(
                    response.headers.contains("access-control-allow-origin") ? "allowed" : "not allowed",
                    .verdict
                ),
                weighing: .init(presence: .note)
            )
        }
        CookieFacts.add(response.setCookies, of: step.index, context: context, to: &list)
    }

    private var request: RecordedRequest { step.exchange.request }

    private var isEndpoint: Bool { step.answer != nil }

    private func place(_ part: Place.Part, _ name: String) -> Place {
        Place(exchange: step.index, part: part, name: name)
    }

    // MARK: - What kind

    private var failure: String {
        guard let words = step.exchange.failure else { return "no answer" }
        if RecorderRefusal.isOne(step.exchange) {
            return "no answer (the client does not trust the recorder)"
        }
        switch TransportFailure(words) {
        case .certificate: return "no answer (the server's certificate was not accepted)"
        case .handshake: return "no answer (no secure connection could be made)"
        case .unreachable: return "no answer (the server could not be reached)"
        case .unanswered: return "no answer (the server hung up or was silent)"
        case nil: return "no answer (the request was broken off)"
        }
    }

    private func kind(of response: RecordedResponse) -> String {
        if let location = response.location, (300..<400).contains(response.status) {
            let target = request.url.resolving(location)
            if context.targets.contains(target.withoutQuery) { return "a redirect to the app's redirect URI" }
            return isErrorRedirect(target) ? "a redirect that names an error" : "a redirect"
        }
        guard let body = response.body, body.size != 0 else { return "empty" }
        guard let bytes = body.bytes else { return Self.unrecorded }
        guard let first = bytes.first(where: { $0 > 0x20 }) else { return "empty" }
        if first == 0x7b {
            return step.answer?.json != nil || parses(bytes) ? "a JSON object" : "broken JSON"
        }
        if isToken(body) { return "a token" }
        if first == 0x5b { return "a JSON array" }
        switch body.essence {
        case "text/html", "application/xhtml+xml": return "a page"
        case FormBody.mediaType: return "a form"
        case let essence? where first != 0x3c && essence.hasSuffix("json"): return "no JSON under \(essence)"
        case let essence?: return first == 0x3c ? "a page" : essence
        case nil: return first == 0x3c ? "a page" : "text"
        }
    }

    /// A capture may lack what was there: nothing is concluded from it.
    static let unrecorded = "not recorded"

    private func isErrorRedirect(_ target: RecordedURL) -> Bool {
        target.queryAndFragmentItems.items.contains {
            ["error", "auth_error", "login_error"].contains($0.name)
        }
    }

    private func parses(_ bytes: [UInt8]) -> Bool {
        bytes.count < 1 << 20 && (try? JSONParser.parse(bytes))?.object != nil
    }

    private func isToken(_ body: Body?) -> Bool {
        guard let body, (body.size ?? 0) < 1 << 20, let text = body.text else { return false }
        return text.utf8.starts(with: "ey".utf8) && JSONWebToken.parse(text) != nil
    }

    // MARK: - Head

    /// How far the server's clock is ahead of the recorder's, where the answer cannot have been kept by a cache.
    private mutating func addClock(_ response: RecordedResponse) {
        guard step.exchange.isZoneKnown, request.method == "POST" || step.kind == .authorizationResponse,
            let date = response.headers.first("date").flatMap(Timestamp.init(httpDate:))
        else { return }
        list.add(
            place(.responseHeader, "Date"),
            .init("\(date.seconds - step.exchange.endedAt.seconds)", .clock),
            as: .init(aspect: "clock of \(request.url.host ?? "the server")"),
            weighing: .valueAlone
        )
    }

    private mutating func addTarget(_ response: RecordedResponse) {
        guard let location = response.location else { return }
        let target = request.url.resolving(location)
        // What goes to the app's redirect URI is the authorization response, and told there.
        guard !context.targets.contains(target.withoutQuery) || step.kind == .authorizationResponse else {
            return
        }
        list.add(place(.responseLocation, ""), .init(target.withoutQuery, .url))
        for item in target.queryAndFragmentItems.items.prefix(60) {
            let parameter = Parameter(
                name: item.name,
                value: item.value,
                place: place(.responseLocation, item.name)
            )
            if NestedURL.add(parameter, in: .responseLocation, to: &list) { continue }
            let treatment = VolatileNames.treatment(of: item.name)
            list.add(
                parameter.place,
                .init(item.value, treatment, elements: treatment == .set ? item.value.spaceDelimited : []),
                weighing: .init(presence: item.name == "error" ? .difference : .note)
            )
        }
    }

    /// What an answer with tokens has to have in its head (RFC 6749, section 5.1).
    private mutating func addTokenHead(_ response: RecordedResponse) {
        let isKept = !response.headers.all("cache-control").contains { $0.lowercased().contains("no-store") }
        list.add(
            place(.responseHeader, "Cache-Control"),
            .init(isKept ? "may be stored" : "no-store", .verdict),
            weighing: .init(presence: nil, value: .note)
        )
        // Of anything but JSON the kind of answer tells it. What a browser took a body for may be another type than it came under.
        let type = response.headers.first("content-type") ?? response.body?.mediaType ?? ""
        guard step.answer?.json != nil, !type.isEmpty else { return }
        list.add(
            place(.responseHeader, "Content-Type"),
            .init(Body.essence(of: type), .verdict),
            weighing: .valueAlone
        )
    }

    /// RFC 6750, section 3; RFC 9449, section 7.1.
    private mutating func addChallenges(_ response: RecordedResponse) {
        for challenge in AuthenticationChallenge.all(in: response.headers).prefix(8) {
            let place = place(.responseHeader, "WWW-Authenticate")
            list.add(place, .init(challenge.scheme, .verdict), as: .init(name: "WWW-Authenticate"))
            for parameter in challenge.parameters.prefix(16) {
                let name = parameter.name.lowercased()
                let counts = name == "error" || name == "scope" || name == "resource_metadata"
                list.add(
                    place,
                    .init(
                        parameter.value,
                        counts ? name == "scope" ? .set : .value : .remark,
                        elements: name == "scope" ? parameter.value.spaceDelimited : []
                    ),
                    as: .init(aspect: "\(challenge.scheme) \(name)"),
                    weighing: .init(
                        presence: counts ? .difference : .note,
                        value: counts ? .difference : .note
                    )
                )
            }
        }
    }

    // MARK: - Body

    private mutating func addMembers(_ response: RecordedResponse) {
        guard let answer = step.answer ?? pageAnswer else { return }
        let exchange = step.index
        if let json = answer.json {
            let facts = MemberFacts(part: .responseBody, exchange: exchange)
            for member in Self.sorted(json.members).prefix(200) { add(member, facts) }
        } else {
            for parameter in answer.parameters.items {
                add(JSONObject.Member(name: parameter.name, value: .string(parameter.value)), nil)
            }
        }
    }

    /// What went wrong first, then what the answer says itself, then what its tokens say.
    private static func sorted(_ members: [JSONObject.Member]) -> [JSONObject.Member] {
        let rank = { (name: String) in
            name == "error" ? 0 : tokenNames.firstIndex(of: name).map { $0 + 2 } ?? 1
        }
        return members.enumerated().sorted {
            (rank($0.element.name), $0.offset) < (rank($1.element.name), $1.offset)
        }.map(\.element)
    }

    /// Pages of a provider are fed by answers in JSON; only an error among their members is of interest.
    private var pageAnswer: Answer? {
        guard step.kind == .userInteraction, step.isFailed else { return nil }
        return Answer(of: step.exchange, at: step.index)
    }

    private mutating func add(_ member: JSONObject.Member, _ facts: MemberFacts?) {
        let place = place(.responseBody, member.name)
        if Self.tokenNames.contains(member.name), let text = member.value.string {
            list.add(place, .init(text, .volatile, type: "string", isSecret: true))
            if let token = JSONWebToken.parse(text) {
                TokenFacts(step: step, place: place, name: member.name).add(
                    token,
                    to: &list
                )
            } else {
                list.add(place, .init("opaque", .verdict), as: .init(aspect: "form"), weighing: .valueAlone)
            }
            return
        }
        if step.kind == .jwks, member.name == "keys" {
            addKeys(member.value, at: place)
            return
        }
        if member.name == "token_type", let text = member.value.string {
            // Case does not count (RFC 6749, section 5.1).
            list.add(place, .init(text.lowercased(), .verdict, type: "string"))
            return
        }
        // A registration gives out an id and a secret of its own each time (RFC 7591, section 3.2.1).
        if step.kind.isOfRegistration, let text = member.value.string,
            ["client_id", "client_secret", "registration_client_uri"].contains(member.name)
        {
            list.add(place, .init(text, .volatile, type: "string"))
            return
        }
        // `verification_uri_complete` carries the user code (RFC 8628, section 3.3.1).
        if let text = member.value.string,
            NestedURL.add(
                Parameter(name: member.name, value: text, place: place),
                in: .responseBody,
                to: &list
            )
        {
            return
        }
        let facts = facts ?? MemberFacts(part: .responseBody, exchange: step.index)
        facts.add(member.value, called: member.name, to: &list)
    }

    /// Which keys there are changes when they are rotated: whether the right one is among them, the signatures say.
    private mutating func addKeys(_ value: JSONValue, at place: Place) {
        guard let keys = JSONWebKeySet(json: ["keys": value])?.keys else {
            list.add(place, .init(JSONWriter.text(of: value), .verdict, type: value.typeName))
            return
        }
        list.add(place, .init(keys.isEmpty ? "none" : "some", .verdict, type: "array"))
        let kinds = Set(
            keys.map { key in
                [
                    key.type, key.curve, key.json["alg"]?.string, key.json["use"]?.string,
                    key.holdsSecret ? "private" : nil,
                ].compactMap { $0 }.joined(separator: " ")
            }
        )
        list.add(
            place,
            .init(kinds.sorted().joined(separator: ", "), .set, elements: kinds.sorted()),
            as: .init(aspect: "kinds"),
            weighing: .init(presence: nil, value: .note)
        )
        let names = keys.compactMap(\.id)
        list.add(
            place,
            .init(names.joined(separator: " "), .set, elements: names),
            as: .init(aspect: "kid"),
            weighing: .init(presence: nil, value: .note)
        )
    }

    private static let tokenNames = ["id_token", "access_token", "refresh_token"]

    private mutating func addToken(_ response: RecordedResponse) {
        guard let text = response.body?.text, let token = JSONWebToken.parse(text) else { return }
        TokenFacts(step: step, place: place(.responseBody, ""), name: step.kind.rawValue)
            .add(token, to: &list)
    }
}
