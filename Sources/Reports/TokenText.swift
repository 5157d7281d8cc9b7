import Captures
package import JOSE
package import JSON

/// One token off line, as `jwt` prints it: header and claims, then every check with its outcome.
package enum TokenText {
    /// The form for people.
    ///
    /// `envelope`: the encrypted token that it was inside.
    /// `checks`: of the signature and of the claims, in the order in which they are printed.
    /// `columns`: how wide the lines of the checks may be, nil for as wide as they are; what the token says stands whole.
    package static func text(
        of token: JSONWebToken,
        envelope: JSONWebToken? = nil,
        checks: [TokenCheck],
        style: TextStyle,
        columns: Int? = nil
    ) -> String {
        var blocks: [String] = []
        if let envelope {
            blocks.append(
                style.bold("envelope") + style.dim("  encrypted (JWE), opened") + "\n"
                    + object(envelope.header)
            )
        }
        let form = token.form == .signed ? "signed (JWS)" : "encrypted (JWE)"
        blocks.append(style.bold("header") + style.dim("  \(form)") + "\n" + object(token.header))
        if token.form == .signed {
            blocks.append(
                style.bold("claims") + "\n" + (token.claims.map { claims($0, style) } ?? payload(token))
            )
        }
        let width = checks.map(\.name.count).max() ?? 0
        let lines = checks.map { check in
            let asked = "\(TokenRequirements.sentence(for: check)) (\(check.specification))"
            let head = "  \(mark(check.outcome, style)) \(check.name.padded(to: width))  "
            return line(head, of: width + 6, check.detail.printable, asked, style, columns)
        }
        let deviations = token.deviations.map { deviation in
            let head = "  \(style.red("✗")) \(deviation.part.padded(to: width))  "
            let source = "(\(deviation.specification))"
            return line(head, of: width + 6, deviation.what.printable, source, style, columns)
        }
        if !lines.isEmpty || !deviations.isEmpty {
            blocks.append((["\(style.bold("checks"))"] + deviations + lines).joined(separator: "\n"))
        }
        return blocks.joined(separator: "\n\n")
    }

    /// The form for programs: one object.
    package static func json(
        of token: JSONWebToken,
        envelope: JSONWebToken? = nil,
        verification: SignatureVerification,
        claims: [TokenCheck]
    ) -> JSONValue {
        var members: JSONObject = [
            "form": .string(token.form == .signed ? "jws" : "jwe"),
            "header": token.header.map { .object($0) } ?? .null,
            "claims": token.claims.map { .object($0) } ?? .null,
            "signature": .string(verification.outcome.rawValue),
            "checks": .array(
                (verification.checks + claims).map { check in
                    [
                        "name": .string(check.name), "outcome": .string(check.outcome.rawValue),
                        "detail": .string(check.detail),
                        "requirement": .string(TokenRequirements.sentence(for: check)),
                        "source": .string(check.specification),
                    ]
                }
            ),
            "deviations": .array(
                token.deviations.map {
                    ["part": .string($0.part), "what": .string($0.what), "source": .string($0.specification)]
                }
            ),
        ]
        if let envelope {
            members["encryption"] = envelope.header.map { .object($0) } ?? .null
        }
        return .object(members)
    }

    /// A check: what was found, and what is asked beside it, or below it where a line has no room for both.
    private static func line(
        _ head: String,
        of width: Int,
        _ found: String,
        _ asked: String,
        _ style: TextStyle,
        _ columns: Int?
    ) -> String {
        guard let columns, width + found.count + 2 + asked.count > columns else {
            return head + found + style.dim("  \(asked)")
        }
        let below = asked.wrapped(to: columns, indent: String(repeating: " ", count: width))
        return ([found.behind(head, of: width, columns: columns)] + below.map(style.dim)).joined(
            separator: "\n"
        )
    }

    private static func mark(_ outcome: TokenCheck.Outcome, _ style: TextStyle) -> String {
        switch outcome {
        case .passed: style.green("✓")
        case .failed: style.red("✗")
        case .skipped: style.yellow("–")
        }
    }

    private static func object(_ object: JSONObject?) -> String {
        guard let object else { return "  not a JSON object" }
        return object.members.map { "  \($0.name.printable): \(JSONWriter.text(of: $0.value).printable)" }
            .joined(separator: "\n")
    }

    private static let times: Set<String> = ["exp", "nbf", "iat", "auth_time", "updated_at"]

    private static func claims(_ object: JSONObject, _ style: TextStyle) -> String {
        object.members.map { member in
            let line = "  \(member.name.printable): \(JSONWriter.text(of: member.value).printable)"
            guard times.contains(member.name), let seconds = member.value.double else { return line }
            if seconds > 2e10, seconds < 9e12 {
                let time = Timestamp(seconds: Int64(seconds / 1000)).rfc3339.prefix(19)
                return line
                    + style.dim("  looks like milliseconds, which would be \(time)Z; seconds are expected")
            }
            let whole = Int64(exactly: seconds.rounded(.towardZero))
            guard let time = whole.flatMap(Timestamp.init(statedSeconds:)) else { return line }
            return line + style.dim("  \(time.rfc3339.prefix(19))Z")
        }.joined(separator: "\n")
    }

    private static func payload(_ token: JSONWebToken) -> String {
        "  not a JSON object: \(String(decoding: token.payload.prefix(200), as: UTF8.self).printable)"
    }
}

/// What the specification asks at each check, in a sentence.
enum TokenRequirements {
    static func sentence(for check: TokenCheck) -> String {
        switch check.name {
        case "alg": "the header names the algorithm, and it is one that the recipient takes"
        case "crit": "the recipient understands every extension that the header demands"
        case "kid": "the key that the header names is in the issuer's key set"
        case "key": "the key is of the type, curve and use that the algorithm takes"
        case "signature": "header and payload as they stand are what the key signed"
        case "iss": "the issuer is exactly the one that was asked"
        case "aud": "the recipient is among the audiences"
        case "nonce": "the value is the one of the authorization request"
        case "exp": "the time is before this moment"
        case "nbf": "the time is this moment or after"
        case "iat": "the token was not issued in the future"
        case "claims": "the payload is one JSON object"
        default: "looked at"
        }
    }
}
