import Captures
import JSON

/// Looks through whole texts, with what is encoded in them.
extension SecretFinder {
    func sweep(_ text: [UInt8]) {
        if Bytes.index(of: Array("\"kty\"".utf8), in: text, from: 0) != nil,
            let json = try? JSONParser.parse(text)
        {
            collectKeys(json, depth: 0)
        }
        ask(text)
        guard text.count >= 6 else { return decode(text, depth: 0) }
        tokens(in: text)
        let encoded = readableBase64(in: text)
        look(at: text, except: encoded.map(\.range))
        for (_, inner) in encoded {
            ask(inner)
            tokens(in: inner)
            look(at: inner)
            decode(inner, depth: 1)
        }
        for run in BinaryCoding.numbers(in: text) { look(at: BinaryCoding.base64.decoded(Array(text[run]))) }
        tokensInBase64(of: text)
        // What is escaped once looks like nothing until it is not.
        decode(text, depth: 0)
    }

    /// Takes the tokens and private keys in what is in base64 and no document: a sentence, the frame of a protocol, a file.
    private func tokensInBase64(of text: [UInt8]) {
        for run in BinaryCoding.documents(in: text) where run.count >= Self.shortestWithToken {
            let inner = BinaryCoding.base64.decoded(text[run].filter { !BinaryCoding.isOfLineBreak($0) })
            if Bytes.index(of: Array("ey".utf8), in: inner, from: 0) != nil { tokens(in: inner) }
            if Bytes.index(of: LookScanner.endOfKeyLabel, in: inner, from: 0) != nil {
                takeLooks(of: inner) { _ in false }
            }
        }
    }

    /// In characters.
    private static let shortestWithToken = 64

    /// Takes what somebody asks for.
    private func ask(_ text: [UInt8]) {
        guard !patterns.isEmpty else { return }
        let string = String(decoding: text, as: UTF8.self)
        for (ordinal, pattern) in patterns.enumerated() {
            for match in string.matches(of: pattern) where !match.range.isEmpty {
                found.asked[ordinal, default: []].insert(String(string[match.range]))
            }
        }
    }

    /// Looks at a text without its encodings, nested ones too.
    private func decode(_ text: [UInt8], depth: Int) {
        for coding in [TextCoding.escapes, .percent, .entities] where coding.mayApply(to: text[...]) {
            let decoded = coding.decoded(text[...])
            guard decoded.bytes != text else { continue }
            ask(decoded.bytes)
            tokens(in: decoded.bytes)
            // Where an `@` is percent-encoded a plus sign is a space.
            look(inside: coding == .percent ? TextCoding.form.decoded(text[...]) : decoded)
            // Addresses are encoded more than once, pages are not.
            if depth < 2, decoded.bytes.count < Self.longestNested {
                decode(decoded.bytes, depth: depth + 1)
            }
        }
    }

    private static let longestNested = 1 << 16

    /// Texts in base64, raw requests and documents: what they are made of looks drawn, and is none of it.
    private func readableBase64(in text: [UInt8]) -> [(range: Range<Int>, inner: [UInt8])] {
        BinaryCoding.documents(in: text).compactMap { run in
            Base64Text(Array(text[run])).map { (run, $0.text) }
        }
    }

    /// Takes what is a secret by its look.
    ///
    /// `except`: where nothing that only looks random is looked for, in order.
    private func look(at text: [UInt8], except: [Range<Int>] = []) {
        takeLooks(of: text) { range in
            let next = except.partitionPoint { $0.upperBound > range.lowerBound }
            return next == except.count || except[next].lowerBound >= range.upperBound
        }
    }

    /// Takes what is a secret by its look in a text without its encoding: what looks random may be the work of decoding what was
    /// not encoded, but where it stood in escapes from end to end.
    private func look(inside text: DecodedText) { takeLooks(of: text.bytes, where: text.isEscaped) }

    /// `mayBeRandom`: whether something that only looks random is one at a place.
    private func takeLooks(of text: [UInt8], where mayBeRandom: (Range<Int>) -> Bool) {
        if look.findsPersonal { found.homes.formUnion(HomeFolders.names(in: text)) }
        for (key, account) in StoredAccounts.keys(in: text) {
            // It looks drawn, and says what is kept there.
            found.traces.insert(key)
            if let account { note(.personal, FormAccounts.name, account) }
        }
        for finding in look.findings(in: text)
        where finding.kind != .unexplained || mayBeRandom(finding.range) {
            let value = String(decoding: text[finding.range], as: UTF8.self)
            if found.tokens[value] != nil { continue }
            if finding.kind == .unexplained, TraceNames.stand(before: finding.range.lowerBound, in: text) {
                found.traces.insert(value)
                continue
            }
            if finding.kind == .oneTimeCode {
                // Of one in groups the digits, with whatever stands between them elsewhere.
                note(.oneTimeCode, ShownCodes.name, ShownCodes.plain(value))
                continue
            }
            if finding.kind == .credentials, GroupedCodes.isKey(value.utf8) {
                found.oneTimeKeys.insert(value)
            }
            if found.values[value] == nil { found.values[value] = finding.kind }
            if finding.kind == .phone { found.phones.insert(value) }
        }
    }
}
