import Captures
import Flows
import JSON
import OAuth

/// Sign-ins that an app, or the script of a page, makes step by step at a provider's API, and how such an API ends them.
///
/// A wrong password that may be typed once more ends none.
enum NativeSignIn {
    /// The step of a sign-in at ForgeRock that was refused for good; nil for any other exchange.
    static func refusal(ofStep index: Int, in flow: Flow) -> RequestRefusal? {
        guard let text = ForgeRockStep.refusal(in: flow.capture[index]) else { return nil }
        return RequestRefusal(
            channel: .page,
            exchange: index,
            status: flow.capture[index].response?.status,
            text: text,
            place: Place(exchange: index, part: .responseBody, name: "message")
        )
    }

    /// The answer by which the API of WSO2 or Curity ended a sign-in; nil for any other exchange.
    static func refusal(at index: Int, in flow: Flow) -> RequestRefusal? {
        let exchange = flow.capture[index]
        guard let response = exchange.response, response.status != 429,
            let json = JSONBody.object(of: response.body, below: largest)
        else { return nil }
        if response.status == 200 {
            return answeredError(json, exchange.request.url, index).flatMap { refusal($0, index) }
        }
        guard response.isClientError else { return nil }
        return ofWSO2(json, exchange.request.url).map { name, text in
            RequestRefusal(
                channel: .page,
                exchange: index,
                status: response.status,
                text: text,
                place: Place(exchange: index, part: .responseBody, name: name)
            )
        } ?? ofCurity(json, index, response.status)
    }

    /// The error by which WSO2 answers the authorization request in the body of a step; nil for other JSON.
    private static func answeredError(_ json: JSONObject, _ url: RecordedURL, _ index: Int) -> ErrorResponse?
    {
        guard isWSO2(url), let answer = json["authData"]?.object, let error = answer["error"]?.string else {
            return nil
        }
        return ErrorResponse(
            error: error,
            description: answer["error_description"]?.string,
            place: Place(exchange: index, part: .responseBody, name: "error")
        )
    }

    /// The same as what ended a sign-in; nil for the user's own no, which is none.
    private static func refusal(_ stated: ErrorResponse, _ index: Int) -> RequestRefusal? {
        guard !UserRefusal.isOne(stated, isAnsweredAtOnce: false) else { return nil }
        return RequestRefusal(
            channel: .page,
            exchange: index,
            status: 200,
            error: stated.error.lowercased(),
            text: [stated.error, stated.description].compactMap(\.self).joined(separator: ": "),
            place: stated.place
        )
    }

    /// App-native authentication: `ABA-60002`, with a message and a description.
    private static func ofWSO2(_ json: JSONObject, _ url: RecordedURL) -> (String, String)? {
        guard isWSO2(url), let code = json["code"]?.string, code.hasPrefix("ABA-"),
            let words = json["description"]?.string ?? json["message"]?.string
        else { return nil }
        return ("code", "\(code): \(words)")
    }

    /// Whether an address is one of its endpoints for that; its own manuals write the first with a slash at the end.
    static func isWSO2(_ url: RecordedURL) -> Bool {
        ["/oauth2/authn", "/oauth2/authorize", "/oauth2/authorize/"].contains(where: url.path.hasSuffix)
    }

    /// A problem of the Hypermedia Authentication API that leaves nothing to fill in; what the user did not want is none.
    private static func ofCurity(_ json: JSONObject, _ index: Int, _ status: Int) -> RequestRefusal? {
        guard let name = problem(json), ends.contains(name) else { return nil }
        let stated = statedError(json, index)
        if let stated, UserRefusal.isOne(stated, isAnsweredAtOnce: false) { return nil }
        let words = stated?.description ?? json["title"]?.string
        return RequestRefusal(
            channel: .page,
            exchange: index,
            status: status,
            error: stated?.error.lowercased(),
            text: [stated?.error ?? name, words].compactMap(\.self).joined(separator: ": "),
            place: Place(exchange: index, part: .responseBody, name: "type")
        )
    }

    /// The error in a problem of that API, which is the answer to the authorization request; nil where it names none.
    private static func statedError(_ json: JSONObject, _ index: Int) -> ErrorResponse? {
        let told = json["properties"]?.object ?? json
        return told["error"]?.string.map { error in
            ErrorResponse(
                error: error,
                description: told["error_description"]?.string ?? json["title"]?.string,
                place: Place(exchange: index, part: .responseBody, name: "type")
            )
        }
    }

    /// The user's own no by which such a sign-in ended at WSO2 or Curity; nil where it ended otherwise.
    static func cancellation(in flow: Flow) -> ErrorResponse? {
        guard flow.ending == .incomplete, flow.authorizationResponses.isEmpty, flow.tokenRequests.isEmpty,
            let request = flow.authorizationRequests.last,
            let last = ProviderPages.of(request, in: flow).last,
            let response = flow.capture[last].response,
            let json = JSONBody.object(of: response.body, below: largest)
        else { return nil }
        var error: ErrorResponse?
        if response.status == 200 {
            error = answeredError(json, flow.capture[last].request.url, last)
        } else if response.isClientError, problem(json) == "error-authorization-response" {
            error = statedError(json, last)
        }
        return error.flatMap { UserRefusal.isOne($0, isAnsweredAtOnce: false) ? $0 : nil }
    }

    /// The name of a problem of that API, without the address before it; nil for other JSON.
    static func problem(_ json: JSONObject) -> String? {
        guard let type = json["type"]?.string, type.hasPrefix(problems) else { return nil }
        return String(type.dropFirst(problems.count))
    }

    /// In bytes.
    private static let largest = 1 << 20
    private static let problems = "https://curity.se/problems/"
    private static let ends: Set<String> = [
        "error-authorization-response", "authentication-failed", "too-many-attempts", "generic-user-error",
        "unexpected", "access-denied", "mismatch-between-session-and-access-token",
    ]

    // MARK: - Words

    static let title = "The provider's API refused the sign-in that the app makes itself"
    static let explanation = """
        The app signs its user in step by step at the provider's API, without a browser, and the last step was refused for good: no code and no session came of \
        it. What the API says is all that the capture knows of the reason.
        """
    static let fix = """
        Go by the code or the type of the problem and its text. Most that is refused there is set at the provider: whether the app may use this API, how many tries a \
        user has, how long a sign-in may take.
        """
}
