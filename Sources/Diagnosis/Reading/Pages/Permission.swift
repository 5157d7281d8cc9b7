import Captures

/// What the headers of an answer allow a page of another origin (Fetch standard, CORS protocol).
enum Permission {
    /// Why a page must not read an answer; nil where it may.
    static func missing(in response: RecordedResponse, for origin: String, isCredentialed: Bool = false)
        -> String?
    {
        let values = response.headers.all("access-control-allow-origin")
        guard let value = values.first else { return "the page's origin is not allowed" }
        if values.count > 1 { return "sent \(values.count) times, which allows nobody" }
        guard isCredentialed else {
            return value == "*" || value == origin ? nil : "another origin is allowed"
        }
        guard value == origin else {
            return value == "*"
                ? "the star does not stand for calls with credentials" : "another origin is allowed"
        }
        return response.headers.first("access-control-allow-credentials") == "true"
            ? nil : "Access-Control-Allow-Credentials: true is missing"
    }

    /// Why a browser must not send a request after its preflight; nil where it may.
    static func refusal(of preflight: Exchange, from origin: String) -> String? {
        guard let response = preflight.response, !preflight.isAnswerHeadCut,
            preflight.unknownFields.response == 0
        else { return nil }
        if let fault = missing(in: response, for: origin) { return fault }
        guard response.isSuccessful else {
            return "the preflight has to be answered with 2xx"
        }
        let allowed = response.headers.listed("access-control-allow-headers")
        // The star does not stand for credentials.
        let wanted = preflight.request.headers.listed("access-control-request-headers")
            .filter { !allowed.contains($0) && (!allowed.contains("*") || $0 == "authorization") }
        return wanted.isEmpty
            ? nil : "headers that are not allowed: \(wanted.sorted().prefix(6).joined(separator: ", "))"
    }
}
