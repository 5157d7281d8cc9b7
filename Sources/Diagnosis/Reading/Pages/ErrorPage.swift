import Captures
import Flows
import OAuth

/// A page of the provider that reports an error with status 200.
///
/// Told from a sign-in page, whose help and scripts may mention the same words: no password is asked for, and what a
/// person reads there is a provider's own error, or its heading says that something went wrong and nothing can be filled
/// in, or the address says that it is an error page and an OAuth error is named on it, or it is all that the endpoint answered
/// to the request: a few words by which providers refuse a client, a redirect URI or another parameter, or let nobody in, or the error's
/// name.
enum ErrorPage {
    /// The error where one is named, and the words; nil for any other page.
    static func refusal(on page: Int, in surroundings: CaptureIndex) -> (error: String?, text: String)? {
        let exchange = surroundings.capture[page]
        guard let reading = surroundings.page(page) else { return nil }
        let isErrorAddress = isAddress(exchange.request.url)
        let isHeaded = reading.errorHeading != nil
        let isAnswer = isAnswer(page, reading, surroundings)
        guard isErrorAddress || isHeaded || isAnswer || reading.mentions(.entraB2C, .denied, .unknownClient),
            let body = exchange.response?.body, let bytes = body.bytes, !asksForPassword(bytes)
        else { return nil }
        let text = PageText.words(of: body)
        let lower = text.asciiLowercased()
        if isErrorAddress, let error = RequestRefusal.codes.first(where: { isNamed($0, in: lower) }) {
            return (error, text)
        }
        if isAnswer, let error = heading(lower) { return (error, text) }
        return isHeaded || lower.containsBytes("aadb2c9") || lower.containsBytes(unknownClient)
            || denial(in: text) != nil
            || isAnswer && refuses(text, lower) && !HTMLForm.isAsking(in: bytes) && !hasTemplate(bytes)
            ? (nil, text) : nil
    }

    /// Whether a page without a form answers the authorization request itself.
    private static func isAnswer(_ page: Int, _ reading: PageReading, _ surroundings: CaptureIndex) -> Bool {
        guard case .authorizationRequest = surroundings.messages[page] else { return false }
        return reading.forms.isEmpty
    }

    /// Whether a few words are those of a refusal.
    private static func refuses(_ text: String, _ lower: String) -> Bool {
        text.utf8.count < fewWords
            && (ClientIDRefusal.texts.contains(where: lower.containsBytes)
                || faultsOfRequests.contains(where: lower.containsBytes)
                || AccessPolicy.words(in: text) != nil
                || RefusalWording.unknownClient(in: text) != nil
                || RefusalWording.unknownRedirectURI(in: text) != nil
                || RefusalWording.refusedScope(in: text) != nil)
    }

    /// How providers word it that a request lacks something or has it wrong, in lower case.
    private static let faultsOfRequests = [
        "missing parameter", "missing required parameter", "required parameter is missing",
        "must contain the following parameter", "invalid parameter: ", "missing client_id",
        "missing response_type", "missing redirect_uri", "missing code_challenge", "invalid code_challenge",
        "pkce is mandatory", "pkce is required", "code challenge is required",
        "pushed authorization request is only allowed",
    ]

    /// The name of an OAuth error that is all of a few words, or stands before a colon in front of them, in lower case: what Authlib's
    /// servers answer.
    private static func heading(_ words: String) -> String? {
        guard words.utf8.count < fewWords else { return nil }
        let name = words.prefix { $0 == "_" || $0.isLowercase }
        guard words.utf8.count == name.utf8.count || words.dropFirst(name.count).hasPrefix(":") else {
            return nil
        }
        return RequestRefusal.codes.first { $0.utf8.elementsEqual(name.utf8) }
    }

    /// In bytes; a page with help, menus and a footer has more.
    private static let fewWords = 600

    /// Whether an address is that of a page of errors by its path.
    static func isAddress(_ url: RecordedURL) -> Bool {
        url.path.lowercased().utf8.split(separator: 0x2f).contains { segment in
            segment.elementsEqual("error".utf8) || segment.starts(with: "error.".utf8)
                || wso2Pages.contains { segment.elementsEqual($0.utf8) }
        }
    }

    private static let wso2Pages = ["retry.do", "oauth2_error.do"]

    /// The words by which authentik keeps somebody out whom its policies do not let in.
    static func denial(in text: String) -> String? {
        let lower = text.asciiLowercased()
        let words = "request has been denied"
        return lower.containsBytes(words) && lower.containsBytes("permission denied") ? words : nil
    }

    /// The heading, in lower case, of a page that says that the user's account may not be used.
    static func shutOut(on page: Int, in surroundings: CaptureIndex) -> String? {
        guard let heading = surroundings.page(page)?.errorHeading, ShutOut.isOne(heading) else { return nil }
        return heading.asciiLowercased()
    }

    static func asksForPassword(_ page: [UInt8]) -> Bool {
        let lower = ASCIICase.lowercased(page)
        return lower.withUnsafeBufferPointer { lower in
            passwordFields.contains { ByteSearch.index(of: $0, in: lower) != nil }
        }
    }

    /// Whether a page keeps words ready that nobody reads before a script shows them.
    private static func hasTemplate(_ page: [UInt8]) -> Bool {
        ASCIICase.lowercased(page).withUnsafeBufferPointer {
            ByteSearch.index(of: "<template", in: $0) != nil
        }
    }

    private static func isNamed(_ error: String, in text: String) -> Bool {
        text.utf8.split { !($0 == 0x5f || (0x61...0x7a).contains($0) || $0.isASCIIDigit) }
            .contains { $0.elementsEqual(error.utf8) }
    }

    /// What django-oidc-provider says of a client that it does not know, in lower case.
    static let unknownClient = "client identifier (client_id) is missing or invalid"

    private static let passwordFields: [StaticString] = [
        "type=password", "type=\"password\"", "type='password'",
    ]
}
