import JSON
import Sharing
import Testing

/// Secrets in every encoding and every nest of them.
struct LeakEncodingTests {
    /// Of every kind of character that some encoding changes.
    static let secret = #"s3Kr/t+v4L ue="&'x<y>\z-_Q~9{ü}"#
    static let scan = LeakScan(secrets: [Secret(.password, secret)], lawful: [], short: [:])

    static func leaks(_ text: String) -> [Leak] { scan.leaks(in: ["text": .string(text)]) }

    @Test(arguments: SecretSpelling.allCases)
    func aWholeSecretIsFound(spelling: SecretSpelling) {
        let leaks = Self.leaks("before " + spelling.write(Self.secret) + " behind")
        #expect(leaks.count == 1)
        #expect(leaks.first?.characters == Self.secret.unicodeScalars.count)
    }

    @Test(arguments: SecretSpelling.allCases)
    func anyTwelveCharactersAreFound(spelling: SecretSpelling) {
        let characters = Array(Self.secret)
        for start in 0...characters.count - 12 {
            let piece = String(characters[start..<start + 12])
            let leaks = Self.leaks("(" + spelling.write(piece) + ")")
            #expect(leaks.map(\.characters) == [12], "from \(start)")
        }
    }

    @Test(arguments: SecretSpelling.allCases)
    func elevenCharactersAreNotFound(spelling: SecretSpelling) {
        let characters = Array(Self.secret)
        for start in 0...characters.count - 11 {
            let piece = String(characters[start..<start + 11])
            #expect(Self.leaks("(" + spelling.write(piece) + ")").isEmpty, "from \(start)")
        }
    }

    @Test(arguments: SecretSpelling.allCases, SecretSpelling.allCases)
    func twoEncodingsAroundOneAnotherAreFound(outer: SecretSpelling, inner: SecretSpelling) {
        let characters = Array(Self.secret)
        for start in [0, 3, 5, characters.count - 12] {
            let piece = String(characters[start..<start + 12])
            let text = "(" + outer.write("a:" + inner.write(piece) + " b") + ")"
            #expect(Self.leaks(text).map(\.characters) == [12], "from \(start): \(text)")
        }
    }

    @Test(
        arguments: [
            [.json, .percent, .base64], [.percent, .percent, .percent], [.html, .json, .form],
            [.base64, .jsonSlashes, .percent], [.base64URL, .base64, .base64], [.percent, .json, .html],
            [.hexadecimal, .percentEverything, .jsonEverything], [.jsonSlashes, .percent, .base64Lines],
            [.json, .json, .json], [.html, .html, .html], [.base64UTF16, .json, .percent],
            [.percent, .base64URL, .json, .base64URL], [.html, .json, .percent, .percent, .base64],
        ] as [[SecretSpelling]]
    )
    func nestsAreFound(nest: [SecretSpelling]) {
        let piece = String(Self.secret.prefix(12))
        let text = nest.reversed().reduce(piece) { text, spelling in "<" + spelling.write("?x=\(text)&y") }
        #expect(Self.leaks(text).map(\.characters) == [12], "\(text)")
    }

    @Test func aLeakSaysHowItIsEncoded() {
        let base64 = SecretSpelling.base64.write(String(repeating: ">", count: 7) + Self.secret)
        let leaks = Self.leaks(
            "https://app.example/cb?x=%41&data=" + SecretSpelling.percentEverything.write(base64)
        )
        #expect(leaks.map(\.encodings) == [[.percent, .base64]])
        #expect(
            Self.leaks(
                SecretSpelling.json.write("a\"b") + SecretSpelling.percentEverything.write(Self.secret)
            )
            .map(\.encodings) == [[.percent]]
        )
        #expect(
            Self.leaks(SecretSpelling.hexadecimal.write(Self.secret)).map(\.encodings) == [[.hexadecimal]]
        )
    }

    @Test(arguments: [
        #"\71\37\5a\72\32\4c\6b\58\39\76\54\62"#, #"\71 7Zr\32 LkX9v\000054b"#, "q7Zr2L\\6B\r\nX9vTb",
    ])
    func escapesOfStyleSheetsAreUndone(text: String) {
        let scan = LeakScan(secrets: [Secret(.token, "q7Zr2LkX9vTb")], lawful: [], short: [:])
        #expect(scan.leaks(in: [.string("a{content:'\(text)'}")]).map(\.encodings) == [[.style]])
    }

    @Test func theOffsetIsWhereTheEncodedLeakBegins() {
        let percent = SecretSpelling.percentEverything.write(Self.secret)
        #expect(Self.leaks("ab%2Fcd=" + percent).map(\.offset) == [8])
        let html = SecretSpelling.htmlDecimal.write(percent)
        #expect(Self.leaks("&amp;&amp;" + html + "&amp;").map(\.offset) == [10])
        // The second byte begins in the second character, the third in the third, the fourth in the fifth.
        for (before, offset) in [("", 0), ("a", 1), ("ab", 2), ("abc", 4), ("abcd", 5)] {
            #expect(Self.leaks(SecretSpelling.base64.write(before + Self.secret)).map(\.offset) == [offset])
        }
        let base64 = SecretSpelling.base64.write("abc" + Self.secret)
        #expect(Self.leaks("x \(base64)").map(\.offset) == [6])
        #expect(Self.leaks("\\n" + SecretSpelling.json.write("\(base64)\"")).map(\.offset) == [6])
    }

    // MARK: - Base64

    @Test(arguments: 0..<7, [SecretSpelling.base64, .base64WithoutPadding, .base64URL])
    func everyAlignmentOfBase64IsFound(before: Int, spelling: SecretSpelling) {
        let characters = Array(Self.secret)
        for start in 0...characters.count - 12 {
            let piece = String(characters[start..<start + 12])
            for behind in 0..<4 {
                let inside =
                    String(repeating: "\u{1}", count: before) + piece
                    + String(repeating: "\u{2}", count: behind)
                #expect(Self.leaks(spelling.write(inside)).map(\.characters) == [12])
            }
        }
    }

    @Test(arguments: ["x", "xy", "xyz", "/api/v1/", "=x", "a-b_c", "\n\nx\n"])
    func lettersBeforeBase64DoNotHideIt(before: String) {
        for length in 0..<3 {
            let piece = String(repeating: "\u{1}", count: length) + Self.secret.prefix(12)
            let text = before + SecretSpelling.base64URL.write(piece)
            #expect(Self.leaks(text).map(\.characters) == [12], "\(text)")
        }
    }

    @Test(arguments: ["", "a", "0F", "%", "x"], [SecretSpelling.hexadecimal, .hexadecimalUpperCase])
    func digitsBeforeHexadecimalDoNotHideIt(before: String, spelling: SecretSpelling) {
        let text = before + spelling.write(String(Self.secret.prefix(12)))
        #expect(Self.leaks(text).map(\.characters) == [12], "\(text)")
    }

    @Test(arguments: ["\n", "\r\n", "\r\n ", "\n\t", "\\n", "%0D%0A", "&#10;"])
    func brokenLinesOfBase64AreJoined(lineBreak: String) {
        let text = SecretSpelling.base64.write("abcdefg" + Self.secret.prefix(14))
        for width in [16, 19, 20, 23] {
            var lines: [Substring] = []
            var rest = text[...]
            while !rest.isEmpty {
                lines.append(rest.prefix(width))
                rest = rest.dropFirst(width)
            }
            #expect(Self.leaks(lines.joined(separator: lineBreak)).count == 1, "\(width)")
        }
    }

    @Test func aFirstLineThatIsShortIsJoinedToTheNext() {
        let text = SecretSpelling.base64.write(String(Self.secret.prefix(14)))
        for width in 1..<8 {
            let broken = "\(text.prefix(width))\r\n\(text.dropFirst(width))"
            #expect(Self.leaks("x:\n" + broken).map(\.characters) == [14], "\(width)")
        }
    }

    @Test(arguments: ["äöüßÄÖÜéèêñçøåæ", "секретный-ключ", "密码安全测试字符秘密令牌十四", "🔑🔒🗝️🔐🔓🛡️👤👥🙈🙉🙊🐵"])
    func lettersBeyondASCIIAreFound(secret: String) {
        let scan = LeakScan(secrets: [Secret(.personal, secret)], lawful: [], short: [:])
        let isWide = secret.unicodeScalars.contains { $0.value >= 0x800 }
        for spelling in SecretSpelling.allCases where !(isWide && "\(spelling)".contains("UTF16")) {
            let leaks = scan.leaks(in: [.string("x" + spelling.write("\u{1}" + secret))])
            #expect(leaks.map(\.characters) == [secret.unicodeScalars.count], "\(spelling)")
        }
    }

    @Test func aSecretInBinaryDataIsFound() {
        let noise: [UInt8] = [0xff, 0xd8, 0xff, 0xe0, 0x00, 0xc3, 0x28, 0x80, 0xe2, 0x82]
        let bytes = noise + Array(Self.secret.utf8.prefix(12)) + noise
        let text = SecretSpelling.base64.write(bytes: bytes)
        #expect(Self.leaks(text).map(\.characters) == [12])
    }

    @Test func aBodyThatIsBase64IsDecodedFirst() {
        // Six layers, which is as deep as the scan goes, inside of the body.
        let text = (0..<6).reduce(Self.secret) { text, _ in SecretSpelling.percentEverything.write(text) }
        let body = SecretSpelling.base64.write(text)
        let content: JSONValue = [
            "response": ["content": ["mimeType": "image/png", "encoding": "base64", "text": .string(body)]]
        ]
        let leaks = Self.scan.leaks(in: content, entry: 4)
        #expect(leaks.map(\.path) == ["response.content.text"])
        #expect(leaks.first?.encodings == [.base64] + Array(repeating: .percent, count: 6))
        #expect(Self.leaks(body).isEmpty)
    }

    // MARK: - Far between

    @Test(arguments: [SecretSpelling.percent, .jsonSlashes, .html])
    func aLeakBetweenEscapesThatAreFarApartIsFound(spelling: SecretSpelling) {
        let far = String(repeating: "far away. ", count: 1000)
        let piece = String(Self.secret.prefix(12))
        for text in [
            far + spelling.write(piece) + far, spelling.write("/") + far + spelling.write(piece) + far,
            far + spelling.write(piece) + far + spelling.write("/"), far + spelling.write(piece),
        ] {
            let leaks = Self.leaks(text)
            #expect(leaks.map(\.characters) == [12])
            let start = text.utf8.firstRange(of: "s3Kr".utf8)?.lowerBound
            #expect(leaks.map(\.offset) == [start.map { text.utf8.distance(from: text.startIndex, to: $0) }])
        }
    }

    @Test func piecesThatAreFarApartAreNotJoined() {
        // The piece around an escape reaches 512 bytes from it: to the end of one half, from the beginning of the other.
        let filler = String(repeating: ".", count: 506)
        let far = String(repeating: "far away. ", count: 300)
        let scan = LeakScan(secrets: [Secret(.state, "abcdefghijkl")], lawful: [], short: [:])
        #expect(scan.leaks(in: [.string("%26\(filler)abcdef\(far)ghijkl\(filler)%26")]).isEmpty)
        #expect(scan.leaks(in: [.string("%26\(filler)abcdef\(far)%26abcdefghijk%6C")]).count == 1)
    }

    @Test func escapesOfSeveralKindsInOneLayerAreOneLayer() {
        let text = (0..<6).reduce(String(Self.secret.prefix(12))) { text, _ in
            let half = text.index(text.startIndex, offsetBy: text.count / 2)
            return SecretSpelling.percentEverything.write(String(text[..<half]))
                + SecretSpelling.htmlDecimal.write(String(text[half...]))
        }
        #expect(Self.leaks(text).map(\.characters) == [12])
    }

    @Test func oneEscapeInALongBase64TextIsUndone() {
        // 400 bytes that encode without + and /, then the secret, at a + of which 12 characters need what is before it.
        let before = String(repeating: "abcdef", count: 67)
        let base64 = SecretSpelling.base64.write(before + "s3Kr/t+v4L u>>>" + before)
        let scan = LeakScan(secrets: [Secret(.state, "r/t+v4L u>>>")], lawful: [], short: [:])
        #expect(scan.leaks(in: [.string(SecretSpelling.percent.write(base64))]).map(\.characters) == [12])
    }

    // MARK: - Look-alikes

    @Test(
        arguments: SecretSpelling.allCases,
        [#"ab%41cd\n&lt;xy"#, #"%2F%2F%2F%2F"#, #"\u0041&#x41;"#, "a+b c+d e+f g"]
    )
    func whatLooksLikeAnEscapeIsPartOfTheSecret(spelling: SecretSpelling, secret: String) {
        let scan = LeakScan(secrets: [Secret(.cookie, secret)], lawful: [], short: [:])
        let text = "%26 \\n &amp; " + spelling.write(secret) + " %26 \\n &amp;"
        #expect(scan.leaks(in: [.string(text)]).count == 1, "\(text)")
    }

    @Test(arguments: [
        "%", "%4", "\\", "\\u00", "&", "&#", "&#x4", "%25", "\\\\", "&amp;", "=", "+", "\u{0}", "é",
    ])
    func surroundingsDoNotHideALeak(surroundings: String) {
        let secret = "41abcdef42;x"
        let scan = LeakScan(secrets: [Secret(.state, secret)], lawful: [], short: [:])
        for spelling in SecretSpelling.allCases {
            // The end of an escape that leaves no trace of where it began is no surroundings but another encoding.
            guard !(surroundings.hasSuffix("4") && spelling != .percent) else { continue }
            let text = surroundings + " " + spelling.write(secret) + surroundings
            #expect(scan.leaks(in: [.string(text)]).count == 1, "\(text)")
        }
        #expect(scan.leaks(in: [.string(surroundings + secret + surroundings)]).count == 1)
    }
}
