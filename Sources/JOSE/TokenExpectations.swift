import JSON

/// What a token is to be judged by; nil asks nothing.
package struct TokenExpectations: Sendable, Hashable {
    /// `iss`, the same byte for byte.
    var issuer: String?
    /// One of `aud`.
    var audience: String?
    /// `nonce` of the request that the token answers.
    var nonce: String?
    /// Seconds since the epoch; nil leaves times alone.
    var now: Int64?
    /// Seconds by which clocks may differ (RFC 7519, section 4.1.4).
    package var leeway: Int64

    package init(
        issuer: String? = nil,
        audience: String? = nil,
        nonce: String? = nil,
        now: Int64? = nil,
        leeway: Int64 = 0
    ) {
        self.issuer = issuer
        self.audience = audience
        self.nonce = nonce
        self.now = now
        self.leeway = leeway
    }
}

extension JSONWebToken {
    /// Judges the claims, one check each, whatever the signature is worth.
    ///
    /// Claims that nothing is expected of and that are no times are not mentioned.
    package func checks(against expected: TokenExpectations) -> [TokenCheck] {
        guard form == .signed else {
            return [TokenCheck("claims", .skipped, "encrypted for its recipient", "RFC 7516 §5.2")]
        }
        guard claims != nil else {
            return [TokenCheck("claims", .failed, "the payload is no JSON object", "RFC 7519 §7.2")]
        }
        return [issuerCheck(expected), audienceCheck(expected), nonceCheck(expected)].compactMap { $0 }
            + timeChecks(expected)
    }

    // MARK: - One claim each

    private func issuerCheck(_ expected: TokenExpectations) -> TokenCheck? {
        guard let wanted = expected.issuer else { return nil }
        guard let issuer else { return TokenCheck("iss", .failed, missing("iss", wanted), "RFC 7519 §4.1.1") }
        return TokenCheck(
            "iss",
            issuer.equalsBytes(of: wanted) ? .passed : .failed,
            issuer.equalsBytes(of: wanted) ? issuer : "\(issuer) instead of \(wanted)",
            "RFC 7519 §4.1.1"
        )
    }

    private func audienceCheck(_ expected: TokenExpectations) -> TokenCheck? {
        guard let wanted = expected.audience else { return nil }
        let audience = audience
        guard !audience.isEmpty else {
            return TokenCheck("aud", .failed, missing("aud", wanted), "RFC 7519 §4.1.3")
        }
        let named = audience.joined(separator: ", ")
        let isNamed = audience.contains(bytesOf: wanted)
        return TokenCheck(
            "aud",
            isNamed ? .passed : .failed,
            isNamed ? named : "\(named) instead of \(wanted)",
            "RFC 7519 §4.1.3"
        )
    }

    private func nonceCheck(_ expected: TokenExpectations) -> TokenCheck? {
        guard let wanted = expected.nonce else { return nil }
        let nonce = claim("nonce")?.string
        return TokenCheck(
            "nonce",
            nonce.map { $0.equalsBytes(of: wanted) } ?? false ? .passed : .failed,
            nonce.map { $0.equalsBytes(of: wanted) ? $0 : "\($0) instead of \(wanted)" }
                ?? missing("nonce", wanted),
            "OpenID Connect Core §3.1.3.7 (11)"
        )
    }

    private func missing(_ name: String, _ wanted: String) -> String { "no \(name); expected \(wanted)" }

    private func timeChecks(_ expected: TokenExpectations) -> [TokenCheck] {
        ["exp", "nbf", "iat"].compactMap { name in
            guard let value = claim(name) else {
                return name == "exp"
                    ? TokenCheck("exp", .skipped, "none: it never runs out", "RFC 7519 §4.1.4") : nil
            }
            let section =
                ["exp": "RFC 7519 §4.1.4", "nbf": "RFC 7519 §4.1.5", "iat": "RFC 7519 §4.1.6"][name] ?? ""
            let text = JSONWriter.text(of: value)
            guard let time = value.double, time.isFinite else {
                return TokenCheck(name, .failed, "\(text) is no time", section)
            }
            let isNear = abs(time) < Self.farthestTime
            return timeCheck(name, time, isNear ? "\(Int64(time))" : text, expected, section)
        }
    }

    private func timeCheck(
        _ name: String,
        _ time: Double,
        _ text: String,
        _ expected: TokenExpectations,
        _ section: String
    ) -> TokenCheck {
        guard let now = expected.now else { return TokenCheck(name, .skipped, text, section) }
        // The exact second of exp is already too late (section 4.1.4: "on or after").
        let isGood =
            name == "exp"
            ? Double(now - expected.leeway) < time : Double(now + expected.leeway) >= time
        let near = min(max(time, -Self.farthestTime), Self.farthestTime)
        let distance = TimeText.distance(Int64(near) - now)
        return TokenCheck(name, isGood ? .passed : .failed, "\(text), \(distance)", section)
    }

    /// Seconds since the epoch: what is farther off is told as being so far, as the `exp` of tokens that are never to run out.
    private static let farthestTime = 1e15
}

/// Distances in time, in words.
enum TimeText {
    /// `in 5 minutes`, `3 days ago`.
    static func distance(_ seconds: Int64) -> String {
        let magnitude = seconds.magnitude
        let (count, unit): (UInt64, String) =
            switch magnitude {
            case 0..<120: (magnitude, "second")
            case 120..<7200: (magnitude / 60, "minute")
            case 7200..<172_800: (magnitude / 3600, "hour")
            default: (magnitude / 86_400, "day")
            }
        let words = "\(count) \(unit)\(count == 1 ? "" : "s")"
        return seconds >= 0 ? "in \(words)" : "\(words) ago"
    }
}
