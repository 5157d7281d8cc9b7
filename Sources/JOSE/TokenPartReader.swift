import JSON

/// Reads the parts of a compact token, and notes what is wrong with each.
struct TokenPartReader {
    private(set) var deviations: [JSONWebToken.Deviation] = []

    /// The bytes that a part spells if one is kind.
    mutating func bytes(of part: Substring, called name: String) -> [UInt8] {
        let (bytes, found) = Base64URL.decodeLeniently(part)
        for deviation in Base64URL.Deviation.allCases where found.contains(deviation) {
            note(deviation.rawValue, of: name, "RFC 7515 §2")
        }
        return bytes
    }

    /// The object that a part is; nil where it is none.
    ///
    /// `specification`: that wants it to be one.
    mutating func object(in bytes: [UInt8], of name: String, _ specification: String) -> JSONObject? {
        if !JSONWebToken.isUTF8(bytes) { note("is not UTF-8", of: name, specification) }
        do {
            guard let object = try JSONParser.parse(bytes).object else {
                note("is not a JSON object", of: name, specification)
                return nil
            }
            for member in object.duplicateNames {
                note("member \(member) occurs twice", of: name, "RFC 7515 §4")
            }
            return object
        } catch {
            note("is not JSON: \(error)", of: name, specification)
            return nil
        }
    }

    private mutating func note(_ what: String, of part: String, _ specification: String) {
        deviations.append(JSONWebToken.Deviation(part: part, what: what, specification: specification))
    }
}
