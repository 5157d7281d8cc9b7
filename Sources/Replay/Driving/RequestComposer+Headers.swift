import Captures
import Flows
import JOSE
import JSON
import OAuth

/// Headers of a request of this run, with its credentials and its proof.
extension RequestComposer {
    mutating func headers(
        of recorded: RecordedRequest,
        _ step: PlannedStep,
        _ replacements: Replacements,
        _ url: RecordedURL,
        at now: Timestamp
    ) throws(StepFailure) -> HeaderFields {
        var fields = HeaderFields()
        for field in recorded.headers.fields where !HeaderRules.isLeftOut(field) {
            // What is no UTF-8 is sent as it was.
            var field = field
            switch field.name.lowercased() {
            case "authorization": field.value = authorization(field.value, replacements)
            case "dpop":
                field.value = try proof(field.value, step, replacements, url, at: now)
            case "accept-encoding": field.value = "gzip, deflate"
            case "origin", "referer":
                field.value = values.replacing(in: map.mapped(RecordedURL(field.value)).text)
            default: field.value = values.replacing(in: field.value)
            }
            fields.fields.append(field)
        }
        if let type = recorded.body?.mediaType, !fields.contains("content-type") {
            fields.append("Content-Type", type)
        }
        return fields
    }

    private func authorization(_ recorded: String, _ replacements: Replacements) -> String {
        guard recorded.prefix(6).lowercased() == "basic " else {
            let words = recorded.utf8.split(separator: 0x20, maxSplits: 1).map { String(Substring($0)) }
            guard words.count == 2 else { return recorded }
            return words[0] + " " + replacements.value(of: "access_token", words[1])
        }
        let request = RecordedRequest(
            method: "POST",
            url: RecordedURL(""),
            headers: HeaderFields([("Authorization", recorded)])
        )
        let known = ClientAuthentication(of: request, exchange: 0, parameters: Parameters())
        guard let id = known.clientID, let secret = known.secret else { return recorded }
        // Whether this client encodes its credentials as RFC 6749, section 2.3.1, wants it, shows where it had to: unless the secret is
        // known to be what it sent, or has what no encoder leaves.
        let isAsItIs =
            !Self.mayBeFormEncoded(secret.rawValue)
            || known.undecodedSecret.map { $0 == plan.flow.surroundings.knownSecrets[id.value] } ?? false
        let isEncoded = !isAsItIs && (known.undecodedSecret != nil || id.rawValue != id.value)
        let sent = isAsItIs ? known.undecodedSecret ?? secret.value : secret.value
        let newID = replacements.value(of: "client_id", id.value)
        let newSecret = replacements.value(of: SecretNames.clientSecret, sent)
        guard newID != id.value || newSecret != sent else { return recorded }
        // Where nothing shows it, what a provider that decodes would not read as it is goes encoded: any other is taken by those that
        // decode and by those that do not.
        let pair = [(id.rawValue, id.value, newID), (secret.rawValue, sent, newSecret)].map { raw, old, new in
            guard new != old else { return raw }
            let isEncoded = isEncoded || !isAsItIs && new.utf8.contains { "+%".utf8.contains($0) }
            return isEncoded ? PercentEncoding.encode(new) : new
        }.joined(separator: ":")
        return recorded.prefix(6) + Base64.encode(Array(pair.utf8))
    }

    /// Whether a form encoder may have written a text: those of the languages leave different ones of the marks.
    private static func mayBeFormEncoded(_ text: String) -> Bool {
        text.utf8.allSatisfy { $0.isUnreserved || "%+*!'()".utf8.contains($0) }
    }

    private mutating func proof(
        _ recorded: String,
        _ step: PlannedStep,
        _ replacements: Replacements,
        _ url: RecordedURL,
        at now: Timestamp
    ) throws(StepFailure) -> String {
        guard let token = JSONWebToken.parse(recorded) else { return recorded }
        var hash: String?
        if let sent = BearerToken.of(step.request, exchange: step.exchange),
            token.claim("ath")?.string == DPoPProof.hash(ofAccessToken: sent.value)
        {
            hash = DPoPProof.hash(ofAccessToken: replacements.value(of: "access_token", sent.value))
        }
        let recordedURL = step.request.url
        let bound = values
        let map = map
        return try proofs.proof(
            like: token,
            recordedAt: capture[step.exchange].startedAt,
            now: now,
            nonce: url.origin.flatMap { proofNonces[$0] }.flatMap {
                usesNonce || token.claim("nonce") != nil ? $0 : nil
            },
            tokenHash: hash,
            replacing: { text, _ in
                Self.isSamePlace(RecordedURL(text), recordedURL)
                    ? url.withoutQuery : bound[text] ?? map.mapped(value: bound.replacing(in: text))
            }
        )
    }

    /// Whether a proof's `htu` names the place of its request, however it is spelled (RFC 9449, section 4.3).
    private static func isSamePlace(_ named: RecordedURL, _ url: RecordedURL) -> Bool {
        named.origin != nil && named.origin == url.origin && named.path == url.path
    }
}
