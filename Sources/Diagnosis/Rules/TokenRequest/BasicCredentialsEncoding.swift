import Captures
import Flows
import JSON
import OAuth

/// Client and provider do not read the Basic credentials alike.
///
/// RFC 6749, section 2.3.1, wants id and secret form-encoded before they are joined by a colon; half of the
/// field skips that. Where the secret has only letters and digits nobody notices. A registration in the
/// capture shows which side is at fault; without one both readings are told.
struct BasicCredentialsEncoding: Rule {
    static let info = RuleInfo(
        id: "basic-credentials-encoding",
        title: "The Basic credentials are not encoded the way the provider reads them",
        severity: .error,
        explanation: """
            The client id or secret holds characters that read differently with and without form-decoding, and the provider refused the client. \
            One side encodes these values inside the Basic header and the other does not decode them, or the reverse.
            """,
        fix: """
            Form-encode client id and secret before joining them with ":" and applying Base64. If the provider does not decode them, use \
            client_secret_post, or a secret of letters and digits only.
            """,
        badExample: """
            secret: a+b%c
            POST /token  Authorization: Basic BASE64("shop:a+b%c")  → 401 invalid_client
            """,
        goodExample: """
            secret: a+b%c
            POST /token  Authorization: Basic BASE64("shop:a%2Bb%25c")  → 200
            """,
        specifications: [
            .rfc(6749, "2.3.1"),
            SpecificationReference(
                text: "RFC 6749 Appendix B",
                url: "https://www.rfc-editor.org/rfc/rfc6749#appendix-B"
            ),
        ]
    )

    func verdict(on flow: Flow) -> Verdict {
        let calls = ClientCall.all(in: flow)
        for call in calls {
            guard call.authentication.methods.contains(.secretBasic),
                let secret = call.authentication.secret, let client = call.authentication.clientID
            else { continue }
            let isTold = Self.isTold(by: call)
            guard call.isClientRefused || isTold, var found = fault(of: client, secret, call, flow) else {
                continue
            }
            if isTold { found.explanation = Self.told }
            found.evidence.append(call.answer.evidence())
            found.severity = call.isRepaired ? .note : .error
            found.exchange = call.exchange
            return .violated(found)
        }
        return .holds
    }

    static let told = """
        The provider takes the client id and the secret form-encoded in the Basic header, as RFC 6749 has it, and says that these are \
        not: a colon or a percent sign that stands there as it is belongs to neither of the two.
        """

    /// Whether a provider says of values that have something to encode that they are not, under whatever name (AD FS: `invalid_request`).
    static func isTold(by call: ClientCall) -> Bool {
        // The media type has the word in its name.
        let text = call.answer.errorText.replacing(FormBody.mediaType, with: "")
        return call.mayBlameClient && text.containsBytes("basic")
            && ["urlencoded", "url-encoded", "url encoded", "form-encoded"].contains(
                where: text.containsBytes
            )
            && [call.authentication.clientID, call.authentication.secret].contains { value in
                value.map { needsEncoding($0.rawValue) } ?? false
            }
    }

    /// Whether a value is another one once it is form-encoded, or once somebody decodes it.
    private static func needsEncoding(_ raw: String) -> Bool {
        raw.utf8.contains { !$0.isASCIIAlphanumeric && ![0x2a, 0x2d, 0x2e, 0x5f].contains($0) }
    }

    private func fault(of client: Parameter, _ secret: Parameter, _ call: ClientCall, _ flow: Flow)
        -> Violation?
    {
        if let known = knownClients(call, flow).first(where: {
            call.authentication.isCutAtColon(of: $0.value)
        }) {
            return Violation(
                [
                    Evidence(
                        place: client.place,
                        value: client.rawValue,
                        note: "the client id in the header, up to the first \":\""
                    ), Evidence(known, note: "the client id; its \":\" has to be %3A in the header"),
                ],
                variant: "colon"
            )
        }
        let registrations = flow.registrations(of: client.value) + flow.registrations(of: client.rawValue)
        let issued = registrations.compactMap { $0.answer.parameters.parameter("client_secret") }
        if !issued.isEmpty { return issued.lazy.compactMap { compare(secret, $0) }.first }
        var evidence: [Evidence] = []
        for (parameter, isSecret) in [(client, false), (secret, true)]
        // A line break at its end was copied along.
        where isAmbiguous(CopiedAlong.removed(from: parameter.rawValue) ?? parameter.rawValue) {
            let raw = parameter.rawValue
            evidence.append(
                Evidence(
                    place: parameter.place,
                    value: isSecret ? Masking.masked(raw) : raw,
                    note:
                        "\(isSecret ? "secret" : "client id") as it stands: \(raw.unicodeScalars.count.counted("character")) with \(Self.marks(in: raw))"
                )
            )
            evidence.append(
                Evidence.computed(
                    parameter.name,
                    isSecret ? Masking.masked(parameter.value) : parameter.value,
                    in: .requestHeader,
                    note: "form-decoded: \(parameter.value.unicodeScalars.count.counted("character"))"
                )
            )
        }
        return evidence.isEmpty ? nil : Violation(evidence)
    }

    // MARK: - With the secret known

    private func compare(_ sent: Parameter, _ issued: Parameter) -> Violation? {
        let raw = sent.rawValue
        let truth = issued.value
        let decoded = PercentEncoding.decode(raw, plusIsSpace: true)
        let variant: String
        let words: String
        if raw.equalsBytes(of: truth) {
            guard !decoded.equalsBytes(of: truth) || isAmbiguous(raw) else { return nil }
            variant = "not-encoded"
            words =
                "The secret stands in the header as it is; form-decoded, as RFC 6749 wants it, it becomes another one."
        } else if decoded.equalsBytes(of: truth) {
            variant = "not-decoded"
            words = "The secret is encoded as RFC 6749 wants it; this provider does not seem to decode it."
        } else if PercentEncoding.decode(decoded).equalsBytes(of: truth)
            || PercentEncoding.decode(decoded, plusIsSpace: true).equalsBytes(of: truth)
        {
            variant = "encoded-twice"
            words = "The secret is encoded twice."
        } else if PercentEncoding.decode(raw).equalsBytes(of: truth) {
            variant = "plus-as-space"
            words = "The secret's \"+\" is not encoded, its other characters are."
        } else {
            return nil
        }
        return Violation(
            [
                Evidence(
                    place: sent.place,
                    value: Masking.masked(raw),
                    note: "secret in the header, with \(Self.marks(in: raw))"
                ), Evidence(issued, note: "issued to this client"),
            ],
            variant: variant,
            explanation: words
        )
    }

    // MARK: - Reading values

    /// Whether form-decoding makes something else of it, or stumbles.
    private func isAmbiguous(_ raw: String) -> Bool { raw.utf8.contains { $0 == 0x2b || $0 == 0x25 } }

    /// Client ids that this call's client may have.
    private func knownClients(_ call: ClientCall, _ flow: Flow) -> [Parameter] {
        (flow.authorizationRequests.map(\.parameters) + [call.parameters]).compactMap {
            $0.parameter("client_id")
        }.filter { $0.place.part != .requestHeader }
    }

    private static func marks(in raw: String) -> String {
        let plus = raw.utf8.filter { $0 == 0x2b }.count
        let percent = raw.utf8.filter { $0 == 0x25 }.count
        return [plus > 0 ? "\(plus) \"+\"" : nil, percent > 0 ? "\(percent) \"%\"" : nil].compactMap { $0 }
            .joined(separator: " and ")
    }
}
