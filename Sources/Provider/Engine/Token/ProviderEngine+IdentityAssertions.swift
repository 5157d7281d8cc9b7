import Captures
import JSON

/// Users whom their browser signs in: the identity assertion endpoint of Federated Credential Management.
extension ProviderEngine {
    /// A token of the account that was chosen, for the client and the nonce of the request; nil where no such endpoint is.
    mutating func assertIdentity(_ request: RecordedRequest) -> BuiltAnswer? {
        let there = dialect.identityAssertions.filter { $0.path == request.url.path }
        guard request.method == "POST", !there.isEmpty else { return nil }
        let form = request.sentForm
        let name = form.first("client_id") ?? ""
        guard let client = clients.client(name) else {
            return refuseIdentity("unauthorized_client", "the client \(name) is not known")
        }
        let account = form.first("account_id") ?? ""
        let recordedID = clients.recordedID(client.id)
        let own = there.filter { $0.origin.clientID == recordedID } + there
        let recorded = own.first { $0.accountID == account } ?? own[0]
        guard let user = user(of: account, recorded) else {
            return refuseIdentity("access_denied", "the account \(account) is nobody's here")
        }
        let grant = ProviderState.Grant(
            clientID: client.id,
            user: user,
            scope: "",
            nonce: Self.nonce(in: form),
            signedInAt: now,
            family: context.identifier()
        )
        let token = mint(for: client.id).idToken(
            recorded.token,
            grant,
            origin: recorded.origin,
            isFirst: true
        )
        let members = recorded.answer.members ?? JSONObject()
        var answer = BuiltAnswer(like: recorded.answer)
        answer.content = .tokens(
            members.members.map { member in
                guard member.name == "token", let token else {
                    return .init(member.name, .json(member.value))
                }
                return .init(member.name, token.value, memory: token.memory)
            },
            isForm: false
        )
        return answer
    }

    /// Whose an account is: that of the recorded user, whom a token that says nothing does not name, or one by its `sub`, name or
    /// address.
    private func user(of account: String, _ recorded: ProviderDialect.IdentityAssertion)
        -> ProviderConfiguration.User?
    {
        let isRecorded = account == recorded.accountID
        let subject = isRecorded ? recorded.origin.subject : account
        let users = configuration.users
        return configuration.user(subject: subject)
            ?? users.first { $0.name == account || $0.email == account } ?? (isRecorded ? users.first : nil)
    }

    /// Beside the parameters, or among those that the page gave for the provider alone.
    private static func nonce(in form: QueryItems) -> String? {
        let given = form.first("params").flatMap { try? JSONParser.parse(Array($0.utf8)) }
        return form.first("nonce") ?? given?["nonce"]?.string
    }

    private func refuseIdentity(_ code: String, _ explanation: String) -> BuiltAnswer {
        var answer = BuiltAnswer.json(["error": ["code": .string(code)]], status: 401)
        answer.explanation = explanation
        return answer
    }
}
