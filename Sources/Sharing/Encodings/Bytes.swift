import Captures

/// Searches in bytes.
enum Bytes {
    static func index(of needle: [UInt8], in text: [UInt8], from start: Int) -> Int? {
        start < text.count ? ByteSearch.index(of: needle, in: text, from: start) : nil
    }

    /// Where the text behind a phrase begins, wherever that is not the end of a longer word.
    static func places(behind phrase: [UInt8], in text: [UInt8]) -> [Int] {
        var places: [Int] = []
        var start = 0
        while let place = index(of: phrase, in: text, from: start) {
            start = place + phrase.count
            if place == 0 || !text[place - 1].isASCIIWordByte { places.append(start) }
        }
        return places
    }

    static func hasSuffix(_ text: ArraySlice<UInt8>, _ suffix: String) -> Bool {
        text.suffix(suffix.utf8.count).elementsEqual(suffix.utf8)
    }
}
