import Captures
import JOSE
import JSON
import OAuth

/// Fills the members of a recorded answer or token with what belongs to the login at hand.
///
/// Names and order stay as they were recorded, values that belong to nobody in particular, too.
struct ClaimFiller {
    let origin: RecordedOrigin
    let grant: ProviderState.Grant
    let issuer: String
    let now: Timestamp
    let addresses: AddressMap
    let random: @Sendable (Int) -> [UInt8]
    /// The token that others speak of: its times are theirs.
    var token: ProviderState.AccessToken?

    func filled(_ object: JSONObject) -> JSONObject {
        JSONObject(
            object.members.map { JSONObject.Member(name: $0.name, value: value(of: $0.name, $0.value)) }
        )
    }

    private func value(of name: String, _ recorded: JSONValue) -> JSONValue {
        if let time = time(name, recorded) ?? end(name, recorded) { return time }
        switch name {
        case "iss": return .string(issuer(like: recorded.string ?? ""))
        case "jti", "uti", "origin_jti", "event_id":
            if let identifier = token?.identifier, name == "jti" { return .string(identifier) }
            return recorded.string.map { .string(ValueTemplate(like: $0).make(random)) } ?? recorded
        case "cnf" where recorded["jkt"] != nil:
            return grant.boundKey.map { ["jkt": .string($0)] } ?? recorded
        case "acr":
            guard let asked = grant.acrValues, let value = recorded.string,
                origin.acrValues?.spaceDelimited.contains(value) ?? false
            else { return recorded }
            let names = asked.spaceDelimited
            return names.contains(value) ? recorded : names.first.map { .string($0) } ?? recorded
        case "scope", "scp": return scope(recorded)
        case "sub": return .string(subject(recorded))
        default: break
        }
        if let user = grant.user, user.subject != origin.subject, let own = user.claims[name] { return own }
        return mapped(recorded)
    }

    /// Where a recorded issuer is played; one of the provider that was told by http, or by https, as well.
    private func issuer(like recorded: String) -> String {
        guard !recorded.isEmpty else { return issuer }
        let url = RecordedURL(recorded)
        let twin = url.scheme.map { ($0 == "http" ? "https" : "http") + recorded.dropFirst($0.count) }
        return addresses.played(recorded) ?? (url.isWeb ? twin.flatMap(addresses.played) : nil) ?? recorded
    }

    /// Times move with the login; nil for members that are none.
    private func time(_ name: String, _ recorded: JSONValue) -> JSONValue? {
        // Some write fractions (RFC 7519, section 2: NumericDate).
        let fraction = recorded.int == nil ? recorded.double.map { $0 - $0.rounded(.down) } : nil
        guard let seconds = recorded.int ?? recorded.double.flatMap({ Int64(exactly: $0.rounded(.down)) })
        else {
            return nil
        }
        let start = token?.issuedAt ?? now
        switch name {
        case "iat", "nbf", "exp":
            let moved = start.seconds &+ (seconds &- origin.issuedAt)
            return .number(fraction.map { JSONNumber(Double(moved) + $0) } ?? JSONNumber(moved))
        // Some providers say 0 where they do not know.
        case "auth_time": return seconds == 0 ? 0 : JSONValue(grant.signedInAt.seconds)
        default: return nil
        }
    }

    /// Beginning and end of what an answer brings, as providers write them beside `expires_in`: a number or its text, in seconds or
    /// milliseconds, or a date (RFC 3339); nil for members that are none.
    private func end(_ name: String, _ recorded: JSONValue) -> JSONValue? {
        guard Self.ends.contains(name) else { return nil }
        if let text = recorded.string, let date = Timestamp(rfc3339: text) {
            let moved = (token?.issuedAt ?? now) + (date - Timestamp(seconds: origin.issuedAt))
            return .string(moved.spelled(like: text))
        }
        guard let value = recorded.int ?? recorded.string.flatMap({ Int64($0) }),
            // Less is a span, or says that there is no end.
            value > 100_000_000
        else { return nil }
        let unit: Int64 = value > 100_000_000_000 ? 1000 : 1
        let start = (token?.issuedAt ?? now).seconds
        let moved = start &* unit &+ (value &- origin.issuedAt &* unit)
        return recorded.string == nil ? JSONValue(moved) : .string(String(moved))
    }

    private static let ends: Set<String> = ["expires_on", "expires_at", "not_before"]

    private func scope(_ recorded: JSONValue) -> JSONValue {
        // As the provider writes it, where it is the same.
        if grant.scope == origin.grantedScope, !grant.scope.isEmpty { return recorded }
        switch recorded {
        case .array: return .array(grant.scope.spaceDelimited.map { .string($0) })
        case .string: return .string(grant.scope)
        default: return recorded
        }
    }

    private func subject(_ recorded: JSONValue) -> String {
        // Clients that act for themselves are their own subject (RFC 9068, section 2.2).
        guard let user = grant.user else {
            return recorded.string.map { $0 == origin.clientID ? grant.clientID : $0 } ?? grant.clientID
        }
        // Somebody's name may be another one for each client, or at each resource.
        if user.subject == origin.subject, let recorded = recorded.string { return recorded }
        return user.subject
    }

    /// Strings that name the recorded login, anywhere inside.
    private func mapped(_ value: JSONValue) -> JSONValue {
        switch value {
        case .string(let text): return .string(mapped(text))
        case .array(let elements): return .array(elements.map(mapped))
        case .object(let object):
            return .object(
                JSONObject(object.members.map { JSONObject.Member(name: $0.name, value: mapped($0.value)) })
            )
        default: return value
        }
    }

    private func mapped(_ text: String) -> String {
        if text == origin.clientID { return grant.clientID }
        if !text.isEmpty, text == origin.scope { return grant.scope }
        if let user = grant.user, user.subject != origin.subject {
            if text == origin.subject { return user.subject }
            if text == origin.userName { return user.name }
        }
        if let resource = grant.resource, text == origin.resource { return resource }
        return grant.values[text] ?? addresses.rewritten(text)
    }
}
