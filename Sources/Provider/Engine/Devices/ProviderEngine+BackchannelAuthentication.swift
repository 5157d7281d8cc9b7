import Captures
import JSON
import OAuth

/// Users that a client asks for and that decide on a device of their own (OpenID Connect CIBA).
///
/// That device is not played: whoever is asked agrees while the client polls, or at once where it registered to be told on this
/// machine.
extension ProviderEngine {
    /// Parameters that say who is meant, of which a request has one (section 7.1).
    static let userHints = ["login_hint", "id_token_hint", "login_hint_token"]

    /// By which a client registers how it signs its requests (section 4).
    private static let requestAlgorithm = "backchannel_authentication_request_signing_alg"

    mutating func authenticateElsewhere(_ form: QueryItems, _ request: RecordedRequest) -> BuiltAnswer {
        let client: ProviderConfiguration.Client
        let parameters: RequestParameters
        let user: ProviderConfiguration.User
        do throws(Refused) {
            client = try authenticate(form, request, at: .backchannelAuthentication)
            parameters = try self.parameters(of: form, client)
            user = try hintedUser(in: parameters)
        } catch {
            return error.answer
        }
        let delivery = backchannelDelivery(to: client)
        let notificationToken = parameters.value("client_notification_token")
        if delivery != .poll, notificationToken == nil {
            let words = "client_notification_token is missing, which a client that is notified sends"
            return refuse(.parameterMissing, at: .backchannelAuthentication, words)
        }
        let template = dialect.backchannelAuthentication
        var members = template?.members ?? ["auth_req_id": "", "expires_in": 120, "interval": 5]
        if template == nil, let asked = parameters.value("requested_expiry") {
            // Section 7.1; a longer one than this is not given.
            guard let seconds = Int64(asked), seconds > 0 else {
                return refuse(.expiryMalformed, at: .backchannelAuthentication)
            }
            members["expires_in"] = JSONValue(min(seconds, 3600))
        }
        // Section 7.3: of those who ask for their tokens.
        if template == nil, delivery == .push { members["interval"] = nil }
        let name = context.fresh("auth_req_id")
        let recorded = members["auth_req_id"]?.string ?? ""
        let asked = ProviderState.DeviceGrant(
            clientID: client.id,
            scope: dialect.granted(parameters["scope"] ?? ""),
            expiresAt: now + .seconds(members["expires_in"]?.int ?? 120),
            interval: min(max(members["interval"]?.int ?? 5, 0), 3600),
            polls: delivery == .poll ? 0 : dialect.pendingBackchannelPolls,
            user: user,
            values: recorded.isEmpty ? [:] : [recorded: name]
        )
        state.backchannelRequests[name] = asked
        members["auth_req_id"] = .string(name)
        if let notificationToken { notify(client, of: name, asked, by: delivery, with: notificationToken) }
        var answer = BuiltAnswer(
            like: template ?? AnswerTemplate(status: 200),
            role: .backchannelAuthentication
        )
        answer.content = .object(members)
        return answer
    }

    /// What the request asks for, which is for an ID token at least (section 7.1).
    private func parameters(of form: QueryItems, _ client: ProviderConfiguration.Client) throws(Refused)
        -> RequestParameters
    {
        var parameters = RequestParameters(form)
        if let text = form.first("request") {
            // Section 7.1.1: whatever is not signed does not count.
            do throws(RequestObjectFlaw) {
                let reader = requestObjects(of: client)
                parameters = try reader.parameters(of: text, algorithmName: Self.requestAlgorithm)
            } catch {
                let answer = refuse(.requestObjectInvalid, at: .backchannelAuthentication, error.words)
                throw Refused(answer: answer)
            }
        }
        let scope = parameters["scope"] ?? ""
        if dialect.strictness.checksOpenIDRequests, !scope.spaceDelimited.contains("openid") {
            throw Refused(answer: refuse(.openIDMissing, at: .backchannelAuthentication))
        }
        return parameters
    }

    /// Whom the request is about (section 7.1).
    private func hintedUser(in parameters: RequestParameters) throws(Refused)
        -> ProviderConfiguration.User
    {
        func refused(_ refusal: Refusal, _ words: String? = nil) -> Refused {
            Refused(answer: refuse(refusal, at: .backchannelAuthentication, words))
        }
        let hints = parameters.items.filter { Self.userHints.contains($0.name) && !$0.value.isEmpty }
        guard hints.count == 1 else {
            let names = Self.userHints.joined(separator: ", ")
            let words = "the request has \(hints.count) of \(names), where one is wanted"
            throw refused(.parameterMissing, words)
        }
        if hints[0].name == "id_token_hint", hintCheck.isForged(hints[0].value) {
            throw refused(.userUnknown, "the id_token_hint was not issued here")
        }
        let hint = hints[0].value
        // Else whoever was meant by these words in the recording.
        let recorded = dialect.hintedSubjects[hint].flatMap { configuration.user(subject: $0) }
        guard let user = configuration.user(hintedBy: hint) ?? recorded else { throw refused(.userUnknown) }
        return user
    }
}
