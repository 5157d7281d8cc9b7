package import JSON

/// Test vectors of the specifications: `Tests/Vectors`, named after RFC and section.
package enum Vectors {
    /// The vector of this name, for example `rfc7515-a.1`.
    package static func named(_ name: String) throws -> JSONValue {
        try JSONParser.parse(Fixtures.bytes("Tests/Vectors/\(name).json"))
    }
}
