/// Values that a client makes for each login: not what they are counts, but how they are made and what they fit.
extension RequestChangeFinder {
    /// What two values were made up as; nil where they were not, or where tokens are made of them.
    ///
    /// One of them may look like a word by chance, or be one: a word is no relation to anything either.
    static func made(_ mine: ValueSource?, _ theirs: ValueSource?, named name: String)
        -> GeneratedValue?
    {
        let isPassed = [mine, theirs].contains { source in
            switch source {
            case .issued, .secret, .form: true
            case .literal, .generated, nil: false
            }
        }
        guard !isPassed else { return nil }
        for source in [mine, theirs] {
            guard case .generated(let kind)? = source else { continue }
            return kind.isSignedClaims ? nil : kind
        }
        return name == "state" ? .state : name == "nonce" ? .nonce : nil
    }

    /// Verifiers that belong to their challenges are the same one.
    mutating func bindVerifiers() {
        for (mine, theirs) in zip(good.challenges, bad.challenges) {
            guard let own = mine.verifier, let other = theirs.verifier,
                ValueShape(own).isLike(ValueShape(other))
            else { continue }
            translator.bind(other, to: own)
        }
    }

    /// Notes how a value was made otherwise than the one in its place, or that it stands for that.
    mutating func compareMade(
        _ kind: GeneratedValue,
        _ key: Key,
        _ mine: RequestEditor.Item,
        _ theirs: RequestEditor.Item,
        _ both: Counterparts
    ) {
        let challenges = (good: good.challenges, bad: bad.challenges)
        switch GeneratedComparison(of: kind, mine.value, theirs.value, made: challenges) {
        case .nothing: break
        case .alike: translator.bind(theirs.value, to: mine.value)
        case .otherwise(let note, let edits):
            add(
                both,
                .of(
                    key.name,
                    expected: mine.value,
                    seen: theirs.value,
                    at: place(of: theirs, both.theirs),
                    note: note
                ),
                [set(both.mine, key, theirs.value, isInBody: theirs.isInBody)] + edits
            )
        }
    }
}
