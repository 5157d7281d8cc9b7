import Captures
import Flows
import JOSE
import JSON
import OAuth

/// The code verifier is right, but not of the form that RFC 7636, section 4.1, lays down.
///
/// Providers that check the form first refuse it before they hash it. A verifier that does not open the
/// challenge is another rule's.
struct PKCEVerifierMalformed: Rule {
    static let info = RuleInfo(
        id: "pkce-verifier-malformed",
        title: "The code verifier breaks the format rules",
        severity: .errorWhenRefused,
        explanation: """
            A code_verifier has 43 to 128 characters out of A-Z, a-z, 0-9, "-", ".", "_" and "~". This one has another length or other \
            characters, and providers refuse such a value whatever it hashes to.
            """,
        fix:
            "Make the verifier of 32 random bytes in base64url without padding: that is 43 characters of the right kind.",
        badExample: """
            POST /token  grant_type=authorization_code&code=…&code_verifier=correct%20horse%20battery  → 400 invalid_grant
            """,
        goodExample: """
            POST /token  grant_type=authorization_code&code=…&code_verifier=dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk  → 200
            """,
        specifications: [.rfc(7636, "4.1")]
    )

    func verdict(on flow: Flow) -> Verdict {
        var isTakenOut = false
        var found: Violation?
        let logins = Dictionary(flow.redemptions.map { ($0.request.exchange, $0.login) }) { first, _ in first
        }
        for request in flow.tokenRequests where request.isCodeExchange {
            guard let verifier = request.parameters.parameter("code_verifier"), !verifier.value.isEmpty,
                let fault = Self.fault(of: verifier.value)
            else { continue }
            guard !Placeholder.isOne(verifier.value) else {
                isTakenOut = true
                continue
            }
            let challenge = logins[request.exchange]?.request.parameters.parameter("code_challenge")
                .flatMap { $0.value.isEmpty ? nil : $0 }
            if let challenge {
                let relation = CodeChallenge.relation(of: challenge.value, to: verifier.value)
                guard relation == .s256 || relation == .plain else { continue }
            }
            // Without a code there was nothing to hold the verifier against.
            let isRefused =
                request.isGrantRefused && request.code?.isEmpty == false
                && !wasTaken(verifier.value, request, flow)
            if found != nil, !isRefused { continue }
            var evidence = [Evidence(verifier, note: fault)]
            if let challenge { evidence.append(Evidence(challenge, note: "made from this very verifier")) }
            evidence.append(request.answer.evidence())
            found = Violation(
                evidence,
                severity: isRefused ? .error : .warning,
                exchange: request.exchange
            )
            if isRefused { break }
        }
        if let found { return .violated(found) }
        return isTakenOut ? .abstains("the verifier was taken out of the capture") : .holds
    }

    /// Whether this endpoint took the verifier, or the code with any, before: then it is refused for something else.
    private func wasTaken(_ verifier: String, _ request: TokenRequest, _ flow: Flow) -> Bool {
        let position = flow.surroundings.position
        let code = request.code.flatMap { Placeholder.isOne($0) ? nil : $0 }
        return flow.surroundings.tokenRequests.contains { other in
            other.answer.isSuccess && position[other.exchange] < position[request.exchange]
                && other.endpoint.text == request.endpoint.text
                && (code != nil && other.code == code || other.parameters["code_verifier"] == verifier)
        }
    }

    /// What is wrong with the form, in words; nil for a verifier that is as it should be.
    static func fault(of verifier: String) -> String? {
        var faults: [String] = []
        let count = verifier.unicodeScalars.count
        if count < 43 { faults.append("\(count.counted("character")), 43 are the least") }
        if count > 128 { faults.append("\(count) characters, 128 are the most") }
        let odd = verifier.unicodeScalars.filter { !isAllowed($0) }
        if !odd.isEmpty {
            var names: [String] = []
            for scalar in odd.prefix(1000) {
                let name = name(of: scalar)
                if !names.contains(name), names.count < 6 { names.append(name) }
            }
            let many = odd.count.counted("character") + (odd.count == 1 ? " that is" : " that are")
            faults.append("\(many) not allowed: \(names.joined(separator: ", "))")
        }
        return faults.isEmpty ? nil : faults.joined(separator: "; ")
    }

    private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, 0x2d, 0x2e, 0x5f, 0x7e: true
        default: false
        }
    }

    private static func name(of scalar: Unicode.Scalar) -> String {
        switch scalar.value {
        case 0x20: "a space"
        case 0x21...0x7e: "\"\(scalar)\""
        default: scalar.codePoint
        }
    }
}
