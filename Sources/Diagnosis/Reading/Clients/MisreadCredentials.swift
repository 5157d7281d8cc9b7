import Captures
import Flows
import JSON
import OAuth

/// Basic credentials that are others once they are form-decoded, as they are to be (RFC 6749, section 2.3.1), or as they are not.
struct MisreadCredentials {
    let evidence: [Evidence]
    /// How they came to be so, where what they had to be is known; with what is said of it.
    let variant: String?
    let explanation: String?

    private init(_ evidence: [Evidence], variant: String? = nil, explanation: String? = nil) {
        self.evidence = evidence
        self.variant = variant
        self.explanation = explanation
    }

    /// Nil of a call without such credentials, and of those that read alike either way.
    init?(of call: ClientCall, in flow: Flow) {
        guard call.authentication.methods.contains(.secretBasic), let secret = call.authentication.secret,
            let client = call.authentication.clientID,
            let fault = Self.fault(of: client, secret, call, flow)
        else { return nil }
        self = fault
    }

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

    private static func fault(of client: Parameter, _ secret: Parameter, _ call: ClientCall, _ flow: Flow)
        -> MisreadCredentials?
    {
        if let known = knownClients(call, flow).first(where: {
            call.authentication.isCutAtColon(of: $0.value)
        }) {
            return MisreadCredentials(
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
        let issued = registrations.compactMap(\.issuedSecret)
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
                        "\(isSecret ? "secret" : "client id") as it stands: \(raw.unicodeScalars.count.counted("character")) with \(marks(in: raw))"
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
        return evidence.isEmpty ? nil : MisreadCredentials(evidence)
    }

    // MARK: - With the secret known

    private static func compare(_ sent: Parameter, _ issued: Parameter) -> MisreadCredentials? {
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
        return MisreadCredentials(
            [
                Evidence(
                    place: sent.place,
                    value: Masking.masked(raw),
                    note: "secret in the header, with \(marks(in: raw))"
                ), Evidence(issued, note: "issued to this client"),
            ],
            variant: variant,
            explanation: words
        )
    }

    // MARK: - Reading values

    /// Whether form-decoding makes something else of it, or stumbles.
    private static func isAmbiguous(_ raw: String) -> Bool { raw.utf8.contains { $0 == 0x2b || $0 == 0x25 } }

    /// Client ids that this call's client may have.
    private static func knownClients(_ call: ClientCall, _ flow: Flow) -> [Parameter] {
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

    // MARK: - Words

    /// Of credentials of which the provider itself says that they are not encoded.
    static let told = """
        The provider takes the client id and the secret form-encoded in the Basic header, as RFC 6749 has it, and says that these are \
        not: a colon or a percent sign that stands there as it is belongs to neither of the two.
        """

    static let fix = """
        Form-encode client id and secret before joining them with ":" and applying Base64. If the provider does not decode them, use \
        client_secret_post, or a secret of letters and digits only.
        """
}
