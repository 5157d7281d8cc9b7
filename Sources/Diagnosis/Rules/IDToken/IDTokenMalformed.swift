import Captures
import Flows
import JOSE
import JSON
import OAuth

/// What stands in `id_token` is no token that could be read.
///
/// A compact JWS has three parts, a JWE five, each base64url (RFC 7519, section 7.2); header and claims are JSON
/// objects.
struct IDTokenMalformed: Rule {
    static let info = RuleInfo(
        id: "id-token-malformed",
        title: "The ID token cannot be read",
        severity: .error,
        explanation: """
            The value of id_token has not the form of a signed or encrypted token, or what it encodes is not JSON. A client fails to parse it and \
            gives up the login.
            """,
        fix: """
            See what the provider, or something between it and the client, put there: a token that was cut off, encoded twice, or one of another \
            kind, as an opaque access token.
            """,
        badExample: """
            POST /token → {"access_token":"…","id_token":"eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJodH"}
            """,
        goodExample: """
            POST /token → {"access_token":"…","id_token":"eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJodHR…fQ.S2x…"}
            """,
        specifications: [.rfc(7519, "7.2")]
    )

    func verdict(on flow: Flow) -> Verdict {
        for grant in TokenGrant.all(in: flow) {
            // A null came as an empty value: that is a token that is missing.
            guard let parameter = grant.parameters.parameter("id_token"), !parameter.value.isEmpty,
                let fault = fault(of: parameter.value)
            else { continue }
            let parts = parameter.value.utf8.reduce(1) { $1 == 0x2e ? $0 + 1 : $0 }
            return .violated(
                Violation(
                    [
                        Evidence(parameter, note: fault),
                        .computed("parts", "\(parts)", in: .responseBody, note: "3 or 5 are expected"),
                    ],
                    exchange: parameter.place.exchange
                )
            )
        }
        return .holds
    }

    /// What is wrong with a token, by its first part that is; nil where it can be read.
    private func fault(of text: String) -> String? {
        let parts = text.utf8.split(separator: 0x2e, maxSplits: 8, omittingEmptySubsequences: false)
        guard parts.count == 3 || parts.count == 5 else {
            return parts.count == 1 ? "no parts separated by dots" : "the number of parts is neither 3 nor 5"
        }
        let names =
            parts.count == 3
            ? ["header", "claims", "signature"]
            : ["header", "encrypted key", "initialization vector", "ciphertext", "tag"]
        for (name, part) in zip(names, parts) {
            let (bytes, deviations) = Base64URL.decodeLeniently(String(Substring(part)))
            if let deviation = Base64URL.Deviation.allCases.first(where: {
                $0 != .strayBits && deviations.contains($0)
            }) {
                return "the \(name) is not base64url: \(deviation.rawValue)"
            }
            guard name == "header" || name == "claims" else { continue }
            if bytes.isEmpty { return "the \(name) is empty" }
            if (try? JSONParser.parse(bytes))?.object == nil { return "the \(name) is no JSON object" }
        }
        return nil
    }
}
