import Captures
import JOSE
import JSON
import OAuth

/// Finds the way of each value through a flow.
///
/// One table of values; linear in the occurrences.
enum LinkFinder {
    /// Parameters whose value is never made up for one login: an equal one somewhere else is no link.
    private static let commonNames: Set<String> = [
        "response_type", "response_mode", "grant_type", "scope", "client_id", "redirect_uri", "prompt",
        "display", "iss", "aud", "issuer",
        "code_challenge_method", "token_type", "resource", "audience", "login_hint", "ui_locales",
        "acr_values", "acr", "typ", "alg", "error",
        "post_logout_redirect_uri", "sub", "claims", "max_age", "realm",
    ]

    /// Parameters that are linked however short their value is.
    private static let protocolNames: Set<String> = [
        "state", "nonce", "code", "access_token", "refresh_token", "id_token", "id_token_hint", "request_uri",
        "device_code", "code_verifier",
        "code_challenge", "session_state", "client_secret", "user_code", "sid",
        "registration_access_token", "auth_req_id",
    ]

    static func links(of flow: FlowBuilder, in index: CaptureIndex) -> [Link] {
        // Documents that every login of an issuer shares hold no value of one login.
        let exchanges = index.inOrder(flow.exchanges.filter { index.messages[$0]?.isPublished != true })
        let table = values(in: exchanges, of: flow, index)
        let links =
            equalValues(in: table, index.capture) + RegistrationLinks.links(of: flow, in: index)
            + challenges(flow, in: index) + HashLinks.links(of: flow, in: index) + parts(table)
        let position = Dictionary(uniqueKeysWithValues: exchanges.enumerated().map { ($1, $0) })
        return links.enumerated().sorted { left, right in
            let key = { (link: Link) in position[link.origin.place.exchange ?? -1] ?? 0 }
            return (key(left.element), left.offset) < (key(right.element), right.offset)
        }.map(\.element)
    }

    /// The values of a flow that may link one place to another.
    private struct ValueTable {
        /// In the order in which they are met.
        private(set) var values: [ByteText] = []
        private var occurrences: [ByteText: [Occurrence]] = [:]
        /// Those in cookies, which may carry a value beside something else.
        private(set) var cookies: [Occurrence] = []

        subscript(value: ByteText) -> [Occurrence]? { occurrences[value] }

        mutating func insert(_ occurrence: Occurrence, of value: ByteText) {
            switch occurrence.place.part {
            case .requestCookie, .responseHeader: cookies.append(occurrence)
            default: break
            }
            if occurrences[value] == nil { values.append(value) }
            occurrences[value, default: []].append(occurrence)
        }
    }

    private static func values(in exchanges: [Int], of flow: FlowBuilder, _ index: CaptureIndex) -> ValueTable
    {
        let registered = Set(index.registrations.map(\.exchange)).intersection(flow.exchanges)
        // Part of the provider's addresses, and in each request to them.
        let fixed = Set(
            flow.messages.flatMap { $0.endpoint?.queryItems.items.map { ByteText($0.value) } ?? [] }
        )
        let brought = Dictionary(grouping: broughtValues(flow.responses)) { $0.place.exchange ?? -1 }
        var table = ValueTable()
        var collector = OccurrenceCollector(in: index)
        for exchange in exchanges {
            let found = collector.occurrences(in: index.capture[exchange], at: exchange)
            for occurrence in found + (brought[exchange] ?? []) {
                let isIssued = registered.contains(exchange) && occurrence.name == "client_id"
                let value = ByteText(occurrence.value)
                guard !fixed.contains(value), table[value] != nil || isIssued || mayTravel(occurrence) else {
                    continue
                }
                table.insert(occurrence, of: value)
            }
        }
        return table
    }

    /// What stands in an address of an app's own scheme, in a page or in JSON: none of its fields or members.
    private static func broughtValues(_ responses: [AuthorizationResponse]) -> [Occurrence] {
        responses.filter { $0.mode == .query || $0.mode == .fragment }.flatMap(\.parameters.items)
            .filter { $0.place.part == .responseBody }
            .map { Occurrence(place: $0.place, value: $0.value, rawValue: $0.rawValue) }
    }

    /// Values that stand at several places, then those that are another's in another spelling.
    private static func equalValues(in table: ValueTable, _ capture: Capture) -> [Link] {
        var links: [Link] = []
        var respelled: [Link] = []
        for value in table.values {
            guard let occurrences = table[value], !occurrences.isEmpty else { continue }
            let made = maker(among: occurrences, in: capture)
            let origin = occurrences[made]
            let uses = occurrences[..<made] + occurrences[(made + 1)...].filter { $0.place != origin.place }
            if !uses.isEmpty {
                links.append(Link(name: origin.name, origin: origin, uses: Array(uses), transform: .equal))
            } else if let link = respelling(of: origin, in: table) {
                respelled.append(link)
            }
        }
        return links + respelled
    }

    /// Which of a value's occurrences is the first: not the one in the answer of a server that had asked another for it meanwhile,
    /// although that exchange began earlier, but the one in the other's answer.
    private static func maker(among occurrences: [Occurrence], in capture: Capture) -> Int {
        guard let told = answer(occurrences[0], in: capture) else { return 0 }
        return occurrences.prefix(mostOccurrences).indices.dropFirst().first { place in
            guard let asked = answer(occurrences[place], in: capture) else { return false }
            return asked.startedAt > told.startedAt && asked.endedAt < told.endedAt
        } ?? 0
    }

    /// The exchange in whose answer a value stands; nil where it stands in a request, or a token, which may be in either.
    private static func answer(_ occurrence: Occurrence, in capture: Capture) -> Exchange? {
        switch occurrence.place.part {
        case .responseBody, .responseLocation: occurrence.place.exchange.map { capture[$0] }
        default: nil
        }
    }

    /// Of a value that is sent with every request the first ones tell where it was made.
    private static let mostOccurrences = 20

    private static func mayTravel(_ occurrence: Occurrence) -> Bool {
        let value = occurrence.value
        let length = value.utf8.count
        guard length >= 2, length <= 1 << 20, !commonNames.contains(occurrence.name) else { return false }
        if protocolNames.contains(occurrence.name) { return !Placeholder.isOne(value) }
        // What was made up for one login is long, has digits or letters in no order, and is no address or sentence.
        guard length >= 12,
            value.utf8.contains(where: { $0.isASCIIDigit }) || LetterCase.isOfNoWord(value)
        else { return false }
        return !value.utf8.contains(0x20) && RecordedURL(value).authority == nil && !Placeholder.isOne(value)
    }

    /// The same value in another spelling: percent-encoded once more, or inside base64url.
    private static func respelling(of occurrence: Occurrence, in table: ValueTable) -> Link? {
        if occurrence.value.utf8.contains(0x25) {
            let decoded = PercentEncoding.decode(occurrence.value)
            if decoded != occurrence.value, let origin = table[ByteText(decoded)]?.first {
                return Link(name: origin.name, origin: origin, uses: [occurrence], transform: .percent)
            }
        }
        guard occurrence.value.utf8.count >= 12, let bytes = Base64URL.decode(occurrence.value),
            let text = String(validating: bytes, as: UTF8.self), text != occurrence.value,
            let origin = table[ByteText(text)]?.first
        else { return nil }
        return Link(name: origin.name, origin: origin, uses: [occurrence], transform: .base64url)
    }

    private static func challenges(_ flow: FlowBuilder, in index: CaptureIndex) -> [Link] {
        let challenges = ChallengeLinks(of: flow, in: index)
        return flow.messages.flatMap { message -> [Link] in
            if case .token(let request) = message { challenges.links(from: request) } else { [] }
        }
    }

    /// Cookies that carry a known value beside something else (`state|signature`).
    private static func parts(_ table: ValueTable) -> [Link] {
        var links: [Link] = []
        for cookie in table.cookies where cookie.value.utf8.count < 8192 {
            let pieces = PercentEncoding.decode(cookie.value).utf8.split { "|.:,;&=\"{} ".utf8.contains($0) }
                .map { ByteText(String(Substring($0))) }
            guard pieces.count > 1 else { continue }
            var met: Set<ByteText> = []
            for piece in pieces where piece.text.utf8.count >= 8 && piece.text != cookie.value {
                guard met.insert(piece).inserted, let origin = table[piece]?.first,
                    origin.place != cookie.place
                else { continue }
                links.append(Link(name: origin.name, origin: origin, uses: [cookie], transform: .part))
            }
        }
        return links.sorted {
            ($0.name, $0.uses[0].place.exchange ?? 0) < ($1.name, $1.uses[0].place.exchange ?? 0)
        }
    }
}
