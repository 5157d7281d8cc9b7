import Captures
import JOSE
import OAuth

/// How the client proves who it is.
extension RequestChangeFinder {
    mutating func addAuthentication(_ both: Counterparts) {
        let (left, right) = (both.own.clientAuthentication, both.other.clientAuthentication)
        let place = Place(exchange: both.theirs.index, part: .requestHeader, name: "Authorization")
        if left.methods != right.methods {
            let names = [left, right].map { $0.methods.map(\.rawValue).joined(separator: " and ") }
            add(
                both,
                .of(
                    "client authentication",
                    expected: names[0],
                    seen: names[1],
                    at: place,
                    note: "\(names[1]) instead of \(names[0])"
                ),
                authenticating(both, left, right)
            )
        } else if let token = left.assertion.flatMap({ JSONWebToken.parse($0.value) }),
            let seen = right.assertion.flatMap({ JSONWebToken.parse($0.value) })
        {
            compareTokens(
                token,
                seen,
                named: "client_assertion",
                isHeader: false,
                both
            )
        }
        for (name, from, to) in [
            ("client_id", left.clientID, right.clientID), ("client_secret", left.secret, right.secret),
        ] {
            guard let from, let to, from.value != to.value, !isGiven(name), !Placeholder.isOne(from.value),
                !Placeholder.isOne(to.value), translator.translated(to.value) != from.value
            else { continue }
            let spelling = right.methods == [.secretBasic] ? to.rawValue : nil
            add(
                both,
                .of(name, expected: from.value, seen: to.value, at: to.place),
                [.credential(exchange: both.mine.index, name: name, value: to.value, inBasic: spelling)]
            )
        }
        addEncoding(both, left, right, place)
    }

    /// The edits that make a client authenticate as the other does.
    func authenticating(
        _ both: Counterparts,
        _ left: ClientAuthentication,
        _ right: ClientAuthentication
    ) -> [PlanEdit] {
        let exchange = both.mine.index
        switch right.methods {
        case [.secretBasic], [.secretPost]:
            // Who has no secret in the one flow has it from the other.
            var edits: [PlanEdit] = []
            if left.secret == nil, let secret = right.secret {
                edits.append(
                    .parameter(
                        exchange: exchange,
                        name: SecretNames.clientSecret,
                        number: 0,
                        value: secret.value,
                        isInBody: true
                    )
                )
            }
            return edits + [.authentication(exchange: exchange, right.methods[0])]
        case [.none]: return [.authentication(exchange: exchange, .none)]
        case [.secretBasic, .secretPost]:
            return [.authentication(exchange: exchange, .secretBasic), .secretTwice(exchange: exchange)]
        case [.assertion]:
            guard let assertion = right.assertion else { return [] }
            return [
                .authentication(exchange: exchange, .none),
                .assertion(exchange: exchange, translatedText(assertion.value, both.theirs, both.mine)),
            ]
        default: return []
        }
    }

    /// Whether Basic credentials are form-encoded, where that makes another header (RFC 6749, section 2.3.1).
    mutating func addEncoding(
        _ both: Counterparts,
        _ left: ClientAuthentication,
        _ right: ClientAuthentication,
        _ place: Place
    ) {
        guard left.methods == [.secretBasic], right.methods == [.secretBasic], let from = left.secret,
            let to = right.secret, from.rawValue != to.rawValue, from.value == to.value
        else { return }
        let encodes = to.rawValue != to.value
        add(
            both,
            .of(
                "client_secret",
                expected: nil,
                seen: nil,
                at: place,
                aspect: "encoding",
                note: encodes
                    ? "form-encoded before it went into Basic" : "not form-encoded before it went into Basic"
            ),
            [.encodesCredentials(exchange: both.mine.index, encodes)]
        )
    }
}
