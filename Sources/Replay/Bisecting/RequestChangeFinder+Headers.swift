import Captures
import Flows
import JOSE

/// Headers, access tokens and DPoP proofs.
extension RequestChangeFinder {
    static let skippedHeaders: Set<String> = [
        "authorization", "dpop", "content-type", "accept-encoding", "referer", "priority", "dnt",
        "cache-control", "pragma", "traceparent", "tracestate",
    ]

    mutating func addHeaders(_ both: Counterparts) {
        let isPage = both.mine.kind == .userInteraction
        if !isPage { addProof(both) }
        let (left, right) = (both.own.request.headers, both.other.request.headers)
        let names = (left.fields + right.fields).filter { !HeaderRules.isLeftOut($0) }.reduce(
            into: [String]()
        ) { list, field in
            let name = field.name.lowercased()
            guard !list.contains(name), !Self.skippedHeaders.contains(name) else { return }
            // Of pages what the browser is, and not how it came there.
            if !isPage || Self.isOfBrowser(name) { list.append(name) }
        }
        for name in names.prefix(60) {
            let (from, to) = (left.all(name), right.all(name).map(translator.translated))
            guard from != to, !isOfTracing(from, to), !isSameOrigin(name, from, to) else { continue }
            let spelled =
                (right.fields + left.fields).first { $0.name.equalsIgnoringASCIICase(name) }?.name ?? name
            add(
                both,
                .of(
                    spelled,
                    expected: from.isEmpty ? nil : from.joined(separator: ", "),
                    seen: to.isEmpty ? nil : to.joined(separator: ", "),
                    at: Place(exchange: both.theirs.index, part: .requestHeader, name: spelled),
                    aspect: "header"
                ),
                [.header(exchange: both.mine.index, name: spelled, values: to)]
            )
        }
        if !both.own.takesClientAuthentication, !isPage { addToken(both) }
    }

    static func isOfBrowser(_ name: String) -> Bool {
        name == "user-agent" || name == "accept-language" || name.hasPrefix("sec-ch-")
    }

    /// Numbers by which a request is found again in a log.
    func isOfTracing(_ from: [String], _ to: [String]) -> Bool {
        !from.isEmpty && from.count == to.count && (from + to).allSatisfy(ValueShape.looksRandom)
    }

    func isSameOrigin(_ name: String, _ from: [String], _ to: [String]) -> Bool {
        guard name == "origin", let from = from.first, let to = to.first else { return false }
        return isSame(from, to, named: name)
    }

    /// `Authorization` of a request with a token: its scheme, and whether it is there.
    mutating func addToken(_ both: Counterparts) {
        guard !isGiven("access_token") else { return }
        let (left, right) = (
            both.own.request.headers.first("authorization"),
            both.other.request.headers.first("authorization").map(translator.translated)
        )
        guard left != right else { return }
        let words = [left, right].map { $0?.split(separator: " ", maxSplits: 1).map(String.init) ?? [] }
        let isScheme = words[0].count == 2 && words[1].count == 2 && words[0][1] == words[1][1]
        let place = Place(exchange: both.theirs.index, part: .requestHeader, name: "Authorization")
        add(
            both,
            isScheme
                ? .of(
                    "Authorization",
                    expected: nil,
                    seen: nil,
                    at: place,
                    aspect: "scheme",
                    note: "\(words[1][0]) instead of \(words[0][0])"
                ) : .of("Authorization", expected: left, seen: right, at: place),
            [.header(exchange: both.mine.index, name: "Authorization", values: right.map { [$0] } ?? [])]
        )
    }

    /// The proof of possession (RFC 9449): there or not, and what it says.
    mutating func addProof(_ both: Counterparts) {
        let (left, right) = (both.own.request.headers.first("dpop"), both.other.request.headers.first("dpop"))
        let tokens = (left.flatMap(JSONWebToken.parse), right.flatMap(JSONWebToken.parse))
        if let mineToken = tokens.0, let theirToken = tokens.1 {
            return compareTokens(mineToken, theirToken, named: "DPoP", isHeader: true, both)
        }
        guard left != right else { return }
        let text =
            tokens.1.flatMap { translator.translated($0, from: both.theirs.index, to: both.mine.index)?.text }
            ?? right
        add(
            both,
            .of(
                "DPoP",
                expected: left.map { _ in "a proof" },
                seen: right.map { _ in tokens.1 == nil ? "no token" : "a proof" },
                at: Place(exchange: both.theirs.index, part: .requestHeader, name: "DPoP"),
                note: right == nil ? "is missing" : left == nil ? "is new" : "is no token"
            ),
            [.header(exchange: both.mine.index, name: "DPoP", values: text.map { [$0] } ?? [])]
        )
    }
}
