internal import Captures

/// What a line of a key log says.
extension TLSKeyLog {
    /// A secret of a connection.
    struct Secret {
        var label: Label
        var random: TLSRandom
        var bytes: [UInt8]
    }

    /// What a line says.
    enum Line {
        /// A comment, or empty.
        case nothing
        /// A label that is not needed here; `isGood` where the line is as a key log's.
        case unused(isGood: Bool)
        /// One, or several where a line of JSON holds a text of several lines.
        case secrets([Secret])
        case premaster(name: [UInt8], [UInt8])
        /// The master secret of the session with this ID.
        case session(id: [UInt8], [UInt8])
        case wrong(String)

        /// Whether lines end with a byte.
        static func isEnd(_ byte: UInt8) -> Bool { byte == 0x0a || byte == 0x0d }

        /// `isFirst`: a byte order mark may stand before it.
        init(_ text: UnsafeRawBufferPointer, isFirst: Bool = false) {
            var words = text.split(whereSeparator: \.isBlank)
            if isFirst, words.first?.starts(with: [0xef, 0xbb, 0xbf]) == true {
                words[0] = words[0].dropFirst(3)
                if words[0].isEmpty { words.removeFirst() }
            }
            guard let name = words.first, name.first != UInt8(ascii: "#") else {
                self = .nothing
                return
            }
            if let old = Self.premaster(words) ?? Self.session(words.suffix(3)) {
                self = old
                return
            }
            let label = Self.labels[Array(name)]
            let said = label.map { Self.secret($0, words) }
            if case .secrets? = said, let said {
                self = said
                return
            }
            let among = Self.secrets(among: text)
            let secrets = among.isEmpty && label == nil ? Self.secretsInByteArrays(text) : among
            if !secrets.isEmpty {
                self = .secrets(secrets)
            } else if let said {
                self = said
            } else if name.allSatisfy(Self.isOfLabel), words.count > 1 {
                // Of newer protocols and older programs.
                let isGood = words.count == 3 && name.count > 2 && text.allSatisfy { $0 < 0x7f }
                self = .unused(isGood: isGood)
            } else {
                self = .wrong(Self.noLabel)
            }
        }

        private static let labels = Dictionary(
            uniqueKeysWithValues: Label.allCases.map { (Array($0.rawValue.utf8), $0) }
        )

        /// Why a line is none that has nothing of a key log.
        static let noLabel = "does not begin with a label"

        /// Whether a byte may stand in a label: capitals, digits and low lines.
        private static func isOfLabel(_ byte: UInt8) -> Bool {
            (0x41...0x5a).contains(byte) || byte.isASCIIDigit || byte == 0x5f
        }

        /// The secrets that stand somewhere in a line.
        ///
        /// What collects the output of programs puts its own words in front of one, as `docker compose logs` and journald do, or
        /// around it, where its lines are JSON; and what takes a text elsewhere makes commas, spaces or no-break spaces of the ends of lines
        /// and of what stands between the words, or small letters of capitals.
        static func secrets(among text: UnsafeRawBufferPointer) -> [Secret] {
            // Most lines of a log have none.
            guard hasRandom(text) else { return [] }
            let words = text.split { !$0.isASCIILetter && !$0.isASCIIDigit && $0 != 0x5f }
            var found: [Secret] = []
            for index in words.indices.dropLast(2) where words[index + 1].count == randomDigits {
                guard let label = label(atEndOf: words[index]) else { continue }
                let line = secret(label, [words[index], words[index + 1], words[index + 2]])
                if case .secrets(let secrets) = line { found += secrets }
            }
            return found
        }

        /// Whether there are as many hexadecimal digits one after the other as a random has.
        private static func hasRandom(_ text: UnsafeRawBufferPointer) -> Bool {
            // So many go over one of these places, wherever they stand.
            for place in stride(from: randomDigits - 1, to: text.count, by: randomDigits)
            where text[place].isHexadecimalDigit {
                let before = text[(place + 1 - randomDigits)..<place].reversed()
                let behind = text[place...].prefix(randomDigits).prefix { $0.isHexadecimalDigit }
                if before.prefix(while: { $0.isHexadecimalDigit }).count + behind.count >= randomDigits {
                    return true
                }
            }
            return false
        }

        /// The secrets in JSON's arrays of numbers, each a byte: what `journalctl -o json` makes of a text with a terminal's colours.
        private static func secretsInByteArrays(_ text: UnsafeRawBufferPointer) -> [Secret] {
            var found: [Secret] = []
            var bytes: [UInt8] = []
            var number: Int?
            var isInside = false
            for byte in text {
                switch byte {
                case UInt8(ascii: "["): (isInside, number, bytes) = (true, nil, [])
                case _ where !isInside, 0x20: break
                case _ where byte.isASCIIDigit:
                    number = (number ?? 0) * 10 + Int(byte & 15)
                    isInside = number.map { $0 < 256 } ?? false
                case UInt8(ascii: ","), UInt8(ascii: "]"):
                    if let number { bytes.append(UInt8(number)) }
                    number = nil
                    guard byte == UInt8(ascii: "]") else { break }
                    isInside = false
                    guard bytes.count > randomDigits else { break }
                    found += bytes.withUnsafeBytes { secrets(among: $0) }
                default: isInside = false
                }
            }
            return found
        }

        /// Of a client random, in hexadecimal.
        private static let randomDigits = 64
        /// Longer words are no labels.
        private static let longestLabel = 40

        /// The label that a word is, or ends with: behind an escaped line feed of JSON, or a terminal's colour.
        private static func label(atEndOf word: UnsafeRawBufferPointer.SubSequence) -> Label? {
            let last = word.suffix(longestLabel + 1)
            let capitals = last.lastIndex { !isOfLabel($0) }.map { last[($0 + 1)...] } ?? last
            if let label = labels[Array(capitals)] { return label }
            return word.count <= longestLabel ? labels[word.map { $0 & ($0 > 0x60 ? 0xdf : 0xff) }] : nil
        }

        /// Nil for what is none.
        private static func premaster(_ words: [UnsafeRawBufferPointer.SubSequence]) -> Line? {
            guard words.count == 3, words[0].elementsEqual("RSA".utf8),
                let name = TLSKeyLog.bytes(words[1]), name.count == TLSKeyLog.premasterNameSize,
                let secret = TLSKeyLog.bytes(words[2]), secret.count == 48
            else { return nil }
            return .premaster(name: name, secret)
        }

        /// With a name before the ID and one before the secret; nil for what is none.
        ///
        /// The words of a balancer's log may stand in front of it.
        private static func session(_ words: ArraySlice<UnsafeRawBufferPointer.SubSequence>) -> Line? {
            let (idName, secretName) = ("Session-ID:", "Master-Key:")
            guard words.count == 3, let first = words.first, first.elementsEqual("RSA".utf8),
                let last = words.last, last.starts(with: secretName.utf8),
                let middle = words.dropFirst().first, middle.starts(with: idName.utf8),
                let id = TLSKeyLog.bytes(middle.dropFirst(idName.utf8.count)), (1...32).contains(id.count),
                let secret = TLSKeyLog.bytes(last.dropFirst(secretName.utf8.count)), secret.count == 48
            else { return nil }
            return .session(id: id, secret)
        }

        private static func secret(_ label: Label, _ words: [UnsafeRawBufferPointer.SubSequence]) -> Line {
            guard words.count == 3 else { return .wrong("has \(words.count) words instead of three") }
            guard let random = TLSKeyLog.bytes(words[1]).flatMap({ TLSRandom($0) }) else {
                return .wrong("its client random is not 64 hexadecimal digits")
            }
            guard let secret = TLSKeyLog.bytes(words[2]),
                secret.count == 48 || secret.count == 32 && label != .masterSecret
            else {
                let digits = label == .masterSecret ? "96" : "64 or 96"
                return .wrong("its secret is not \(digits) hexadecimal digits")
            }
            return .secrets([Secret(label: label, random: random, bytes: secret)])
        }
    }

    private static func bytes(_ digits: UnsafeRawBufferPointer.SubSequence) -> [UInt8]? {
        digits.count <= 128 ? Hexadecimal.decode(digits) : nil
    }
}
