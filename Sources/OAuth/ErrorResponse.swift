package import Captures
import JSON

/// An OAuth error (RFC 6749, sections 4.1.2.1 and 5.2).
package struct ErrorResponse: Sendable, Hashable {
    /// Its name, `invalid_grant`; of servers that have none its number.
    package var error: String
    /// The name as it was written, where that is in capitals and the specifications' is not.
    private var written: String?
    /// In the server's words.
    package var description: String?
    /// Where its name stands.
    package var place: Place

    package init(error: String, description: String? = nil, place: Place) {
        self.error = error
        self.description = description
        self.place = place
    }

    /// Nil where the parameters carry no error.
    package init?(_ parameters: Parameters) {
        guard let error = parameters.parameter("error"), !error.value.isEmpty else {
            self.init(coded: parameters)
            return
        }
        let nested = Self.nested(error.value)
        self.init(
            error: nested?.name ?? error.value,
            description: nested?.words ?? Self.words(in: parameters),
            place: error.place
        )
        if let name = TokenErrorName.standard(self.error), name != self.error {
            written = self.error
            self.error = name
        }
    }

    /// The name and the words of an object in place of the name, as APIs have it (Facebook, Google, Microsoft Graph).
    ///
    /// Without a message only a name of the specifications is one.
    private static func nested(_ text: String) -> (name: String, words: String?)? {
        guard text.utf8.first == 0x7b, let object = (try? JSONParser.parse(Array(text.utf8)))?.object
        else { return nil }
        let names = ["status", "type", "code"].compactMap { object[$0]?.string }
        let standard = names.first { TokenErrorName.standard($0) != nil }
        let message = object["message"]?.string
        guard let name = standard ?? (message == nil ? nil : names.first) else { return nil }
        return (name, message ?? WrappedError.words(of: object, besides: name))
    }

    /// The description, with the hint that league/oauth2-server (Laravel Passport) has beside it: there the description is the
    /// specification's own sentence, which fits any reason, and the hint says which it is.
    private static func words(in parameters: Parameters) -> String? {
        let words = descriptions.lazy.compactMap { parameters[$0] }.first { !$0.isEmpty }
        guard let hint = parameters["hint"], !hint.isEmpty else { return words }
        guard let words, !sentences.contains(where: words.hasPrefix) else { return hint }
        return words.containsBytes(hint) ? words : "\(words) \(hint)"
    }

    /// How those of RFC 6749, section 5.2, for invalid_request and invalid_grant begin.
    private static let sentences = [
        "The request is missing a required parameter", "The provided authorization grant",
    ]

    /// That of the specifications, and what servers have instead of it (Zoom, frameworks for APIs).
    private static let descriptions = ["error_description", "reason", "message", "error_message", "detail"]

    /// GoTrue's answers have the error under a name of its own, beside the status as a number.
    private init?(coded parameters: Parameters) {
        guard let code = parameters.parameter("error_code"), let words = parameters["msg"],
            !code.value.isEmpty, code.value.utf8.allSatisfy({ $0.isASCIIAlphanumeric || $0 == 0x5f }),
            code.value.utf8.contains(where: { !$0.isASCIIDigit }),
            !["access_token", "code_challenge"].contains(where: parameters.contains)
        else {
            self.init(numbered: parameters)
            return
        }
        self.init(error: code.value, description: words, place: code.place)
    }

    /// WeChat's answers have a number for an error, and 0 for none.
    private init?(numbered parameters: Parameters) {
        guard let number = parameters.parameter("errcode"), let words = parameters["errmsg"],
            !number.value.isEmpty, number.value.utf8.allSatisfy({ $0.isASCIIDigit || $0 == 0x2d }),
            // Others write success so.
            number.value != "200", number.value.utf8.contains(where: { $0 != 0x30 }),
            !["access_token", "code"].contains(where: parameters.contains)
        else {
            self.init(messaged: parameters)
            return
        }
        self.init(error: number.value, description: words, place: number.place)
    }

    /// Twitch's answers have the names of RFC 8628, section 3.5, for a message, beside the status as a number.
    private init?(messaged parameters: Parameters) {
        guard let message = parameters.parameter("message"), Self.ofDevices.contains(message.value),
            parameters.contains("status"), !parameters.contains("access_token")
        else { return nil }
        self.init(error: message.value, place: message.place)
    }

    private static let ofDevices: Set<String> = ["authorization_pending", "slow_down", "expired_token"]

    /// Facebook's dialog has names of its own for an error of the request.
    init?(named parameters: Parameters) {
        let found = Self.ofFacebook.compactMap { parameters.parameter($0) }.filter { !$0.value.isEmpty }
        guard found.count == Self.ofFacebook.count, !["0", "200"].contains(found[0].value),
            !parameters.contains("code")
        else { return nil }
        self.init(error: found[0].value, description: found[1].value, place: found[0].place)
    }

    static let ofFacebook = ["error_code", "error_message"]

    /// What RFC 6749, section 5.2 calls it, where a server has several names for that.
    package var standardName: String {
        if place.name == "errcode", let name = Self.ofWeChat[error] { return name }
        if Self.refusedGrants.contains(error) || saysGrantIsRefused { return "invalid_grant" }
        if error == "INVALID_ARGUMENT", description.map(Self.ofFirebase.contains) ?? false {
            return "invalid_grant"
        }
        if error.hasPrefix("Client assertion ") { return "invalid_client" }
        return error == "validation_failed" ? "invalid_request" : error
    }

    /// What Firebase says of a refresh token, in the place of words.
    private static let ofFirebase: Set<String> = [
        "TOKEN_EXPIRED", "USER_DISABLED", "USER_NOT_FOUND", "INVALID_REFRESH_TOKEN",
    ]

    /// WeChat's numbers: a code that is wrong, was used, is missing or has run out, a refresh token likewise; a secret that is wrong or
    /// missing, and an app that is not known or not named.
    private static let ofWeChat = [
        "40029": "invalid_grant", "40163": "invalid_grant", "41008": "invalid_grant",
        "42003": "invalid_grant",
        "40030": "invalid_grant", "42002": "invalid_grant",
        "40125": "invalid_client", "41004": "invalid_client", "40013": "invalid_client",
        "41002": "invalid_client",
    ]

    /// GoTrue's, each for one reason that a code or a refresh token is not taken; Yahoo's and Hydra's.
    private static let refusedGrants: Set<String> = [
        "bad_code_verifier", "flow_state_expired", "flow_state_not_found", "refresh_token_already_used",
        "refresh_token_not_found", "session_expired", "session_not_found", "INVALID_AUTHORIZATION_CODE",
        "INVALID_REFRESH_TOKEN", "token_inactive",
    ]

    /// Error and description in one line.
    package var text: String {
        let name = written ?? error
        return description.map { "\(name): \($0)" } ?? name
    }
}
