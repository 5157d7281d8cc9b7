import Captures
import Flows
import JSON
import OAuth

extension Flow {
    /// A text of an answer without the secrets that the request brought, or that the answer names as such; `code` of an error is none.
    func hidingSecrets(in text: String, of exchange: Int) -> String {
        let request = capture[exchange].request
        let sent = request.queryAndFormItems.items
        var secrets = sent.filter { Masking.isSecret($0.name) }.map(\.value)
        secrets += request.headers.all("authorization").map { $0.drop { $0 != " " }.dropFirst() }.map(
            String.init
        )
        let answered = Answer(of: capture[exchange], at: exchange).json?.members.filter { member in
            guard member.name == "code", let code = member.value.string else { return true }
            return !Self.isWords(code) && !Self.isNumber(code)
        }
        for members in [answered, request.body.flatMap(Self.object)?.members] {
            secrets += members?.filter { Masking.isSecret($0.name) }.compactMap(\.value.string) ?? []
        }
        return Masking.hiding(secrets.filter { $0.utf8.count >= 6 && !MissingToken.isOne($0) }, in: text)
    }

    /// Whether a value is a name in small letters, as `code` of an error has it (`cookie_decryption_error`): what is issued has other
    /// characters, too.
    private static func isWords(_ value: String) -> Bool {
        value.utf8.allSatisfy { (0x61...0x7a).contains($0) || $0 == 0x5f } && value.utf8.contains(0x5f)
    }

    /// Whether a value is a number among those of a product's errors: `ABA-60007`.
    private static func isNumber(_ value: String) -> Bool {
        let parts = value.utf8.split(separator: 0x2d, omittingEmptySubsequences: false)
        return parts.count == 2 && (2...8).contains(parts[0].count) && (3...6).contains(parts[1].count)
            && parts[0].allSatisfy { (0x41...0x5a).contains($0) } && parts[1].allSatisfy(\.isASCIIDigit)
    }

    /// Evidence whose words are a server's own, which may repeat what was sent to it, or anything that it knows of the login.
    func hidingSecrets(in evidence: [Evidence]) -> [Evidence] {
        evidence.map { evidence in
            guard let exchange = evidence.place.exchange, evidence.value.utf8.count >= KnownSecrets.shortest
            else {
                return evidence
            }
            var evidence = evidence
            evidence.value = hidingSecrets(in: evidence.value, of: exchange)
            evidence.value = Masking.hiding(derived.value { KnownSecrets(of: self) }.all, in: evidence.value)
            return evidence
        }
    }

    private static func object(_ body: Body) -> JSONObject? {
        guard body.essence == "application/json", let bytes = body.bytes, bytes.count < 1 << 16 else {
            return nil
        }
        return (try? JSONParser.parse(bytes))?.object
    }
}
