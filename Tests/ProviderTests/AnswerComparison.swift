import Captures
import JOSE
import JSON

/// What tells an answer of a recording from the one that was played, as far as it matters to a client.
enum AnswerComparison {
    /// In words; empty where they are the same.
    static func differences(
        _ recorded: RecordedResponse,
        _ played: RecordedResponse,
        played map: (String) -> String?,
        renewed: (String) -> String
    ) -> [String] {
        var found: [String] = []
        if recorded.status != played.status { found.append("status \(recorded.status) → \(played.status)") }
        found += locations(recorded.location, played.location, map)
        let then = recorded.body?.bytes.flatMap { try? JSONParser.parse($0) }?.object
        let today = played.body?.bytes.flatMap { try? JSONParser.parse($0) }?.object
        if let then, then["keys"] == nil {
            guard let today else {
                return found + ["no JSON object: \(played.body?.text?.prefix(200) ?? "")"]
            }
            found += members(then, today, "", renewed)
        } else if recorded.body?.essence == "text/html", played.body?.essence != "text/html" {
            found.append("no page")
        }
        let names = { (response: RecordedResponse) in Set(response.setCookies.map(\.name)) }
        let lost = names(recorded).filter { name in
            !names(played).contains(where: { name.hasSuffix($0) || name.count > 24 && $0.count > 24 })
        }
        if !lost.isEmpty { found.append("cookies \(lost.sorted()) are missing") }
        return found
    }

    /// Whether a difference is one of the answer as a whole: its status, where it leads, its error.
    static func isOutcome(_ difference: String) -> Bool {
        ["status ", "error ", "redirect to", "no redirect", "a redirect"].contains(
            where: difference.hasPrefix
        )
    }

    private static func locations(_ recorded: String?, _ played: String?, _ map: (String) -> String?)
        -> [String]
    {
        guard let recorded else { return played == nil ? [] : ["a redirect to \(played ?? "")"] }
        guard let played else { return ["no redirect"] }
        let (old, new) = (RecordedURL(recorded), RecordedURL(played))
        var found: [String] = []
        let target = map(old.withoutQuery) ?? old.withoutQuery
        if old.authority != nil || old.scheme != nil, target != new.withoutQuery {
            found.append("redirect to \(new.withoutQuery), not \(target)")
        }
        for (then, today) in [(old.queryItems, new.queryItems), (old.fragmentItems, new.fragmentItems)] {
            let names = then.items.map(\.name)
            if names != today.items.map(\.name) {
                found.append("parameters \(names) → \(today.items.map(\.name))")
            }
            if then.first("error") != today.first("error") {
                found.append("error \(today.first("error") ?? "none")")
            }
        }
        return found
    }

    private static func members(
        _ then: JSONObject,
        _ today: JSONObject,
        _ path: String,
        _ renewed: (String) -> String
    )
        -> [String]
    {
        var found: [String] = []
        if then.members.map(\.name) != today.members.map(\.name) {
            found.append("members of \(path) \(then.members.map(\.name)) → \(today.members.map(\.name))")
        }
        for member in then.members {
            guard let other = today[member.name] else { continue }
            let name = path + member.name
            switch (member.value, other) {
            case (.string(let old), .string(let new)): found += texts(old, new, name, renewed)
            case (.number(let old), .number(let new)):
                if ["expires_in", "interval", "refresh_expires_in"].contains(member.name), old != new {
                    found.append("\(name) \(old.text) → \(new.text)")
                }
            case (.object(let old), .object(let new)): found += members(old, new, name + ".", renewed)
            case (.array, .array), (.bool, .bool), (.null, .null): break
            default: found.append("\(name) is of another kind")
            }
        }
        return found
    }

    private static func texts(_ old: String, _ new: String, _ name: String, _ renewed: (String) -> String)
        -> [String]
    {
        guard let then = JSONWebToken.parse(old), then.claims != nil else {
            let isSecret = ["access_token", "refresh_token", "device_code", "user_code", "request_uri"]
                .contains(name)
            if isSecret {
                if old == new { return ["\(name) is the recorded one"] }
                return old.utf8.count == new.utf8.count ? [] : ["\(name) has another length"]
            }
            return ["sub", "error", "name", "token_type", "scope"].contains(name) && renewed(old) != new
                ? ["\(name) \(old) → \(new)"] : []
        }
        guard let today = JSONWebToken.parse(new), let claims = today.claims else {
            return ["\(name) is no token"]
        }
        var found: [String] = []
        if then.algorithm != today.algorithm { found.append("\(name) alg \(today.algorithm ?? "none")") }
        if Set(then.header?.members.map(\.name) ?? []) != Set(today.header?.members.map(\.name) ?? []) {
            found.append("\(name) header \(today.header?.members.map(\.name) ?? [])")
        }
        let old = then.claims ?? JSONObject()
        if old.members.map(\.name) != claims.members.map(\.name) {
            found.append("\(name) claims \(old.members.map(\.name)) → \(claims.members.map(\.name))")
        }
        let moving: Set<String> = [
            "iss", "iat", "exp", "nbf", "auth_time", "nonce", "at_hash", "c_hash", "s_hash", "jti", "sid",
            "cnf",
        ]
        for member in old.members where !moving.contains(member.name) {
            let text = JSONWriter.text(of: member.value)
            if claims[member.name].map({ JSONWriter.text(of: $0) }) != renewed(text) {
                found.append("\(name) claim \(member.name)")
            }
        }
        if let lifetime = then.expiresAt.flatMap({ end in then.issuedAt.map { end - $0 } }),
            lifetime != (today.expiresAt ?? 0) - (today.issuedAt ?? 0)
        {
            found.append("\(name) lives for another time")
        }
        return found
    }
}
