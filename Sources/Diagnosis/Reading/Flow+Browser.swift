import Captures
import Flows
import OAuth

/// What the browser did between the messages of a flow.
extension Flow {
    /// Whether an exchange sends what somebody typed to sign in: a POST, not of the protocol, with a field
    /// for a secret, or one whose fields were not saved.
    func isCredentialPost(_ exchange: Int) -> Bool {
        let request = capture[exchange].request
        guard request.method == "POST", surroundings.messages[exchange] == nil,
            !authorizationResponses.contains(where: { $0.callback == exchange })
        else { return false }
        guard let body = request.body, body.isRecorded else { return request.body != nil }
        if let form = FormBody.items(of: body) {
            return form.items.contains { item in Self.isSecretField(item.name) }
        }
        guard (body.size ?? 0) < 1 << 16, let text = body.text?.asciiLowercased() else { return false }
        return Self.secretFields.contains(where: text.containsBytes)
    }

    /// The field of a form in which somebody sent a secret.
    func secretField(of exchange: Int) -> Parameter? {
        FormBody.items(of: capture[exchange].request.body).flatMap { form in
            Parameters(form, of: exchange, in: .requestBody).items.first {
                !$0.value.isEmpty && Self.isSecretField($0.name)
            }
        }
    }

    private static let secretFields = ["passw", "pwd", "passcode", "credential", "otp", "pin\""]

    private static func isSecretField(_ name: String) -> Bool {
        let name = name.lowercased()
        return secretFields.contains(where: name.containsBytes) || name == "pin" || name == "pass"
            // PingFederate's.
            || name == "pf.pass"
    }
}

extension Flow {
    /// Whether the app used an answer: its code went to the token endpoint, or the browser was sent on.
    func wentOn(after response: AuthorizationResponse) -> Bool {
        if let code = response.code, tokenRequests.contains(where: { $0.code == code }) { return true }
        return response.callback.map { fate(ofCallback: $0) == .sentOn } ?? false
    }
}
