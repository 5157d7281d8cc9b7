package import JSON

/// A `jwks_uri` document (RFC 7517, section 5).
package struct JSONWebKeySet: Sendable, Hashable {
    /// In the order in which they were served.
    package var keys: [JSONWebKey]

    package init(keys: [JSONWebKey]) { self.keys = keys }

    /// Nil for what is no key set: an object with an array `keys`.
    ///
    /// Elements that are no objects are left out.
    package init?(json: JSONValue) {
        guard let keys = json["keys"]?.array else { return nil }
        self.keys = keys.compactMap { $0.object.map(JSONWebKey.init(json:)) }
    }

    /// As it is served: the members of each key as they were read.
    package var json: JSONValue { ["keys": .array(keys.map { .object($0.json) })] }
}
