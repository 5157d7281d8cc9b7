import Captures
import JSON

/// The names by which token endpoints refuse (RFC 6749, section 5.2, and what extends it), however an answer brings them.
///
/// Gateways and frameworks write them in capitals, under a member of their own, inside of another one, in XML or on a page.
enum TokenErrorName {
    /// The name as the specifications spell it; nil where a text is none.
    static func standard(_ text: String) -> String? {
        guard text.utf8.count <= longest else { return nil }
        let lower = text.asciiLowercased()
        return names.contains(lower) ? lower : nil
    }

    /// In a refusal that has no `error`; nil where none of them stands, or more than one on a page.
    static func find(in response: RecordedResponse, _ json: JSONObject?, of exchange: Int) -> ErrorResponse? {
        guard response.status < 500 else { return nil }
        if let json { return member(of: json, exchange) }
        guard (400...403).contains(response.status), let body = response.body, let bytes = body.bytes,
            bytes.count < largest
        else { return nil }
        let words = Set(bytes.split { !($0.isASCIIAlphanumeric || $0 == 0x5f) }.compactMap(name))
        guard words.count == 1, let name = words.first, !body.isPage || !ofPages.contains(name) else {
            return nil
        }
        return ErrorResponse(
            error: name,
            description: HTMLText.opening(of: bytes, limit: mostWords),
            place: Place(exchange: exchange, part: .responseBody, name: "")
        )
    }

    private static func name(_ word: [UInt8].SubSequence) -> String? {
        word.count <= longest ? standard(String(decoding: word, as: UTF8.self)) : nil
    }

    /// A member whose value is a name, at the top or in an object below it, the first of a list.
    private static func member(of object: JSONObject, _ exchange: Int) -> ErrorResponse? {
        for member in object.members.prefix(mostMembers) {
            let inner = member.value.object ?? member.value.array?.first?.object
            let found = inner.map { $0.members.prefix(mostMembers).map(\.value) } ?? [member.value]
            guard let written = found.lazy.compactMap(\.string).first(where: { standard($0) != nil }),
                let name = standard(written)
            else { continue }
            return ErrorResponse(
                error: name,
                description: WrappedError.words(of: inner ?? object, besides: written),
                place: Place(exchange: exchange, part: .responseBody, name: member.name)
            )
        }
        return nil
    }

    private static let names: Set<String> = [
        "invalid_request", "invalid_client", "invalid_grant", "unauthorized_client", "unsupported_grant_type",
        "invalid_scope", "access_denied", "server_error", "temporarily_unavailable",
        // RFC 8628, section 3.5; RFC 8707, section 2; RFC 9449, sections 5 and 8.
        "authorization_pending", "slow_down", "expired_token", "invalid_target", "invalid_dpop_proof",
        "use_dpop_nonce",
        // OpenID Connect Core, section 3.1.2.6.
        "login_required", "interaction_required", "consent_required", "account_selection_required",
    ]
    /// What pages of every kind call their styles and their files, too, of somebody who is not let in or is to sign in first.
    private static let ofPages: Set<String> = [
        "access_denied", "server_error", "login_required", "interaction_required", "consent_required",
    ]
    /// In bytes.
    private static let longest = 26
    private static let largest = 1 << 14
    private static let mostWords = 300
    private static let mostMembers = 50
}
