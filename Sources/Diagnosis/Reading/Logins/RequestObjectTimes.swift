import Captures
import Flows
import JOSE
import OAuth

/// From when and until when a signed request says that it holds, by the provider's clock.
enum RequestObjectTimes {
    /// Which of the rule's variants it is, and what shows it.
    typealias Fault = (variant: String, evidence: [Evidence])

    /// A request that has run out, or is not valid yet, by the provider's clock.
    static func fault(of token: JSONWebToken, _ exchange: Int, _ attempt: LoginAttempt, _ flow: Flow)
        -> Fault?
    {
        guard let now = flow.capture[exchange].serverTime else { return nil }
        // A provider that lets some seconds pass is not to be corrected.
        let leeway: Int64 = attempt.isRefused ? 0 : 30
        let clock = Evidence(
            place: Place(exchange: exchange, part: .responseHeader, name: "Date"),
            value: now.rfc3339,
            note: "the provider's clock"
        )
        func claim(_ name: String, _ seconds: Int64) -> Evidence {
            Evidence(
                place: Place(exchange: exchange, part: .jwtClaims, name: name),
                value: "\(seconds)",
                note: Timestamp(statedSeconds: seconds)?.rfc3339
            )
        }
        let latest = Int64(1) << 40
        if let end = token.expiresAt, abs(end) < latest, end + leeway <= now.seconds {
            return ("expired", [claim("exp", end), clock])
        }
        if let start = token.notBefore, abs(start) < latest, start - leeway > now.seconds {
            return ("not-yet-valid", [claim("nbf", start), clock])
        }
        return nil
    }

    /// What the FAPI profile asks of the times besides (FAPI 1.0 Advanced, section 5.2.2, numbers 13 and 17), of a request that was refused
    /// as a token and has no other fault.
    static func spanFault(of token: JSONWebToken, _ exchange: Int, _ attempt: LoginAttempt, _ flow: Flow)
        -> Fault?
    {
        guard let refusal = attempt.refusal, refusal.error == "invalid_request_object",
            !refusal.says(otherReasons), let now = flow.capture[exchange].serverTime
        else { return nil }
        func claim(_ name: String, _ value: String, _ note: String?) -> Evidence {
            Evidence(
                place: Place(exchange: exchange, part: .jwtClaims, name: name),
                value: value,
                note: note
            )
        }
        guard let start = token.notBefore else {
            return refusal.says(["nbf"]) ? ("no-start", [claim("nbf", "missing", nil)]) : nil
        }
        let latest = Int64(1) << 40
        guard abs(start) < latest else { return nil }
        if now.seconds - start > longestSpan {
            let note = "\(Span.text(now.seconds - start)) before, by the provider's clock"
            return ("old", [claim("nbf", "\(start)", note)])
        }
        guard let end = token.expiresAt, abs(end) < latest, end - start > longestSpan else { return nil }
        return (
            "long",
            [
                claim("nbf", "\(start)", nil),
                claim("exp", "\(end)", "\(Span.text(end - start)) after nbf"),
            ]
        )
    }

    /// Seconds that a signed request may last, and that may have passed since its beginning.
    private static let longestSpan: Int64 = 3600

    /// What a provider that speaks of these does not refuse for its times, in lower case.
    private static let otherReasons = [
        "signature", "signed with", "key", "jwk", "algorithm", "audience", "issuer", "decrypt",
        "redirect_uri", "scope",
    ]

    /// The variants that ``spanFault(of:_:_:_:)`` finds, which have words of their own.
    static let spanVariants = ["no-start", "old", "long"]
    static let ofSpan = """
        The app sends its request as a signed token, and the provider holds that to the FAPI profile: it has to say from when on it holds \
        (nbf), which may not be more than 60 minutes ago, and until when (exp), which may not be more than 60 minutes after that.
        """
    static let ofSpanFix = """
        Make the token anew for every request, with nbf the time of that, in seconds, and exp a few minutes later.
        """
}
