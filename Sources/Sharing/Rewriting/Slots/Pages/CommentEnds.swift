import Captures

/// Where the comments of a page or of XML end, and where its text goes on behind them.
///
/// Found once for a whole text: elements inside of a comment have the same comments behind them, and there may be many of both.
struct CommentEnds {
    /// Where a text goes on.
    struct End {
        /// Behind a comment, and behind those that follow it with nothing but text between them.
        var start: Int
        /// The next `<`, which begins no comment that ends; nil where there is none.
        var open: Int?
    }

    /// Behind each `-->`.
    private var places: [Int] = []
    private var ends: [End] = []

    init(_ text: ArraySlice<UInt8>) {
        let mark = Array("-->".utf8)
        var rest = text
        while let place = rest.firstRange(of: mark)?.upperBound {
            places.append(place)
            rest = text[place...]
        }
        ends = places.map { End(start: $0) }
        // From the last one on, so that what follows is known.
        var open: Int?
        var known = text.endIndex
        for index in places.indices.reversed() {
            open = text[places[index]..<known].firstIndex(of: 0x3c) ?? open
            known = places[index]
            ends[index].open = open
            if let open, let end = end(ofCommentAt: open, in: text) { ends[index] = end }
        }
    }

    /// Where the text goes on behind the comment that begins at a place; nil where none does, or it has no end.
    func end(ofCommentAt open: Int, in text: ArraySlice<UInt8>) -> End? {
        guard text[open...].starts(with: "<!--".utf8) else { return nil }
        // `<!-->` is one.
        let index = places.partitionPoint { $0 >= open + 5 }
        return index < places.count ? ends[index] : nil
    }
}
