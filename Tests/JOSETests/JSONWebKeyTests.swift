import JOSE
import JSON
import Testing

struct JSONWebKeyTests {
    /// RFC 7518, sections 6.2 to 6.4.
    @Test(
        arguments: [
            (["kty": "EC", "x": "AA", "y": "AA"], false, false),
            (["kty": "EC", "x": "AA", "y": "AA", "d": "AA"], true, true),
            (["kty": "RSA", "n": "AA", "e": "AQAB"], false, false),
            (["kty": "RSA", "n": "AA", "e": "AQAB", "p": "AA"], true, true),
            (["kty": "oct", "k": "AA"], false, true), ([:], false, false),
        ] as [(JSONObject, Bool, Bool)]
    )
    func symmetricKeyIsASecretAndNoPair(json: JSONObject, isPrivate: Bool, holdsSecret: Bool) {
        let key = JSONWebKey(json: json)
        #expect(key.isPrivate == isPrivate && key.holdsSecret == holdsSecret)
    }
}
