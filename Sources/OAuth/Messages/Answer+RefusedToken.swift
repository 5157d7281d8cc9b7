import JSON

extension Answer {
    /// Whether an API refused the token in an answer that says success by its status: the refusal stands in the JSON alone.
    ///
    /// In the words of RFC 6750 (section 3.1) and of Slack, in the code of GraphQL servers, as the status that it would have
    /// been, and in the numbers of Snowflake's sessions.
    package var refusesTokenWithin: Bool {
        guard let status, (200..<300).contains(status), let json else { return false }
        if let error = json["error"]?.string {
            if error == "invalid_token" { return true }
            if json["ok"]?.bool == false { return Self.slacks.contains(error) }
        }
        if let errors = json["errors"]?.array {
            return errors.prefix(8).contains { error in
                error.object?["extensions"]?.object?["code"]?.string == "UNAUTHENTICATED"
            }
        }
        if json["success"]?.bool == false, let code = json["code"]?.string {
            return code.utf8.count == 6 && code.hasPrefix("3903")
        }
        return json["data"]?.object == nil && json["data"]?.array == nil
            && ["code", "status", "statusCode", "errcode"].contains {
                json[$0]?.int == 401 || json[$0]?.string == "401"
            }
    }

    private static let slacks: Set<String> = [
        "invalid_auth", "not_authed", "token_expired", "token_revoked", "account_inactive",
    ]
}
