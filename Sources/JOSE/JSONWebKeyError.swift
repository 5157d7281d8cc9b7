/// Why a JWK cannot be used.
package struct JSONWebKeyError: Error, Equatable, CustomStringConvertible {
    let reason: String

    package var description: String { reason }
}
