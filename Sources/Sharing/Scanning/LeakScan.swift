import Captures
package import JSON

/// Proves that no secret of a capture is in what is shared of it.
///
/// Looks at every string, member name and number of a JSON value, as it is and through nested encodings, for any twelve
/// characters in a row of a secret, and for names with values that must not stand under them. It knows nothing of how
/// secrets were found or replaced: it undoes escapes, base64 and hexadecimal digits with readers of its own, and what
/// it is told is what it looks for.
///
/// **Encodings.** Percent (either case of digits, `%u0041`, `+` for a space, twice and more), the escapes of JSON and
/// JavaScript strings (JSON inside of JSON), HTML's character references, the escapes of style sheets, base64 and
/// base64url (the secret anywhere inside of what was encoded, padded or not, with line breaks, text of UTF-16 too),
/// hexadecimal digits; up to four layers around one another in any order, besides the base64 of a body that HAR
/// declares. Escapes of several kinds that meet in one layer count as one. As the innermost layer, with at most two
/// around it: bytes by their numbers, base 85 and lines of `uuencode`, as ``ListedBytes`` has them.
///
/// **Case.** ASCII letters are compared without case: twelve characters are as good as never equal by accident, even
/// without case. Only values of fewer than six bytes in named pairs are compared as they are: a stand-in of the same
/// shape often differs by nothing but case.
///
/// **What it takes.** Eight bytes of memory per byte of secret text, and per string a small multiple of its length;
/// time is linear in the length of what is looked at, whatever the number of secrets. Does no IO, changes nothing once it
/// is made: entries may be scanned at the same time.
package struct LeakScan: Sendable {
    private let sought: SoughtSecrets

    /// Secrets that the scan does not look for: they are shorter than twelve characters or lawful text from end to end,
    /// and no pair of `short` has them as its value.
    ///
    /// Whoever makes the scan sees to it that there are none.
    package let unprotected: [Secret]

    /// - Parameters:
    ///   - secrets: What is secret, decoded: of a JWT its signature part and the values of its secret claims, not the
    ///     token; of what encloses something public (a cookie with a JWT in it) the parts that are secret, or the whole
    ///     and the public parts in `lawful`. Other spellings of the same secret, such as what a base64 cookie decodes to,
    ///     are secrets of their own.
    ///   - lawful: Text that may be in the output although twelve characters of it are also in a secret: issuer,
    ///     `client_id`, redirect URIs, the header and the public claims of a JWT as JSON text, member names, the fixed
    ///     first letters of a kind of token, the lines around a PEM key, text that the capture holds elsewhere. As it
    ///     stands inside of the secret; what a secret holds as base64 of public text (a JWT header in a cookie) is
    ///     recognised from the text itself up to 16 KiB, over as many characters as are given in one piece. Taken once,
    ///     nothing of it is kept. Text with a secret in it would hide that secret: ``unprotected`` names it then.
    ///   - short: Names with the values that must not stand under them, for secrets that are shorter than twelve
    ///     characters or occur in lawful text. Decoded, the name as in the message: of a parameter, a cookie, a header
    ///     field, a form field, a member of JSON, a claim.
    ///   - words: Secrets that must not stand anywhere, whatever their length, with what may stand beside them.
    package init(
        secrets: some Sequence<Secret>,
        lawful: some Sequence<String>,
        short: [NamedValue: Secret.Kind],
        words: [(secret: Secret, boundary: WordIndex.Boundary)] = []
    ) {
        let distinct = secrets.eachOnce(by: \.text)
        let texts = distinct.lazy.map(\.text)
        let textBytes = Self.textBytes(of: distinct)
        let encloseBase64 = LawfulForms.holdBase64(texts, textBytes: textBytes)
        let windows = WindowIndex(texts) { mark in
            for text in lawful { LawfulForms.forEach(of: text, inBase64: encloseBase64, mark) }
        }
        let named = Set(short.keys.lazy.map(\.value)).union(words.lazy.map(\.secret.text))
        unprotected = distinct.indices
            .filter { !named.contains(distinct[$0].text) && !windows.holdsAny(of: $0) }
            .map { distinct[$0] }
        let spelled = words.flatMap { word in
            let bytes = Array(word.secret.text.utf8)
            // What an account is called is looked for as it stands: in base64 it is met by chance, or in a certificate.
            let isPlain = bytes.count < 4 || word.boundary == .name || word.boundary == .segment
            let forms = isPlain ? [] : WordIndex.encoded(bytes)
            return [(word.secret, bytes, word.boundary)] + forms.map { (word.secret, $0, .base64) }
        }
        sought = SoughtSecrets(
            windows: windows,
            kinds: distinct.map(\.kind),
            named: NamedValueIndex(short),
            words: WordIndex(spelled.map { ($0.1, $0.2) }),
            wordSecrets: spelled.map(\.0),
            base85: Base85Index(texts.filter { Drawn.looks($0.utf8) }),
            textBytes: textBytes
        )
    }

    private static func textBytes(of secrets: [Secret]) -> [Bool] {
        var textBytes = [Bool](repeating: false, count: 128)
        for byte in 0x20..<0x7f { textBytes[byte] = true }
        for byte in [0x09, 0x0a, 0x0d] { textBytes[byte] = true }
        for secret in secrets {
            for byte in secret.text.utf8 where byte < 0x20 || byte == 0x7f { textBytes[Int(byte)] = true }
        }
        return textBytes
    }

    // MARK: - Scanning

    /// The leaks in one entry of the output, or in another value of it such as `log.pages`.
    ///
    /// Every leak is found, but of one string only the first hundred are listed; where one stands in several encodings
    /// at once it is listed once.
    ///
    /// `entry`: the index in `log.entries`; nil outside of the entries.
    package func leaks(in json: JSONValue, entry: Int? = nil) -> [Leak] {
        var clean = CleanTexts()
        return leaks(in: json, entry: entry, clean: &clean)
    }

    /// The same of one of many.
    ///
    /// `clean`: of this scan.
    package func leaks(in json: JSONValue, entry: Int? = nil, clean: inout CleanTexts) -> [Leak] {
        var walk = Walk(scan: self, entry: entry)
        swap(&walk.clean, &clean)
        walk.visit(json, context: [])
        swap(&walk.clean, &clean)
        return walk.leaks
    }

    /// The leaks in one line of the output as it is written.
    ///
    /// Bytes that are not JSON are looked at as one text.
    package func leaks(inText bytes: [UInt8], entry: Int? = nil) -> [Leak] {
        guard let json = try? JSONParser.parse(bytes) else {
            var walk = Walk(scan: self, entry: entry)
            bytes.withUnsafeBufferPointer { walk.look(at: $0, context: []) }
            return walk.leaks
        }
        return leaks(in: json, entry: entry)
    }

    /// One way through a JSON value.
    private struct Walk {
        let scan: LeakScan
        let entry: Int?
        var path = LeakPath()
        var leaks: [Leak] = []
        var clean = CleanTexts()

        /// `context`: the names under which the value stands.
        mutating func visit(_ value: JSONValue, context: [Int]) {
            switch value {
            case .null, .bool: break
            case .number(let number): look(at: number.text, context: context)
            case .string(let text): look(at: text, context: context)
            case .array(let elements):
                for (index, element) in elements.enumerated() {
                    path.enter(index)
                    visit(element, context: context)
                    path.leave()
                }
            case .object(let object): visit(object)
            }
        }

        private mutating func visit(_ object: JSONObject) {
            // {"name": …, "value": …}, as HAR writes header fields, cookies, and parameters.
            let given = object["name"]?.string.flatMap(scan.sought.named.name)
            let isBase64 = object["encoding"]?.string?.lowercased() == "base64"
            for (ordinal, member) in object.members.enumerated() {
                path.enter(member.name, ordinal: ordinal)
                look(at: member.name, context: [], isName: true)
                var context: [Int] = []
                if !scan.sought.named.isEmpty {
                    if let name = scan.sought.named.name(member.name) { context.append(name) }
                    if let given, member.name == "value" { context.append(given) }
                }
                if isBase64, member.name == "text", case .string(let text) = member.value {
                    look(at: text, context: context, isBase64Body: true)
                } else {
                    visit(member.value, context: context)
                }
                path.leave()
            }
        }

        private mutating func look(
            at text: String,
            context: [Int],
            isName: Bool = false,
            isBase64Body: Bool = false
        ) {
            var text = text
            text.withUTF8 { look(at: $0, context: context, isName: isName, isBase64Body: isBase64Body) }
        }

        mutating func look(
            at text: UnsafeBufferPointer<UInt8>,
            context: [Int],
            isName: Bool = false,
            isBase64Body: Bool = false
        ) {
            // Too short for a secret in any encoding, and no pairs to look for.
            guard text.count >= WindowIndex.length || scan.sought.haveShort,
                !text.isEmpty, !clean.contains(text, context, isBase64Body: isBase64Body)
            else { return }
            var scanned = TextScan(scan.sought, context: context)
            scanned.scan(text, isBase64Body: isBase64Body)
            if scanned.findings.isEmpty { clean.insert(text, context, isBase64Body: isBase64Body) }
            for finding in scanned.findings {
                leaks.append(
                    Leak(
                        kind: finding.kind,
                        entry: entry,
                        path: path.text + (isName ? " (name)" : ""),
                        offset: finding.range.lowerBound,
                        encodings: finding.encodings,
                        characters: finding.characters
                    )
                )
            }
        }
    }
}
