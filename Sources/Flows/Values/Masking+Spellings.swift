import Captures

extension Masking {
    /// A text with what stands behind the name of a secret masked, however it is written, and every JSON Web Token.
    ///
    /// `"access_token": "…"`, `'access_token': '…'`, `\"access_token\":\"…\"`, `access_token=…`, `<access_token>…`, cut off or
    /// not. Names that mean other things too (`"code": 401`, `no token: expired`) need a value that looks like a secret.
    package static func hidingSecrets(in text: String) -> String {
        let bytes = Array(text.utf8)
        var output: [UInt8] = []
        var place = 0
        while place < bytes.count {
            let start = place
            while place < bytes.count, bytes[place].isBase64URLCharacter { place += 1 }
            guard place > start else {
                output.append(bytes[place])
                place += 1
                continue
            }
            if bytes[start...].starts(with: "eyJ".utf8) {
                let end = bytes[start...].firstIndex { !isOfToken($0) } ?? bytes.count
                if end - start >= 20 {
                    output += masked(bytes[start..<end])
                    place = end
                    continue
                }
            }
            output += bytes[start..<place]
            let name = String(decoding: bytes[start..<place], as: UTF8.self)
            guard isSecretInAnySpelling(name), let value = value(behind: place, in: bytes, of: name) else {
                continue
            }
            output += bytes[place..<value.lowerBound] + masked(bytes[value])
            place = value.upperBound
        }
        return String(decoding: output, as: UTF8.self)
    }

    /// Whether a member in others, `data.refresh_token`, is a secret: by its own name.
    package static func isSecretMember(_ name: String, _ value: String) -> Bool {
        let leaf = name.split(separator: ".").last.map(String.init) ?? name
        guard leaf != name, isSecretInAnySpelling(leaf) else { return isSecret(name) }
        return !ambiguous.contains(leaf.lowercased()) || looksSecret(Array(value.utf8)[...])
    }

    /// Where the value of a name stands, and nil where it has none or what is there is no secret.
    private static func value(behind name: Int, in bytes: [UInt8], of spelled: String) -> Range<Int>? {
        var place = name
        let skip = { (wanted: String) in
            let start = place
            while place < bytes.count, wanted.utf8.contains(bytes[place]) { place += 1 }
            return place > start
        }
        let isElement = bytes[name...].first == 0x3e
        let isNameQuoted = !isElement && skip("\\\"'")
        _ = skip(" \t\r\n")
        let isForm = bytes[place...].first == 0x3d
        guard isElement || skip(":="), place < bytes.count else { return nil }
        _ = skip("> \t\r\n")
        let opening = place
        _ = skip("\\")
        let quote = bytes[place...].first.flatMap { $0 == 0x22 || $0 == 0x27 ? $0 : nil }
        let start = quote == nil ? opening : place + 1
        let isEnd = { (byte: UInt8) in
            guard let quote else { return byte <= 0x20 || "&?#,;<>]}\"'\\".utf8.contains(byte) }
            return byte == quote || byte == 0x5c
        }
        let isPlain = isNameQuoted ? quote != nil : isForm
        let isCertain = isPlain && !ambiguous.contains(spelled.lowercased())
        guard isCertain || looksSecret(bytes[start...].prefix(64).prefix { !isEnd($0) }) else { return nil }
        let end = bytes[start...].firstIndex(where: isEnd) ?? bytes.count
        // What is masked already stays as it is.
        return end > start && !isMasked(bytes[start..<end]) ? start..<end : nil
    }

    private static func masked(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        Array(masked(String(decoding: bytes, as: UTF8.self)).utf8)
    }

    /// Whether it is what ``masked(_:showing:)`` made.
    static func isMasked(_ bytes: some Collection<UInt8>) -> Bool {
        guard let cut = bytes.firstIndex(of: 0xe2), bytes.distance(from: bytes.startIndex, to: cut) <= 4
        else {
            return false
        }
        let rest = bytes[cut...]
        return rest.starts(with: "…(".utf8) && rest.dropFirst(4).allSatisfy { $0.isASCIIDigit || $0 == 0x29 }
    }

    /// Sixteen characters of tokens at least, letters and digits among them.
    private static func looksSecret(_ value: ArraySlice<UInt8>) -> Bool {
        value.count >= 16 && value.allSatisfy(isOfToken) && value.contains(where: \.isASCIIDigit)
            && value.contains { $0.isASCIIAlphanumeric && !$0.isASCIIDigit }
    }

    private static func isSecretInAnySpelling(_ name: String) -> Bool {
        isSecret(name) || withoutUnderscores.contains(name.lowercased())
    }

    /// `accessToken`, `RefreshToken`.
    private static let withoutUnderscores = Set(secretNames.map { $0.filter { $0 != "_" } })

    private static let ambiguous: Set<String> = ["code", "token", "response", "assertion", "cookie"]
}
