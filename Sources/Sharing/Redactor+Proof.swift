/// What proves that nothing is left: a scan for what was found to be secret, by other means than those that replaced it.
extension Redactor {
    /// A scan for the secrets of these captures; what a shared capture holds all the same is told to it.
    package func leakScan() -> LeakScan {
        var secrets = secrets
        let lawful = lawfulTexts(inside: secrets)
        // What is open text but for a few characters is looked for where it is named.
        let blurred = Set(LeakScan(secrets: secrets, lawful: lawful, short: [:]).unprotected.map(\.text))
        let namedTexts = blurred.isEmpty ? [] : Set(found.named.keys.map(\.value))
        secrets.removeAll { secret in
            // What was found by its look alone has no name to be looked for under: an address at a host of the captures, an
            // identifier that is like one which everybody may know.
            blurred.contains(secret.text)
                && (secret.kind.isPersonal || secret.kind == .unexplained
                    || namedTexts.contains(secret.text))
        }
        return LeakScan(
            secrets: secrets,
            lawful: lawful,
            short: namedValues(besides: blurred),
            words: sureWords
        )
    }

    // MARK: - Anywhere

    /// Of which twelve characters in a row are looked for.
    private var secrets: [Secret] {
        var secrets: [Secret] = []
        for (text, kind) in found.values {
            secrets += pieces(of: text, kind).filter(isReplaced).map { Secret(kind, $0) }
        }
        for text in found.torn {
            let parts = (TornToken(text)?.rest.split(separator: ".") ?? []).map(String.init)
            secrets += parts.filter(isReplaced).map { Secret(.token, $0) }
        }
        for (token, kind) in found.tokens {
            let parts = token.split(separator: ".", omittingEmptySubsequences: false)
            for part in parts.count == 3 ? parts.suffix(1) : parts.dropFirst() where part.utf8.count >= 12 {
                secrets.append(Secret(kind, String(part)))
            }
        }
        return secrets
    }

    /// What of a value is its own, and secret.
    private func pieces(of text: String, _ kind: Secret.Kind) -> [String] {
        if kind == .asked { return [text] }
        // Of a token its parts are looked for: its stand-in may be of another length, and most of its text open.
        guard found.tokens[text] == nil else { return [] }
        guard let parts = standIns.parts(of: text) else { return standIns.ownPieces(of: text) ?? [text] }
        // Words in a document that was drawn as a whole may stand anywhere.
        return parts.filter { Drawn.looks($0.utf8) || found.kind(of: $0) != nil }
            + standIns.drawnRuns(of: text)
    }

    /// Whether a text is long enough, and another one in what is shared: what cannot be written otherwise (no letter, no digit)
    /// is no secret.
    private func isReplaced(_ text: String) -> Bool {
        Self.isLong(text) && standIns.standIn(for: text) != text && !standIns.isPiece(text)
    }

    private static func isLong(_ text: String) -> Bool {
        text.unicodeScalars.count >= FragmentIndex.shortestPiece
    }

    /// What everybody may know, that inside of the secrets included.
    private func lawfulTexts(inside secrets: [Secret]) -> [String] {
        // An address with a secret in it is no excuse for the secret.
        let joints = secrets.flatMap { secret in
            DocumentJoints.all(in: secret.text, isOpen: isOpen)
                + NumberedFields.joints(in: secret.text) {
                    found.kind(of: $0) == nil && !Drawn.looks($0.utf8)
                }
        }
        // A time stays one beside a cookie that tells the same without base64.
        let times = secrets.flatMap { NumberedFields.times(in: $0.text) }
        return found.open.union(found.hosts).union(found.words).union(joints).filter { text in
            standIns.sweeper.sweepingOnce(Array(text.utf8)) == nil
        } + times + StandIns.keptPrefixes + secrets.compactMap { DecentralizedIdentifier.method(of: $0.text) }
            + found.domains.map { "@" + $0 }
    }

    /// Whether a value inside of a secret is one that everybody may know.
    private func isOpen(_ text: String) -> Bool {
        found.kind(of: text) == nil && !Drawn.looks(text.utf8)
            && (found.open.contains(text) || found.identifiers.contains(text) || found.words.contains(text))
    }

    // MARK: - Where they are named, and as words

    /// Values that are looked for under their names only: short ones, and those that are open text.
    ///
    /// `blurred`: those that are open text but for a few characters.
    private func namedValues(besides blurred: Set<String>) -> [NamedValue: Secret.Kind] {
        let written = writtenUnderNames
        return found.named.filter { pair, kind in
            let isShort =
                !Self.isLong(pair.value) || found.open.contains(pair.value) || blurred.contains(pair.value)
                || found.isWord(pair.value, kind)
            // What is also the name of something stands in every list of names.
            let isName = kind.isPersonal && found.names.contains(pair.value.lowercased())
            // A single character stands anywhere: in the query of an address that a state holds.
            let isCharacter = !kind.isPersonal && pair.value.unicodeScalars.count < 2
            // A password that is called itself is replaced as it is written; with a capital it is what pages call it.
            let isOwnName = kind.isChosen && pair.name.lowercased() == pair.value.lowercased()
            return isShort && !isName && !isCharacter && !isOwnName && !written.contains(pair)
                && standIns.standIn(for: pair.value) != pair.value
        }
    }

    /// What stands under a name for another value: where all values of so few characters occur, each of them is what one of the
    /// others became, and tells nothing.
    private var writtenUnderNames: Set<NamedValue> {
        var written: Set<NamedValue> = []
        for pair in found.named.keys where !Self.isLong(pair.value) {
            let other = NamedValue(pair.name, standIns.standIn(for: pair.value))
            if other != pair, found.named[other] != nil { written.insert(other) }
        }
        return written
    }

    /// Secrets that must not stand anywhere, whatever their length, with what may stand beside them.
    private var sureWords: [(secret: Secret, boundary: WordIndex.Boundary)] {
        let sure = found.sureWords
        let accounts = standIns.sweeper.names.accounts.filter { standIns.standIn(forName: $0) != $0 }
        let words =
            zip(sure.texts, sure.boundaries).filter { text, _ in !standIns.isPiece(text) }
            + accounts.map { ($0, .name) }
        return words.map { text, boundary in
            let kind = found.values[text] ?? standIns.namedKinds[text]
            return (Secret(kind ?? (boundary == .name ? .personal : .asked), text), boundary)
        }
    }
}
