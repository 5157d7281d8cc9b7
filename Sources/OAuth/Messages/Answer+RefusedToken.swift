import Captures
import JSON

extension Answer {
    /// Whether an API refused the token in an answer that says success by its status: the refusal stands in the JSON alone.
    ///
    /// In the words of RFC 6750 (section 3.1) and of Slack, in the codes of GraphQL servers, as the status that it would have
    /// been, and in the sentences of Snowflake's sessions. An answer that brings something besides refused nothing.
    package var refusesTokenWithin: Bool {
        guard let status, (200..<300).contains(status), let json else { return false }
        if let error = json["error"]?.string {
            if error == "invalid_token" { return !json.members.contains(where: Self.isContent) }
            if json["ok"]?.bool == false { return Self.slacks.contains(error) }
        }
        if json["success"]?.bool == false, let message = json["message"]?.string?.asciiLowercased(),
            Self.snowflakes.contains(where: message.containsBytes)
        {
            return true
        }
        return Self.isUnauthenticated(json) || Self.isUnauthorized(json)
    }

    /// Whether a member is what was asked for, as what is known of another token (RFC 7662, section 2.2): no words of a refusal.
    private static func isContent(_ member: JSONObject.Member) -> Bool {
        if words.contains(member.name) { return false }
        return switch member.value {
        case .array, .object: !isEmpty(member.value)
        default: member.name == "active"
        }
    }

    /// GraphQL servers resolve the rest of a query for whom they know.
    private static func isUnauthenticated(_ json: JSONObject) -> Bool {
        guard let errors = json["errors"]?.array, isEmpty(json["data"]) else { return false }
        return errors.prefix(8).contains { error in
            error.object?["extensions"]?.object?["code"]?.string.map(graphQLCodes.contains) ?? false
        }
    }

    /// Apollo's, and Hasura's for a token that does not verify, or lacks the claims that it goes by.
    private static let graphQLCodes: Set<String> = [
        "UNAUTHENTICATED", "invalid-jwt", "jwt-invalid-claims", "jwt-missing-role-claims",
    ]

    /// Whether it is nothing but the envelope of an error, with 401 and words: goods, rooms and checked sites have such numbers, too.
    private static func isUnauthorized(_ json: JSONObject) -> Bool {
        guard json.members.count <= mostMembers,
            ["code", "status", "statusCode", "errcode"].contains(where: {
                json[$0]?.int == 401 || json[$0]?.string == "401"
            })
        else { return false }
        return json.members.contains { words.contains($0.name) && !isEmpty($0.value) }
            && json.members.allSatisfy { member in
                words.contains(member.name) || envelope.contains(member.name) || isEmpty(member.value)
            }
    }

    /// Whether a member brings nothing, as `{"me":null}`.
    private static func isEmpty(_ value: JSONValue?) -> Bool {
        switch value {
        case nil, .null?: true
        case .string(let text)?: text.isEmpty
        case .array(let elements)?: elements.isEmpty
        case .object(let object)?: object.members.allSatisfy { $0.value == .null }
        default: false
        }
    }

    private static let mostMembers = 16

    /// Members in which APIs say what is wrong.
    private static let words: Set<String> = [
        "message", "msg", "errmsg", "errMsg", "errorMessage", "error", "error_description", "errors",
        "reason", "detail",
    ]

    /// What stands beside them in an answer that has nothing else to say.
    private static let envelope: Set<String> = [
        "code", "status", "statusCode", "errcode", "success", "ok", "type", "title", "timestamp", "time",
        "path", "method", "instance", "requestId", "request_id", "traceId",
        "trace_id",
    ]

    /// The second where the user whom the driver names is another one than the token's.
    private static let snowflakes = ["oauth access token", "user tied to the access token"]

    private static let slacks: Set<String> = [
        "invalid_auth", "not_authed", "token_expired", "token_revoked", "account_inactive",
    ]
}
