import Captures
import Flows
import JSON
import OAuth

/// How a provider refused an authorization request, wherever it said so: at the redirect URI, on a page of its
/// own, in the URL of such a page, or in the answer to a pushed request.
struct RequestRefusal {
    /// Who was told.
    enum Channel {
        /// The app, at its redirect URI.
        case delivered
        /// The person in front of the browser.
        case page
        /// Whoever pushed the request.
        case pushed
    }

    var channel: Channel
    /// The exchange whose answer (or URL) says so.
    var exchange: Int
    var status: Int?
    /// The OAuth error where one is named, in lower case.
    var error: String?
    /// What the provider says: error and description, or the words of its page.
    var text: String
    /// Of a page: what it says in the box that tells of errors, where it has one.
    var alert: String?
    /// Where it stands.
    var place: Place
    /// Whether the text of the page was saved.
    var isTextRecorded = true
    /// Whether the script of the provider's page was told, when it handed the request on.
    var isToldToScript = false

    /// Whether it may be the request that is at fault: not the user, the session, or the load.
    var isOfTheRequest: Bool {
        if status == 429 || status == 503 { return false }
        return error.map { !Self.ofTheUser.contains($0) && !AccessPolicy.namesCancellation($0) } ?? true
    }

    /// Whether any of these words, in lower case, is in what the provider says.
    func says(_ words: [String]) -> Bool { excerptWords(words) != nil }

    /// As evidence: what stands around the words, or the beginning of the text.
    func evidence(around words: [String] = [], note: String? = nil) -> Evidence {
        var value = alert ?? Excerpt.start(of: text)
        if text.isEmpty { value = status.map { "\($0)" } ?? error ?? "refused" }
        if let found = excerptWords(words), text.utf8.count > 200 { value = Excerpt.around(found, in: text) }
        return Evidence(
            place: text.isEmpty && place.part == .responseBody
                ? Place(exchange: exchange, part: .responseStatus, name: "") : place,
            value: value,
            note: note ?? (channel == .page ? status.map { "a page of the provider, status \($0)" } : nil)
        )
    }

    private func excerptWords(_ words: [String]) -> String? {
        guard !words.isEmpty else { return nil }
        let lower = text.asciiLowercased()
        return words.first(where: lower.containsBytes)
    }

    private static let ofTheUser: Set<String> = [
        "login_required", "interaction_required", "consent_required", "account_selection_required",
        "temporarily_unavailable", "use_dpop_nonce", "authentication_failed",
    ]
}

// MARK: - Finding it

extension RequestRefusal {
    /// An error that the app received.
    init?(delivered response: AuthorizationResponse?) {
        guard let response, let error = response.error, let exchange = error.place.exchange else {
            return nil
        }
        self.init(
            channel: .delivered,
            exchange: exchange,
            error: error.error.lowercased(),
            text: error.text,
            place: error.place
        )
    }

    /// The answer to a pushed request.
    init?(pushed call: EndpointCall) {
        guard call.answer.isRefusal else { return nil }
        self.init(
            channel: .pushed,
            exchange: call.exchange,
            status: call.answer.status,
            error: call.answer.error?.error.lowercased(),
            text: call.answer.error?.text ?? "",
            place: call.answer.error?.place ?? call.answer.statusPlace,
            isTextRecorded: call.answer.isBodyRecorded
        )
    }

    /// The error of a URL that the provider sends the browser to; nil where it names none.
    init?(in url: RecordedURL, of exchange: Int, _ part: Place.Part, _ channel: Channel) {
        let items = url.queryAndFragmentItems.items
        let known = ["error", "oautherrorcode", "error_code", "errorcode"]
        let packed = items.first { $0.name == "authError" }.map { PackedError.text(of: $0.value) }
        guard
            let item = items.first(where: { known.contains($0.name.lowercased()) && !$0.value.isEmpty })
                ?? items.first(where: { $0.name == "authError" && !$0.value.isEmpty })
                ?? Self.wso2Status(in: items)
        else { return nil }
        let message = items.first { item in
            ["error_description", "oautherrormsg", "error_message", "errormsg", "statusmsg"].contains(
                item.name.lowercased()
            )
        }.flatMap { $0 == item ? nil : $0 }
        let code = packed.flatMap { text in Self.codes.first(where: text.containsBytes) } ?? item.value
        self.init(
            channel: channel,
            exchange: exchange,
            error: code.lowercased(),
            text: packed ?? message.map { "\(item.value): \($0.value)" } ?? item.value,
            place: Place(exchange: exchange, part: part, name: item.name)
        )
    }

    /// What WSO2's page for a sign-in that it gave up is told, and its page of protocol errors where they have no name.
    private static func wso2Status(in items: [QueryItems.Item]) -> QueryItems.Item? {
        let names = items.contains { $0.name == "statusMsg" } ? ["status", "statusMsg"] : ["oauthErrorMsg"]
        return items.first { names.contains($0.name) && !$0.value.isEmpty }
    }

    /// Whether the error is one that speaks of requests (RFC 6749, section 4.1.2.1, and its extensions), or
    /// WSO2's word for an unknown redirect URI.
    var isOAuthError: Bool { error.map(Self.codes.contains) ?? false }

    static let codes = [
        "invalid_request", "unauthorized_client", "unsupported_response_type", "unsupported_response_mode",
        "invalid_scope", "invalid_client", "redirect_uri_mismatch", "invalid_request_object",
        "invalid_request_uri", "request_not_supported", "request_uri_not_supported", "invalid_target",
        "invalid_callback", "access_denied", "server_error",
    ]
}
