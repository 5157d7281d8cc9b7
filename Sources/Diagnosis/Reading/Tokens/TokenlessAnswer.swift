import Captures
import Flows
import JSON
import OAuth

/// An answer of success to a token request that has neither a token nor an error, at its top at least: its names are the provider's own.
struct TokenlessAnswer {
    let evidence: Evidence
    /// Whether it has any members at all.
    let hasMembers: Bool

    /// Nil of any other answer.
    init?(to request: TokenRequest) {
        guard let names = Self.names(in: request.answer) else { return nil }
        hasMembers = !names.isEmpty
        evidence = Evidence(
            place: request.answer.place("access_token"),
            value: "missing",
            note: "the answer has \(Masking.shown(names, of: "members"))"
        )
    }

    /// The one by which an app that refused its callback was answered.
    init?(to callback: RejectedCallback, in flow: Flow) {
        guard
            let request = flow.receivedCodes.exchanges(of: callback.response).last(where: \.answer.isSuccess)
        else { return nil }
        self.init(to: request)
    }

    private static func names(in answer: Answer) -> String? {
        guard answer.isSuccess, let object = answer.json, object["id_token"] == nil,
            object["access_token"] == nil,
            // Slack's answer for a user, and IndieAuth's for a name alone.
            object["authed_user"] == nil, object["me"] == nil,
            // By another name that is known (AWS).
            !answer.parameters.contains("access_token")
        else { return nil }
        // Where the tokens are inside of a member, the others are no error.
        let nest = object.members.first {
            if case .object(let inner) = $0.value { inner["access_token"] != nil } else { false }
        }
        guard
            nest != nil || answer.status == 200 && saysSuccess(object)
                || !object.members.contains(where: { ofErrors.contains($0.name.lowercased()) })
        else { return nil }
        return object.members.prefix(20).map(\.name).joined(separator: ", ")
            + (nest.map { "; \($0.name) has an access_token" } ?? "")
    }

    /// Whether the members that tell of errors elsewhere say that there is none, as `{"code":0,"message":"ok"}`.
    private static func saysSuccess(_ object: JSONObject) -> Bool {
        let told = object.members.filter { ["code", "status", "errcode"].contains($0.name.lowercased()) }
        return !told.isEmpty
            && told.allSatisfy { member in
                member.value.double == 0 || member.value.double == 200
                    || ["0", "200", "ok", "success"].contains(member.value.string?.lowercased() ?? "")
            }
    }

    /// Members of an error in words of the provider's own.
    private static let ofErrors: Set<String> = [
        "errcode", "errmsg", "error_code", "error_msg", "err", "errors", "message", "msg", "code", "status",
        "success", "ok", "data",
    ]

    // MARK: - Words

    /// Of an app that refused the login over it.
    static let explanation = """
        The provider answered the code with 200 and JSON, but with no member that is named access_token (RFC 6749, section 5.1). Libraries read that \
        name alone, so the app has no token and refuses the login.
        """
    static let fix = """
        Have the provider name its members access_token, token_type and expires_in at the top of the answer; until then the app has to read this \
        provider's own names before its library sees the answer. See also that the app asks the token endpoint and not another one beside it.
        """
}
