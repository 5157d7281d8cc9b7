package import Captures
import JSON
package import OAuth

/// What an API says to a token that is good and lacks a scope (RFC 6750, section 3.1), in the specification's words or its own.
package struct ScopeRefusal: Sendable {
    /// What is needed, or one of which is, where the API names it.
    package var needed: Parameter?
    /// What the token has, where the API names it.
    package var granted: Parameter?

    /// Nil where the answer says nothing of the kind.
    package init?(_ answer: Answer, in capture: Capture) {
        guard let response = capture[answer.exchange].response else { return nil }
        switch response.status {
        // Slack answers with 200 and `ok` false.
        case 200:
            guard let error = answer.error?.error.asciiLowercased(), Self.names.contains(error),
                answer.json?["ok"]?.bool == false
            else { return nil }
        case 401, 403:
            guard
                Self.isNamed(answer, response.headers) || Self.isTold(answer, response)
                    || Self.isMissing(in: response.headers)
            else { return nil }
        default: return nil
        }
        needed = Self.needed(answer, response.headers)
        granted =
            answer.parameters.parameter("provided")
            ?? Self.parameter(response.headers, Self.grantedHeader, answer.exchange)
    }

    // MARK: - Ways of saying so

    private static let names: Set<String> = ["insufficient_scope", "missing_scope"]

    private static func isNamed(_ answer: Answer, _ headers: HeaderFields) -> Bool {
        if let error = answer.error?.error.asciiLowercased(), names.contains(error) { return true }
        // Facebook's challenge has values without names.
        return headers.all("www-authenticate").contains { $0.containsBytes("insufficient_scope") }
    }

    /// GitHub tells with each answer what the token may do, and which scopes would do for the call.
    ///
    /// It says so of refusals for the load as well, and of what is not there, with 404.
    private static func isMissing(in headers: HeaderFields) -> Bool {
        guard headers.first("x-ratelimit-remaining") != "0", !headers.contains("retry-after") else {
            return false
        }
        guard let granted = headers.first(grantedHeader), let accepted = headers.first(acceptedHeader) else {
            return false
        }
        let enough = scopes(in: accepted)
        return !enough.isEmpty && enough.isDisjoint(with: scopes(in: granted))
    }

    private static func scopes(in header: String) -> Set<Substring> {
        Set(header.split { $0 == "," || $0 == " " })
    }

    private static let grantedHeader = "X-OAuth-Scopes"
    private static let acceptedHeader = "X-Accepted-OAuth-Scopes"

    /// Without a challenge, in the JSON of an API.
    private static func isTold(_ answer: Answer, _ response: RecordedResponse) -> Bool {
        guard response.body?.essence?.hasSuffix("json") == true, let bytes = response.body?.bytes else {
            return false
        }
        let text = String(decoding: bytes.prefix(limit), as: UTF8.self).asciiLowercased()
        return words.contains(where: text.containsBytes)
            || needs.contains(where: text.containsBytes) && text.containsBytes("scope")
            // Strava: the field is the scope with `_permission`.
            || text.containsBytes("_permission\"") && text.containsBytes("\"missing\"")
    }

    private static let limit = 4096

    /// In lower case: Dropbox, HubSpot, Google, Spotify, Zoom, Atlassian, and what frameworks say.
    private static let words = [
        "\"missing_scope", "access_token_scope_insufficient", "insufficient authentication scope",
        "insufficient client scope", "scope validation failed", "insufficient scope",
        "insufficient oauth scope", "missing scope",
        "not contain scopes:", "scope does not match", "scopes do not match", "missing required scope",
        "granted all required scopes", "missing the required scope", "lacks the required scope",
        "not have the required scope", "does not have scope", "lacks scope", "lacks the scope",
    ]
    private static let needs = ["requires merchant approval for"]

    // MARK: - The scope

    private static func needed(_ answer: Answer, _ headers: HeaderFields) -> Parameter? {
        let challenge = AuthenticationChallenge.all(in: headers).lazy.compactMap { $0["scope"] }.first
        if let challenge {
            return Parameter(
                name: "WWW-Authenticate",
                value: challenge,
                place: Place(exchange: answer.exchange, part: .responseHeader, name: "WWW-Authenticate")
            )
        }
        return answer.parameters.parameter("needed") ?? parameter(headers, acceptedHeader, answer.exchange)
    }

    private static func parameter(_ headers: HeaderFields, _ name: String, _ exchange: Int) -> Parameter? {
        headers.first(name).flatMap { value in
            value.isEmpty
                ? nil
                : Parameter(
                    name: name,
                    value: value,
                    place: Place(exchange: exchange, part: .responseHeader, name: name)
                )
        }
    }
}
