import Captures
import Flows
import JSON
import OAuth

/// Follows values through a flow by what they are, whatever they are called: a `state` that comes back, a client's id
/// that is an ID token's audience.
struct RelationFinder {
    private struct Known {
        var value: String
        /// The kinds of steps that it came in, the first one in front.
        var sources: [String]

        var source: String { sources.first ?? "" }
    }

    private var families: [String: [Known]] = [:]
    /// By name and value, the kind of step that had it first.
    private var parameters: [String: [ByteText: String]] = [:]

    /// More values of one family are no login's.
    private static let limit = 256

    mutating func relate(_ facts: inout [Fact], of step: ComparedStep) {
        for index in facts.indices {
            let value = facts[index].value
            guard !value.isEmpty else { continue }
            guard let family = Self.family(of: facts[index]) else {
                noteEcho(&facts[index], in: step)
                continue
            }
            remember(value, of: facts[index].key.name, in: step)
            let known = families[family] ?? []
            if facts[index].key.name == RequestFacts.targetName {
                // What a response goes to is no source, and has lost the query of what was asked for.
                if let same = known.first(where: { value.equalsBytes(of: RecordedURL($0.value).withoutQuery) }
                ) {
                    facts[index].relation = .repeats(value, of: same.sources)
                } else if let last = known.last {
                    facts[index].relation = .differs(
                        from: RecordedURL(last.value).withoutQuery,
                        of: last.source
                    )
                }
                continue
            }
            if let place = known.firstIndex(where: { $0.value.equalsBytes(of: value) }) {
                facts[index].relation = .repeats(known[place].value, of: known[place].sources)
                noteIssue(of: facts[index], at: place, in: family, step)
                continue
            }
            if let last = known.last { facts[index].relation = .differs(from: last.value, of: last.source) }
            guard known.count < Self.limit else { continue }
            families[family, default: []].append(Known(value: value, sources: [step.kind.rawValue]))
        }
    }

    /// Remembers that an ID token was issued once more: signed twice within one second it is the same one.
    private mutating func noteIssue(of fact: Fact, at place: Int, in family: String, _ step: ComparedStep) {
        let kind = step.kind.rawValue
        guard family == "id_token", fact.place.part == .responseBody,
            families[family]?[place].sources.contains(kind) == false
        else { return }
        families[family]?[place].sources.append(kind)
    }

    /// Pages and answers say again what they were asked, whatever it means: `scope`, `ui_locales`.
    private mutating func noteEcho(_ fact: inout Fact, in step: ComparedStep) {
        guard fact.key.aspect.isEmpty, [.value, .set, .url, .volatile].contains(fact.treatment),
            fact.place.part != .requestURL, fact.place.part != .requestCookie
        else { return }
        let name = Self.leaf(fact.key.name)
        if let source = parameters[name]?[ByteText(fact.value)] {
            fact.relation = .echoes(of: source)
        } else {
            remember(fact.value, of: name, in: step)
        }
    }

    private mutating func remember(_ value: String, of name: String, in step: ComparedStep) {
        guard value.utf8.count < 1 << 14, parameters[name, default: [:]].count < Self.limit,
            parameters[name]?[ByteText(value)] == nil
        else { return }
        parameters[name, default: [:]][ByteText(value)] = step.kind.rawValue
    }

    /// The last part of `callback_url?scope` or `realm_access.roles`.
    private static func leaf(_ name: String) -> String {
        name.split(whereSeparator: { $0 == "?" || $0 == "." }).last.map(String.init) ?? ""
    }

    private static func family(of fact: Fact) -> String? {
        guard fact.key.aspect.isEmpty, !fact.key.name.utf8.contains(0x3f) else { return nil }
        let name = fact.key.name
        switch fact.key.token {
        case "DPoP":
            return name == "nonce" ? "dpop_nonce" : nil
        case "client_assertion":
            return ["iss", "sub"].contains(name) ? "client" : nil
        case "request": return families[name]
        case "" where name == RequestFacts.targetName: return "redirect_uri"
        case "access_token":
            // Its audience and subject are the resource's affair.
            return ["iss", "client_id"].contains(name) ? families[name] : nil
        default: return families[name]
        }
    }

    private static let families: [String: String] = [
        "state": "state", "nonce": "nonce", "code": "code", "redirect_uri": "redirect_uri",
        "client_secret": "client_secret", "client_id": "client", "azp": "client", "aud": "client",
        "iss": "issuer", "issuer": "issuer",
        "access_token": "access_token", "refresh_token": "refresh_token",
        "id_token": "id_token", "id_token_hint": "id_token",
        "sub": "sub", "sid": "sid", "request_uri": "request_uri", "device_code": "device_code",
        "user_code": "user_code",
    ]
}
