import Captures
import JOSE
import OAuth

/// Links access token and code to their hashes in the ID token beside them (OpenID Connect Core, sections 3.1.3.6 and 3.3.2.11).
enum HashLinks {
    static func links(of flow: FlowBuilder, in index: CaptureIndex) -> [Link] {
        flow.messages.flatMap { message -> [Link] in
            guard case .token(let request) = message, let token = request.idToken.map(index.readable),
                let algorithm = token.token.algorithm.flatMap(SignatureAlgorithm.init(rawValue:))
            else { return [] }
            let access = request.answer.parameters.parameter("access_token")
            let code = request.parameters.parameter("code")
            return [
                link(from: access, to: "at_hash", token.accessTokenHash, of: token, algorithm, .atHash),
                link(from: code, to: "c_hash", token.codeHash, of: token, algorithm, .codeHash),
            ].compactMap(\.self)
        }
    }

    /// Nil where there is no such hash, or it is another value's.
    private static func link(
        from hashed: Parameter?,
        to claim: String,
        _ hash: String?,
        of token: IDToken,
        _ algorithm: SignatureAlgorithm,
        _ transform: Transform
    ) -> Link? {
        guard let hashed, let hash, JSONWebToken.halfHash(of: hashed.value, algorithm: algorithm) == hash
        else { return nil }
        return Link(
            name: hashed.name,
            origin: Occurrence(place: hashed.place, value: hashed.value),
            uses: [Occurrence(place: token.place(ofClaim: claim), value: hash)],
            transform: transform
        )
    }
}
