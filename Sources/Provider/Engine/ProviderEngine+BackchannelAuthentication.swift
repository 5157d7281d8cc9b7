import Captures
import JOSE
import JSON
import OAuth

/// Users that a client asks for and that decide on a device of their own (OpenID Connect CIBA).
///
/// That device is not played: whoever is asked agrees while the client polls. Nobody is notified (sections 10.2 and 10.3).
extension ProviderEngine {
    /// Parameters that say who is meant, of which a request has one (section 7.1).
    static let userHints = ["login_hint", "id_token_hint", "login_hint_token"]

    /// By which a client registers how it signs its requests (section 4).
    private static let requestAlgorithm = "backchannel_authentication_request_signing_alg"

    mutating func authenticateElsewhere(_ form: QueryItems, _ request: RecordedRequest) -> BuiltAnswer {
        let client: ProviderConfiguration.Client
        do throws(Refused) {
            client = try authenticate(form, request, at: .backchannelAuthentication)
        } catch {
            return error.answer
        }
        var parameters = form.items.map { (name: $0.name, value: $0.value) }
        if let text = form.first("request") {
            // Section 7.1.1: whatever is not signed does not count.
            do throws(RequestObjectFlaw) {
                parameters = try requestObject(text, client, algorithmName: Self.requestAlgorithm)
            } catch {
                return refuse(.requestObjectInvalid, at: .backchannelAuthentication, error.words)
            }
        }
        let scope = parameters.first { $0.name == "scope" }?.value ?? ""
        if dialect.checksOpenIDRequests, !scope.split(separator: " ").contains("openid") {
            return refuse(.openIDMissing, at: .backchannelAuthentication)
        }
        let hints = parameters.filter { Self.userHints.contains($0.name) && !$0.value.isEmpty }
        guard hints.count == 1 else {
            let names = Self.userHints.joined(separator: ", ")
            let words = "the request has \(hints.count) of \(names), where one is wanted"
            return refuse(.parameterMissing, at: .backchannelAuthentication, words)
        }
        if hints[0].name == "id_token_hint", isForgedHint(hints[0].value) {
            let words = "the id_token_hint was not issued here"
            return refuse(.userUnknown, at: .backchannelAuthentication, words)
        }
        guard let user = user(hintedBy: hints[0].value) else {
            return refuse(.userUnknown, at: .backchannelAuthentication)
        }
        let template = dialect.backchannelAuthentication
        var members = template?.members ?? ["auth_req_id": "", "expires_in": 120, "interval": 5]
        let name = fresh("auth_req_id")
        let recorded = members["auth_req_id"]?.string ?? ""
        state.backchannelRequests[name] = ProviderState.DeviceGrant(
            clientID: client.id,
            scope: dialect.granted(scope),
            expiresAt: now + .seconds(members["expires_in"]?.int ?? 120),
            interval: min(max(members["interval"]?.int ?? 5, 0), 3600),
            user: user,
            values: recorded.isEmpty ? [:] : [recorded: name]
        )
        members["auth_req_id"] = .string(name)
        var answer = BuiltAnswer(
            like: template ?? AnswerTemplate(status: 200),
            role: .backchannelAuthentication
        )
        answer.content = .object(members)
        return answer
    }

    /// By name, address or `sub`, in a token as well; else whoever was meant by these words in the recording.
    private func user(hintedBy hint: String) -> ProviderConfiguration.User? {
        let claims = JSONWebToken.parse(hint)?.claims
        let names = [hint] + ["sub", "email", "preferred_username"].compactMap { claims?[$0]?.string }
        let known = configuration.users.first { user in
            names.contains { !$0.isEmpty && [user.name, user.email, user.subject].contains($0) }
        }
        if let known { return known }
        guard let subject = dialect.hintedSubjects[hint] else { return nil }
        return configuration.users.first { $0.subject == subject }
    }
}
