import Captures
import JOSE
import OAuth

extension ClientCall {
    /// The registered name of the one method by which the client authenticated; nil for several, or an assertion nobody can read.
    var method: String? {
        guard authentication.methods.count == 1, let method = authentication.methods.first else { return nil }
        guard method == .assertion else { return method.rawValue }
        guard let algorithm = assertion?.token.algorithm else { return nil }
        return algorithm.hasPrefix("HS") ? "client_secret_jwt" : "private_key_jwt"
    }

    /// The method, where it stands in the request.
    func evidence(ofMethod method: String, note: String) -> Evidence {
        Evidence(place: place(ofMethod: method), value: method, note: note)
    }

    private func place(ofMethod method: String) -> Place {
        switch method {
        case "client_secret_basic": Place(exchange: exchange, part: .requestHeader, name: "Authorization")
        case "client_secret_post": Place(exchange: exchange, part: .requestBody, name: "client_secret")
        case "none": Place(exchange: exchange, part: .requestBody, name: "client_id")
        default: Place(exchange: exchange, part: .requestBody, name: "client_assertion")
        }
    }
}
