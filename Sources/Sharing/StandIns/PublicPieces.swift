/// Text that everybody may know: names of clients, issuers and hosts, inside of what is secret.
struct PublicPieces {
    private let texts: [String]
    private let index: FragmentIndex

    init(of found: FoundSecrets) {
        texts = found.wellKnown.union(found.hosts).union(found.words)
            .filter { $0.utf8.count >= FragmentIndex.shortestWord }.sorted()
        index = FragmentIndex(texts.map { Array($0.utf8) })
    }

    /// Where one of them stands as a whole.
    func whole(in text: [UInt8]) -> [Range<Int>] {
        index.matches(in: text).filter { $0.range.count == texts[$0.secret].utf8.count }.map(\.range)
    }

    /// Whether a piece of a secret is text that everybody may know, but for fewer characters than say anything: the address
    /// of the app in somebody's state; in base64, too, which the client's name may have in common with Basic credentials.
    func isPublic(_ piece: [UInt8]) -> Bool {
        if isPublic(piece, butFor: FragmentIndex.shortestPiece) { return true }
        let coding = BinaryCoding.base64
        guard coding.runs(in: piece) == [piece.indices] else { return false }
        // With three digits before them and a part of one on either side, five bytes are fewer than twelve digits.
        return (0..<4).contains { skipped in
            isPublic(coding.decoded(Array(piece[skipped...])), butFor: 6)
        }
    }

    /// `least`: so many bytes in a row that nobody knows are too many.
    private func isPublic(_ text: [UInt8], butFor least: Int) -> Bool {
        var end = 0
        for match in index.matches(in: text) {
            guard match.range.lowerBound - end < least else { return false }
            end = match.range.upperBound
        }
        return end > 0 && text.count - end < least
    }
}
