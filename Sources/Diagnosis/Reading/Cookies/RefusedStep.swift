import Captures
import Flows
import OAuth

/// A step of a sign-in at the provider that was refused for want of what the provider knows the sign-in by.
enum RefusedStep {
    /// Where a step of the sign-in shows that it was refused: in the words of its page or of its answer to the app, else in
    /// its status.
    static func place(_ page: Int, _ attempt: LoginAttempt, _ flow: Flow) -> Place? {
        let exchange = flow.capture[page]
        // A link on a page is a step as well; what it was refused for its answer has to say.
        let isLink = exchange.request.method == "GET" && flow.surroundings.redirectedFrom[page] == nil
        guard isLink || exchange.request.method == "POST" || flow.surroundings.redirectedFrom[page] != nil,
            let response = exchange.response
        else { return nil }
        if let answer = attempt.response, answer.deliveredBy == page,
            let said = answer.parameters.parameter("error_description"),
            texts.contains(where: said.value.asciiLowercased().containsBytes)
        {
            return said.place
        }
        // A page of help may have such words, too.
        guard response.location == nil,
            !isLink || response.isClientError && response.body?.isPage ?? false
        else { return nil }
        let words = PageText.words(of: response.body).asciiLowercased()
        if texts.contains(where: words.containsBytes) || isKeycloaks(words, response.status, flow) {
            return Place(exchange: page, part: .responseBody, name: "")
        }
        guard !isLink else { return nil }
        // A script may well send its own requests without cookies.
        let isForm = exchange.request.method == "GET" || FormBody.items(of: exchange.request.body) != nil
        guard isForm, response.isClientError, response.status != 429,
            !response.headers.contains("www-authenticate")
        else { return nil }
        return Place(exchange: page, part: .responseStatus, name: "")
    }

    /// Whether Keycloak says it in another language: the word for a cookie is in all of them.
    private static func isKeycloaks(_ words: String, _ status: Int, _ flow: Flow) -> Bool {
        flow.provider == .keycloak && status == 400
            && ["cookie", "クッキー"].contains(where: words.containsBytes)
    }

    /// What the provider made of it.
    static func evidence(at refusal: Place, _ flow: Flow) -> Evidence {
        let exchange = flow.capture[refusal.exchange ?? 0]
        let status = exchange.response.map { "\($0.status)" } ?? ""
        switch refusal.part {
        case .requestURL:
            return Evidence(
                place: refusal,
                value: Masking.shown(exchange.request.url.withoutQuery, of: "url"),
                note: "the sign-in page again"
            )
        case .responseBody:
            let words = PageText.start(of: exchange.response?.body)
            return Evidence(place: refusal, value: Masking.shown(words, of: "body"), note: "status \(status)")
        case .responseStatus: return Evidence(place: refusal, value: status)
        case .responseLocation where refusal.name.isEmpty:
            let target = exchange.response?.location.map { exchange.request.url.resolving($0).withoutQuery }
            return Evidence(
                place: refusal,
                value: Masking.shown(target ?? status, of: "url"),
                note: "sent to sign in again"
            )
        default:
            let address =
                refusal.part == .requestQuery
                ? exchange.request.url
                : exchange.response?.location.map { exchange.request.url.resolving($0) }
            let text = address?.queryItems.first(refusal.name)
            return Evidence(place: refusal, value: Masking.shown(text ?? status, of: "error_description"))
        }
    }

    /// What providers say of it, in lower case.
    private static let texts = [
        "cookie not found. please make sure cookies are enabled", "cookie not found. it may have expired",
        "restart login cookie not found",
        "your login attempt timed out", "session has timed out", "no configuration found",
        "authentication flow timed out", "session id cookie not found",
        "no csrf value available in the session cookie",
        // Entra: the form and the browser's cookies are not of one sign-in.
        "aadsts165000",
    ]
}
