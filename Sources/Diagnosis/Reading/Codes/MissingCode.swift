import Captures
import Flows
import OAuth

/// A login's answer that was to bring a code to the app, and brought none (RFC 6749, section 4.1.2).
enum MissingCode {
    /// An answer that has a token which was asked for too, and no code.
    case partial(AuthorizationResponse, type: Parameter)
    /// An answer whose signed part has neither a code nor an error; `first`: what it has.
    case unsigned(AuthorizationResponse, type: Parameter, first: Parameter)
    /// The provider's redirect had it, the request after it not any more.
    case stripped(StrippedCallback)
    /// A form that came to the redirect URI with the request's `state`, and nothing else of an answer.
    case posted(AwaitedCode, exchange: Int, form: QueryItems)
    /// A redirect to the redirect URI that brings nothing; it may yet be in the fragment.
    case redirected(AwaitedCode, CodelessAnswer)

    /// Nil where the code is there, or was not asked for, and where an error came in its place.
    init?(of attempt: LoginAttempt, in flow: Flow) {
        guard let awaited = AwaitedCode(of: attempt, in: flow) else { return nil }
        let found: MissingCode? =
            if let response = attempt.response {
                Self.incomplete(response, attempt)
                    ?? StrippedCallback(attempt, in: flow).map { .stripped($0) }
            } else {
                Self.posted(awaited, attempt, flow)
                    ?? CodelessAnswer.of(attempt, in: flow).map { .redirected(awaited, $0) }
            }
        guard let found else { return nil }
        self = found
    }

    /// Where the code went missing.
    var exchange: Int {
        switch self {
        case .partial(let response, _), .unsigned(let response, _, _): response.exchange
        case .stripped(let callback): callback.exchange
        case .posted(_, let exchange, _): exchange
        case .redirected(_, let answer): answer.exchange
        }
    }

    private static func incomplete(_ response: AuthorizationResponse, _ attempt: LoginAttempt) -> MissingCode?
    {
        guard (response.code ?? "").isEmpty, response.error == nil, response.mode != .credential,
            let type = attempt.parameter("response_type")
        else { return nil }
        guard response.isSigned else {
            // Of an answer in the fragment a page may post a part alone to the app.
            let isWhole =
                response.mode == .formPost
                ? attempt["response_mode"] == "form_post" : response.deliveredBy != nil
            return isWhole ? .partial(response, type: type) : nil
        }
        return response.claims.items.first.map { .unsigned(response, type: type, first: $0) }
    }

    private static func posted(_ awaited: AwaitedCode, _ attempt: LoginAttempt, _ flow: Flow) -> MissingCode?
    {
        guard awaited.isForAppAlone, attempt["response_mode"]?.hasPrefix("form_post") ?? false,
            let state = attempt["state"]
        else { return nil }
        let uri = awaited.address
        for index in flow.surroundings.withoutAssets(after: awaited.request.exchange).prefix(500) {
            let sent = flow.capture[index].request
            guard sent.method == "POST", sent.url.normalizedWithoutQuery == uri.normalizedWithoutQuery,
                let form = FormBody.items(of: sent.body), form.first("state") == state,
                !AuthorizationResponse.isResponse(form, mode: .formPost)
            else { continue }
            return .posted(awaited, exchange: index, form: form)
        }
        return nil
    }
}
