import Captures
import Flows
import JOSE
import OAuth

/// What of a login lets its holder in somewhere: tokens, codes, verifiers, secrets, passwords.
struct KnownSecrets: Sendable {
    /// Longest first, so that the same text is always cut in the same way.
    let all: [String]

    /// Bytes: what is shorter is met by chance.
    static let shortest = 8
    /// No login has more that a page would repeat.
    private static let most = 400

    init(of flow: Flow) {
        var found: Set<String> = []
        // Everybody may know these, whatever else they are used for.
        let open = Set([flow.clientID, flow.issuer].compactMap { $0 })
        for exchange in flow.exchanges where found.count < Self.most {
            let recorded = flow.capture[exchange]
            let sent = recorded.request.queryAndFormItems.items
            let located =
                recorded.response?.location.map { RecordedURL($0) }.map { $0.queryAndFragmentItems.items }
                ?? []
            for item in sent + located where Masking.isSecret(item.name) || Self.isPassword(item.name) {
                found.insert(item.value)
            }
        }
        for message in flow.messages where found.count < Self.most {
            switch message {
            case .token(let request):
                for parameter in request.answer.parameters.items where Masking.isSecret(parameter.name) {
                    found.insert(parameter.value)
                }
                if let secret = request.authentication.secret { found.insert(secret.value) }
            case .userInfo(let call), .resource(let call):
                if let token = call.token { found.insert(token.value) }
            case .introspection(let call), .revocation(let call), .pushedRequest(let call):
                if let secret = call.authentication.secret { found.insert(secret.value) }
            default: break
            }
        }
        all = found.filter {
            $0.utf8.count >= Self.shortest && !open.contains($0) && !Placeholder.isOne($0)
                && !MissingToken.isOne($0)
                && !Self.isPassword($0)
        }
        .sorted { ($0.utf8.count, $0) > ($1.utf8.count, $1) }
    }

    /// By the names of the fields, which are words of pages as well.
    private static func isPassword(_ name: String) -> Bool {
        ["password", "passwd", "passcode", "passwort"].contains(name.lowercased())
    }
}
