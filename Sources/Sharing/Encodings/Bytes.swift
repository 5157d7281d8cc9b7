import Captures

/// Searches in bytes.
enum Bytes {
    static func index(of needle: [UInt8], in text: [UInt8], from start: Int) -> Int? {
        start < text.count ? ByteSearch.index(of: needle, in: text, from: start) : nil
    }

    static func hasSuffix(_ text: ArraySlice<UInt8>, _ suffix: String) -> Bool {
        text.suffix(suffix.utf8.count).elementsEqual(suffix.utf8)
    }
}
